// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members that count; see Counts.cpp.

#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

class MemoryGraph;

/// Tells the graph of loads and stores of declared integers that are counts.
void noteCounts(MemoryGraph &Graph, llvm::ArrayRef<llvm::Function *> Closure);

} // namespace contraflow
