// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   s = x + 0x1p52 ; r = s - 0x1p52   ->   r = (0x1p52 <= |s| <= 0x1p53) ? rint(x) : s - 0x1p52
//
// The two additions, each taken by itself, have the derivative one; what is left of x has the
// derivative zero. Vectorised exponentials round this way. The value is the same to the bit: in
// that range the sum is x rounded to an even number's distance, ties to even, in the current mode.

#include "Rounding.h"
#include "Smooth.h"
#include "callee/Math.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {

/// Places before and behind the point to which tables of exponentials have numbers rounded.
constexpr int MostPlaces = 7;

/// True if C is an even number whose sums with smaller ones are integers, or 3 * 2^n, whose sums
/// are multiples of another power of two that is not far from one.
static bool isMagic(const APFloat &C, Type *Lane) {
  if (!Lane->isFloatTy() && !Lane->isDoubleTy())
    return false;
  const int Digits = APFloat::semanticsPrecision(Lane->getFltSemantics()) - 1;
  const double V = std::fabs(C.convertToDouble());
  if (!std::isfinite(V) || V == 0)
    return false;
  const int Top = std::ilogb(V);
  return Top == Digits ? std::fmod(V, 2) == 0
                       : std::abs(Top - Digits) <= MostPlaces && V == std::ldexp(1.5, Top);
}

/// V = X + C, however it is written. X is V itself if it is a product that is not rounded before.
static bool isShifted(Value *V, Value *&X, APFloat &C) {
  const APFloat *Constant = nullptr;
  if (match(V, m_Intrinsic<Intrinsic::fmuladd>(m_Value(), m_Value(), m_APFloat(Constant))) ||
      match(V, m_Intrinsic<Intrinsic::fma>(m_Value(), m_Value(), m_APFloat(Constant)))) {
    X = V;
    C = *Constant;
    return true;
  }
  const bool Leaves = match(V, m_FSub(m_Value(X), m_APFloat(Constant)));
  if (!Leaves && !match(V, m_c_FAdd(m_Value(X), m_APFloat(Constant))))
    return false;
  C = *Constant;
  if (Leaves)
    C.changeSign();
  return true;
}

bool convertsToInteger(const CallBase &Call) {
  static constexpr MathFn Conversions[] = {MathFn::Lrint, MathFn::Llrint, MathFn::Lround,
                                           MathFn::Llround};
  static constexpr Intrinsic::ID Instructions[] = {Intrinsic::fptosi_sat,
                                                   Intrinsic::fptoui_sat,
                                                   Intrinsic::x86_sse2_cvttps2dq,
                                                   Intrinsic::x86_sse2_cvtps2dq,
                                                   Intrinsic::x86_avx_cvtt_ps2dq_256,
                                                   Intrinsic::x86_avx_cvt_ps2dq_256};
  const Function *F = Call.getCalledFunction();
  if (!F)
    return false;
  const std::optional<MathFn> Fn =
      F->isIntrinsic() ? mathIntrinsic(F->getIntrinsicID()) : mathFunction(*F);
  return Fn ? is_contained(Conversions, *Fn) : is_contained(Instructions, Call.getIntrinsicID());
}

bool isRoundingSum(const Value *V) {
  Value *X = nullptr;
  APFloat C(0.0);
  return isShifted(const_cast<Value *>(V), X, C) && isMagic(C, V->getType()->getScalarType());
}

/// True if an earlier run has been here.
static bool isKnown(const Instruction &I) {
  return any_of(I.users(), [](const User *U) {
    auto *Choice = dyn_cast<SelectInst>(U);
    auto *Whole = Choice ? dyn_cast<CallBase>(Choice->getTrueValue()) : nullptr;
    return Whole && (Whole->getIntrinsicID() == Intrinsic::rint || isSmooth(*Whole));
  });
}

/// V, which does not vary.
static Value *constantOf(IRBuilder<> &B, Value *V) {
  Type *T = V->getType();
  Type *Bits = T->getWithNewType(B.getIntNTy(T->getScalarSizeInBits()));
  return createSmooth(B, Constant::getNullValue(T), B.CreateBitCast(V, Bits));
}

bool expandRoundings(Function &F) {
  bool Any = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Value *Sum = nullptr, *X = nullptr;
    APFloat There(0.0), Back(0.0);
    if (!isShifted(&I, Sum, Back) || Sum == &I || !isShifted(Sum, X, There) ||
        !isa<Instruction>(Sum) || !isMagic(There, I.getType()->getScalarType()))
      continue;
    Back.changeSign();
    if (!Back.bitwiseIsEqual(There) || isKnown(I))
      continue;
    // Taken together, both may be left out where numbers are treated as if they were real.
    I.copyFastMathFlags(FastMathFlags());
    cast<Instruction>(Sum)->copyFastMathFlags(FastMathFlags());
    IRBuilder<> B(I.getNextNode());
    Type *T = I.getType();
    const int Digits = APFloat::semanticsPrecision(T->getScalarType()->getFltSemantics()) - 1;
    const int Top = std::ilogb(There.convertToDouble());
    auto Power = [&](int E) { return ConstantFP::get(T, std::ldexp(1.0, E)); };
    Value *Size = B.CreateUnaryIntrinsic(Intrinsic::fabs, Sum);
    Value *Whole =
        B.CreateAnd(B.CreateFCmpOGE(Size, Power(Top)), B.CreateFCmpOLE(Size, Power(Top + 1)));
    // To another distance than one, or of a product that is not rounded before: no other name.
    Value *Rounded =
        X != Sum && Top == Digits ? B.CreateUnaryIntrinsic(Intrinsic::rint, X) : constantOf(B, &I);
    auto *Out = cast<Instruction>(B.CreateSelect(Whole, Rounded, &I));
    I.replaceUsesWithIf(Out, [&](Use &U) {
      return U.getUser() != Out && !(isa<BitCastInst>(U.getUser()) && U.getUser()->hasOneUse() &&
                                     U.getUser()->user_back() == Rounded);
    });
    Any = true;
  }
  return Any;
}

} // namespace contraflow
