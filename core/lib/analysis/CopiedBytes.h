// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a copy of unknown length may reach: what lies behind an array is no part of it. And where
// it may put numbers: of bytes that an array is copied to, wherever the program has come to, the
// aligned accesses to others (a header) tell nothing of where the array's numbers lie.
//
//   ((Head *)bytes)->time = t;   memcpy(bytes + at, array, n * sizeof(double));

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow {

class MemoryGraph;

/// Tells the graph what a call copies.
void addCopyOf(MemoryGraph &Graph, llvm::CallBase &I, const CallFacts::Copy &C);

/// When everything else is described.
void noteShiftedCopies(MemoryGraph &Graph, llvm::ArrayRef<llvm::Function *> Closure);

} // namespace contraflow
