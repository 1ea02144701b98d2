// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a nest of a task reads over and over is copied once, to memory of the task's own:
//
//   for (i) for (j) for (m)  c[i*n+j] -= x[i*n+m] * y[j*n+m]
//   ->
//   for (j) for (m)  own[j][m] = y[j*n+m]                          if y and c are apart
//   for (i) for (j) for (m)  c[i*n+j] -= x[i*n+m] * own[j][m]
//
// Other tasks may read y at the same time, so the adjoint of each access to y is an atomic update:
// one per iteration of the nest before, one per number of the block now. And own stays as it is, so
// what was read need not be recorded.

#pragma once

#include "llvm/IR/PassManager.h"

namespace contraflow {

/// Copies blocks in the nests of F. True if F changed; loops are then in simplified form.
bool copyBlocks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace contraflow
