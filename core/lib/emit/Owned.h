// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of shared memory whose adjoint needs no atomic update, because the thread writes there as
// well: while it does, nobody else may even read, or the program has a race.
//
//   y[k] = y[k] * x[i]                   y-bar[k] plain, x-bar[i] atomic
//   for (j < b) {
//     for (m < j) s -= a[m] * l[j][m]    a-bar[m] plain: the loop over j writes a[0], ..., a[b-1]
//     a[j] = s;
//   }
//
// Threads are ordered at calls only (of tasks, barriers, critical sections), each of which has its
// mirror. So what runs without one between the load and the store is reversed by one thread, while
// no other one adds to that place.

#pragma once

#include "SharedSweep.h"

namespace contraflow {

/// The loads of a unit that read what the thread owns.
llvm::DenseSet<const llvm::Instruction *> findOwnedLoads(const Unit &U, const BodyAnalyses &A);

} // namespace contraflow
