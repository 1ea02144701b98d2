// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions lead to: the functions that their code names, whether it calls them or not, those
// that these name, and so on.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Shows Visit each of From, and what they lead to, declarations included, once. Ends with true as
/// soon as Visit returns true.
bool anyReached(llvm::ArrayRef<llvm::Function *> From,
                llvm::function_ref<bool(llvm::Function &)> Visit);

} // namespace contraflow
