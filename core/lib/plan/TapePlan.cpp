// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the cut into decisions and gives each stored value a frame and a slot.

#include "Snapshot.h"
#include "contraflow/core/Diag.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

Decision TapePlan::decisionFor(const Value *V) const {
  auto It = Decisions.find(V);
  return It == Decisions.end() ? Decision::Available : It->second;
}

const Slot *TapePlan::slotFor(const Value *V) const {
  auto It = Slots.find(V);
  return It == Slots.end() ? nullptr : It->second.get();
}

Frame *TapePlan::frameAt(Loop *L) {
  Loop *Home = L ? nestRoot(Facts, L) : nullptr;
  Frame::Kind Kind = !L ? Frame::Root : Home ? Frame::Nest : Frame::Iteration;
  if (L && !Home)
    Home = L;
  for (auto &Old : Frames)
    if (Old->What == Kind && Old->L == Home)
      return Old.get();
  Frames.push_back(std::make_unique<Frame>());
  Frames.back()->What = Kind;
  Frames.back()->L = Home;
  if (Kind == Frame::Root)
    RootFrame = Frames.back().get();
  return Frames.back().get();
}

void TapePlan::place(Value *V, const PlanQuestions &Q) {
  auto *I = dyn_cast<Instruction>(V);
  Loop *L = I ? LI.getLoopFor(I->getParent()) : nullptr;
  if (!L && Q.Combined) {
    Decisions[V] = Decision::Keep;
    Kept.insert(V);
    return;
  }
  Decisions[V] = Decision::Store;
  auto &New = Slots[V];
  if (New)
    return;
  New = std::make_unique<Slot>();
  New->V = V;
  New->Home = frameAt(L);
  New->Bytes = F.getDataLayout().getTypeStoreSize(V->getType()).getFixedValue();
  if (New->Home->What == Frame::Nest)
    for (Loop *X = L;; X = X->getParentLoop()) {
      New->Nest.insert(New->Nest.begin(), X);
      if (X == New->Home->L)
        break;
    }
  New->Home->Slots.push_back(New.get());
}

void TapePlan::require(Value *V, const PlanQuestions &Q) {
  if (!isAvailable(V, Facts, Q.Combined) && !Decisions.count(V))
    place(V, Q);
}

void TapePlan::decide(ArrayRef<Value *> Needs, const PlanQuestions &Q) {
  SmallVector<Value *, 16> Cut;
  for (Value *V : Needs)
    if (auto *I = dyn_cast<Instruction>(V); Q.Large && I && I->getType()->isFPOrFPVectorTy() &&
                                            !LI.getLoopFor(I->getParent()) && !Decisions.count(V))
      place(V, Q);
  auto AtHand = [&](const Value *V) {
    return Decisions.count(V) || isAvailable(V, Facts, Q.Combined);
  };
  if (Q.MinCut)
    Cut = minimumCut(Needs, Q, LI, AtHand);
  else
    copy_if(Needs, std::back_inserter(Cut), [&](Value *V) {
      return !isAvailable(V, Facts, Q.Combined) && !V->getType()->isAggregateType();
    });
  for (Value *V : Cut)
    place(V, Q);
  SmallVector<Value *, 32> Todo(Needs);
  while (!Todo.empty()) {
    Value *V = Todo.pop_back_val();
    if (isAvailable(V, Facts, Q.Combined) || !Decisions.try_emplace(V, Decision::Recompute).second)
      continue;
    if (!isRecomputable(V, Q)) {
      place(V, Q);
      continue;
    }
    append_range(Todo, sourcesOf(V, Q));
  }
}

Error TapePlan::verify(ArrayRef<Value *> Needs) const {
  for (Value *V : Needs)
    if (auto *I = dyn_cast<Instruction>(V);
        I && !Decisions.count(V) && !isa<AllocaInst, PHINode>(I))
      return diffError(DiagId::Internal, *I, "a needed value has no place on the tape");
  for (auto &[V, S] : Slots)
    if (S->V->getType()->isAggregateType())
      return diffError(DiagId::UnsupportedInstruction, *cast<Instruction>(S->V),
                       "an aggregate would have to be recorded");
  return Error::success();
}

void TapePlan::print(raw_ostream &OS) const {
  for (auto &[V, What] : Decisions) {
    OS << "  ";
    V->printAsOperand(OS, false);
    const char *Names[] = {"available", "recompute", "keep", "store"};
    OS << ": " << Names[static_cast<int>(What)];
    if (const Slot *S = slotFor(V)) {
      OS << " " << S->Bytes << " B";
      for (Loop *L : S->Nest) {
        OS << " x trip(";
        L->getHeader()->printAsOperand(OS, false);
        OS << ")";
      }
      if (S->Home->What == Frame::Iteration)
        OS << " per iteration";
      OS << "  ;" << *V;
    }
    OS << "\n";
  }
}

} // namespace contraflow
