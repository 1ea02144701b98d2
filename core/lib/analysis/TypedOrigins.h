// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which objects are the structures that the code accesses in them; see TypedOrigins.cpp.

#pragma once

#include "Layouts.h"

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class DataLayout;
class Value;
} // namespace llvm

namespace contraflow {

/// Pointers to the beginning of a structure, and its members; null: several.
using TypedPointers = llvm::DenseMap<const llvm::Value *, const LayoutPlaces *>;

void addTyped(const llvm::Value *Pointer, const LayoutPlaces &Places, TypedPointers &Typed);
/// Adds the pointers that lead to the beginning of a structure, or of an array of such, of which a
/// member is accessed at Pointer.
void addTypedOrigins(const llvm::Value &Pointer, const LayoutReader::Evidence &What,
                     const llvm::DataLayout &DL, TypedPointers &Typed);

} // namespace contraflow
