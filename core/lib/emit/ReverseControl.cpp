// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReverseSweep, part three: blocks, edges and loops backwards.

#include "ReverseSweep.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

void ReverseSweep::startBlock(BasicBlock *At) {
  B.SetInsertPoint(At);
  B.SetCurrentDebugLocation(DebugLoc());
  Known.clear();
}

void ReverseSweep::enterLoops(BasicBlock &From, BasicBlock *To) {
  for (Loop *L : In.Shape.entered(&From, To)) {
    Value *Last = recall(In.Shape.lastIteration(&From, L));
    if (const PhaseState *P = phases(L))
      openShared(*P, Last);
    else
      B.CreateStore(Last, Counters[L]);
    openDealt(L);
    if (const DeferredLoop *D = deferred(L))
      openBuffers(*D);
    if (Value *Frame = In.Frames.lastFrame(&From, L)) {
      B.CreateStore(recall(Frame), IterationFrames[L]);
    }
  }
}

Value *ReverseSweep::firstIteration(const Loop *L) {
  const PhaseState *P = phases(L);
  return P ? cast<Value>(B.CreateLoad(B.getInt64Ty(), P->First)) : B.getInt64(0);
}

void ReverseSweep::leaveLoop(Loop &L) {
  closeWindows(L);
  if (const DeferredLoop *D = deferred(&L))
    closeBuffers(*D);
  // Iterations of a shared loop are reversed in any order, so what they recorded stays until the
  // end.
  if (any_of(Phases, [&](const PhaseState &P) {
        return P.Plan->Loop.L != &L && P.Plan->Loop.L->contains(&L);
      }))
    return;
  for (auto &F : In.Plan.frames()) {
    if (F->L != &L)
      continue;
    Value *Frame = F->What == Frame::Nest ? recall(F->Slots[0]->Base)
                                          : B.CreateLoad(B.getPtrTy(), IterationFrames[&L]);
    runtime("tape_release", B.getVoidTy(), {In.U.ReverseTape, Frame});
  }
  for (auto &Copy : In.Snapshots.all())
    if (Copy->Nest == &L) {
      // The first one reserved lies lowest.
      runtime("tape_release", B.getVoidTy(), {In.U.ReverseTape, recall(Copy->Memory)});
      break;
    }
}

void ReverseSweep::previousIteration(Loop &L) {
  Value *Now = counter(&L);
  B.CreateStore(B.CreateSub(Now, B.getInt64(1)), Counters[&L]);
  if (AllocaInst *Slot = IterationFrames.lookup(&L)) {
    Value *Frame = B.CreateLoad(B.getPtrTy(), Slot);
    B.CreateStore(B.CreateLoad(B.getPtrTy(), Frame), Slot);
  }
}

/// The block on the way from From to its Index-th target: adjoints of phis, loop entry and exit.
BasicBlock *ReverseSweep::edge(BasicBlock &From, const Backward &Step, unsigned Index) {
  BasicBlock *Edge = BasicBlock::Create(B.getContext(), From.getName() + ".back", In.U.Reverse);
  startBlock(Edge);
  BasicBlock *Target = Step.Targets[Index];
  const PhaseState *Ends = nullptr, *Begins = nullptr;
  for (const PhaseState &P : Phases) {
    Loop *L = P.Plan->Loop.L;
    if (Step.What == Backward::Header ? Index == 0 && L->getHeader() == &From
                                      : is_contained(In.Shape.entered(&From, Target), L))
      (Step.What == Backward::Header ? Ends : Begins) = &P;
  }
  if (Ends)
    closeShared(*Ends);
  for (auto [Phi, Bar] : PhiBars)
    if (Value *V = Phi->getIncomingValueForBlock(Step.Preds[Index]); !isa<Constant>(V))
      addAdjoint(V, Bar);
  if (Step.What == Backward::Header) {
    Loop *L = nullptr;
    for (auto &[Candidate, Slot] : Counters)
      if (Candidate->getHeader() == &From)
        L = const_cast<Loop *>(Candidate);
    Index == 0 ? leaveLoop(*L) : previousIteration(*L);
  } else {
    enterLoops(From, Target);
  }
  B.CreateBr(Begins ? Begins->Head : Blocks[Target]);
  return Ends ? Ends->Tail : Edge;
}

