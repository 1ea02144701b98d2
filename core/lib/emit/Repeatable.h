// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a derivative or its reverse sweep may run several times. See Repeatable.cpp.

#pragma once

#include "analysis/Effects.h"

#include "llvm/Support/Error.h"

namespace contraflow {

struct RequestState;

/// True if others may see what a write has left when the function has ended.
bool outlives(const MemoryGraph &Graph, const WriteSet::Write &W);

/// True if the reverse sweep takes a write back. Pointers come back where there are threads:
/// without these the function need not run again.
bool comesBack(const RequestState &S, const llvm::Instruction &Write);

/// An adjoint in several directions runs once for each, from the same state every time.
/// Marks what gives back memory that may be the caller's: such an adjoint leaves that alone. True
/// if there is such a call.
bool spareOthers(RequestState &S);

llvm::Error checkRepeatable(RequestState &S);

/// True if the reverse sweep may not be repeated.
bool runsOnce(RequestState &S);

} // namespace contraflow
