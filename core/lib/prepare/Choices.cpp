// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimiser turns a descent in a tree into a computed distance, which looks like an index into
// an array and would make all members of the node one to the memory graph:
//
//   %d = select i1 %c, i64 16, i64 24           if (%c)  %l = load ptr, (p + 16)
//   %l = load ptr, (p + %d)                ->   else     %r = load ptr, (p + 24)
//
// The distance may be a phi, where more is done on the way to either of them.
// Where one of the addresses is of a member and the other of an element (s < n ? first[s] : count),
// clang chooses the address as well, by a select or a phi, and array and object would be one.
// Members of one object that hold floats are left alone: they are often places of an array. What a
// derivative keeps on its tape is none: there every kind of value is told apart, where the ends of
// branches have become one, too.

#include "Choices.h"
#include "construct/Memory.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {
namespace {

/// The choice that an address depends on, if there is one: a select, or a phi of numbers. What is
/// chosen are addresses, or distances of Step.
struct Choice {
  Instruction *Chooser = nullptr;
  SmallVector<Value *, 2> Chosen;
  GetElementPtrInst *Step = nullptr;
};

bool isConstantStep(Value *V, Value *Base) {
  auto *G = dyn_cast<GetElementPtrInst>(V);
  return V == Base || (G && G->getPointerOperand() == Base && G->hasAllConstantIndices());
}

/// Whether these are members of one object.
bool areMembers(Value *A, Value *B) {
  auto *Step = dyn_cast<GetElementPtrInst>(isa<GetElementPtrInst>(A) ? A : B);
  Value *Base = Step ? Step->getPointerOperand() : A;
  return A != B && isConstantStep(A, Base) && isConstantStep(B, Base);
}

/// Whether something is told apart in what the address points to.
bool isMember(const Value *V) {
  auto Steps = [](const User *U) {
    auto *G = dyn_cast<GetElementPtrInst>(U);
    return G && G->hasAllConstantIndices() && !G->hasAllZeroIndices();
  };
  if (auto *G = dyn_cast<GetElementPtrInst>(V))
    return Steps(G);
  return isa<Argument, LoadInst, AllocaInst, CallBase>(V) && any_of(V->users(), Steps);
}

/// Whether one of them is a member, and the other a place elsewhere.
bool isMemberOrElse(const Value *A, const Value *B) {
  return (isMember(A) || isMember(B)) && getUnderlyingObject(A) != getUnderlyingObject(B);
}

/// Which of a few numbers an index is, chosen in one step or in several.
Choice distanceOf(Value *Index) {
  constexpr unsigned MostSteps = 16;
  if (!isa<SelectInst, PHINode>(Index))
    return {};
  Choice Out{cast<Instruction>(Index), {}, nullptr};
  SmallSetVector<Value *, MostSteps> Todo;
  Todo.insert(Index);
  for (unsigned I = 0; I < Todo.size(); ++I) {
    if (auto *S = dyn_cast<SelectInst>(Todo[I])) {
      Todo.insert(S->getTrueValue());
      Todo.insert(S->getFalseValue());
    } else if (auto *P = dyn_cast<PHINode>(Todo[I])) {
      Todo.insert(P->op_begin(), P->op_end());
    } else if (!isa<ConstantInt>(Todo[I])) {
      return {};
    } else {
      Out.Chosen.push_back(Todo[I]);
    }
    if (Todo.size() > MostSteps)
      return {};
  }
  return Out.Chosen.size() > 1 ? Out : Choice();
}

Choice choiceOf(Value *Pointer, Type *Accessed, bool UsesTape) {
  if (auto *S = dyn_cast<SelectInst>(Pointer)) {
    Value *A = S->getTrueValue(), *B = S->getFalseValue();
    if (isMemberOrElse(A, B) || (Accessed->isPointerTy() && areMembers(A, B)))
      return {S, {A, B}, nullptr};
    return {};
  }
  auto *Step = dyn_cast<GetElementPtrInst>(Pointer);
  if (!Step || Step->getNumIndices() != 1 || (!Accessed->isPointerTy() && !UsesTape))
    return {};
  Choice Out = distanceOf(Step->getOperand(1));
  Out.Step = Step;
  return Out;
}

Value *addressOf(const Choice &C, Value *Chosen, Instruction *Where) {
  if (!C.Step)
    return Chosen;
  auto *Step = cast<GetElementPtrInst>(C.Step->clone());
  Step->setOperand(1, Chosen);
  Step->insertBefore(Where->getIterator());
  return Step;
}

/// Whether the first of those is chosen.
Value *conditionOf(const Choice &C, Instruction &Access) {
  auto *S = dyn_cast<SelectInst>(C.Chooser);
  if (S && S->getTrueValue() == C.Chosen[0] && S->getFalseValue() == C.Chosen[1])
    return S->getCondition();
  return IRBuilder<>(&Access).CreateICmpEQ(C.Chooser, C.Chosen[0]);
}

void split(Instruction &Access, Choice C) {
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(conditionOf(C, Access), Access.getIterator(), &Then, &Else);
  const unsigned Operand = isa<LoadInst>(Access) ? 0 : 1;
  Value *Pointer = getPointerOperand(&Access);
  Instruction *Copies[2];
  for (unsigned I : {0u, 1u}) {
    Instruction *Where = I == 0 ? Then : Else;
    Copies[I] = Access.clone();
    if (I == 0 || C.Chosen.size() == 2)
      Copies[I]->setOperand(Operand, addressOf(C, C.Chosen[I], Where));
    Copies[I]->insertBefore(Where->getIterator());
  }
  if (!Access.getType()->isVoidTy()) {
    PHINode *Phi = PHINode::Create(Access.getType(), 2, Access.getName());
    Phi->insertBefore(Access.getIterator());
    Phi->addIncoming(Copies[0], Then->getParent());
    Phi->addIncoming(Copies[1], Else->getParent());
    Access.replaceAllUsesWith(Phi);
  }
  Access.eraseFromParent();
  C.Chosen.erase(C.Chosen.begin());
  if (C.Chosen.size() > 1)
    split(*Copies[1], std::move(C));
  else
    RecursivelyDeleteTriviallyDeadInstructions(Pointer); // even unused it would blur the object
}

/// The loads of a chosen address, all of them at the start of its block; else none.
SmallVector<LoadInst *, 2> loadsAt(const PHINode &Chosen) {
  SmallPtrSet<const User *, 4> Users(Chosen.user_begin(), Chosen.user_end());
  SmallVector<LoadInst *, 2> Loads;
  for (Instruction &I : *const_cast<BasicBlock *>(Chosen.getParent())) {
    auto *L = Users.erase(&I) ? dyn_cast<LoadInst>(&I) : nullptr;
    if (L && L->isSimple())
      Loads.push_back(L);
    if (Users.empty() || I.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&I))
      break;
  }
  return Loads.size() == Chosen.getNumUses() ? Loads : SmallVector<LoadInst *, 2>();
}

