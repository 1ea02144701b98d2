// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks are made by comparisons (sext <N x i1>) and combined by and, or, xor. On their way they are
// cast to floats and back, and to lanes of another width, which is looked through.

#include "Masks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {

constexpr unsigned MostDepth = 12; ///< of masks made of masks

Type *bitsOf(Type *T) {
  Type *Lane = IntegerType::get(T->getContext(), T->getScalarSizeInBits());
  auto *Vector = dyn_cast<FixedVectorType>(T);
  return Vector ? FixedVectorType::get(Lane, Vector->getNumElements()) : Lane;
}

unsigned lanesOf(const Type *T) {
  auto *Vector = dyn_cast<FixedVectorType>(T);
  return Vector ? Vector->getNumElements() : 1;
}

Value *withoutBitcasts(Value *V) {
  while (auto *Cast = dyn_cast<BitCastInst>(V))
    V = Cast->getOperand(0);
  return V;
}

static LaneMask classify(const APInt &Bits, const fltSemantics &Float) {
  const unsigned Width = Bits.getBitWidth(), Mantissa = APFloat::semanticsPrecision(Float) - 1;
  const APInt Low = APInt::getLowBitsSet(Width, Mantissa), Sign = APInt::getSignMask(Width);
  if (Bits.isZero())
    return LaneMask::Zero;
  if (Bits.isAllOnes())
    return LaneMask::Ones;
  if (Bits == Sign)
    return LaneMask::Sign;
  if (Bits == ~Sign)
    return LaneMask::Magnitude;
  if (Bits == Low)
    return LaneMask::Mantissa;
  if (Bits == (Low | Sign))
    return LaneMask::SignedMantissa;
  return Bits.intersects(Low | Sign) ? LaneMask::Other : LaneMask::Exponent;
}

SmallVector<LaneMask, 8> laneMasks(Value *V, Type *T) {
  auto *C = dyn_cast<Constant>(withoutBitcasts(V));
  if (!C || !(T->getScalarType()->isFloatTy() || T->getScalarType()->isDoubleTy()))
    return {};
  static const DataLayout Layout("e"); // bits of constants: little-endian, as everywhere here
  C = ConstantFoldCastOperand(Instruction::BitCast, C, bitsOf(T), Layout);
  SmallVector<LaneMask, 8> Out;
  for (unsigned I = 0, E = lanesOf(T); C && I != E; ++I) {
    Constant *Lane = T->isVectorTy() ? C->getAggregateElement(I) : C;
    if (Lane && isa<UndefValue>(Lane))
      Lane = ConstantInt::get(bitsOf(T)->getScalarType(), 0);
    auto *Bits = dyn_cast_or_null<ConstantInt>(Lane);
    if (!Bits)
      return {};
    Out.push_back(classify(Bits->getValue(), T->getScalarType()->getFltSemantics()));
  }
  return Out;
}

namespace {

/// Finds the condition that a mask was made of.
class ConditionFinder {
public:
  ConditionFinder(Type *T, IRBuilderBase &B)
      : T(T), Lanes(lanesOf(T)), Width(T->getScalarSizeInBits()), B(B) {}
  Value *find(Value *V, unsigned Depth = 0);

private:
  Value *ofConstant(Constant &C);
  Value *ofExtension(Value *Condition, Type *Extended);
  Value *ofLogic(BinaryOperator &I, unsigned Depth);
  Value *ofSigns(Value *V);
  Value *ofTruth(Value *V);

