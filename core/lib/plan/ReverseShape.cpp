// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the sweep from the return block backwards. At a join the predecessor that was taken is
// told by the branch above if both of its arms lead here separately, else by a recorded number.

#include "ReverseShape.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace contraflow {

ReverseShape::ReverseShape(Function &F, LoopInfo &LI, DominatorTree &DT, const LoopFacts &Facts,
                           WorkTest HasWork)
    : LI(LI), DT(DT), Facts(Facts) {
  for (BasicBlock &B : F) {
    if (isa<ReturnInst>(B.getTerminator()))
      Return = &B;
    if (!any_of(B, [&](Instruction &I) { return HasWork(I); }))
      continue;
    Work.insert(&B);
    for (Loop *L = LI.getLoopFor(&B); L; L = L->getParentLoop())
      LoopWork.insert(L);
  }
  SmallVector<BasicBlock *, 16> Todo{Return};
  while (!Todo.empty()) {
    BasicBlock *B = Todo.pop_back_val();
    if (Steps.count(B))
      continue;
    Backward Step = stepFrom(*B);
    recordLast(*B, Step);
    append_range(Todo, Step.Targets);
    Steps[B] = std::move(Step);
  }
}

/// The preheader of the outermost loop without work that contains From but not To, else From.
BasicBlock *ReverseShape::skipIdleLoops(BasicBlock *From, BasicBlock *To) const {
  BasicBlock *Target = From;
  for (Loop *L = LI.getLoopFor(From); L && !L->contains(To); L = L->getParentLoop())
    if (!LoopWork.count(L))
      Target = L->getLoopPreheader();
  return Target;
}

bool ReverseShape::idleBetween(BasicBlock *Top, BasicBlock *Bottom) const {
  SmallPtrSet<BasicBlock *, 16> Seen{Top};
  SmallVector<BasicBlock *, 16> Todo(predecessors(Bottom));
  while (!Todo.empty()) {
    BasicBlock *B = Todo.pop_back_val();
    if (!Seen.insert(B).second)
      continue;
    if (Work.count(B) || B == Bottom)
      return false;
    append_range(Todo, predecessors(B));
  }
  return true;
}

bool ReverseShape::chooseByBranch(BasicBlock &B, ArrayRef<BasicBlock *> Preds, Backward &Out) {
  BasicBlock *Top = DT.getNode(&B)->getIDom()->getBlock();
  auto *Branch = dyn_cast<BranchInst>(Top->getTerminator());
  if (Preds.size() != 2 || !Branch || !Branch->isConditional() ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1) || LI.getLoopFor(Top) != LI.getLoopFor(&B))
    return false;
  auto Arm = [&](BasicBlock *Pred) {
    for (unsigned S : {0u, 1u}) {
      BasicBlockEdge Edge(Top, Branch->getSuccessor(S));
      if (Pred == Top ? Branch->getSuccessor(S) == &B : DT.dominates(Edge, Pred))
        return static_cast<int>(S);
    }
    return -1;
  };
  int First = Arm(Preds[0]), Second = Arm(Preds[1]);
  if (First < 0 || Second < 0 || First == Second)
    return false;
  Out.Selector = Branch->getCondition();
  for (int Side : {First, Second})
    Out.Cases.push_back(ConstantInt::getBool(B.getContext(), Side == 0));
  return true;
}

Backward ReverseShape::choose(BasicBlock &B, ArrayRef<BasicBlock *> Preds) {
  Backward Step;
  Step.What = Backward::Choose;
  for (BasicBlock *P : Preds)
    Step.Targets.push_back(skipIdleLoops(P, &B));
  Step.Preds.assign(Preds.begin(), Preds.end());
  if (chooseByBranch(B, Preds, Step))
    return Step;
  Type *T =
      Preds.size() <= 256 ? Type::getInt8Ty(B.getContext()) : Type::getInt32Ty(B.getContext());
  PHINode *Phi = PHINode::Create(T, pred_size(&B), "cf.pred");
  Phi->insertBefore(B.begin());
  for (unsigned I = 0; I < Preds.size(); ++I)
    Step.Cases.push_back(cast<ConstantInt>(ConstantInt::get(T, I)));
  for (BasicBlock *P : predecessors(&B))
    Phi->addIncoming(Step.Cases[find(Preds, P) - Preds.begin()], P);
  Step.Selector = Phi;
  return Step;
}

Backward ReverseShape::stepFrom(BasicBlock &B) {
  Backward Step;
  if (&B == &B.getParent()->getEntryBlock())
    return Step;
  if (Loop *L = LI.getLoopFor(&B); L && L->getHeader() == &B) {
    Step.What = Backward::Header;
    Step.Targets = {L->getLoopPreheader(), L->getLoopLatch()};
    Step.Preds = Step.Targets;
    return Step;
  }
  SmallSetVector<BasicBlock *, 4> Preds(pred_begin(&B), pred_end(&B));
  Step.What = Backward::Goto;
  if (Preds.size() == 1) {
    Step.Targets = {skipIdleLoops(Preds[0], &B)};
    Step.Preds = {Preds[0]};
    return Step;
  }
  BasicBlock *Top = skipIdleLoops(DT.getNode(&B)->getIDom()->getBlock(), &B);
  bool CountsKnown = all_of(entered(&B, Top),
                            [&](Loop *L) { return Facts.lookup(L->getHeader()).Last != nullptr; });
  if (!Work.count(&B) && CountsKnown && idleBetween(Top, &B)) {
    Step.Targets = Step.Preds = {Top};
    return Step;
  }
  return choose(B, Preds.getArrayRef());
}

SmallVector<Loop *, 2> ReverseShape::entered(BasicBlock *From, BasicBlock *To) const {
  SmallVector<Loop *, 2> Loops;
  for (Loop *L = LI.getLoopFor(To); L && !L->contains(From); L = L->getParentLoop())
    Loops.insert(Loops.begin(), L);
  return Loops;
}

void ReverseShape::recordLast(BasicBlock &B, const Backward &Step) {
  for (BasicBlock *Target : Step.Targets)
    for (Loop *L : entered(&B, Target)) {
      Value *&Last = Lasts[{&B, L}];
      if (Last)
        continue;
      const LoopFact &Fact = Facts.lookup(L->getHeader());
      if (Fact.Last) {
        Last = Fact.Last;
        continue;
      }
      PHINode *Phi = PHINode::Create(Fact.Counter->getType(), pred_size(&B), "cf.last");
      Phi->insertBefore(B.begin());
      for (BasicBlock *P : predecessors(&B))
        Phi->addIncoming(L->contains(P) ? cast<Value>(Fact.Counter)
                                        : ConstantInt::get(Fact.Counter->getType(), 0),
                         P);
      Last = Phi;
    }
}

Value *ReverseShape::lastIteration(BasicBlock *From, const Loop *L) const {
  return Lasts.lookup({From, L});
}

SmallVector<Value *, 8> ReverseShape::needs() const {
  SmallVector<Value *, 8> Out;
  for (auto &[Block, Step] : Steps) {
    if (Step.Selector)
      Out.push_back(Step.Selector);
    for (BasicBlock *Target : Step.Targets)
      for (Loop *L : entered(Block, Target))
        Out.push_back(lastIteration(Block, L));
  }
  return Out;
}

} // namespace contraflow
