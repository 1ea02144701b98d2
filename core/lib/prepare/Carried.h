// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimiser loads a number once and hands it on to the next iteration, which needs it as well.
// In a loop whose iterations are divided among threads the adjoint would be handed on, too, so that
// iterations keep their order, and the number that the first iteration needs is no longer read in
// the loop. There it is loaded again. So it is in innermost loops that compare, divide or call
// functions: comparisons can then be made again from a copy of the array, and the reverse
// vectorises.
//
//   first = x[lb]                              loop i = lb ...
//   loop i = lb ...                              v = x[i]
//     v = phi(first, next); next = x[i + 1]      next = x[i + 1]

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class LoadInst;
class PHINode;
} // namespace llvm

namespace contraflow {

class HandlerRegistry;

/// Returns whether there was one.
bool reloadCarried(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                   const HandlerRegistry &Handlers);

/// Where a number stays handed on, since its adjoint is best handed on as well: the load that reads
/// it again, by which the reverse sweep may find it in memory.
using CarriedLoads = llvm::DenseMap<const llvm::PHINode *, llvm::LoadInst *>;

/// Adds such loads, which nobody uses yet.
void addCarriedLoads(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, CarriedLoads &Out);

} // namespace contraflow
