// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that every thread has for itself.

#pragma once

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class GlobalVariable;
class Module;
} // namespace llvm

namespace contraflow::threads {

/// Those that the program uses.
llvm::SmallVector<llvm::GlobalVariable *, 4> ownVariables(llvm::Module &M);
/// True if all code that comes to a variable names it, so that no thread comes to that of another.
bool isAlwaysNamed(llvm::GlobalVariable &G);
bool hasTeams(const llvm::Module &M);
/// True if a region of a team may come to one of the variables.
bool mayBelongToTeams(llvm::Module &M, llvm::ArrayRef<llvm::GlobalVariable *> Variables);
/// What is called begins with values of its own, and leaves those of its caller as they are.
void keepOwn(llvm::CallBase &Call, llvm::ArrayRef<llvm::GlobalVariable *> Variables);

} // namespace contraflow::threads
