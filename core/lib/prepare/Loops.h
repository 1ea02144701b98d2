// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every natural loop a counter of its own and, where scalar evolution knows it, the number of
// its last iteration; integers and pointers that advance evenly are rewritten in terms of the
// counter, so that the reverse sweep can recompute them.
//
//   for (p = x; p != e; p += 2) s += *p;      iv = 0, 1, ...;  p = x + 16 * iv;  last = (e-x)/16 -
//   1

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"

namespace llvm {
class BasicBlock;
class PHINode;
class Value;
} // namespace llvm

namespace contraflow {

/// Where Last + 1 is the number of iterations. Outside the loop's guard the expression may be
/// negative, or a quotient of what is negative, which is large: then the loop does not run.
enum class CountReach {
  Anywhere, ///< never negative
  Clamped,  ///< Bound or more means that the loop does not run
  Inside,   ///< only where the loop is entered
};

/// What is known of one loop, found by its header.
struct LoopFact {
  llvm::PHINode *Counter = nullptr; ///< i64: 0 in the first iteration, then 1, 2, ...
  llvm::WeakTrackingVH Last;        ///< i64: number of the last iteration, or null if unknown
  uint64_t Bound = 0;               ///< Last is less wherever the loop is entered
  CountReach Reach = CountReach::Inside;
};

using LoopFacts = llvm::DenseMap<llvm::BasicBlock *, LoopFact>;

/// Rewrites the loops of F (in loop-simplified, LCSSA form) and adds their facts.
void numberLoops(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, LoopFacts &Facts);

} // namespace contraflow
