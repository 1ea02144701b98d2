// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of which no load and no store says what it holds.

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow {

class MemoryGraph;

/// What calls move holds floats, if their handlers say so and nobody else says anything. Characters
/// (CallFacts::Carries of SK_Int) are text, but bytes of anything where some of them are known to
/// be those of floats. True if that is news.
bool assumeCarried(MemoryGraph &Graph, llvm::ArrayRef<llvm::Function *> Closure,
                   const HandlerRegistry &Handlers);

/// The same for what is only copied or cleared, as bytes or as words: of the kind that the program
/// declares, or, if it comes from outside or goes there, of one that is not known. To be asked
/// last.
bool assumeMoved(MemoryGraph &Graph, llvm::ArrayRef<llvm::Function *> Closure,
                 const HandlerRegistry &Handlers);

} // namespace contraflow
