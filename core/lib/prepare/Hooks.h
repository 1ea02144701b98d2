// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/SmallPtrSet.h"

#include <optional>

namespace llvm {
class CallBase;
class Function;
class GlobalVariable;
} // namespace llvm

namespace contraflow {

using HeldFunctions = llvm::SmallPtrSet<const llvm::Function *, 4>;

/// The functions of the program that may lie in a variable. None if anything else may lie there.
std::optional<HeldFunctions> functionsOfVariable(const llvm::GlobalVariable &G);
/// Those of the variable that Call loads its callee from. None if it loads it from elsewhere.
std::optional<HeldFunctions> functionsOfVariable(const llvm::CallBase &Call);

} // namespace contraflow
