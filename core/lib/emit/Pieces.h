// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A derivative of tens of thousands of instructions becomes several functions; see Pieces.cpp.

#pragma once

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace contraflow {

/// Cuts F into functions of about Size instructions if it has several times as many. What runs
/// before Keep stays in F. Returns the new functions, in the order in which they were made.
llvm::SmallVector<llvm::Function *, 0> cutIntoPieces(llvm::Function &F, llvm::Instruction *Keep,
                                                     unsigned Size);

} // namespace contraflow
