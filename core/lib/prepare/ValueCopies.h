// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CONTRAFLOW_PREPARE_VALUECOPIES_H
#define CONTRAFLOW_PREPARE_VALUECOPIES_H

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace contraflow {

/// The function copies what it is passed by value in memory.
void copyValueParams(llvm::Function &F);

/// The callee copies what it is passed by value.
void passByPointer(llvm::CallBase &Call);

} // namespace contraflow

#endif
