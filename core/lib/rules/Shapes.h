// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace llvm {
class CallInst;
class Function;
} // namespace llvm

namespace contraflow {

/// Replaces a call that orders the lanes of vectors anew, or fills memory with a pattern.
bool expandShape(llvm::CallInst &Call);

/// Replaces operations on matrices by those on their columns.
bool expandMatrices(llvm::Function &F);

} // namespace contraflow
