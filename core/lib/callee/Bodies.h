// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the C++ library that are no part of its headers, written out; see Bodies.cpp.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class FunctionType;
class Module;
class Twine;
} // namespace llvm

namespace contraflow {

/// Of a call: the library's own function is meant, in the body that stands for it.
inline constexpr llvm::StringLiteral OriginalCall = "contraflow_original";

/// What a function of the library does, as a function of the module; null if F is none of those
/// known here.
llvm::Function *bodyOf(const llvm::Function &F);

/// The internal function of the module by this name, empty the first time.
llvm::Function *ownFunction(llvm::Module &M, const llvm::Twine &Name, llvm::FunctionType *T);

} // namespace contraflow
