// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inactive memory that the call frees: what was read there would have to be recorded, load by load,
// since it is gone in the reverse sweep. Where that takes more than the memory itself, the memory
// stays until the derivative call is over.
//
//   at = malloc(n) ... ; for (t < steps) for (i < n) s += x[at[i]] * x[i] ; free(at)
//   recorded: 4 B for each step and i                   kept: 4 B for each i
//
// The rules that a user has registered are given the addresses of their primal and may read what
// these lead to: that memory stays in any case.

#pragma once

#include "Activity.h"

#include "llvm/IR/PassManager.h"

namespace contraflow {

/// Nodes of inactive memory whose frees wait: of what rules may read, and by estimate of what is
/// worth it.
llvm::DenseSet<unsigned> findLaterFrees(llvm::ArrayRef<llvm::Function *> Closure,
                                        const ActivityResult &Activity,
                                        const HandlerRegistry &Handlers,
                                        llvm::FunctionAnalysisManager &FAM, bool Estimate);

} // namespace contraflow
