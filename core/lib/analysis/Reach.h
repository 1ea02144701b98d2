// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an address leads to, through addresses in memory.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace contraflow {

class HandlerRegistry;
class MemoryGraph;

/// Adds the nodes of all objects that Pointer leads to.
void reach(const MemoryGraph &Graph, const llvm::Value *Pointer, llvm::BitVector &Reached);

/// The nodes that the rules which a user has registered are led to: they get all addresses of their
/// primal, and those of the shadows.
llvm::BitVector reachedByRules(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                               const HandlerRegistry &Handlers);
/// Those of them that a reverse function may look at: it asks for the primal, or for what addresses
/// in a shadow lead to.
llvm::BitVector reachedInReverse(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                                 const HandlerRegistry &Handlers);

} // namespace contraflow
