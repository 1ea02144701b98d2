// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the casts of addresses to doubles along phis and selects: each gets a twin of integers, and
// the doubles that come in or go out are cast. Before that, what was loaded as an address is loaded
// once more as a word, at the same place.

#include "Disguises.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

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

/// Words whose bits are a number's, for all that is done with them.
bool becomesNumber(const Value *Bits, SmallPtrSetImpl<const Value *> &Seen) {
  return Seen.insert(Bits).second && any_of(Bits->users(), [&](const User *U) {
           return (isa<BitCastInst>(U) && U->getType()->isFPOrFPVectorTy()) ||
                  (isa<PHINode, SelectInst, FreezeInst>(U) && becomesNumber(U, Seen));
         });
}

/// Two loads of one word become one where the optimiser sees that nothing has changed it: an object
/// of one of two classes has a number where the other has an address. An address has no derivative,
/// and a number no shadow, so each gets a load of its own.
class Words {
public:
  explicit Words(Function &F) : F(F), Bits(Type::getInt64Ty(F.getContext())) {}
  void run();

private:
  void reloadParts();
  void reloadAddresses();
  bool isLoaded(const Value *Pointer, SmallPtrSetImpl<const Value *> &Seen) const;
  Value *bitsOf(Value *Pointer, Instruction &Before);

  Function &F;
  Type *Bits;
  DenseMap<Value *, Value *> Made; ///< by address
};

bool Words::isLoaded(const Value *Pointer, SmallPtrSetImpl<const Value *> &Seen) const {
  if (auto *Load = dyn_cast<LoadInst>(Pointer))
    return Load->isSimple();
  if (!Seen.insert(Pointer).second)
    return true;
  auto IsLoaded = [&](const Use &In) { return isLoaded(In, Seen); };
  return isa<PHINode, SelectInst>(Pointer) && any_of(cast<User>(Pointer)->operands(), IsLoaded);
}

Value *Words::bitsOf(Value *Pointer, Instruction &Before) {
  if (Value *Known = Made.lookup(Pointer))
    return Known;
  if (auto *Load = dyn_cast<LoadInst>(Pointer); Load && Load->isSimple()) {
    IRBuilder<> B(Load->getNextNode());
    B.SetCurrentDebugLocation(Load->getDebugLoc());
    return Made[Pointer] = B.CreateAlignedLoad(Bits, Load->getPointerOperand(), Load->getAlign());
  }
  if (auto *Select = dyn_cast<SelectInst>(Pointer)) {
    Value *True = bitsOf(Select->getTrueValue(), *Select);
    Value *False = bitsOf(Select->getFalseValue(), *Select);
    return Made[Pointer] = IRBuilder<>(Select).CreateSelect(Select->getCondition(), True, False);
  }
  auto *Phi = dyn_cast<PHINode>(Pointer);
  if (!Phi)
    return IRBuilder<>(&Before).CreatePtrToInt(Pointer, Bits);
  auto *Twin = PHINode::Create(Bits, Phi->getNumIncomingValues(), "");
  Twin->setDebugLoc(Phi->getDebugLoc());
  Twin->insertBefore(Phi->getIterator());
  Made[Pointer] = Twin;
  for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I) {
    BasicBlock *From = Phi->getIncomingBlock(I);
    const int Known = Twin->getBasicBlockIndex(From); // a switch may lead here twice
    Twin->addIncoming(Known < 0 ? bitsOf(Phi->getIncomingValue(I), *From->getTerminator())
                                : Twin->getIncomingValue(Known),
                      From);
  }
  return Twin;
}

/// A float in the upper half of what was loaded as an address.
void Words::reloadParts() {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Value *Pointer = nullptr;
    const APInt *Shift = nullptr;
    if (!match(&I, m_Trunc(m_LShr(m_PtrToInt(m_Value(Pointer)), m_APInt(Shift)))) ||
        !any_of(I.users(),
                [](User *U) { return isa<BitCastInst>(U) && U->getType()->isFloatTy(); }))
      continue;
    auto *Load = dyn_cast<LoadInst>(Pointer);
    if (!Load || !Load->isSimple() || *Shift != I.getType()->getScalarSizeInBits())
      continue;
    IRBuilder<> B(Load->getNextNode());
    B.SetCurrentDebugLocation(Load->getDebugLoc());
    const uint64_t Bytes = Shift->getZExtValue() / 8;
    Value *Half = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Load->getPointerOperand(), Bytes);
    I.replaceAllUsesWith(
        B.CreateAlignedLoad(I.getType(), Half, commonAlignment(Load->getAlign(), Bytes)));
    I.eraseFromParent();
  }
}

/// The same the other way round: the number was loaded first.
void Words::reloadAddresses() {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Cast = isa<IntToPtrInst>(I) ? dyn_cast<BitCastInst>(I.getOperand(0)) : nullptr;
    auto *Load =
        Cast && Cast->getType() == Bits ? dyn_cast<LoadInst>(Cast->getOperand(0)) : nullptr;
    if (!Load || !Load->isSimple())
      continue;
    IRBuilder<> B(Load->getNextNode());
    B.SetCurrentDebugLocation(Load->getDebugLoc());
    I.replaceAllUsesWith(
        B.CreateAlignedLoad(I.getType(), Load->getPointerOperand(), Load->getAlign()));
    I.eraseFromParent();
  }
}

void Words::run() {
  reloadParts();
  reloadAddresses();
  SmallVector<PtrToIntInst *, 4> Todo;
  for (Instruction &I : instructions(F)) {
    auto *Cast = dyn_cast<PtrToIntInst>(&I);
    SmallPtrSet<const Value *, 8> Uses, Sources;
    if (Cast && Cast->getType() == Bits && isLoaded(Cast->getPointerOperand(), Sources) &&
        becomesNumber(Cast, Uses))
      Todo.push_back(Cast);
  }
  for (PtrToIntInst *Cast : Todo) {
    Cast->replaceAllUsesWith(bitsOf(Cast->getPointerOperand(), *Cast));
    Cast->eraseFromParent();
  }
}

} // namespace

void undisguisePointers(Function &F) {
  Words(F).run();
  Twins(F).run();
}

} // namespace contraflow
