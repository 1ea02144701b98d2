// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signs of floats that are changed as bits are changed by the operations for it again.
#ifndef CONTRAFLOW_PREPARE_SIGNBITS_H
#define CONTRAFLOW_PREPARE_SIGNBITS_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Function;
class StoreInst;
} // namespace llvm

namespace contraflow {

/// True if anything changed.
bool restoreSigns(llvm::Function &F);

/// The same of bits that go from memory to memory, where IsNumber says that a float is stored.
bool restoreStoredSigns(llvm::Function &F,
                        llvm::function_ref<bool(const llvm::StoreInst &)> IsNumber);

} // namespace contraflow

#endif
