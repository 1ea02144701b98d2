// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that handle signals run where a signal is raised, and come to global variables there:
//
//   static void onSignal(int) { limit *= 2; }        signal(SIGUSR1, onSignal);  ...
//   raise(SIGUSR1);

#pragma once

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace contraflow {

/// True if F raises a signal that a function of its module may handle.
bool runsHandlers(const llvm::Function &F);
/// True if F may handle a signal that its module raises.
bool handlesSignals(const llvm::Function &F);

} // namespace contraflow
