// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order the threads of a module run in a derivative.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class GlobalVariable;
class Instruction;
class Module;
} // namespace llvm

namespace contraflow::threads {

/// Lets others run where threads take turns (abi.def).
inline constexpr llvm::StringLiteral WaitFunction = "cf_v1_thread_wait";

struct Schedule {
  std::string Obstacle;    ///< why there is none; empty: there is one
  bool TakesTurns = false; ///< threads may wait for each other; else they run where they are made
};

/// As it was before there were derivatives: what they are made of asks nobody.
Schedule notedSchedule(llvm::Module &M);
/// Of the same time: what every thread has for itself.
llvm::SmallVector<llvm::GlobalVariable *, 4> notedVariables(llvm::Module &M);

/// True if the instruction may be part of a loop that asks until somebody else has answered, and
/// does nothing else meanwhile.
bool mayAskAgain(const llvm::Instruction &I);

} // namespace contraflow::threads
