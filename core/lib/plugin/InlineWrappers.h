// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions around derivative calls that are given the markers:
//
//   template <class... A> void slope(void *f, A &&...a) { __enzyme_autodiff(f, a...); }
//   slope((void *)energy, enzyme_dup, x, dx);          -> the body of slope is here
//
// The optimiser inlines them, and those that are always inlined are so at -O0; this is for the
// rest.

#pragma once

#include "llvm/Analysis/CGSCCPassManager.h"

namespace contraflow {

void inlineWrappers(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

} // namespace contraflow
