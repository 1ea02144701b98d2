// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace contraflow {

/// Notes which indirect calls a std::function makes, before optimisation.
void noteWrappedCalls(llvm::Module &M);

/// True if F belongs to a std::function of another signature than the one that makes the call.
bool isWrappedOtherwise(const llvm::CallBase &Call, const llvm::Function &F);

} // namespace contraflow
