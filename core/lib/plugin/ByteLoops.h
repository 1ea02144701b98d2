// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that copy bytes one by one stay loops until they are differentiated.

#pragma once

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class LPMUpdater;
class PassBuilder;
} // namespace llvm

namespace contraflow {

struct ByteLoopsPass : llvm::PassInfoMixin<ByteLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &, llvm::LPMUpdater &);
};

void keepByteLoops(llvm::PassBuilder &PB);

} // namespace contraflow
