// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What models read in the module while an adjoint is prepared that runs once for each direction:
// what it writes outside is taken back, so what is written at one place has to be in an order.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace contraflow {

inline constexpr llvm::StringLiteral RepeatedFlag = "contraflow.repeated";

} // namespace contraflow
