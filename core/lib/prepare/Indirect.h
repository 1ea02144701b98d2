// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls through pointers become choices between direct calls; see Indirect.cpp.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace llvm {
class CallBase;
class Instruction;
class Function;
class IRBuilderBase;
} // namespace llvm

namespace contraflow {

class HandlerRegistry;

/// True for a call through a pointer; inline assembly is none.
bool isIndirect(const llvm::CallBase &Call);

/// Whether the calls of a choice may be inlined.
enum class Inlining { Allowed, No };

/// Replaces an indirect call by a choice. Returns the direct calls made; none if no function of
/// the module fits, and then nothing is changed.
llvm::Expected<llvm::SmallVector<llvm::CallBase *, 8>>
chooseCallee(llvm::CallBase &Call, const HandlerRegistry &Handlers, Inlining Calls);

/// True for a call made by chooseCallee that had better stay a call.
bool staysCall(const llvm::CallBase &Call);

/// Ends the program by a runtime function that is told where Call is.
void emitFailure(llvm::IRBuilderBase &B, llvm::Instruction &At, llvm::StringRef Name);

} // namespace contraflow
