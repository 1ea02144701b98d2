// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NoteBlocks.h"

#include "construct/Memory.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"
#include "support/Assignments.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {

/// Where code that follows the call goes. Where an invoke leads others may lead, too.
static Instruction *afterCall(CallBase &Call) {
  auto *Invoke = dyn_cast<InvokeInst>(&Call);
  if (!Invoke)
    return Call.getNextNode();
  BasicBlock *Next = Invoke->getNormalDest();
  if (!Next->getSinglePredecessor())
    Next = SplitEdge(Invoke->getParent(), Next);
  return &*Next->getFirstInsertionPt();
}

static void noteAfter(CallBase &Call) {
  if (!PointerMayBeCaptured(&Call, /*ReturnCaptures=*/true))
    return;
  IRBuilder<> B(afterCall(Call));
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  Value *Bytes = sizeInBytes(B, Call, lookupCallee(Call));
  SweepBuilder::callRuntime(B, *Call.getModule(), "note_block", B.getVoidTy(), {&Call, Bytes});
}

static void dropBefore(CallBase &Call) {
  IRBuilder<> B(&Call);
  SweepBuilder::callRuntime(B, *Call.getModule(), "drop_block", B.getVoidTy(),
                            {Call.getArgOperand(0)});
}

/// True if calls were added.
static bool noteBlocks(Function &F) {
  bool Any = false;
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
    const bool Frees = Moves || isOfKind(*Call, CalleeKind::Free);
    const bool Allocates = Moves || isOfKind(*Call, CalleeKind::Allocate);
    if (Frees)
      dropBefore(*Call);
    if (Allocates)
      noteAfter(*Call);
    Any |= Frees || Allocates;
  }
  return Any;
}

/// Another file may have no definition but this one (an explicit instantiation, or what the linker
/// has chosen for all): it stays, and this file's calls go to a copy.
static Function &copyForThisFile(Function &F) {
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&F, Map);
  ownAssignments(*Copy);
  for (Use &U : make_early_inc_range(F.uses()))
    if (auto *Call = dyn_cast<CallBase>(U.getUser()); Call && Call->isCallee(&U))
      U.set(Copy);
  return *Copy;
}

/// The linker must not replace it, or what leads to it, by another file's, which tells nothing.
/// What is called through its address has to keep it: a derivative asks which function that is.
static void makeOwn(Function &F) {
  SmallVector<Function *, 8> Todo{&F};
  SmallPtrSet<Function *, 8> Seen;
  while (!Todo.empty()) {
    Function *Next = Todo.pop_back_val();
    if ((!Next->hasLinkOnceODRLinkage() && !Next->hasWeakODRLinkage()) || Next->hasAddressTaken() ||
        !Seen.insert(Next).second)
      continue;
    if (Next->hasWeakODRLinkage())
      Next = &copyForThisFile(*Next);
    Next->setComdat(nullptr);
    Next->setLinkage(GlobalValue::InternalLinkage);
    for (User *U : Next->users())
      if (auto *Call = dyn_cast<CallBase>(U))
        Todo.push_back(Call->getFunction());
  }
}

void noteBlocks(ArrayRef<WeakVH> Functions) {
  for (const WeakVH &Handle : Functions)
    if (auto *F = dyn_cast_or_null<Function>(static_cast<Value *>(Handle)))
      if (!F->hasAvailableExternallyLinkage() && noteBlocks(*F))
        makeOwn(*F);
}

} // namespace contraflow
