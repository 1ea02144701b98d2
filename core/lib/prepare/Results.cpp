// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copy stores each member where its function returned; the caller loads the members that it
// uses. The copy's own recursive calls are replaced when it is prepared itself.

#include "Results.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

bool ReturnedStructures::wantMemory(const Function &F) {
  auto *T = dyn_cast<StructType>(F.getReturnType());
  return T && any_of(T->elements(), [](Type *Member) {
           return Member->isPointerTy() || Member->isIntegerTy(32) || Member->isIntegerTy(64);
         });
}

/// Where member I of a structure in memory lies.
static Value *memberAt(IRBuilder<> &B, StructType *T, Value *Room, unsigned I) {
  const DataLayout &Layout = B.GetInsertBlock()->getDataLayout();
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Room,
                                      Layout.getStructLayout(T)->getElementOffset(I));
}

Function *ReturnedStructures::copyOf(Function &F) {
  Function *&Copy = copy(F);
  if (Copy)
    return Copy;
  SmallVector<ReturnInst *, 4> Returns;
  Copy = cloneWithRoom(F, Type::getVoidTy(F.getContext()), "out", Returns);
  auto *T = cast<StructType>(F.getReturnType());
  Value *Room = Copy->getArg(F.arg_size());
  Room->setName("result");
  for (ReturnInst *Return : Returns) {
    IRBuilder<> B(Return);
    for (unsigned I = 0; I != T->getNumElements(); ++I)
      B.CreateStore(B.CreateExtractValue(Return->getReturnValue(), I), memberAt(B, T, Room, I));
    B.CreateRetVoid();
    Return->eraseFromParent();
  }
  return Copy;
}

/// The members that are used, and all of them where the structure is used as a whole.
static void loadMembers(CallBase &Call, Instruction &New, Value *Room) {
  auto *T = cast<StructType>(Call.getType());
  IRBuilder<> B(New.getNextNode());
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  SmallVector<Value *, 4> Members;
  for (unsigned I = 0; I != T->getNumElements(); ++I)
    Members.push_back(B.CreateLoad(T->getElementType(I), memberAt(B, T, Room, I)));
  for (User *U : make_early_inc_range(Call.users())) {
    auto *Extract = dyn_cast<ExtractValueInst>(U);
    if (!Extract || Extract->getNumIndices() != 1)
      continue;
    Extract->replaceAllUsesWith(Members[Extract->getIndices()[0]]);
    Extract->eraseFromParent();
  }
  if (!Call.use_empty()) {
    Value *Whole = PoisonValue::get(T);
    for (auto [I, Member] : enumerate(Members))
      Whole = B.CreateInsertValue(Whole, Member, I);
    Call.replaceAllUsesWith(Whole);
  }
  for (Value *Member : Members)
    if (Member->use_empty())
      cast<Instruction>(Member)->eraseFromParent();
}

CallBase *ReturnedStructures::throughMemory(CallBase &Call) {
  Function *Copy = copyOf(*Call.getCalledFunction());
  BasicBlock &Entry = Call.getFunction()->getEntryBlock();
  IRBuilder<> B(&Entry, Entry.begin());
  AllocaInst *Room = B.CreateAlloca(Call.getType(), nullptr, "result");
  B.SetInsertPoint(&Call);
  SmallVector<Value *, 8> Args(Call.args());
  Args.push_back(Room);
  CallInst *New = B.CreateCall(Copy, Args);
  New->setCallingConv(Call.getCallingConv());
  for (unsigned I = 0; I != Call.arg_size(); ++I)
    if (Type *Copied = Call.getParamByValType(I))
      New->addParamAttr(I, Attribute::getWithByValType(Call.getContext(), Copied));
  loadMembers(Call, *New, Room);
  Call.eraseFromParent();
  return New;
}

} // namespace contraflow
