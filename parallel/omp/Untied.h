// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Untied tasks as tied ones.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow::omp {

/// A copy of the entry of an untied task, entry(thread, task), that does not suspend itself by a
/// call of RunTask.
llvm::Function *tiedCopy(llvm::Function &Entry, llvm::StringRef RunTask);

/// Brings variables of F whose address nobody takes into registers.
void promoteVariables(llvm::Function &F);

} // namespace contraflow::omp
