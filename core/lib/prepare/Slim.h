// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callees as they were compiled at -O0, with their variables in registers: what is inlined of them
// is a third as long, and addresses that come back from one are not lost in memory. What they call
// of functions that call nothing is taken over: x.rows() is a load, not five calls of one another.

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

#include <functional>

namespace contraflow {

class SlimCallees {
public:
  using Condition = std::function<bool(const llvm::CallBase &)>;
  SlimCallees(llvm::FunctionAnalysisManager &FAM, Condition MayInline)
      : FAM(FAM), MayInline(std::move(MayInline)) {}
  SlimCallees(const SlimCallees &) = delete;
  SlimCallees &operator=(const SlimCallees &) = delete;
  ~SlimCallees();
  /// F, or what takes its place where it is inlined.
  llvm::Function &of(llvm::Function &F) { return of(F, 0); }

private:
  llvm::Function &of(llvm::Function &F, unsigned Depth);
  bool takeOverLeaves(llvm::Function &Copy, unsigned Depth);

  llvm::FunctionAnalysisManager &FAM;
  const Condition MayInline;
  llvm::DenseMap<llvm::Function *, llvm::Function *> Copies;
};

} // namespace contraflow
