// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that give the same value in every iteration are moved in front of their loop. Alias
// analysis of one function does not see it where the memory graph of the whole closure does: what a
// parallel region captured, for one, is apart from the arrays it works on.
//
//   for (i ...) y[i] = *a * x[i];    ->    t = *a; for (i ...) y[i] = t * x[i];
//
// The reverse sweep gains most: one value on the tape instead of one per iteration, and the adjoint
// of *a is summed in a register and added once.

#pragma once

#include "analysis/Effects.h"

#include "llvm/IR/PassManager.h"

namespace contraflow {

/// Moves the loads of the closure's functions that do not change in their loops.
void hoistUnchangedLoads(llvm::ArrayRef<llvm::Function *> Closure, const WriteSet &Writes,
                         const ActivityResult &Activity, const HandlerRegistry &Handlers,
                         llvm::FunctionAnalysisManager &FAM);

} // namespace contraflow
