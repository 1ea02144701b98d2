// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where objects begin of which nobody says what they are.

#pragma once

#include "TypedOrigins.h"

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

class MemoryGraph;

/// Notes where objects begin: variables, what calls return, what the caller's pointers lead to,
/// without those of Typed and those that a pointer to a structure leads to. The request is for the
/// first one of Closure; what it calls of a library may have a model.
void noteOrigins(MemoryGraph &Graph, LayoutReader &Layouts,
                 llvm::ArrayRef<llvm::Function *> Closure, llvm::ArrayRef<llvm::Function *> Models,
                 const TypedPointers &Typed);

} // namespace contraflow
