// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What users are told about an adjoint: what its loops keep for the reverse sweep, which updates
// are atomic and why, which loops are reversed without atomics.

#pragma once

#include "SharedSweep.h"
#include "Windows.h"
#include "plan/Snapshot.h"

namespace contraflow {

/// Analysis "Tape": per loop, the bytes and values kept for each iteration.
void remarkPlan(RequestState &S, const TapePlan &Plan, const SnapshotSet &Snapshots,
                const llvm::Function &F);
/// Missed "Atomic": the adjoint of a load is added atomically.
void remarkAtomic(RequestState &S, const llvm::Instruction &Load, llvm::StringRef Why);
/// Missed "Order": the reverse of a call adds in any order, and so does what came before.
void remarkUnordered(RequestState &S, const llvm::Instruction &Call);
/// Analysis "RunTime": whether the memory of this access is active is found out at run time.
void remarkRunTime(RequestState &S, const llvm::Instruction &Access);
/// Passed "Phases": a divided loop whose updates are plain.
void remarkPhases(RequestState &S, const SharedPlan &Plan);
void remarkDealt(RequestState &S, const SharedPlan &Plan);
/// Passed "Windows": a loop that adds through indices to memory of the thread's own.
void remarkWindows(RequestState &S, const WindowLoop &Loop);

} // namespace contraflow
