// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the C library's functions.

#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Whether F has the type of the library's function of this name. Nothing, if that is not known.
std::optional<bool> isOfLibraryType(const llvm::Function &F, llvm::StringRef Name);

} // namespace contraflow
