// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a derivative or its reverse sweep may run several times. See Repeatable.cpp.

#pragma once

#include "llvm/Support/Error.h"

namespace contraflow {

struct RequestState;

/// An adjoint in several directions runs once for each, from the same state every time.
llvm::Error checkRepeatable(RequestState &S);

/// True if the reverse sweep may not be repeated.
bool runsOnce(RequestState &S);

} // namespace contraflow
