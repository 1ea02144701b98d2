// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::exception_ptr holds the address of an exception's object, which has a shadow:
//
//   call @current_exception(%kept)    ->    call @current_exception(%kept) ; store %caught, %kept
//   invoke @rethrow_exception(%kept)  ->    branch with the object that %kept holds
//
// What is thrown then is another exception to the unwinder, which leads to the same object. By what
// it is known is noted, for each thread, when it has been thrown and caught; of all others it is
// the header of the object.

#include "KeptExceptions.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

/// Of the last exception thrown that was kept: its object (0) and its header (1).
static Value *keptVariable(IRBuilderBase &B, unsigned Part) {
  constexpr StringLiteral Names[] = {"cf.exception.kept", "cf.exception.keptheader"};
  Module &M = *B.GetInsertBlock()->getModule();
  GlobalVariable *G = M.getGlobalVariable(Names[Part], /*AllowInternal=*/true);
  if (!G) {
    Constant *None = ConstantPointerNull::get(B.getPtrTy());
    G = new GlobalVariable(M, B.getPtrTy(), false, GlobalValue::InternalLinkage, None, Names[Part]);
    G->setThreadLocal(true);
  }
  return B.CreateThreadLocalAddress(G);
}

static Value *kept(IRBuilderBase &B, unsigned Part) {
  return B.CreateLoad(B.getPtrTy(), keptVariable(B, Part));
}

Value *headerOf(IRBuilderBase &B, Value &Object) {
  Value *Own = B.CreatePtrAdd(&Object, B.getInt64(-UnwindHeader));
  return B.CreateSelect(B.CreateICmpEQ(kept(B, 0), &Object), kept(B, 1), Own);
}

Value *objectOf(IRBuilderBase &B, ExceptionStep Step, Value *Place, Value &Header) {
  Value *None = ConstantPointerNull::get(B.getPtrTy());
  if (Step == ExceptionStep::Kept) {
    Value *Object = B.CreateLoad(B.getPtrTy(), Place);
    B.CreateStore(Object, keptVariable(B, 0));
    B.CreateStore(&Header, keptVariable(B, 1));
    return Object;
  }
  Value *Own = B.CreatePtrAdd(&Header, B.getInt64(UnwindHeader)), *Noted = kept(B, 0);
  Value *SameHeader = B.CreateICmpEQ(kept(B, 1), &Header);
  const bool MayBeKept = Step == ExceptionStep::Rethrow || Step == ExceptionStep::Again;
  Value *IsKept = MayBeKept ? B.CreateAnd(SameHeader, B.CreateIsNotNull(Noted)) : B.getFalse();
  Value *Object = B.CreateSelect(IsKept, Noted, Own);
  // What was noted has ended: another exception has its place.
  Value *Ended = B.CreateOr(B.CreateICmpEQ(Noted, Own), SameHeader);
  Ended = B.CreateAnd(Ended, B.CreateNot(IsKept));
  B.CreateStore(B.CreateSelect(Ended, None, Noted), keptVariable(B, 0));
  return Object;
}

bool keepsCurrent(const CallBase &Call) {
  return isa<CallInst>(Call) && keptAt(Call) && exceptionStep(Call) != ExceptionStep::Kept;
}

Value *keptPlace(IRBuilderBase &B, const CallBase &Call, Value &First) {
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), &First, *keptAt(Call));
}

Value *keepCurrent(CallBase &Call, AllocaInst &Caught) {
  IRBuilder<> B(Call.getNextNode());
  Value *Place = keptPlace(B, Call, *Call.getArgOperand(0));
  Value *Bits = B.CreateLoad(B.getInt64Ty(), Place);
  Value *Object = B.CreateLoad(B.getPtrTy(), &Caught), *Nothing = B.CreateIsNull(Bits);
  Value *Other = B.CreateICmpNE(Bits, B.CreatePtrToInt(Object, B.getInt64Ty()));
  B.CreateStore(B.CreateSelect(Nothing, ConstantPointerNull::get(B.getPtrTy()), Object), Place);
  return B.CreateAnd(Other, B.CreateNot(Nothing));
}

bool keepMade(Function &F, function_ref<Function *()> Allocation) {
  SmallVector<CallBase *, 2> Made, Holders;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    if (auto *Object = makesException(*Call) ? dyn_cast<CallBase>(Call->getArgOperand(0)) : nullptr)
      Made.push_back(Object);
    if (keepsObject(*Call))
      Holders.push_back(Call);
  }
  bool Changed = false;
  for (CallBase *Call : Made)
    if (exceptionStep(*Call) == ExceptionStep::Allocate) {
      Call->setCalledFunction(Allocation());
      Changed = true;
    }
  for (CallBase *Call : Holders)
    if (Changed)
      new StoreInst(Call->getArgOperand(1), Call->getArgOperand(0), std::next(Call->getIterator()));
  return Changed;
}

} // namespace contraflow
