// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A union of two integers and a double that is set to zero as two integers: one store of a word,
// since half a double cannot be followed.
//
//   store i32 0, ptr %u ; store i32 0, ptr %u + 4     ->     store i64 0, ptr %u
#ifndef CONTRAFLOW_PREPARE_ZEROSTORES_H
#define CONTRAFLOW_PREPARE_ZEROSTORES_H

namespace llvm {
class Function;
}

namespace contraflow {

/// True if anything was joined.
bool joinZeroStores(llvm::Function &F);

} // namespace contraflow

#endif
