// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   (x & m) | (y & ~m)        y ^ ((x ^ y) & m)        ->    m ? x : y
//
// where all bits of m are the same. The optimiser may have made a choice of one half already.

#include "MaskedChoices.h"
#include "Masks.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

/// Bits that stay where a condition holds, and are zero elsewhere.
struct KeptBits {
  Value *What = nullptr, *Where = nullptr;
  Value *Mask = nullptr; ///< that says so, if it is one
};

/// The floats of the same size as words of integers; null if there are none.
Type *floatsOf(Type *Integers) {
  LLVMContext &Context = Integers->getContext();
  const unsigned Bits = Integers->isIntOrIntVectorTy() ? Integers->getScalarSizeInBits() : 0;
  if (isa<ScalableVectorType>(Integers) || (Bits != 32 && Bits != 64))
    return nullptr;
  Type *Float = Bits == 64 ? Type::getDoubleTy(Context) : Type::getFloatTy(Context);
  return Integers->isVectorTy() ? FixedVectorType::get(Float, lanesOf(Integers)) : Float;
}

KeptBits keptBits(Value *V, Type *Floats, IRBuilderBase &B) {
  if (auto *Choice = dyn_cast<SelectInst>(V)) {
    Value *Where = Choice->getCondition();
    if (match(Choice->getFalseValue(), m_Zero()))
      return {Choice->getTrueValue(), Where, nullptr};
    if (match(Choice->getTrueValue(), m_Zero()))
      return {Choice->getFalseValue(), B.CreateNot(Where), nullptr};
    return {};
  }
  Value *Sides[2];
  if (match(V, m_And(m_Value(Sides[0]), m_Value(Sides[1]))))
    for (unsigned Side : {1U, 0U})
      if (Value *Where = isa<Constant>(Sides[Side]) ? nullptr : asCondition(Sides[Side], Floats, B))
        return {Sides[1 - Side], Where, Sides[Side]};
  return {};
}

/// True if the two never hold at once.
bool areApart(const KeptBits &L, const KeptBits &R, const Instruction &At) {
  if (L.Mask && R.Mask &&
      (match(L.Mask, m_Not(m_Specific(R.Mask))) || match(R.Mask, m_Not(m_Specific(L.Mask)))))
    return true;
  return L.Where->getType() == R.Where->getType() &&
         match(simplifyAndInst(L.Where, R.Where, SimplifyQuery(At.getDataLayout(), &At)), m_Zero());
}

Value *blended(BinaryOperator &I, Type *Floats, IRBuilderBase &B) {
  const KeptBits L = keptBits(I.getOperand(0), Floats, B);
  const KeptBits R = L.What ? keptBits(I.getOperand(1), Floats, B) : KeptBits();
  if (!R.What || (!L.Mask && !R.Mask) || !areApart(L, R, I))
    return nullptr;
  Value *Rest = B.CreateSelect(R.Where, R.What, Constant::getNullValue(I.getType()));
  return B.CreateSelect(L.Where, L.What, L.Mask && R.Mask ? R.What : Rest);
}

Value *exchanged(BinaryOperator &I, Type *Floats, IRBuilderBase &B) {
  for (unsigned Side : {0U, 1U}) {
    Value *Y = I.getOperand(Side), *X = nullptr;
    const KeptBits Changed = keptBits(I.getOperand(1 - Side), Floats, B);
    if (Changed.What && match(Changed.What, m_c_Xor(m_Specific(Y), m_Value(X))))
      return B.CreateSelect(Changed.Where, X, Y);
  }
  return nullptr;
}

} // namespace

bool restoreChoices(Function &F) {
  SmallVector<WeakTrackingVH, 16> Found;
  for (Instruction &I : instructions(F))
    if (is_contained({Instruction::Or, Instruction::Xor}, I.getOpcode()) && floatsOf(I.getType()))
      Found.push_back(&I);
  bool Changed = false;
  for (const WeakTrackingVH &Entry : Found) {
    auto *I = dyn_cast_or_null<BinaryOperator>(Entry);
    if (!I)
      continue;
    IRBuilder<> B(I);
    Type *Floats = floatsOf(I->getType());
    Value *New =
        I->getOpcode() == Instruction::Or ? blended(*I, Floats, B) : exchanged(*I, Floats, B);
    if (!New)
      continue;
    I->replaceAllUsesWith(New);
    RecursivelyDeleteTriviallyDeadInstructions(I);
    Changed = true;
  }
  return Changed;
}

} // namespace contraflow
