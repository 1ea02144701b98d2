// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attribute of a call whose callee moves no derivatives and writes nothing that the program reads;
// = "objects": nothing but objects without floats.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace contraflow {

inline constexpr llvm::StringLiteral SilentMark = "contraflow_silent";

} // namespace contraflow
