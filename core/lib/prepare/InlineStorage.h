// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local objects that hold an array beside the pointer that leads to it become two:
//
//   %v = alloca { ptr, i64, [4 x double] }        %v = alloca { ptr, i64 }
//   store ptr (%v + 16), ptr %v              ->   %a = alloca [4 x double]
//                                                 store ptr %a, ptr %v
//
// The first one then goes to registers. In one piece, pointer, size and numbers would be one place
// for the analyses, since the pointer leads into its own object.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// True if there was such an object.
bool splitInlineStorage(llvm::Function &F);

} // namespace contraflow
