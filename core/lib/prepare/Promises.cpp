// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Promises.h"
#include "callee/Promises.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

static SmallVector<CallBase *, 8> annotationsOf(Function &F) {
  SmallVector<CallBase *, 8> Out;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && isAnnotation(*Call))
      Out.push_back(Call);
  return Out;
}

static void dropAnnotation(CallBase &Call) {
  Call.replaceAllUsesWith(Call.getArgOperand(0));
  Call.eraseFromParent();
}

void relaxAnnotations(Function &F) {
  for (CallBase *Call : annotationsOf(F)) {
    if (!promisesDisjoint(*Call)) {
      dropAnnotation(*Call);
      continue;
    }
    Call->setMemoryEffects(MemoryEffects::none());
    for (unsigned Place : {2u, 3u}) // file and line: equal promises are one
      Call->setArgOperand(Place, Constant::getNullValue(Call->getArgOperand(Place)->getType()));
  }
}

bool markPromises(Function &F) {
  SmallVector<CallBase *, 8> All = annotationsOf(F);
  for (CallBase *Call : All) {
    if (auto *Load = dyn_cast<LoadInst>(Call->getArgOperand(0)))
      markDisjoint(*Load);
    dropAnnotation(*Call);
  }
  return !All.empty();
}

} // namespace contraflow
