// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control flow of the reverse sweep as data: which blocks have anything to reverse, and where
// the sweep goes after each. Regions without work are jumped over, so that nothing is recorded for
// them.
//
//   forward:  entry -> if c then A else B -> join -> loop H..L -> exit
//   reverse:  exit -> [iv = last] L..H -> (iv == 0 ? join : --iv, L) -> (c ? A : B) -> entry

#pragma once

#include "prepare/Loops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace contraflow {

/// Where the reverse sweep goes when it has finished a block.
struct Backward {
  enum Kind {
    End,    ///< the function's entry: the sweep is over
    Goto,   ///< to Targets[0]
    Choose, ///< to the target whose case equals Selector
    Header, ///< loop header: first iteration to Targets[0], else to Targets[1]
  } What = End;
  llvm::SmallVector<llvm::BasicBlock *, 2> Targets;
  llvm::SmallVector<llvm::BasicBlock *, 2> Preds; ///< the edge taken forwards, for the phis
  llvm::SmallVector<llvm::ConstantInt *, 2> Cases;
  llvm::Value *Selector = nullptr;
};

class ReverseShape {
public:
  using WorkTest = llvm::function_ref<bool(const llvm::Instruction &)>;
  /// Selectors and last-iteration values are added to F as ordinary instructions.
  ReverseShape(llvm::Function &F, llvm::LoopInfo &LI, llvm::DominatorTree &DT,
               const LoopFacts &Facts, WorkTest HasWork);

  /// Blocks of the reverse sweep with their continuation, the return block first.
  const llvm::MapVector<llvm::BasicBlock *, Backward> &steps() const { return Steps; }
  llvm::BasicBlock *returnBlock() const { return Return; }
  bool reversed(const llvm::Loop *L) const { return LoopWork.count(L); }
  /// Number of the last iteration of L when the sweep enters it from Block, a value of F.
  llvm::Value *lastIteration(llvm::BasicBlock *From, const llvm::Loop *L) const;
  /// Loops that the sweep enters on the way from block From to block To, outermost first.
  llvm::SmallVector<llvm::Loop *, 2> entered(llvm::BasicBlock *From, llvm::BasicBlock *To) const;
  /// All values of F that the control flow of the reverse sweep reads.
  llvm::SmallVector<llvm::Value *, 8> needs() const;

private:
  Backward stepFrom(llvm::BasicBlock &B);
  llvm::BasicBlock *skipIdleLoops(llvm::BasicBlock *From, llvm::BasicBlock *To) const;
  bool idleBetween(llvm::BasicBlock *Top, llvm::BasicBlock *Bottom) const;
  Backward choose(llvm::BasicBlock &B, llvm::ArrayRef<llvm::BasicBlock *> Preds);
  bool chooseByBranch(llvm::BasicBlock &B, llvm::ArrayRef<llvm::BasicBlock *> Preds, Backward &Out);
  void recordLast(llvm::BasicBlock &B, const Backward &Step);

  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  const LoopFacts &Facts;
  llvm::BasicBlock *Return = nullptr;
  llvm::DenseSet<const llvm::BasicBlock *> Work;
  llvm::DenseSet<const llvm::Loop *> LoopWork;
  llvm::MapVector<llvm::BasicBlock *, Backward> Steps;
  llvm::DenseMap<std::pair<llvm::BasicBlock *, const llvm::Loop *>, llvm::Value *> Lasts;
};

} // namespace contraflow
