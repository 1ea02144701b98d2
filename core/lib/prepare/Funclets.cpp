// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   invoke f() unwind label %pad                            call f()
//   pad:  cleanuppad ... cleanupret unwind to caller

#include "Funclets.h"

#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {

const Instruction *dropFunclets(Function &F) {
  const bool Catches =
      any_of(instructions(F), [](const Instruction &I) { return isa<CatchSwitchInst>(I); });
  if (!F.hasPersonalityFn() ||
      (!Catches && !isFuncletEHPersonality(classifyEHPersonality(F.getPersonalityFn()))))
    return nullptr;
  SmallVector<InvokeInst *, 8> Invokes;
  for (Instruction &I : instructions(F))
    if (auto *Invoke = dyn_cast<InvokeInst>(&I)) {
      if (Catches && !Invoke->doesNotThrow())
        return Invoke;
      Invokes.push_back(Invoke);
    }
  for (InvokeInst *Invoke : Invokes)
    changeToCall(Invoke);
  removeUnreachableBlocks(F);
  return nullptr;
}

bool hasFunclets(const Function &F) {
  return F.hasPersonalityFn() && any_of(instructions(F), [](const Instruction &I) {
           return isa<CatchSwitchInst, FuncletPadInst>(I);
         });
}

} // namespace contraflow
