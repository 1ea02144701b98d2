// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -g, a store and the debug records that speak of it name each other by an identity:
//
//   store double %x, ptr %v, !DIAssignID !7      #dbg_assign(double %x, !"v", ..., !7, ptr %v)
//
// A clone keeps it, and what is done to the clone's variables would be done to the original's
// records. A function of ours has identities of its own; a shadow of a variable has none.

#pragma once

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"

namespace contraflow {

inline void ownAssignments(llvm::Function &F) {
  llvm::DenseMap<llvm::DIAssignID *, llvm::DIAssignID *> Map;
  for (llvm::Instruction &I : llvm::instructions(F))
    llvm::at::remapAssignID(Map, I);
}

/// A copy of a store or of a variable that is not the user's.
template <class T> T *cloneForShadow(T &I) {
  auto *Twin = llvm::cast<T>(I.clone());
  Twin->setMetadata(llvm::LLVMContext::MD_DIAssignID, nullptr);
  return Twin;
}

} // namespace contraflow