  Type *T;
  unsigned Lanes, Width;
  IRBuilderBase &B;
};

Value *ConditionFinder::ofConstant(Constant &C) {
  SmallVector<Constant *, 8> Bits;
  for (LaneMask Lane : laneMasks(&C, T)) {
    if (Lane != LaneMask::Zero && Lane != LaneMask::Ones)
      return nullptr;
    Bits.push_back(B.getInt1(Lane == LaneMask::Ones));
  }
  if (Bits.size() != Lanes)
    return nullptr;
  return T->isVectorTy() ? ConstantVector::get(Bits) : Bits[0];
}

/// A wider lane of the mask covers several of ours.
Value *ConditionFinder::ofExtension(Value *Condition, Type *Extended) {
  if (!Condition->getType()->getScalarType()->isIntegerTy(1))
    return nullptr;
  const unsigned Have = lanesOf(Extended);
  if (Have == Lanes)
    return Extended->isVectorTy() == T->isVectorTy() ? Condition : nullptr;
  if (Lanes % Have != 0)
    return nullptr;
  if (!Condition->getType()->isVectorTy())
    return B.CreateVectorSplat(Lanes, Condition);
  SmallVector<int, 8> Repeat;
  for (unsigned I = 0; I < Lanes; ++I)
    Repeat.push_back(I / (Lanes / Have));
  return B.CreateShuffleVector(Condition, Repeat);
}

Value *ConditionFinder::ofLogic(BinaryOperator &I, unsigned Depth) {
  Value *L = find(I.getOperand(0), Depth), *R = L ? find(I.getOperand(1), Depth) : nullptr;
  return R ? B.CreateBinOp(I.getOpcode(), L, R) : nullptr;
}

/// All bits of each lane are its sign.
Value *ConditionFinder::ofSigns(Value *V) {
  Type *Bits = bitsOf(T);
  auto *I = dyn_cast<Instruction>(V);
  if (!I || V->getType() != Bits || ComputeNumSignBits(V, I->getDataLayout()) != Width)
    return nullptr;
  return B.CreateICmpSLT(V, Constant::getNullValue(Bits));
}

/// 0 - n, where n is 0 or 1.
Value *ConditionFinder::ofTruth(Value *V) {
  Value *N = nullptr;
  if (V->getType() != bitsOf(T) || !match(V, m_Neg(m_Value(N))))
    return nullptr;
  auto &I = *cast<Instruction>(V);
  if (computeKnownBits(N, I.getDataLayout()).countMaxActiveBits() > 1)
    return nullptr;
  Value *Inner = nullptr;
  while (match(N, m_ZExt(m_Value(Inner))))
    N = Inner;
  return B.CreateICmpNE(N, Constant::getNullValue(N->getType()));
}

Value *ConditionFinder::find(Value *V, unsigned Depth) {
  if (Depth > MostDepth)
    return nullptr;
  V = withoutBitcasts(V);
  if (auto *C = dyn_cast<Constant>(V))
    return ofConstant(*C);
  if (auto *Extension = dyn_cast<SExtInst>(V))
    return ofExtension(Extension->getOperand(0), V->getType());
  auto *Logic = dyn_cast<BinaryOperator>(V);
  if (Logic && Logic->isBitwiseLogicOp())
    return ofLogic(*Logic, Depth + 1);
  Value *Truth = ofTruth(V);
  return Truth ? Truth : ofSigns(V);
}

} // namespace

Value *asCondition(Value *V, Type *T, IRBuilderBase &B) { return ConditionFinder(T, B).find(V); }

bool isSignOnly(Value *V, Type *T) {
  V = withoutBitcasts(V);
  if (isa<Constant>(V)) {
    SmallVector<LaneMask, 8> Lanes = laneMasks(V, T);
    return !Lanes.empty() &&
           all_of(Lanes, [](LaneMask M) { return M == LaneMask::Zero || M == LaneMask::Sign; });
  }
  Value *L = nullptr, *R = nullptr;
  if (match(V, m_And(m_Value(L), m_Value(R))))
    return isSignOnly(L, T) || isSignOnly(R, T);
  if (match(V, m_Or(m_Value(L), m_Value(R))) || match(V, m_Xor(m_Value(L), m_Value(R))))
    return isSignOnly(L, T) && isSignOnly(R, T);
  const APInt *Places = nullptr;
  return match(V, m_Shl(m_Value(), m_APInt(Places))) && V->getType() == bitsOf(T) &&
         *Places == T->getScalarSizeInBits() - 1;
}

} // namespace contraflow
