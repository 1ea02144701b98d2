// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that are moved between places that may hold addresses move as words.

#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

class MemoryGraph;

/// What the graph says of addresses stays true; what it says of moved words is to be found anew.
void moveWords(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph);
void copyWordsOfFloats(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph);

} // namespace contraflow
