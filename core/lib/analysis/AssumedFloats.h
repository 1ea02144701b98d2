// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of which no load and no store says what it holds.

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow {

class MemoryGraph;

/// What the call I moves holds floats, if its handler says so and nobody else says anything. True
/// if that is news.
bool assumeCarried(MemoryGraph &Graph, const llvm::Instruction &I, const HandlerRegistry &Handlers);

/// The same for what comes from outside, or goes there, and is only copied or cleared as bytes: of
/// the kind that a pointer type tells, or else of one that is not known. To be asked last.
bool assumeMoved(MemoryGraph &Graph, llvm::ArrayRef<llvm::Function *> Closure,
                 const HandlerRegistry &Handlers);

} // namespace contraflow
