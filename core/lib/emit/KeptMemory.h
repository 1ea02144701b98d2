// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heap objects behind global variables, which stay from one derivative call to the next.

#pragma once

#include "Unit.h"

namespace contraflow {

class ForwardSweep;

/// Where a call begins: the runtime goes from the global variables to what they lead to.
void enterKeptMemory(RequestState &S, ForwardSweep &Sweep);

/// An error if the runtime could not tell addresses in such an object from packed bytes.
llvm::Error checkKeptMemory(RequestState &S);

/// True if each thread has variables that lead to such objects.
bool threadsKeepMemory(RequestState &S);

/// Where a thread of a team first comes to a call: it goes from its own variables to what they lead
/// to.
void joinKeptMemory(RequestState &S, ForwardSweep &Sweep);

} // namespace contraflow
