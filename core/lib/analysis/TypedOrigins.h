// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which objects are the structures that the code accesses in them; see TypedOrigins.cpp.

#pragma once

#include "Layouts.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class DataLayout;
class Value;
} // namespace llvm

namespace contraflow {

using TypedPointers = llvm::SmallPtrSetImpl<const llvm::Value *>;

/// Adds the pointers that lead to the beginning of a structure, or of an array of such, of which a
/// member is accessed at Pointer.
void addTypedOrigins(const llvm::Value &Pointer, const LayoutReader::Evidence &What,
                     const llvm::DataLayout &DL, TypedPointers &Typed);

} // namespace contraflow
