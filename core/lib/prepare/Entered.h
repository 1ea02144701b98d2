// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks in front of a nest whether a loop in it is entered, with the conditions that lead there.
//
//   for (r < rows) if (n > 0) for (i < (unsigned)n - 1) ...      in front of r: n > 0

#pragma once

namespace llvm {
class DominatorTree;
class Instruction;
class Loop;
class LoopInfo;
class SCEV;
class ScalarEvolution;
class SCEVExpander;
class Value;
} // namespace llvm

namespace contraflow {

/// What is needed to follow conditions and to compute them elsewhere.
struct EntryFacts {
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  llvm::SCEVExpander &Expander;
};

struct EntryAnswer {
  bool Always = false;         ///< L runs in each iteration of the outermost loop around it
  llvm::Value *Runs = nullptr; ///< false: L does not run; null: nothing is known that tells
};

/// Asks At, which is in front of loops around L, about L, the number of whose iterations is Count.
EntryAnswer askWhetherEntered(const llvm::Loop &L, const llvm::SCEV *Count, llvm::Instruction *At,
                              const EntryFacts &Facts);

} // namespace contraflow
