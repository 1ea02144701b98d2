// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that the caller has no memory for.

#pragma once

#include "Unit.h"

namespace contraflow {

/// Takes away what the root writes through primal addresses that lead nowhere (DerivativeSpec::
/// Absent). Where something that is wanted depends on them, a null
/// pointer stays (the function may ask for it), and another address is an error.
llvm::Error dropAbsent(RequestState &S, Unit &Root);

} // namespace contraflow
