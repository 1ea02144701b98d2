// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of vectors that hold anything.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// True if anything changed.
bool fillLanes(llvm::Function &F);

} // namespace contraflow
