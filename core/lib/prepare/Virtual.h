// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace contraflow {

/// Notes which calls are virtual, before optimisation.
void noteVirtualCalls(llvm::Module &M);

/// True of a call that finds its callee in a virtual table, which is constant: a function whose
/// address is taken elsewhere is not meant.
bool isVirtual(const llvm::CallBase &Call);
/// The class that the object of a virtual call is of, or is derived from. Empty: not known.
llvm::StringRef virtualClass(const llvm::CallBase &Call);

} // namespace contraflow
