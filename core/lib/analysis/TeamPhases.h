// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of a team's body: what no barrier divides.
//
//   for (s ...) {                       phase 1: the loop over s, and what is in front and behind
//     #pragma omp for
//     for (i ...) v[i] = f(u[i]);       phase 1
//     barrier
//     #pragma omp for
//     for (i ...) u[i] = g(v[i]);       phase 2
//     barrier
//   }
//
// All threads of a team come to the same barriers in the same order, so what runs between two of
// them at the same time is one phase. The reverse sweep has the same barriers: adjoints of
// different phases do not meet.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
class Loop;
} // namespace llvm

namespace contraflow {

class TeamPhases {
public:
  using BarrierTest = llvm::function_ref<bool(const llvm::Instruction &)>;
  TeamPhases(const llvm::Function &F, BarrierTest IsBarrier);

  /// The number of the phase that I is in; of a barrier, that in front of it.
  unsigned phaseOf(const llvm::Instruction &I) const { return Classes[pieceOf(I)]; }
  llvm::ArrayRef<const llvm::Instruction *> barriers() const { return Barriers; }
  /// True if there is a barrier in the loop.
  bool divides(const llvm::Loop &L) const;
  /// True if control may come from From to the beginning of To without a barrier between.
  bool reaches(const llvm::Instruction &From, const llvm::BasicBlock &To) const;

private:
  unsigned pieceOf(const llvm::Instruction &I) const;

  llvm::SmallVector<const llvm::Instruction *, 4> Barriers;
  /// The numbers of the first pieces of blocks; each barrier begins another one.
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> First;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<const llvm::Instruction *, 2>> Inside;
  llvm::IntEqClasses Classes;
};

} // namespace contraflow
