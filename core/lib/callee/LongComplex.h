// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of complex long doubles, which x86 passes in memory; see LongComplex.cpp.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace contraflow {

/// What the names of those begin with whose parts are values.
inline constexpr llvm::StringLiteral LongComplex = "cf.complex.";

/// The function of <complex.h> of this name, such as "cexpl", of so many numbers; with parts that
/// are values.
llvm::Function *longComplex(llvm::Module &M, llvm::StringRef Name, unsigned Numbers);

/// What a function of complex long doubles does, as a function of the module; null if F is none.
llvm::Function *longComplexBodyOf(const llvm::Function &F);

} // namespace contraflow
