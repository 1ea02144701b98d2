// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Instrumentation.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

void dropEntryHooks(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (const Function *Hook = Call->getCalledFunction();
          Hook && Hook->getName().starts_with("__cyg_profile_func_"))
        Call->eraseFromParent();
}

} // namespace contraflow
