// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that a loop nest reads and arrays that it writes may overlap as far as the compiler knows;
// then every value read would have to be recorded. A nest gets two versions behind one run-time
// check, and the usual one carries the knowledge that the arrays are apart (alias.scope, noalias).
//
//   if (end(x) <= begin(y) || end(y) <= begin(x))   for (...) y[i] = f(x[i-1], x[i])   // apart
//   else                                            for (...) y[i] = f(x[i-1], x[i])
//
// Of a region that a loop runs again and again, the check is of what all threads touch, so that one
// decision may hold for all runs (support/Always.h): where it looks only at what is the same then.

#pragma once

#include "contraflow/core/Construct.h"

#include "llvm/IR/PassManager.h"

namespace contraflow {

/// Versions the loop nests of F where that helps. True if F changed; loops are then no longer in
/// simplified form.
bool versionNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                  const HandlerRegistry &Handlers);

} // namespace contraflow
