// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A split request is two calls of the user's, with anything in between. Around the root unit, which
// is split like any function that is called:
//
//   augmented:  tape = open(); handle = {tape, frame, which}; ...; pause(tape); return handle
//   reverse:    check which, and that its shadows are the same: the frame leads there;
//   resume(tape); ...; release what is left; close(tape)

#include "ForwardSweep.h"
#include "Replay.h"
#include "SplitHandle.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace contraflow {
namespace {

Function *newCall(RequestState &S, FunctionType *T, const Twine &What, Function &Like) {
  Function *F =
      Function::Create(T, GlobalValue::InternalLinkage, What + S.Spec.Primal->getName(), S.C.M);
  F->setAttributes(
      AttributeList::get(F->getContext(), Like.getAttributes().getFnAttrs(), AttributeSet(), {}));
  return F;
}

CallInst *runtime(RequestState &S, IRBuilder<> &B, StringRef Name, Type *Result,
                  ArrayRef<Value *> Args) {
  return SweepBuilder::callRuntime(B, S.C.M, Name, Result, Args);
}

/// The arguments with shadows that the reverse sweep may write to.
SmallVector<unsigned, 8> usedShadows(RequestState &S, Unit &Root) {
  SmallVector<unsigned, 8> Out = shadowedPointers(S.Spec);
  erase_if(Out, [&](unsigned A) { return !Root.Split.HasShadow[A]; });
  return Out;
}

/// Ends the program unless the handle was left for this reverse function and these shadows.
void checkHandle(RequestState &S, Unit &Root, IRBuilder<> &B, Function &F, SplitHandle &Handle) {
  LLVMContext &Context = F.getContext();
  Value *Which = Handle.get(SplitHandle::Which);
  auto *Wrong = BasicBlock::Create(Context, "wrong", &F);
  auto *Right = BasicBlock::Create(Context, "right", &F);
  B.CreateCondBr(B.CreateICmpEQ(Which, &F), Right, Wrong);
  B.SetInsertPoint(Wrong);
  const std::string Text = "[CF319] the tape of a reverse call of '" + userName(*S.Spec.Primal) +
                           "' was not made by an augmented call of it with the same markers";
  runtime(S, B, "fail", B.getVoidTy(), {B.CreateGlobalString(Text)});
  B.CreateUnreachable();
  B.SetInsertPoint(Right);
  const auto Given = shadowedPointers(S.Spec);
  Value *Same = B.getTrue();
  for (const auto &[I, A] : enumerate(usedShadows(S, Root))) {
    Value *Shadow = F.getArg(F.arg_size() - 2 - Given.size() + (find(Given, A) - Given.begin()));
    Same = B.CreateAnd(Same, B.CreateICmpEQ(Handle.shadow(I), Shadow));
  }
  auto *Other = BasicBlock::Create(Context, "other", &F);
  auto *Begin = BasicBlock::Create(Context, "begin", &F);
  B.CreateCondBr(Same, Begin, Other);
  B.SetInsertPoint(Other);
  runtime(S, B, "fail", B.getVoidTy(),
          {B.CreateGlobalString("[CF319] a reverse call of '" + userName(*S.Spec.Primal) +
                                "' is given other shadows than its augmented call")});
  B.CreateUnreachable();
  B.SetInsertPoint(Begin);
}

Function *emitAugmented(RequestState &S, Unit &Root, Function *Reverse) {
  Function *F = newCall(S, augmentedType(S.Spec), "cf.first.", *Root.Forward);
  IRBuilder<> B(BasicBlock::Create(F->getContext(), "entry", F));
  Value *Tape = runtime(S, B, "tape_open", B.getPtrTy(), {});
  const auto Shadowed = usedShadows(S, Root);
  Value *Bytes = B.getInt64(SplitHandle::Bytes + Shadowed.size() * sizeof(void *));
  SplitHandle Handle(B, runtime(S, B, "tape_reserve", B.getPtrTy(), {Tape, Bytes}));
  Value *Log = isRecord(*S.Spec.Primal)
                   ? runtime(S, B, "log_open", B.getPtrTy(), {Tape, S.Spec.Primal})
                   : nullptr;
  SmallVector<Value *, 8> Args;
  unsigned Next = 0;
  for (unsigned A = 0; A < S.Spec.Args.size(); ++A) {
    Args.push_back(F->getArg(Next++));
    if (S.Spec.Args[A] != Activity::Dup && S.Spec.Args[A] != Activity::DupNoNeed) {
      if (Root.Split.HasShadow[A]) // its own shadow
        Args.push_back(Args.back());
      continue;
    }
    Value *Shadow = F->getArg(Next++);
    if (Root.Split.HasShadow[A])
      Args.push_back(Shadow);
    if (const auto *At = find(Shadowed, A); At != Shadowed.end())
      Handle.setShadow(At - Shadowed.begin(), Shadow);
  }
  Args.push_back(Tape);
  CallInst *Call = B.CreateCall(Root.Forward, Args);
  const unsigned Last = Call->getType()->getStructNumElements() - 1;
  if (Log)
    runtime(S, B, "log_close", B.getVoidTy(), {Log});
  Handle.set(SplitHandle::Tape, Tape);
  Handle.set(SplitHandle::Frame, B.CreateExtractValue(Call, Last));
  Handle.set(SplitHandle::Which, Reverse);
  Handle.set(SplitHandle::Log, Log ? Log : ConstantPointerNull::get(B.getPtrTy()));
  runtime(S, B, "tape_pause", B.getVoidTy(), {Tape});
  Value *Out = B.CreateInsertValue(PoisonValue::get(F->getReturnType()), Handle.address(), 0);
  if (F->getReturnType()->getStructNumElements() > 1)
    Out = B.CreateInsertValue(Out, B.CreateExtractValue(Call, 0), 1);
  if (F->getReturnType()->getStructNumElements() > 2) // of an address, the shadow
    Out = B.CreateInsertValue(Out,
                              Root.Split.ShadowResult ? B.CreateExtractValue(Call, 1)
                                                      : ConstantPointerNull::get(B.getPtrTy()),
                              2);
  B.CreateRet(Out);
  enterGlobals(S, Root, {Call->getParent(), Call->getIterator()});
  return F;
}

/// What the reverse call returns: the adjoints of arguments by value, in their order.
Value *adjointsOfValues(RequestState &S, Unit &Root, IRBuilder<> &B, CallInst *Bars) {
  Value *Out = Constant::getNullValue(B.getCurrentFunctionReturnType());
  unsigned Next = 0;
  for (unsigned A = 0; A < S.Spec.Args.size(); ++A) {
    if (S.Spec.Args[A] != Activity::Active)
      continue;
    auto *At = find(Root.Split.ActiveArgs, A);
    if (At != Root.Split.ActiveArgs.end())
      Out = B.CreateInsertValue(Out, B.CreateExtractValue(Bars, At - Root.Split.ActiveArgs.begin()),
                                Next);
    ++Next;
  }
  return Out;
}

Function *emitReverse(RequestState &S, Unit &Root) {
  Function *F = newCall(S, reverseType(S.Spec), "cf.second.", *Root.Reverse);
  IRBuilder<> B(BasicBlock::Create(F->getContext(), "entry", F));
  SplitHandle Handle = SplitHandle::given(B, F->getArg(F->arg_size() - 2));
  Value *Keep = F->getArg(F->arg_size() - 1);
  checkHandle(S, Root, B, *F, Handle);
  Value *Tape = Handle.get(SplitHandle::Tape), *Frame = Handle.get(SplitHandle::Frame);
  runtime(S, B, "tape_resume", B.getVoidTy(), {Tape});
  Instruction *Start = B.CreateUnreachable(), *Then, *Else;
  SplitBlockAndInsertIfThenElse(Keep, Start, &Then, &Else);
  B.SetInsertPoint(Then);
  Value *Copy = runtime(S, B, "tape_keep", B.getPtrTy(), {Tape});
  B.SetInsertPoint(Start);
  PHINode *Kept = B.CreatePHI(B.getPtrTy(), 2);
  Kept->addIncoming(Copy, Then->getParent());
  Kept->addIncoming(ConstantPointerNull::get(B.getPtrTy()), Else->getParent());
  SmallVector<Value *, 3> Args;
  if (Root.Split.ActiveResult)
    Args.push_back(F->getArg(0));
  Args.append({Frame, Tape});
  CallInst *Bars = B.CreateCall(Root.Reverse, Args);
  SplitBlockAndInsertIfThenElse(Keep, Start, &Then, &Else);
  B.SetInsertPoint(Then);
  runtime(S, B, "tape_restore", B.getVoidTy(), {Tape, Kept});
  B.SetInsertPoint(Else);
  runtime(S, B, "tape_release", B.getVoidTy(), {Tape, Handle.address()});
  runtime(S, B, "tape_close", B.getVoidTy(), {Tape});
  B.SetInsertPoint(Start->getParent());
  Start->eraseFromParent();
  if (F->getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(adjointsOfValues(S, Root, B, Bars));
  clearGlobalShadows(S, Root, {Bars->getParent(), Bars->getIterator()});
  return F;
}

} // namespace

Derivative emitSplitCalls(RequestState &S, Unit &Root) {
  Function *Reverse = emitReverse(S, Root);
  return {emitAugmented(S, Root, Reverse), Reverse, S.RunsOnce};
}

} // namespace contraflow
