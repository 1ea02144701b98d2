// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A split tangent: two functions made of one primal. The first runs it and logs what it reads from
// outside; the second does the same again, reads it from the log, and leaves memory outside alone.

#pragma once

#include "contraflow/core/Request.h"
#include "prepare/Prepare.h"

namespace contraflow {

struct Replay {
  llvm::Function *Record = nullptr; ///< the primal, with its log
  /// As a function to take the tangent of: accesses to memory outside are volatile.
  llvm::Function *Again = nullptr;
  llvm::SmallVector<llvm::Function *, 4> Copies; ///< Again, and what it calls
};

/// True of a function that is the second of the two.
bool isReplay(const llvm::Function &F);
/// True of a function that writes a log.
bool isRecord(const llvm::Function &F);

llvm::Expected<Replay> makeReplay(llvm::Function &Primal, Compilation &C);

/// In an emitted tangent of a replay: what stands for the log is taken from it.
void readLog(llvm::Function &Tangent);

/// The first call of a split tangent.
llvm::Function *emitRecordCall(const DerivativeSpec &Spec, const Replay &R);
/// The second one, around the tangent.
llvm::Function *emitReplayCall(const DerivativeSpec &Spec, const Replay &R,
                               llvm::Function &Tangent);

} // namespace contraflow
