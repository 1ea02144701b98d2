// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Snapshots: an array that a nest reads many times per iteration, that stays as it is while the
// nest runs and is overwritten later, is recorded once as a whole on entry instead of load by load.
//
//   for (i ...) y[i] = f(x[i-1], x[i], x[i+1])     stored: 3 values per iteration
//                                             ->   snapshot of x[0..n]: 1 value per iteration
//
// The reverse sweep computes the primal address again and reads the snapshot at the same distance.

#pragma once

#include "TapePlan.h"

namespace llvm {
class IRBuilderBase;
class LoadInst;
class ScalarEvolution;
} // namespace llvm

namespace contraflow {

struct Snapshot {
  llvm::Loop *Nest = nullptr;
  llvm::Value *Memory = nullptr; ///< the copy; a value of the forward function
  llvm::Value *Begin = nullptr;  ///< address (i64) of the first byte copied
};

struct SnapshotQuestions {
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  const LoopFacts &Facts;
  /// True if the memory read by a load stays as it is while a loop runs.
  llvm::function_ref<bool(const llvm::Loop &, llvm::LoadInst &)> Unchanged;
  /// Emits a reservation of so many bytes.
  llvm::function_ref<llvm::Value *(llvm::IRBuilderBase &, llvm::Value *)> Reserve;
};

class SnapshotSet {
public:
  /// Chooses and emits snapshots for the needs; Q tells which loads are recomputable without.
  void choose(llvm::ArrayRef<llvm::Value *> Needs, const PlanQuestions &Q,
              const SnapshotQuestions &S);
  /// The snapshot that holds what a load read, or null.
  const Snapshot *find(const llvm::Value *Load) const {
    auto It = Loads.find(Load);
    return It == Loads.end() ? nullptr : All[It->second].get();
  }
  llvm::ArrayRef<std::unique_ptr<Snapshot>> all() const { return All; }
  void print(llvm::raw_ostream &OS) const;

private:
  llvm::SmallVector<std::unique_ptr<Snapshot>, 4> All;
  llvm::DenseMap<const llvm::Value *, unsigned> Loads;
};

/// The outermost loop from which a frame for values in L can be sized, or null.
llvm::Loop *nestRoot(const LoopFacts &Facts, llvm::Loop *L);

} // namespace contraflow
