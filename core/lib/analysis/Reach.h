// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an address leads to, through addresses in memory.

#pragma once

#include "llvm/ADT/BitVector.h"

namespace llvm {
class Value;
} // namespace llvm

namespace contraflow {

class MemoryGraph;

/// Adds the nodes of all objects that Pointer leads to.
void reach(const MemoryGraph &Graph, const llvm::Value *Pointer, llvm::BitVector &Reached);

} // namespace contraflow
