// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions as on Windows: what cleans up and what catches are funclets, not landing pads.

#pragma once

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace contraflow {

/// Drops what cleans up, as the derivative has nothing to clean up, and what is never thrown.
/// Returns a call whose exception F may catch, null if there is none.
const llvm::Instruction *dropFunclets(llvm::Function &F);

} // namespace contraflow
