// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A nest that stands twice, of which one runs.

#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace contraflow {

struct TwinNames {
  llvm::StringRef Entry, Suffix;
};

/// Copies `Nest`, in simplified form with one exit block of its own. `Nest` runs where `Wanted`, a
/// value known in its preheader, holds; the copy, which is returned, where it does not.
llvm::Loop *makeTwin(llvm::Loop &Nest, llvm::Value *Wanted, TwinNames Names,
                     llvm::DominatorTree &DT, llvm::LoopInfo &LI);

} // namespace contraflow
