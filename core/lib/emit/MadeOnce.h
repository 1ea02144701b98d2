// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that makes local variables with static storage, which whoever comes first does.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/PassManager.h"

namespace contraflow {

class MadeOnce {
public:
  MadeOnce(llvm::ArrayRef<llvm::Function *> Closure, llvm::FunctionAnalysisManager &FAM);

  /// True if an instruction runs for nothing else.
  bool contains(const llvm::Instruction &I) const;
  /// True if it may run for this or for something else.
  bool isMixed(const llvm::Instruction &I) const;

private:
  using Functions = llvm::SmallPtrSet<const llvm::Function *, 8>;
  /// The functions that some code may come to.
  void follow(llvm::ArrayRef<llvm::Function *> Closure, const llvm::Function &F, bool Making,
              Functions &Found) const;

  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Blocks;
  Functions Makers, Others;
};

} // namespace contraflow
