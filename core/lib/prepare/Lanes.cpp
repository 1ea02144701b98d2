// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of a vector that nobody looks at may hold anything. Their adjoints are zero, but zero times
// anything is not, and the reverse sweep adds lanes up. So they get what another lane holds:
//
//   shufflevector %v, poison, <1, poison>      ->   shufflevector %v, poison, <1, 1>
//   insertelement poison, %x, 0 ; fmul         ->   shufflevector (... %x), poison, <0, 0> ; fmul
//   fadd %v, <1.0, poison>                     ->   fadd %v, <1.0, 1.0>

#include "Lanes.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Not pointers, nor masks.
bool isNumbers(const Type *T) {
  auto *Vector = dyn_cast<FixedVectorType>(T);
  return Vector && !Vector->getElementType()->isPointerTy() &&
         !Vector->getElementType()->isIntegerTy(1);
}

bool fillMask(ShuffleVectorInst &Shuffle) {
  const int Width = cast<FixedVectorType>(Shuffle.getOperand(0)->getType())->getNumElements();
  auto IsAnything = [&](int Lane) {
    return Lane < 0 || isa<UndefValue>(Shuffle.getOperand(Lane < Width ? 0 : 1));
  };
  SmallVector<int, 16> Mask(Shuffle.getShuffleMask());
  const auto *Known = find_if_not(Mask, IsAnything);
  if (Known == Mask.end() || none_of(Mask, IsAnything))
    return false;
  std::replace_if(Mask.begin(), Mask.end(), IsAnything, int(*Known));
  Shuffle.setShuffleMask(Mask);
  return true;
}

/// True if a user of V may look at lanes beyond the Known ones.
bool looksBeyond(const Value &V, const SmallBitVector &Known) {
  if (Known.all())
    return false;
  auto IsKnown = [&](const Value *Index) {
    auto *Number = dyn_cast<ConstantInt>(Index);
    return Number && Number->getValue().ult(Known.size()) && Known.test(Number->getZExtValue());
  };
  return any_of(V.uses(), [&](const Use &U) {
    const User *By = U.getUser();
    if (auto *Extract = dyn_cast<ExtractElementInst>(By))
      return !IsKnown(Extract->getIndexOperand());
    if (auto *Insert = dyn_cast<InsertElementInst>(By)) {
      SmallBitVector More = Known;
      if (auto *At = dyn_cast<ConstantInt>(Insert->getOperand(2)))
        if (At->getValue().ult(More.size()))
          More.set(At->getZExtValue());
      return looksBeyond(*Insert, More);
    }
    auto *Shuffle = dyn_cast<ShuffleVectorInst>(By);
    const int First = U.getOperandNo() * Known.size();
    return !Shuffle || any_of(Shuffle->getShuffleMask(), [&](int Lane) {
      Lane -= First;
      return Lane >= 0 && Lane < int(Known.size()) && !Known.test(Lane);
    });
  });
}

bool fillBase(InsertElementInst &Insert) {
  if (!isa<UndefValue>(Insert.getOperand(0)))
    return false;
  SmallBitVector Known(cast<FixedVectorType>(Insert.getType())->getNumElements());
  if (auto *At = dyn_cast<ConstantInt>(Insert.getOperand(2)))
    if (At->getValue().ult(Known.size()))
      Known.set(At->getZExtValue());
  if (!looksBeyond(Insert, Known))
    return false;
  IRBuilder<> B(&Insert);
  Insert.replaceAllUsesWith(B.CreateVectorSplat(Known.size(), Insert.getOperand(1)));
  return true;
}

/// A constant without lanes that hold anything; null if it has none, or no other.
Constant *filled(const Value &V) {
  auto *C = dyn_cast<ConstantVector>(&V);
  if (!C || !C->getType()->isFPOrFPVectorTy())
    return nullptr;
  SmallVector<Constant *, 16> Lanes;
  Constant *Known = nullptr;
  for (const Use &Lane : C->operands()) {
    Lanes.push_back(cast<Constant>(Lane.get()));
    if (!Known && !isa<UndefValue>(Lanes.back()))
      Known = Lanes.back();
  }
  if (!Known || none_of(Lanes, [](Constant *Lane) { return isa<UndefValue>(Lane); }))
    return nullptr;
  for (Constant *&Lane : Lanes)
    if (isa<UndefValue>(Lane))
      Lane = Known;
  return ConstantVector::get(Lanes);
}

} // namespace

bool fillLanes(Function &F) {
  bool Any = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    for (Use &U : I.operands())
      if (Constant *C = filled(*U)) {
        U.set(C);
        Any = true;
      }
    if (!isNumbers(I.getType()))
      continue;
    if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I))
      Any |= fillMask(*Shuffle);
    else if (auto *Insert = dyn_cast<InsertElementInst>(&I))
      Any |= fillBase(*Insert);
  }
  return Any;
}

} // namespace contraflow
