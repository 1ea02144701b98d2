// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk over the operands of all instructions.

#include "Reached.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace contraflow {

bool anyReached(ArrayRef<Function *> From, function_ref<bool(Function &)> Visit) {
  SmallPtrSet<Function *, 16> Seen;
  SmallVector<Function *, 16> Todo;
  for (Function *F : From)
    if (Seen.insert(F).second)
      Todo.push_back(F);
  while (!Todo.empty()) {
    Function *F = Todo.pop_back_val();
    if (Visit(*F))
      return true;
    for (Instruction &I : instructions(*F))
      for (Value *Op : I.operands()) {
        auto *Chosen = dyn_cast<GlobalIFunc>(Op);
        auto *Named = Chosen ? Chosen->getResolverFunction() : dyn_cast<Function>(Op);
        if (Named && Seen.insert(Named).second)
          Todo.push_back(Named);
      }
  }
  return false;
}

} // namespace contraflow