bool splitsAt(const BasicBlock &BB, const DominatorTree &DT) {
  SmallPtrSet<const BasicBlock *, 4> From;
  return !pred_empty(&BB) && all_of(predecessors(&BB), [&](const BasicBlock *Pred) {
    return isa<BranchInst>(Pred->getTerminator()) && From.insert(Pred).second &&
           !DT.dominates(&BB, Pred);
  });
}

bool choosesMember(const PHINode &P) {
  return any_of(drop_begin(P.incoming_values()),
                [&](Value *V) { return isMemberOrElse(P.getIncomingValue(0), V); });
}

/// Loads where the address is chosen.
void loadBefore(PHINode &Chosen, ArrayRef<LoadInst *> Loads) {
  BasicBlock *BB = Chosen.getParent();
  const SmallVector<BasicBlock *, 4> Blocks(Chosen.blocks());
  for (BasicBlock *Pred : Blocks)
    if (Pred->getTerminator()->getNumSuccessors() > 1)
      SplitEdge(Pred, BB);
  for (LoadInst *L : Loads) {
    PHINode *Loaded = PHINode::Create(L->getType(), Blocks.size(), L->getName());
    for (auto [Pred, Address] : zip(Chosen.blocks(), Chosen.incoming_values())) {
      Instruction *Copy = L->clone();
      Copy->setOperand(0, Address);
      Copy->insertBefore(Pred->getTerminator()->getIterator());
      Loaded->addIncoming(Copy, Pred);
    }
    Loaded->insertBefore(Chosen.getIterator());
    L->replaceAllUsesWith(Loaded);
    L->eraseFromParent();
  }
  Chosen.eraseFromParent();
}

void splitJoinedChoices(Function &F) {
  const DominatorTree DT(F);
  SmallVector<PHINode *, 8> Chosen;
  for (BasicBlock &BB : F)
    if (isa<PHINode>(BB.front()) && splitsAt(BB, DT))
      for (PHINode &P : BB.phis())
        if (P.getType()->isPointerTy() && choosesMember(P))
          Chosen.push_back(&P);
  for (PHINode *P : Chosen)
    if (const auto Loads = loadsAt(*P); !Loads.empty())
      loadBefore(*P, Loads);
}

} // namespace

void splitMemberChoices(Function &F) {
  splitJoinedChoices(F);
  SmallVector<Instruction *, 8> Accesses;
  for (Instruction &I : instructions(F))
    if (isa<LoadInst, StoreInst>(I) && isa<SelectInst, GetElementPtrInst>(getPointerOperand(&I)))
      Accesses.push_back(&I);
  const bool UsesTape = usesTape(F);
  for (Instruction *I : Accesses)
    if (Choice C = choiceOf(getPointerOperand(I), getLoadStoreType(I), UsesTape); C.Chooser)
      split(*I, std::move(C));
}

} // namespace contraflow
