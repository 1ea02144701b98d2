// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a few numbers, as the memory graph knows them; see NumberCopies.cpp.

#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

class ActivityResult;

/// Copies of a few doubles become loads and stores of them. What the graph says of pointers stays
/// true.
void splitNumberCopies(llvm::ArrayRef<llvm::Function *> Closure, const ActivityResult &Activity);

} // namespace contraflow
