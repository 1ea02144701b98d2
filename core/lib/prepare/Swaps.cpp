// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mark is an annotation, since these alone are kept where an instruction moves.

#include "Swaps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

static constexpr StringLiteral SwapMark = "contraflow.swap";

bool isSwap(const Value *V) {
  const auto *Move = dyn_cast<FreezeInst>(V);
  const MDNode *Mark = Move ? Move->getMetadata(LLVMContext::MD_annotation) : nullptr;
  return Mark && any_of(Mark->operands(), [](const MDOperand &Op) {
           const auto *Name = dyn_cast<MDString>(Op);
           return Name && Name->getString() == SwapMark;
         });
}

/// A word that may be a number, whose bytes are exchanged.
static bool exchanges(const Value *V) {
  const auto *II = dyn_cast<IntrinsicInst>(V);
  return II && II->getIntrinsicID() == Intrinsic::bswap &&
         (II->getType()->isIntegerTy(32) || II->getType()->isIntegerTy(64));
}

static bool handsOn(const Value *V) {
  return isa<PHINode, SelectInst, FreezeInst>(V) || exchanges(V);
}

/// True if U takes V as it is to memory, to another function or to a number.
static bool takes(const User *U, const Value *V) {
  if (const auto *Store = dyn_cast<StoreInst>(U))
    return Store->getValueOperand() == V;
  if (const auto *Select = dyn_cast<SelectInst>(U))
    return Select->getCondition() != V;
  if (isa<CallBase>(U))
    return !isa<IntrinsicInst>(U) || exchanges(U);
  return isa<PHINode, FreezeInst, ReturnInst, InsertValueInst>(U) ||
         (isa<BitCastInst>(U) && U->getType()->isFloatingPointTy());
}

static bool comesAsItIs(const Value *V) {
  if (const auto *Cast = dyn_cast<BitCastInst>(V))
    return Cast->getOperand(0)->getType()->isFloatingPointTy();
  if (isa<CallBase>(V))
    return !isa<IntrinsicInst>(V) || exchanges(V);
  return isa<Constant, LoadInst, Argument, ExtractValueInst, PHINode, SelectInst, FreezeInst>(V);
}

/// True if all that Swap is made of and that is made of it is only moved.
static bool onlyMoves(const Instruction &Swap) {
  constexpr unsigned MostSteps = 64;
  SmallPtrSet<const Value *, 16> Seen{&Swap};
  SmallVector<const Value *, 16> Todo{&Swap};
  while (!Todo.empty()) {
    const Value *V = Todo.pop_back_val();
    if (Seen.size() > MostSteps)
      return false;
    for (const User *U : V->users()) {
      if (!takes(U, V))
        return false;
      if (handsOn(U) && Seen.insert(U).second)
        Todo.push_back(U);
    }
    if (!handsOn(V))
      continue;
    const bool Chooses = isa<SelectInst>(V);
    for (const Use &Op : drop_begin(cast<Instruction>(V)->operands(), Chooses ? 1 : 0)) {
      if (isa<Function>(Op)) // the intrinsic
        continue;
      if (!comesAsItIs(Op))
        return false;
      if (handsOn(Op) && Seen.insert(Op).second)
        Todo.push_back(Op);
    }
  }
  return true;
}

void hideSwaps(Function &F) {
  SmallVector<IntrinsicInst *, 8> Moved;
  for (Instruction &I : instructions(F))
    if (exchanges(&I) && onlyMoves(I))
      Moved.push_back(cast<IntrinsicInst>(&I));
  for (IntrinsicInst *Swap : Moved) {
    auto *Move = new FreezeInst(Swap->getArgOperand(0), Swap->getName(), Swap->getIterator());
    Move->setDebugLoc(Swap->getDebugLoc());
    Move->addAnnotationMetadata(SwapMark);
    Swap->replaceAllUsesWith(Move);
    Swap->eraseFromParent();
  }
}

void restoreSwaps(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (!isSwap(&I))
      continue;
    IRBuilder<> B(&I);
    I.replaceAllUsesWith(B.CreateUnaryIntrinsic(Intrinsic::bswap, I.getOperand(0)));
    I.eraseFromParent();
  }
}

void restoreSwaps(Module &M) {
  for (Function &F : M)
    restoreSwaps(F);
}

} // namespace contraflow
