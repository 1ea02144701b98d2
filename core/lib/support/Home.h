// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unoptimised code keeps each parameter in a local variable.

#pragma once

#include "llvm/IR/Instructions.h"

namespace contraflow {

/// The local variable that a use of a parameter keeps it in; null: it is something else.
inline const llvm::AllocaInst *homeOf(const llvm::Use &U) {
  auto *Store = llvm::dyn_cast<llvm::StoreInst>(U.getUser());
  return Store && U.getOperandNo() == 0
             ? llvm::dyn_cast<llvm::AllocaInst>(Store->getPointerOperand())
             : nullptr;
}

} // namespace contraflow
