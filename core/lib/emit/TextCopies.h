// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of text that need a shadow; see TextCopies.cpp.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/PassManager.h"

namespace contraflow {

class ActivityResult;

/// Writes out the copies of text that have a shadow. True if there were any: what is known of the
/// memory is no longer true.
bool writeTextCopies(llvm::ArrayRef<llvm::Function *> Closure, const ActivityResult &Activity,
                     llvm::FunctionAnalysisManager &FAM);

} // namespace contraflow
