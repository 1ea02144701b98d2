// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NoteBlocks.h"

#include "construct/Memory.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

/// Where code that follows the call goes; null behind a call that may throw to nowhere else.
static Instruction *afterCall(CallBase &Call) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    BasicBlock *Next = Invoke->getNormalDest();
    return Next->getSinglePredecessor() ? &*Next->getFirstInsertionPt() : nullptr;
  }
  return Call.getNextNode();
}

static void noteAfter(CallBase &Call) {
  Instruction *Next = afterCall(Call);
  if (!Next || !PointerMayBeCaptured(&Call, /*ReturnCaptures=*/true))
    return;
  IRBuilder<> B(Next);
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  Value *Bytes = sizeInBytes(B, Call, lookupCallee(Call));
  SweepBuilder::callRuntime(B, *Call.getModule(), "note_block", B.getVoidTy(), {&Call, Bytes});
}

static void dropBefore(CallBase &Call) {
  IRBuilder<> B(&Call);
  SweepBuilder::callRuntime(B, *Call.getModule(), "drop_block", B.getVoidTy(),
                            {Call.getArgOperand(0)});
}

static void noteBlocks(Function &F) {
  SmallVector<CallBase *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    const Function *Callee = Call->getCalledFunction();
    if (!Callee || Callee->hasFnAttribute(attr::Allocator) ||
        Callee->hasFnAttribute(attr::Deallocator))
      continue;
    const bool Moves = isOfKind(*Call, CalleeKind::Reallocate);
    if (Moves || isOfKind(*Call, CalleeKind::Free))
      dropBefore(*Call);
    if (Moves || isOfKind(*Call, CalleeKind::Allocate))
      noteAfter(*Call);
  }
}

void noteBlocks(ArrayRef<WeakVH> Functions) {
  for (const WeakVH &Handle : Functions)
    if (auto *F = dyn_cast_or_null<Function>(static_cast<Value *>(Handle)))
      noteBlocks(*F);
}

} // namespace contraflow
