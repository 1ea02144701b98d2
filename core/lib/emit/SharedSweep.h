// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward half of running a divided loop's reverse without atomics: the footprints of its
// updates are computed where the loop is entered and left on the tape as one table; the reverse
// sweep hands the table to the runtime (omp_share_open), which plans the phases.

#pragma once

#include "ForwardSweep.h"
#include "Steps.h"
#include "analysis/Sharing.h"
#include "plan/TapePlan.h"

namespace llvm {
class AAResults;
} // namespace llvm

namespace contraflow {

struct SharedPlan {
  SharedLoop Loop;
  /// Updates of the same phase outside the loop and its versions.
  llvm::DenseSet<const llvm::Instruction *> Outside;
  llvm::Value *Groups = nullptr; ///< table of {base, extent, stride}: plain, atomic, private ones
  llvm::Value *Trip = nullptr;
  unsigned Plain = 0, Atomic = 0; ///< those of private arrays are among the atomic ones, last
  /// Which of the team's ranges tells where loose updates of the phase are made; none: -1.
  int Range = -1;
  /// Under which number the forward sweep notes where loose updates outside of windows are made.
  int Reach = -1;
  /// Windows may cover what their updates come to from the beginning (Reaches.h).
  bool Covered = false;
};

struct SharedPlans {
  llvm::SmallVector<SharedPlan, 2> Loops;
  /// Loops whose pieces are dealt out: their updates are plain if the run finds them apart.
  llvm::SmallVector<SharedPlan, 2> Dealt;
  llvm::StringRef Why; ///< there are none
  /// Why updates are atomic in phases without a shared loop.
  llvm::DenseMap<const llvm::Instruction *, llvm::StringRef> Atomic;
  /// All updates of phases with a shared loop.
  llvm::DenseSet<const llvm::Instruction *> Planned;
  /// Updates of phases in which one thread adds.
  llvm::DenseSet<const llvm::Instruction *> Alone;

  llvm::StringRef whyAtomic(const llvm::Instruction &Load) const {
    auto Known = Atomic.find(&Load);
    return Known == Atomic.end() ? Why : Known->second;
  }
};

/// Where the analyses of one body come together.
struct BodyAnalyses {
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  llvm::AAResults &AA;
  const ReverseShape &Shape;
  const ReverseSteps &Steps;
};

/// True if another thread of the team may know the memory behind a shadow pointer of U.
bool mayBeShared(const Unit &U, const llvm::Value *Shadow);

/// Chooses where the threads of a team's body meet in the reverse sweep (Meetings.h), before its
/// shape is asked for.
void divideBody(const RequestState &S, const Unit &U, const ReverseSteps &Steps);

/// Finds the shared loops of a team's body, one in a phase and that in all its versions, and adds
/// their tables to the forward function.
/// Owned: loads of what the thread owns (Owned.h), whose updates outside of such loops are plain.
SharedPlans planSharedLoops(RequestState &S, Unit &U, ForwardSweep &Fwd, const BodyAnalyses &A,
                            const llvm::DenseSet<const llvm::Instruction *> &Owned);

/// True if iterations of a shared loop must be reversed in order: a value or memory of the thread
/// is carried from one to the next or out of the last one, a call inside releases what it recorded,
/// or the frames of its iterations are a chain.
bool mustKeepOrder(RequestState &S, const SharedPlan &Shared, const ReverseSteps &Steps,
                   const TapePlan &Plan, llvm::ScalarEvolution &SE);

} // namespace contraflow
