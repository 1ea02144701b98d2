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

/// The bytes that a call copies at most; -1: nobody knows.
int64_t bytesCopied(const llvm::CallBase &I, const CallFacts::Copy &C, const llvm::DataLayout &DL);

/// How far behind Pointer the next double may begin, as far as what is accessed from the same base
/// shows; 0 if that tells nothing. What is left of a structure whose first members have gone to
/// registers begins between two words:
///
///   %rest = alloca [12 x i8] ; memcpy(%rest, %item + 12, 12) ; load double, %item        4
int64_t bytesToNumber(const llvm::Value &Pointer, const llvm::DataLayout &DL);

class MemoryGraph;

/// When everything else is described.
void noteShiftedCopies(MemoryGraph &Graph, llvm::ArrayRef<llvm::Function *> Closure);

} // namespace contraflow
