// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries are left out: what a sum adds to an exponent is a step, as in design/digits.md.

#include "DigitPlaces.h"
#include "prepare/Swaps.h"

#include "llvm/ADT/bit.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {

/// Numbers of fewer converted digits choose places in a table, or are powers of two.
constexpr unsigned FewestConverted = 12;

static uint64_t lowPlaces(unsigned Count) {
  return maskTrailingOnes<uint64_t>(std::min(Count, MostPlaces));
}

static unsigned digitCount(const Type *T) {
  return APFloat::semanticsPrecision(T->getScalarType()->getFltSemantics()) - 1;
}

uint64_t digitsOfFloats(const Type *T, unsigned Width) {
  const unsigned Lane = T->getScalarSizeInBits();
  return Lane > MostPlaces ? lowPlaces(Width) : regrouped(lowPlaces(digitCount(T)), Lane, Width);
}

uint64_t regrouped(uint64_t Places, unsigned From, unsigned To) {
  if (!Places || From == To)
    return Places;
  if (From > MostPlaces || To > MostPlaces || (From % To && To % From))
    return lowPlaces(To);
  uint64_t Out = 0;
  for (unsigned At = 0; At < std::max(From, To); At += std::min(From, To))
    Out |= From < To ? Places << At : Places >> At;
  return Out & lowPlaces(To);
}

namespace {
/// One step, for either kind of places.
struct Step {
  const Instruction &I;
  unsigned Width;
  const APInt *C = nullptr; ///< the second operand, if it is constant

  uint64_t above(uint64_t Places) const {
    return Places ? lowPlaces(Width) & ~lowPlaces(countr_zero(Places)) : 0;
  }
  uint64_t below(uint64_t Places) const { return Places ? lowPlaces(bit_width(Places)) : 0; }
  uint64_t shifted(uint64_t Places) const;
  uint64_t operator()(uint64_t A, uint64_t B) const;
};
} // namespace

uint64_t Step::shifted(uint64_t Places) const {
  const bool Left = I.getOpcode() == Instruction::Shl;
  if (!C)
    return Left ? above(Places) : below(Places);
  if (C->uge(MostPlaces))
    return 0;
  const unsigned By = C->getZExtValue();
  return (Left ? Places << By : Places >> By) & lowPlaces(Width);
}

uint64_t Step::operator()(uint64_t A, uint64_t B) const {
  switch (I.getOpcode()) {
  case Instruction::And:
    return C && Width <= MostPlaces ? A & C->getZExtValue() : A | B;
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Add:
  case Instruction::Sub:
    return A | B;
  case Instruction::Mul:
    return above(C && !C->isZero() ? A << std::min(C->countr_zero(), MostPlaces - 1) : A | B);
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return shifted(A);
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return below(A | B);
  case Instruction::Trunc:
    return A & lowPlaces(Width);
  case Instruction::SExt: {
    const unsigned From = I.getOperand(0)->getType()->getScalarSizeInBits();
    return A & ~lowPlaces(From - 1) ? A | (lowPlaces(Width) & ~lowPlaces(From)) : A;
  }
  default:
    return A | B;
  }
}

/// Intrinsics that count bits say where a number lies; others may move any bit anywhere.
static DigitPlaces afterIntrinsic(const IntrinsicInst &I, DigitPlaces All) {
  switch (I.getIntrinsicID()) {
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::ctpop:
    return {};
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
    return All;
  default: {
    const uint64_t Any = lowPlaces(I.getType()->getScalarSizeInBits());
    return {All.Digits ? Any : 0, All.Converted ? Any : 0, true};
  }
  }
}

DigitPlaces afterwards(const Instruction &I, DigitPlaces A, DigitPlaces B) {
  DigitPlaces Out = A;
  Out |= B;
  const unsigned Width = I.getType()->getScalarSizeInBits();
  if (!Out || Width == 1) // one bit is a decision
    return {};
  if (auto *Call = dyn_cast<IntrinsicInst>(&I)) {
    Out.Changed = true;
    return afterIntrinsic(*Call, Out);
  }
  if (isSwap(&I)) {
    const uint64_t Any = lowPlaces(Width);
    return {Out.Digits ? Any : 0, Out.Converted ? Any : 0, Out.Changed};
  }
  Step S{I, Width};
  if (isa<BinaryOperator>(I))
    match(I.getOperand(1), m_APInt(S.C));
  Out.Digits = S(A.Digits, B.Digits);
  Out.Converted = S(A.Converted, B.Converted);
  Out.Changed |= isa<BinaryOperator>(I);
  return Out ? Out : DigitPlaces();
}

bool becomeDigits(const DigitPlaces &P, unsigned Width, const Type *Float) {
  const unsigned Lane = Float->getScalarSizeInBits(), Count = digitCount(Float);
  if (regrouped(P.Digits, Width, Lane) & lowPlaces(Count))
    return true;
  const uint64_t Converted = regrouped(P.Converted, Width, Lane) & lowPlaces(Count);
  return Converted && Count - countr_zero(Converted) >= FewestConverted;
}

} // namespace contraflow
