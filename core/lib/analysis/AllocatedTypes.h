// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What allocators of the C++ library ask memory for; see AllocatedTypes.cpp.

#pragma once

#include "Layouts.h"

#include "llvm/IR/Attributes.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace contraflow {

/// Notes it at the calls that allocate, before optimisation.
void noteAllocated(llvm::Module &M);
/// The note at a call; not valid if there is none.
llvm::Attribute noteOfAllocated(const llvm::CallBase &Call);
/// What such a note says.
LayoutPlaces placesIn(llvm::StringRef Note);

} // namespace contraflow
