// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse sweeps go through rows backwards; the loop in a row is vectorised all the same.

#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace contraflow {

struct BackwardRowsPass : llvm::PassInfoMixin<BackwardRowsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &Analyses);
};

/// Right before loops are vectorised.
void vectoriseBackwardRows(llvm::PassBuilder &PB);

} // namespace contraflow
