// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimiser moves neighbouring pointers together. In a vector an address has no shadow: they
// move one by one again.

#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
}

namespace contraflow {

/// Loads and stores of vectors of pointers become loads and stores of pointers. True if something
/// changed.
bool splitPointerMoves(llvm::Function &F);

/// Where there are vectors of pointers still, everything is done lane by lane. True if so.
bool splitPointerVectors(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// What makes or uses a vector of pointers, or null.
const llvm::Instruction *findPointerVector(const llvm::Function &F);

} // namespace contraflow
