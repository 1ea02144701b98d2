// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   s = x + 0x1p52 ; r = s - 0x1p52      ->      r = (0x1p52 <= |s| <= 0x1p53) ? rint(x) : s -
//   0x1p52
//
// The two additions, each taken by itself, have the derivative one; what is left of x has the
// derivative zero. Vectorised exponentials round this way. The value is the same to the bit: in
// that range the sum is x rounded to an even number's distance, ties to even, in the current mode.

#include "Rounding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {

/// True if C is an even number whose sums with smaller ones are integers.
static bool isMagic(const APFloat &C, Type *Lane) {
  if (!Lane->isFloatTy() && !Lane->isDoubleTy())
    return false;
  const int Digits = APFloat::semanticsPrecision(Lane->getFltSemantics()) - 1;
  const double V = std::fabs(C.convertToDouble());
  return V >= std::ldexp(1.0, Digits) && V < std::ldexp(1.0, Digits + 1) && std::fmod(V, 2) == 0;
}

/// V = X + C, however it is written.
static bool isShifted(Value *V, Value *&X, APFloat &C) {
  const APFloat *Constant = nullptr;
  const bool Leaves = match(V, m_FSub(m_Value(X), m_APFloat(Constant)));
  if (!Leaves && !match(V, m_c_FAdd(m_Value(X), m_APFloat(Constant))))
    return false;
  C = *Constant;
  if (Leaves)
    C.changeSign();
  return true;
}

bool isRoundingSum(const Value *V) {
  Value *X = nullptr;
  APFloat C(0.0);
  return isShifted(const_cast<Value *>(V), X, C) && isMagic(C, V->getType()->getScalarType());
}

/// True if an earlier run has been here.
static bool isKnown(const Instruction &I) {
  return any_of(I.users(), [](const User *U) {
    return match(U, m_Select(m_Value(), m_Intrinsic<Intrinsic::rint>(m_Value()), m_Value()));
  });
}

bool expandRoundings(Function &F) {
  bool Any = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Value *Sum = nullptr, *X = nullptr;
    APFloat There(0.0), Back(0.0);
    if (!isShifted(&I, Sum, Back) || !isShifted(Sum, X, There) || !isa<Instruction>(Sum) ||
        !isMagic(There, I.getType()->getScalarType()))
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
    auto Power = [&](int E) { return ConstantFP::get(T, std::ldexp(1.0, E)); };
    Value *Size = B.CreateUnaryIntrinsic(Intrinsic::fabs, Sum);
    Value *Whole =
        B.CreateAnd(B.CreateFCmpOGE(Size, Power(Digits)), B.CreateFCmpOLE(Size, Power(Digits + 1)));
    Value *Rounded = B.CreateUnaryIntrinsic(Intrinsic::rint, X);
    auto *Out = cast<Instruction>(B.CreateSelect(Whole, Rounded, &I));
    I.replaceUsesWithIf(Out, [&](Use &U) { return U.getUser() != Out; });
    Any = true;
  }
  return Any;
}

} // namespace contraflow
