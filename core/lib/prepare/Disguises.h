// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variant of a number and a pointer, once in a register, may be a double whatever it holds:
//
//   %b = bitcast i64 (ptrtoint %p) to double                %b = ptrtoint %p
//   %v = phi double [ %b, %A ], [ %x, %B ]            ->    %v = phi i64 [ %b ], [ bitcast %x ]
//
// Integers may carry addresses, and have shadows then; doubles do not.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

void undisguisePointers(llvm::Function &F);

} // namespace contraflow
