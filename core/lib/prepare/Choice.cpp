// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   head:  r = call f(x)              head:  if (f == square) goto then0 else else0
//          ...                        then0: r0 = call square(x); goto join
//                               ->    else0: if (f == cube) ...
//                                     elseN: unknown_callee("heat.cpp:41:9")
//                                     join:  r = phi r0, r1 ...
//
// An invoke goes on to its normal destination by way of join, and unwinds from each clone.

#include "Choice.h"
#include "Indirect.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Cuts the block at the call: what comes after it begins with the block returned.
BasicBlock *cutAt(CallBase &Call) {
  BasicBlock *Head = Call.getParent();
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    BasicBlock *Normal = Invoke->getNormalDest();
    BasicBlock *Join = BasicBlock::Create(Head->getContext(), "cf.join", Head->getParent(), Normal);
    BranchInst::Create(Normal, Join);
    Normal->replacePhiUsesWith(Head, Join);
    return Join;
  }
  BasicBlock *Join = SplitBlock(Head, Call.getIterator());
  Head->getTerminator()->eraseFromParent();
  return Join;
}

/// Puts the clone into a block, which goes on to Join.
void place(CallBase &Clone, BasicBlock *Then, BasicBlock *Join, BasicBlock *Head) {
  Clone.insertInto(Then, Then->end());
  auto *Invoke = dyn_cast<InvokeInst>(&Clone);
  if (!Invoke) {
    BranchInst::Create(Join, Then);
    return;
  }
  Invoke->setNormalDest(Join);
  for (PHINode &Phi : Invoke->getUnwindDest()->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Head), Then);
}

void removeCall(CallBase &Call, BasicBlock *Head) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    for (PHINode &Phi : Invoke->getUnwindDest()->phis())
      Phi.removeIncomingValue(Head, /*DeletePHIIfEmpty=*/false);
  Call.eraseFromParent();
}

/// Lets the optimiser say which of two functions a pointer is. What is unnamed everywhere might be
/// one with another function that does the same, and the comparison would stay, with all that is
/// done in a member function of another class to an object that is none of it.
void tellApart(Function &F) {
  if (F.hasGlobalUnnamedAddr())
    F.setUnnamedAddr(GlobalValue::UnnamedAddr::Local);
}

} // namespace

SmallVector<CallBase *, 8> replaceByChoice(CallBase &Call, Value *Pointer,
                                           ArrayRef<Function *> Functions,
                                           function_ref<void(CallBase &, Function &)> Name,
                                           function_ref<Value *(IRBuilderBase &)> Otherwise) {
  SmallVector<CallBase *, 8> Made;
  BasicBlock *Head = Call.getParent();
  LLVMContext &Context = Head->getContext();
  Function *F = Head->getParent();
  BasicBlock *Join = cutAt(Call);
  PHINode *Result = nullptr;
  if (!Call.getType()->isVoidTy()) {
    Result = PHINode::Create(Call.getType(), Functions.size(), "cf.result");
    Result->insertBefore(Join->begin());
    Call.replaceAllUsesWith(Result);
  }
  BasicBlock *At = BasicBlock::Create(Context, "cf.choice", F, Join);
  BasicBlock *First = At;
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  for (Function *Callee : Functions) {
    tellApart(*Callee);
    BasicBlock *Then = BasicBlock::Create(Context, "cf.call", F, Join);
    BasicBlock *Else = BasicBlock::Create(Context, "cf.else", F, Join);
    B.CreateCondBr(B.CreateICmpEQ(Pointer, Callee), Then, Else);
    auto *Clone = cast<CallBase>(Call.clone());
    place(*Clone, Then, Join, Head);
    Name(*Clone, *Callee);
    if (Result)
      Result->addIncoming(Clone, Then);
    Made.push_back(Clone);
    B.SetInsertPoint(Else);
  }
  if (Otherwise) {
    Value *Other = Otherwise(B);
    if (Result)
      Result->addIncoming(Other, B.GetInsertBlock());
    B.CreateBr(Join);
  } else {
    emitFailure(B, Call, "unknown_callee");
    B.CreateUnreachable();
  }
  removeCall(Call, Head);
  BranchInst::Create(First, Head);
  return Made;
}

} // namespace contraflow
