// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that take turns, where they may wait for each other.

#pragma once

namespace llvm {
class Function;
}

namespace contraflow {
class HandlerRegistry;

namespace threads {

/// Rewrites what a function does with threads; true if there was something.
bool takeTurns(llvm::Function &F);
/// What it is rewritten to.
void registerTurns(HandlerRegistry &Registry);

} // namespace threads
} // namespace contraflow
