// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mathematical functions of callee/Math.def as values: which function a callee or an intrinsic
// is, and, the other way round, how to spell a function for a given floating type.
//
//   double @sin(double), __sin_finite, float @sinf(float), llvm.sin.v4f64  <->  MathFn::Sin

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Intrinsics.h"
#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class Function;
class FunctionType;
class Type;
} // namespace llvm

namespace contraflow {

enum class MathFn : uint8_t {
#define CF_LIBM(Fn, Name, Shape) Fn,
#define CF_INTRINSIC(Fn, Shape, Intrinsic) Fn,
#include "Math.def"
};

inline constexpr unsigned NumMathFns = 0
#define CF_LIBM(Fn, Name, Shape) +1
#define CF_INTRINSIC(Fn, Shape, Intrinsic) +1
#include "Math.def"
    ;

/// Functions of two floating results, or of the parts of a complex number, perhaps in a vector.
enum class CompoundFn : uint8_t {
#define CF_COMPOUND(Fn, Name, Shape) Fn,
#define CF_PAIR(Fn, Name, Shape) Fn,
#include "Math.def"
};

/// The function of the C library that F is, if F is declared with that function's type.
std::optional<MathFn> mathFunction(const llvm::Function &F);
/// The function that an intrinsic computes.
std::optional<MathFn> mathIntrinsic(llvm::Intrinsic::ID Id);

/// The function of two results that F is, if F is declared with that function's type.
std::optional<CompoundFn> compoundFunction(const llvm::Function &F);

/// The enumerator as text ("Sin"): names tests and prints.
llvm::StringRef mathName(MathFn Fn);
/// The intrinsic of the same meaning, or not_intrinsic.
llvm::Intrinsic::ID intrinsicFor(MathFn Fn);
/// The C name for a scalar floating type (sin, sinf, sinl); empty if there is none.
std::string mathSpelling(MathFn Fn, const llvm::Type *Ty);
/// The type of the C function that works on a scalar floating type.
llvm::FunctionType *mathType(MathFn Fn, llvm::Type *Ty);
/// True if C has functions for this scalar type: float, double, long double.
bool isLibmType(const llvm::Type *Ty);

} // namespace contraflow
