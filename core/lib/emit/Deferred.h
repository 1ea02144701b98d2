// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deferred updates: where the reverse of an innermost loop adds to several neighbours of one array,
// iteration i meets what iteration i-1 added to, and the loop cannot be vectorised. The
// contributions go to one buffer per neighbour instead, and are added when the loop is over.
//
//   for i: x-bar[i-1] += a_i; x-bar[i] += b_i   ->   for i: A[i] = a_i; B[i] = b_i
//                                                    x-bar[-1 ..] += A; x-bar[0 ..] += B

#pragma once

#include "SharedSweep.h"

namespace contraflow {

/// The deferred updates of one loop: loads whose adjoints go to buffer 0, 1, ...
struct DeferredLoop {
  llvm::Loop *L = nullptr;
  llvm::SmallVector<llvm::LoadInst *, 8> Loads;
};

/// Finds the loops of a unit worth it. Shared loops keep their updates.
llvm::SmallVector<DeferredLoop, 2> findDeferredLoops(RequestState &S, Unit &U, ForwardSweep &Fwd,
                                                     llvm::ArrayRef<SharedPlan> Shared,
                                                     const BodyAnalyses &A);

} // namespace contraflow
