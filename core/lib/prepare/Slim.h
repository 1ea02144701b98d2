// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callees as they were compiled at -O0, with their variables in registers: what is inlined of them
// is a third as long, and addresses that come back from one are not lost in memory.

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/PassManager.h"

namespace contraflow {

class SlimCallees {
public:
  explicit SlimCallees(llvm::FunctionAnalysisManager &FAM) : FAM(FAM) {}
  SlimCallees(const SlimCallees &) = delete;
  SlimCallees &operator=(const SlimCallees &) = delete;
  ~SlimCallees();
  /// F, or what takes its place where it is inlined.
  llvm::Function &of(llvm::Function &F);

private:
  llvm::FunctionAnalysisManager &FAM;
  llvm::DenseMap<llvm::Function *, llvm::Function *> Copies;
};

} // namespace contraflow
