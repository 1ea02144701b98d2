// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NullSteps.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

void splitNullSteps(Function &F) {
  SmallVector<Instruction *, 8> Steps;
  for (Instruction &I : instructions(F))
    if (auto *Step = dyn_cast<GetElementPtrInst>(&I);
        Step && isa<ConstantPointerNull>(Step->getPointerOperand()))
      Steps.push_back(Step);
  for (Instruction *Step : Steps)
    for (Use &U : make_early_inc_range(Step->uses())) {
      if (Step->hasOneUse())
        break;
      auto *User = cast<Instruction>(U.getUser());
      auto *Phi = dyn_cast<PHINode>(User);
      if (Phi && count(Phi->blocks(), Phi->getIncomingBlock(U)) > 1)
        continue; // one value for both edges
      Instruction *Own = Step->clone();
      Own->insertBefore((Phi ? Phi->getIncomingBlock(U)->getTerminator() : User)->getIterator());
      U.set(Own);
    }
}

} // namespace contraflow
