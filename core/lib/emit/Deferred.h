// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deferred updates: where the reverse of an innermost loop adds to several neighbours of one array,
// iteration i meets what iteration i-1 added to, and the loop cannot be vectorised. The
// contributions go to one buffer per neighbour instead, and are added when the loop is over.
//
//   for i: x-bar[i-1] += a_i; x-bar[i] += b_i   ->   for i: A[i] = a_i; B[i] = b_i
//                                                    for i: x-bar[i] += A[i+1] + B[i]
//
// Summands of one sum have the same adjoint: they share a buffer.

#pragma once

#include "SharedSweep.h"

namespace contraflow {

struct DeferredUpdate {
  llvm::LoadInst *Load;
  unsigned Buffer; ///< where its adjoint goes
  int64_t Shift;   ///< of its shadow against that of its window's first update, in elements
};

/// The deferred updates of one loop. Those of a window go to neighbours, and are added in one pass.
struct DeferredLoop {
  llvm::Loop *L = nullptr;
  llvm::SmallVector<llvm::Type *, 8> Buffers;                         ///< the type of their entries
  llvm::SmallVector<llvm::SmallVector<DeferredUpdate, 4>, 4> Windows; ///< by ascending shift

  /// Entries before and behind those of the iterations, which are zero.
  int64_t padding() const;
};

/// Finds the loops of a unit worth it. Shared loops keep their updates.
llvm::SmallVector<DeferredLoop, 2> findDeferredLoops(RequestState &S, Unit &U, ForwardSweep &Fwd,
                                                     llvm::ArrayRef<SharedPlan> Shared,
                                                     const BodyAnalyses &A);

} // namespace contraflow
