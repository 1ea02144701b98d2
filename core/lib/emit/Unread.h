// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a derivative would calculate for nobody; see Unread.cpp.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Takes away what is only stored to local variables that nobody reads, in the functions and in
/// what they call or run as threads. Returns the functions that have changed, which are worth
/// simplifying once more, and do what those that call them now need.
llvm::SmallSetVector<llvm::Function *, 4> dropUnread(llvm::ArrayRef<llvm::Function *> Functions);

/// Takes away mathematical functions whose result nobody uses, in programs that do not ask for
/// errno. True if there were any.
bool dropUnusedMath(llvm::Function &F);

} // namespace contraflow
