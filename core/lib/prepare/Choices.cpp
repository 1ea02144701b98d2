// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimiser turns a descent in a tree into a computed distance, which looks like an index into
// an array and would make all members of the node one to the memory graph:
//
//   %d = select i1 %c, i64 16, i64 24           if (%c)  %l = load ptr, (p + 16)
//   %l = load ptr, (p + %d)                ->   else     %r = load ptr, (p + 24)
//
// Arrays of floats are left alone: they are one place to the graph anyway.

#include "Choices.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {
namespace {

/// The choice that an address depends on, if there is one.
struct Choice {
  SelectInst *Select = nullptr;
  Value *First = nullptr, *Second = nullptr; ///< the addresses; null: made from Step
  GetElementPtrInst *Step = nullptr;
};

Choice choiceOf(Value *Pointer) {
  auto IsConstantStep = [](Value *V, Value *Base) {
    auto *G = dyn_cast<GetElementPtrInst>(V);
    return V == Base || (G && G->getPointerOperand() == Base && G->hasAllConstantIndices());
  };
  auto BaseOf = [](Value *V) {
    auto *G = dyn_cast<GetElementPtrInst>(V);
    return G ? G->getPointerOperand() : V;
  };
  if (auto *S = dyn_cast<SelectInst>(Pointer)) {
    Value *A = S->getTrueValue(), *B = S->getFalseValue();
    Value *Base = isa<GetElementPtrInst>(A) ? BaseOf(A) : BaseOf(B);
    if (A != B && IsConstantStep(A, Base) && IsConstantStep(B, Base))
      return {S, A, B, nullptr};
    return {};
  }
  auto *Step = dyn_cast<GetElementPtrInst>(Pointer);
  if (!Step || Step->getNumIndices() != 1)
    return {};
  auto *S = dyn_cast<SelectInst>(Step->getOperand(1));
  if (S && isa<ConstantInt>(S->getTrueValue()) && isa<ConstantInt>(S->getFalseValue()))
    return {S, nullptr, nullptr, Step};
  return {};
}

Value *addressOf(const Choice &C, bool First, Instruction *Where) {
  if (!C.Step)
    return First ? C.First : C.Second;
  auto *Step = cast<GetElementPtrInst>(C.Step->clone());
  Step->setOperand(1, First ? C.Select->getTrueValue() : C.Select->getFalseValue());
  Step->insertBefore(Where->getIterator());
  return Step;
}

void split(Instruction &Access, const Choice &C) {
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(C.Select->getCondition(), Access.getIterator(), &Then, &Else);
  unsigned Operand = isa<LoadInst>(Access) ? 0 : 1;
  Value *Pointer = getPointerOperand(&Access);
  Instruction *Copies[2];
  for (bool First : {true, false}) {
    Instruction *Where = First ? Then : Else;
    Instruction *Copy = Copies[First ? 0 : 1] = Access.clone();
    Copy->setOperand(Operand, addressOf(C, First, Where));
    Copy->insertBefore(Where->getIterator());
  }
  if (!Access.getType()->isVoidTy()) {
    PHINode *Phi = PHINode::Create(Access.getType(), 2, Access.getName());
    Phi->insertBefore(Access.getIterator());
    Phi->addIncoming(Copies[0], Then->getParent());
    Phi->addIncoming(Copies[1], Else->getParent());
    Access.replaceAllUsesWith(Phi);
  }
  Access.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(Pointer); // even unused it would blur the object
}

} // namespace

void splitMemberChoices(Function &F) {
  SmallVector<Instruction *, 8> Accesses;
  for (Instruction &I : instructions(F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    Type *T = Store ? Store->getValueOperand()->getType() : I.getType();
    if ((Store || isa<LoadInst>(I)) && T->isPointerTy())
      Accesses.push_back(&I);
  }
  for (Instruction *I : Accesses)
    if (Choice C = choiceOf(getPointerOperand(I)); C.Select)
      split(*I, C);
}

} // namespace contraflow
