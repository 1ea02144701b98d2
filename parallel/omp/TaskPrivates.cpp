// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a task has for itself lies behind the 40 bytes that the library knows about, at 8 bytes, but
// clang has the task believe that an array is where it would be as a variable, at 16:
//
//   load double, ptr (task + 40), align 16      ->      load double, ptr (task + 40), align 8
//
// Of the program's loads none is wide enough to fault. In a derivative two may become one. A task
// that is not deferred is inlined where it is made.

#include "parallel/omp/Handlers.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow::omp {

static const Align Known(8);

static void relaxUse(Instruction &I, const Use &Pointer) {
  if (I.isAtomic())
    return; // their size is at most what is known, or they need more
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Load->setAlignment(std::min(Load->getAlign(), Known));
  else if (auto *Store = dyn_cast<StoreInst>(&I);
           Store && Pointer.getOperandNo() == Store->getPointerOperandIndex())
    Store->setAlignment(std::min(Store->getAlign(), Known));
  else if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->isArgOperand(&Pointer)) {
    const unsigned Arg = Call->getArgOperandNo(&Pointer);
    if (Call->getParamAlign(Arg).valueOrOne() <= Known)
      return;
    Call->removeParamAttr(Arg, Attribute::Alignment);
    Call->addParamAttr(Arg, Attribute::getWithAlignment(I.getContext(), Known));
  }
}

void relaxPrivates(Value &Memory) {
  SetVector<Value *> Pointers;
  Pointers.insert(&Memory);
  for (unsigned I = 0; I < Pointers.size(); ++I)
    for (Use &U : Pointers[I]->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      if (isa<GetElementPtrInst, PHINode, SelectInst>(User) && User->getType()->isPointerTy())
        Pointers.insert(User);
      else
        relaxUse(*User, U);
    }
}

} // namespace contraflow::omp
