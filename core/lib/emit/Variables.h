// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables whose values come from code that has no part in the derivative.

#pragma once

#include "llvm/Support/Error.h"

namespace contraflow {

struct RequestState;

/// An error where the program reads signgam, which lgamma sets beside its result, or where code of
/// another file may initialise a thread-local variable from one that has a derivative.
llvm::Error checkVariables(RequestState &S);

} // namespace contraflow
