// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A structure of a float and an int travels as one integer where it is passed or returned by value.
// Its halves are handled by themselves again:
//
//   %p = or (zext (bitcast float %y to i32)), (shl (zext i32 %n), 32)
//   store i64 %p, ptr %s              ->   store float %y, ptr %s; store i32 %n, ptr (%s + 4)
//
//   bitcast (trunc (load i64 %s)) to float                       ->   bitcast (load i32 %s) to
//   float

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
} // namespace llvm

namespace contraflow {

/// True if something changed.
bool splitPacks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// Where a structure is moved as one integer, what it holds is not to be seen there: the store of
/// every integer for which Mixed says that a float shares it becomes one of each half, and so do
/// the loads that it comes from, and those of which the program takes a half. True if something
/// changed.
bool splitMoves(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                llvm::function_ref<bool(llvm::Instruction &)> Mixed);

} // namespace contraflow
