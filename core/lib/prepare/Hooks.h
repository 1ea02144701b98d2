// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/SmallPtrSet.h"

#include <optional>

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace contraflow {

/// The functions of the program that Call may find in the variable of the file that it loads its
/// callee from. None if it loads it from anywhere else, or if anything else may lie there.
std::optional<llvm::SmallPtrSet<const llvm::Function *, 4>>
functionsOfVariable(const llvm::CallBase &Call);

} // namespace contraflow
