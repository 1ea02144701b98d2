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

/// True if F has handlers or cleanups of such a kind, which have no place in another function.
bool hasFunclets(const llvm::Function &F);

} // namespace contraflow
