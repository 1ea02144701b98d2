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

#include "llvm/IR/PassManager.h"

namespace contraflow {

/// True if something changed.
bool splitPacks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace contraflow