void ReverseSweep::finishBlock(BasicBlock &Block, const Backward &Step) {
  if (Step.What == Backward::End) {
    B.CreateBr(EndBlock);
    return;
  }
  BasicBlock *Here = B.GetInsertBlock();
  Value *Selector = nullptr;
  if (Step.What == Backward::Header) {
    for (auto &[L, Slot] : Counters)
      if (L->getHeader() == &Block)
        Selector = B.CreateICmpEQ(B.CreateLoad(B.getInt64Ty(), Slot), firstIteration(L));
  } else if (Step.What == Backward::Choose) {
    Selector = recall(Step.Selector);
  }
  SmallVector<BasicBlock *, 4> Edges;
  for (unsigned I = 0; I < Step.Targets.size(); ++I)
    Edges.push_back(edge(Block, Step, I));
  B.SetInsertPoint(Here);
  if (Step.What == Backward::Goto) {
    B.CreateBr(Edges[0]);
  } else if (Step.What == Backward::Header) {
    B.CreateCondBr(Selector, Edges[0], Edges[1]);
  } else if (Selector->getType()->isIntegerTy(1)) {
    bool FirstIfTrue = Step.Cases[0]->isOne();
    B.CreateCondBr(Selector, Edges[FirstIfTrue ? 0 : 1], Edges[FirstIfTrue ? 1 : 0]);
  } else {
    SwitchInst *Switch = B.CreateSwitch(Selector, Edges.back(), Edges.size());
    for (unsigned I = 0; I + 1 < Edges.size(); ++I)
      Switch->addCase(Step.Cases[I], Edges[I]);
  }
}

Error ReverseSweep::reverseBlock(BasicBlock &Block, const Backward &Step) {
  startBlock(Blocks[&Block]);
  Error Errors = Error::success();
  for (Instruction &I : llvm::reverse(Block))
    if (Error E = reverse(I))
      Errors = joinErrors(std::move(Errors), std::move(E));
  PhiBars.clear();
  for (PHINode &Phi : Block.phis())
    if (In.S.Activity.active(&Phi))
      PhiBars.push_back({&Phi, takeAdjoint(&Phi)});
  finishBlock(Block, Step);
  return Errors;
}

Expected<BasicBlock *> ReverseSweep::run() {
  LLVMContext &Context = In.U.Forward->getContext();
  Locals = BasicBlock::Create(Context, "reverse", In.U.Reverse);
  EndBlock = BasicBlock::Create(Context, "reverse.end", In.U.Reverse);
  for (auto &[Block, Step] : In.Shape.steps())
    Blocks[Block] = BasicBlock::Create(Context, Block->getName() + ".rev", In.U.Reverse);
  B.SetInsertPoint(Locals);
  B.CreateBr(Blocks[In.Shape.returnBlock()]);
  for (auto &[Block, Step] : In.Shape.steps())
    for (BasicBlock *Target : Step.Targets)
      for (Loop *L : In.Shape.entered(Block, Target)) {
        if (!Counters[L])
          Counters[L] = local(B.getInt64Ty(), "iv.bar", false);
        if (deferred(L) && !Buffers[L])
          Buffers[L] = local(B.getPtrTy(), "buffers", false);
        if (In.Frames.lastFrame(Block, L) && !IterationFrames[L])
          IterationFrames[L] = local(B.getPtrTy(), "frame.bar", false);
      }
  B.SetInsertPoint(Locals->getTerminator());
  auto *Return = cast<ReturnInst>(In.Shape.returnBlock()->getTerminator());
  if (In.U.Seed && Return->getReturnValue())
    addAdjoint(Return->getReturnValue(), In.U.Seed);
  if (inOrder() && is_contained(In.S.Closure.TeamBodies, In.U.Prepared))
    runtime("omp_ledger_open", B.getVoidTy(), {});
  for (const SharedPlan &Plan : In.Sharing.Loops)
    preparePhases(Plan);
  for (const SharedPlan &Plan : In.Sharing.Dealt)
    Dealt.push_back({&Plan, local(B.getInt32Ty(), "apart", true)});
  prepareWindows();
  Error Errors = Error::success();
  for (auto &[Block, Step] : In.Shape.steps())
    if (Error E = reverseBlock(*Block, Step))
      Errors = joinErrors(std::move(Errors), std::move(E));
  if (Errors)
    return std::move(Errors);
  addSettledVersions();
  if (inOrder() && is_contained(In.S.Closure.TeamBodies, In.U.Prepared)) {
    startBlock(EndBlock);
    runtime("omp_ledger_close", B.getVoidTy(), {});
  }
  return Locals;
}

} // namespace contraflow
