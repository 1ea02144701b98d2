// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attribute of a parameter or a result of 64 bits in which a structure travels that has a float
// among its members: which half is one. The optimiser moves it with the parameter.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace contraflow {

/// = two letters, for the low and the high half: 'f' for a float, 'i' for anything else. Of a
/// result in several registers: two for each, "--" for one that stays as it is.
inline constexpr llvm::StringLiteral HalvesAttribute = "contraflow_halves";

} // namespace contraflow
