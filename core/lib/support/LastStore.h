// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a variable holds when control comes to an instruction.

#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace contraflow {

/// The last store to Memory before At, in the same loops; null if none is known.
inline llvm::StoreInst *lastStoreBefore(llvm::Value &Memory, const llvm::Instruction &At,
                                        const llvm::DominatorTree &DT, const llvm::LoopInfo &LI) {
  llvm::StoreInst *Last = nullptr;
  for (llvm::User *U : Memory.users())
    if (auto *S = llvm::dyn_cast<llvm::StoreInst>(U);
        S && S->getPointerOperand() == &Memory && DT.dominates(S, &At) &&
        LI.getLoopFor(S->getParent()) == LI.getLoopFor(At.getParent()))
      Last = !Last || DT.dominates(Last, S) ? S : Last;
  return Last;
}

} // namespace contraflow
