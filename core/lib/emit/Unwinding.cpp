// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exception ends the derivative where it ends the primal, and goes on to whoever called the
// derivative. On its way the tape is given back, so that the next derivative call finds it empty:
//
//   call @f(...)      ->      invoke @f(...) unwind %cleanup
//                             cleanup:  tape_unwind(tape, mark) ; resume
//
// Only code that has to do with exceptions is changed: C++ with calls that may throw.

#include "Unwinding.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"

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
  Constant *Personality = F.hasPersonalityFn() ? F.getPersonalityFn() : personalityOf(M);
  SmallVector<CallInst *, 16> Calls;
  const DominatorTree Tree(F); // before the mark there is nothing to drop
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && !Call->doesNotThrow() &&
                                             !isa<IntrinsicInst>(I) && !Call->isMustTailCall() &&
                                             !Call->isInlineAsm() && Tree.dominates(&Mark, Call))
      Calls.push_back(Call);
  if (!Personality || Calls.empty())
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

} // namespace contraflow
