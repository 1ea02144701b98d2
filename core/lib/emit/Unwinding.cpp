// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exception ends the derivative where it ends the primal, and goes on to whoever called the
// derivative. On its way the tape is given back, so that the next derivative call finds it empty:
//
//   call @f(...)      ->      invoke @f(...) unwind %cleanup
//                             cleanup:  tape_unwind(tape, mark) ; resume
//
// Where the primal would catch what comes out of a call that stays one, the derivative has no way
// back from there (attr::Caught names the clauses of the landing pad that was there):
//
//   call @f(...), caught {T}   ->     invoke @f(...) unwind %pad
//                                     pad:  landingpad catch T ; fail [CF308]
//
// Only code that has to do with exceptions is changed: C++ with calls that may throw.

#include "Unwinding.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"
#include "contraflow/core/Diag.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {

/// What the exceptions of this module are handled by; null if it has none.
static Constant *personalityOf(Module &M) {
  for (Function &F : M)
    if (F.hasPersonalityFn())
      return F.getPersonalityFn();
  return nullptr;
}

void emitUnwinding(Function &F, CallInst &Begin, CallInst &Mark) {
  Module &M = *F.getParent();
  SmallVector<CallInst *, 16> Calls;
  const DominatorTree Tree(F); // before the mark there is nothing to drop
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && !Call->doesNotThrow() &&
                                             !isa<IntrinsicInst>(I) && !Call->isMustTailCall() &&
                                             !Call->isInlineAsm() && Tree.dominates(&Mark, Call))
      Calls.push_back(Call);
  if (Calls.empty())
    return;
  Constant *Personality = F.hasPersonalityFn() ? F.getPersonalityFn() : personalityOf(M);
  if (!Personality)
    return;
  LLVMContext &Context = F.getContext();
  BasicBlock *Pad = BasicBlock::Create(Context, "cf.unwind", &F);
  IRBuilder<> B(Pad);
  B.SetCurrentDebugLocation(Calls.front()->getDebugLoc());
  auto *Type = StructType::get(Context, {B.getPtrTy(), B.getInt32Ty()});
  LandingPadInst *Exception = B.CreateLandingPad(Type, 0);
  Exception->setCleanup(true);
  SweepBuilder::callRuntime(B, M, "tape_unwind", B.getVoidTy(), {&Begin, &Mark});
  B.CreateResume(Exception);
  F.setPersonalityFn(Personality);
  for (CallInst *Call : Calls)
    changeToInvokeAndSplitBasicBlock(Call, Pad);
}

/// A landing pad that fails for what the clauses name, and lets everything else go on, without the
/// tape since Mark if it has begun.
static BasicBlock *padOf(CallInst &Call, const MDNode &Caught, CallInst *Begin, CallInst *Mark) {
  Function &F = *Call.getFunction();
  Module &M = *F.getParent();
  LLVMContext &Context = F.getContext();
  IRBuilder<> B(BasicBlock::Create(Context, "cf.pad", &F));
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  auto *Type = StructType::get(Context, {B.getPtrTy(), B.getInt32Ty()});
  LandingPadInst *Pad = B.CreateLandingPad(Type, Caught.getNumOperands());
  for (const MDOperand &Clause : Caught.operands())
    Pad->addClause(mdconst::extract<Constant>(Clause));
  Pad->setCleanup(true);
  BasicBlock *Fail = BasicBlock::Create(Context, "cf.caught", &F);
  BasicBlock *GoOn = BasicBlock::Create(Context, "cf.unwind", &F);
  B.CreateCondBr(B.CreateIsNull(B.CreateExtractValue(Pad, 1)), GoOn, Fail);
  BasicBlock *First = Pad->getParent();
  B.SetInsertPoint(Fail);
  Value *Place = B.CreateGlobalString(SourcePlace::of(Call).str(), "cf.place");
  SweepBuilder::callRuntime(B, M, "caught_exception", B.getVoidTy(), {Place})
      ->addFnAttr(Attribute::NoUnwind);
  B.CreateUnreachable();
  B.SetInsertPoint(GoOn);
  if (Begin)
    SweepBuilder::callRuntime(B, M, "tape_unwind", B.getVoidTy(), {Begin, Mark});
  B.CreateResume(Pad);
  return First;
}

void emitCaught(Function &F, CallInst *Begin, CallInst *Mark) {
  const unsigned Kind = F.getContext().getMDKindID(attr::Caught);
  SmallVector<CallInst *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && Call->getMetadata(Kind) && !Call->doesNotThrow() && !Call->isInlineAsm())
      Calls.push_back(Call);
  if (Calls.empty())
    return;
  Constant *Personality =
      F.hasPersonalityFn() ? F.getPersonalityFn() : personalityOf(*F.getParent());
  if (!Personality)
    return;
  F.setPersonalityFn(Personality);
  SmallPtrSet<const CallInst *, 16> Behind; ///< the mark
  if (Begin) {
    const DominatorTree Tree(F);
    for (const CallInst *Call : Calls)
      if (Tree.dominates(Mark, Call))
        Behind.insert(Call);
  }
  for (CallInst *Call : Calls) {
    const bool HasTape = Behind.contains(Call);
    changeToInvokeAndSplitBasicBlock(
        Call, padOf(*Call, *Call->getMetadata(Kind), HasTape ? Begin : nullptr, Mark));
  }
}

} // namespace contraflow
