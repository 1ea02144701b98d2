// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's own allocations tell the runtime, so that a derivative call can give shadows to
// what global variables lead to (emit/KeptMemory.cpp).

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/ValueHandle.h"

namespace contraflow {

/// Adds cf_v1_note_block after allocations in these functions whose result others may come to hold,
/// and cf_v1_drop_block before whatever frees.
void noteBlocks(llvm::ArrayRef<llvm::WeakVH> Functions);

} // namespace contraflow
