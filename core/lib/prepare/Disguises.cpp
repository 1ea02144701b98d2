// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the casts of addresses to doubles along phis and selects: each gets a twin of integers, and
// the doubles that come in or go out are cast.

#include "Disguises.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

bool isDisguise(const Value *V) {
  auto *Cast = dyn_cast<BitCastInst>(V);
  return Cast && Cast->getType()->isDoubleTy() && isa<PtrToIntInst>(Cast->getOperand(0));
}

class Twins {
public:
  explicit Twins(Function &F) : F(F), Bits(Type::getInt64Ty(F.getContext())) {}
  void run();

private:
  void collect();
  Value *bitsOf(Value *V, Instruction *Before);
  void complete(Instruction &Old, Instruction &New);
  void replaceUses(Instruction &Old, Instruction &New);

  Function &F;
  Type *Bits;
  MapVector<Instruction *, Instruction *> Made; ///< phi or select of doubles -> twin
};

void Twins::collect() {
  SmallVector<Instruction *, 8> Todo;
  for (Instruction &I : instructions(F))
    if (isDisguise(&I))
      Todo.push_back(&I);
  while (!Todo.empty())
    for (User *U : Todo.pop_back_val()->users()) {
      auto *I = cast<Instruction>(U);
      if (!isa<PHINode, SelectInst>(I) || Made.contains(I))
        continue;
      Instruction *Twin = nullptr;
      if (auto *Phi = dyn_cast<PHINode>(I)) {
        Twin = PHINode::Create(Bits, Phi->getNumIncomingValues(), "");
      } else {
        Value *None = PoisonValue::get(Bits);
        Twin = SelectInst::Create(cast<SelectInst>(I)->getCondition(), None, None);
      }
      Twin->setDebugLoc(I->getDebugLoc());
      Twin->insertBefore(I->getIterator());
      Made[I] = Twin;
      Todo.push_back(I);
    }
}

Value *Twins::bitsOf(Value *V, Instruction *Before) {
  auto *I = dyn_cast<Instruction>(V);
  if (Instruction *Twin = I ? Made.lookup(I) : nullptr)
    return Twin;
  if (isDisguise(V))
    return I->getOperand(0);
  return IRBuilder<>(Before).CreateBitCast(V, Bits);
}

void Twins::complete(Instruction &Old, Instruction &New) {
  if (auto *Phi = dyn_cast<PHINode>(&Old)) {
    auto *Twin = cast<PHINode>(&New);
    for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I) {
      BasicBlock *From = Phi->getIncomingBlock(I);
      int Known = Twin->getBasicBlockIndex(From); // a switch may lead here twice
      Twin->addIncoming(Known < 0 ? bitsOf(Phi->getIncomingValue(I), From->getTerminator())
                                  : Twin->getIncomingValue(Known),
                        From);
    }
    return;
  }
  for (unsigned Operand : {1u, 2u})
    New.setOperand(Operand, bitsOf(Old.getOperand(Operand), &New));
}

void Twins::replaceUses(Instruction &Old, Instruction &New) {
  Instruction *After = isa<PHINode>(Old) ? &*Old.getParent()->getFirstInsertionPt() : &Old;
  Value *Double = IRBuilder<>(After).CreateBitCast(&New, Old.getType());
  for (Use &U : make_early_inc_range(Old.uses())) {
    auto *Store = dyn_cast<StoreInst>(U.getUser());
    U.set(Store ? &New : Double);
  }
}

void Twins::run() {
  collect();
  for (auto [Old, New] : Made)
    complete(*Old, *New);
  for (auto [Old, New] : Made)
    replaceUses(*Old, *New);
  for (auto [Old, New] : Made)
    Old->eraseFromParent();
}

} // namespace

void undisguisePointers(Function &F) { Twins(F).run(); }

} // namespace contraflow
