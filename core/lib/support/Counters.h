// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

namespace contraflow {

/// True if I counts for `--coverage` or `-fprofile-generate`: the program does not read it.
inline bool isCount(const llvm::Instruction &I) {
  const llvm::Value *To = nullptr;
  if (const auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I))
    To = Store->getPointerOperand();
  else if (const auto *Update = llvm::dyn_cast<llvm::AtomicRMWInst>(&I))
    To = Update->getPointerOperand();
  const auto *G =
      llvm::dyn_cast_or_null<llvm::GlobalVariable>(To ? llvm::getUnderlyingObject(To) : To);
  return G && (G->getName().starts_with("__profc_") || G->getName().starts_with("__llvm_gcov_ctr"));
}

} // namespace contraflow
