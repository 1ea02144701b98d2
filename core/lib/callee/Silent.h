// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attribute of a call whose callee moves no derivatives and writes nothing that the program reads;
// = "objects": nothing but objects without floats; = "members": nothing but members of such objects
// that its arguments lead to.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace contraflow {

inline constexpr llvm::StringLiteral SilentMark = "contraflow_silent";
inline constexpr llvm::StringLiteral SilentObjects = "objects";
inline constexpr llvm::StringLiteral SilentMembers = "members";

} // namespace contraflow
