// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EntryHooks.h"
#include "callee/Instrumentation.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

void dropEntryHooks(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (isEntryHook(I))
      I.eraseFromParent();
}

} // namespace contraflow
