// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greatest common divisors along the operands. A phi that is met again while it is looked at adds
// nothing: what goes round is a sum of what comes in and what is added on the way.

#include "Strides.h"

#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <numeric>

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostVisits = 256;

class Divisor {
public:
  uint64_t of(const Value *V);
  SmallVector<PointerDifference, 1> Differences;

private:
  uint64_t ofInstruction(const Instruction &I);
  uint64_t ofArithmetic(const BinaryOperator &I);
  uint64_t ofAll(const User &I);
  uint64_t ofDifference(const BinaryOperator &I);
  SmallPtrSet<const Value *, 8> Open;
  unsigned Visits = 0;
};

/// The part of a divisor that outlives an overflow.
uint64_t powerOfTwo(uint64_t Multiple) { return Multiple & -Multiple; }

uint64_t product(uint64_t A, uint64_t B) {
  uint64_t Out;
  return __builtin_mul_overflow(A, B, &Out) ? powerOfTwo(A) : Out;
}

bool mayOverflow(const BinaryOperator &I) {
  auto *Op = dyn_cast<OverflowingBinaryOperator>(&I);
  return Op && I.getType()->getIntegerBitWidth() < 64 && !Op->hasNoSignedWrap() &&
         !Op->hasNoUnsignedWrap();
}

uint64_t Divisor::ofAll(const User &I) {
  uint64_t Out = 0;
  for (const Value *V : I.operand_values())
    if (V->getType() == I.getType())
      Out = std::gcd(Out, of(V));
  return Out;
}

uint64_t Divisor::ofDifference(const BinaryOperator &I) {
  auto *To = dyn_cast<PtrToIntOperator>(I.getOperand(0));
  auto *From = dyn_cast<PtrToIntOperator>(I.getOperand(1));
  if (!To || !From)
    return ofAll(I);
  Differences.push_back({To->getPointerOperand(), From->getPointerOperand()});
  return 0;
}

uint64_t Divisor::ofArithmetic(const BinaryOperator &I) {
  auto *C = dyn_cast<ConstantInt>(I.getOperand(1));
  switch (I.getOpcode()) {
  case Instruction::Sub:
    return ofDifference(I);
  case Instruction::Add:
    return ofAll(I);
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(I).isDisjoint() ? ofAll(I) : 1;
  case Instruction::Mul:
    return product(of(I.getOperand(0)), of(I.getOperand(1)));
  case Instruction::Shl:
    return C && C->getValue().ult(63) ? product(of(I.getOperand(0)), 1ull << C->getZExtValue()) : 1;
  case Instruction::And:
    return C ? powerOfTwo(C->getSExtValue()) : 1;
  case Instruction::SDiv:
  case Instruction::UDiv: {
    uint64_t Whole = C && I.isExact() ? of(I.getOperand(0)) : 1;
    uint64_t By = C ? C->getValue().abs().getZExtValue() : 1;
    return Whole % By ? 1 : Whole / By;
  }
  default:
    return 1;
  }
}

uint64_t Divisor::ofInstruction(const Instruction &I) {
  if (auto *Op = dyn_cast<BinaryOperator>(&I)) {
    uint64_t Out = ofArithmetic(*Op);
    return mayOverflow(*Op) ? powerOfTwo(Out) : Out;
  }
  if (isa<SExtInst, FreezeInst>(I) || (isa<ZExtInst>(I) && I.hasNonNeg()))
    return of(I.getOperand(0));
  if (isa<TruncInst, ZExtInst>(I))
    return powerOfTwo(of(I.getOperand(0)));
  if (isa<PHINode, SelectInst, MinMaxIntrinsic>(I))
    return ofAll(I);
  return 1;
}

uint64_t Divisor::of(const Value *V) {
  if (auto *C = dyn_cast<ConstantInt>(V))
    return C->getBitWidth() > 64 ? 1 : C->getValue().abs().getZExtValue();
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !I->getType()->isIntegerTy() || I->getType()->getIntegerBitWidth() > 64 ||
      ++Visits > MostVisits)
    return 1;
  if (!Open.insert(I).second)
    return isa<PHINode>(I) ? 0 : 1;
  uint64_t Out = ofInstruction(*I);
  Open.erase(I);
  return Out;
}

} // namespace

Stride strideOf(const Value *Index) {
  Divisor D;
  Stride Out;
  Out.Multiple = D.of(Index);
  Out.Differences = std::move(D.Differences);
  auto *Sub = dyn_cast<BinaryOperator>(Index);
  Out.IsDifference =
      Sub && Sub->getOpcode() == Instruction::Sub &&
      all_of(Sub->operand_values(), [](const Value *V) { return isa<PtrToIntOperator>(V); });
  return Out;
}

/// As startOf, for an operand that many levels below the index.
static int64_t startOf(const Value *V, unsigned Level) {
  constexpr unsigned MostLevels = 6;
  if (auto *C = dyn_cast<ConstantInt>(V))
    return C->getBitWidth() > 64 ? 0 : C->getSExtValue();
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Level == MostLevels)
    return 0;
  auto Of = [&](unsigned Op) { return uint64_t(startOf(I->getOperand(Op), Level + 1)); };
  switch (I->getOpcode()) {
  case Instruction::PHI:
    for (const Value *In : cast<PHINode>(I)->incoming_values())
      if (isa<ConstantInt>(In))
        return startOf(In, Level + 1);
    return 0;
  case Instruction::SExt:
  case Instruction::Freeze:
    return Of(0);
  case Instruction::ZExt:
    return I->hasNonNeg() ? Of(0) : 0;
  case Instruction::Add:
    return Of(0) + Of(1);
  case Instruction::Sub:
    return Of(0) - Of(1);
  case Instruction::Mul:
    return Of(0) * Of(1);
  case Instruction::Shl:
    return isa<ConstantInt>(I->getOperand(1)) && Of(1) < 63 ? Of(0) << Of(1) : 0;
  default:
    return 0;
  }
}

int64_t startOf(const Value *Index) { return startOf(Index, 0); }

} // namespace contraflow
