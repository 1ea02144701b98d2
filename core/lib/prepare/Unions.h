// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of unions of a number and an integer that were moved to registers; see Unions.cpp.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Marks the loads of such integers: that they become numbers does not show that they are none of
/// a number's digits.
inline constexpr llvm::StringLiteral LowHalfKind = "cf.half";

/// Of words that are taken for a number here and for an integer there, the integer is loaded by
/// itself.
void splitUnions(llvm::Function &F);

} // namespace contraflow
