// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Function;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace contraflow {

/// Replaces a call by one of its clones for each function that Pointer may be, which Name ties to
/// that function. If it is none of them, the program ends (CF307), or the result is what Otherwise
/// gives. Returns the clones.
llvm::SmallVector<llvm::CallBase *, 8>
replaceByChoice(llvm::CallBase &Call, llvm::Value *Pointer,
                llvm::ArrayRef<llvm::Function *> Functions,
                llvm::function_ref<void(llvm::CallBase &Clone, llvm::Function &F)> Name,
                llvm::function_ref<llvm::Value *(llvm::IRBuilderBase &)> Otherwise = nullptr);

} // namespace contraflow
