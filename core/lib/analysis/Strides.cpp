// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greatest common divisors along the operands. A phi that is met again while it is looked at adds
// nothing: what goes round is a sum of what comes in and what is added on the way.

#include "Strides.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

#include <algorithm>
#include <numeric>
#include <utility>

using namespace llvm;

namespace contraflow {

Value *withoutFlags(const Instruction &I, unsigned Most) {
  if (!I.isBitwiseLogicOp() || !I.getType()->isIntegerTy(64))
    return nullptr;
  for (unsigned Mask : {1, 0}) {
    const KnownBits Bits = computeKnownBits(I.getOperand(Mask), I.getDataLayout());
    const APInt MayChange = I.getOpcode() == Instruction::And ? ~Bits.One : ~Bits.Zero;
    if (MayChange.getActiveBits() <= Most)
      return I.getOperand(1 - Mask);
  }
  return nullptr;
}

namespace {

constexpr unsigned MostVisits = 256;
constexpr unsigned MostLevels = 6; ///< below an index, at which its constants are looked for

class Divisor {
public:
  uint64_t of(const Value *V);
  /// Of the differences between the values of V: what is added to all of them is none.
  uint64_t ofSteps(const Value *V, unsigned Level = 0);
  SmallVector<PointerDifference, 1> Differences;

private:
  uint64_t ofInstruction(const Instruction &I);
  uint64_t ofProduct(const Value *A, const Value *B);
  uint64_t scaled(const Value *V, uint64_t Factor);
  uint64_t ofQuotient(const BinaryOperator &I);
  uint64_t wrapped(uint64_t Multiple, size_t First);
  uint64_t ofArithmetic(const BinaryOperator &I);
  uint64_t ofAll(const User &I);
  uint64_t ofDifference(const BinaryOperator &I);
  SmallDenseMap<const Value *, unsigned, 8> Open; ///< how many were before it
  unsigned Visits = 0;
  unsigned Outermost = ~0u; ///< of the phis that were met again
};

/// The part of a divisor that outlives an overflow.
uint64_t powerOfTwo(uint64_t Multiple) { return Multiple & -Multiple; }

/// Of A at least, if the product is too large.
uint64_t product(uint64_t A, uint64_t B) {
  uint64_t Out;
  return __builtin_mul_overflow(A, B, &Out) ? powerOfTwo(A) : Out;
}

bool mayOverflow(const BinaryOperator &I) {
  auto *Op = dyn_cast<OverflowingBinaryOperator>(&I);
  return Op && I.getType()->getIntegerBitWidth() < 64 && !Op->hasNoSignedWrap() &&
         !Op->hasNoUnsignedWrap();
}

/// True of a sum that is a multiple of whatever its parts are: a walk may be met there first.
bool addsOnly(const Instruction &I) {
  return I.getOpcode() == Instruction::Add && !mayOverflow(cast<BinaryOperator>(I));
}

/// The address that an integer is, at least at times; null if it may be a number.
const Value *addressOf(const Value *V) {
  constexpr unsigned MostParts = 16;
  if (auto *Cast = dyn_cast<PtrToIntOperator>(V))
    return Cast->getPointerOperand();
  SmallSetVector<const Value *, 4> Parts;
  Parts.insert(V);
  bool Any = false;
  for (unsigned Next = 0; Next < Parts.size(); ++Next) {
    const Value *Part = Parts[Next];
    if (isa<PtrToIntOperator>(Part))
      Any = true;
    else if (auto *Phi = dyn_cast<PHINode>(Part); Phi && Parts.size() < MostParts)
      Parts.insert_range(Phi->incoming_values());
    else if (!isa<ConstantInt, UndefValue>(Part))
      return nullptr;
  }
  return Any ? V : nullptr;
}

uint64_t Divisor::ofAll(const User &I) {
  uint64_t Out = 0;
  for (const Value *V : I.operand_values())
    if (V->getType() == I.getType())
      Out = std::gcd(Out, of(V));
  return Out;
}

/// True if Sub is how far an address with flags is from itself with others: nowhere. Flags are in
/// the bits that addresses of floats have as zeros: the next one may choose the second of two.
bool isFlags(const BinaryOperator &Sub) {
  constexpr unsigned MostSteps = 4, Most = 2;
  Value *Address = Sub.getOperand(1), *V = Sub.getOperand(0);
  for (unsigned Step = 0; V && V != Address && Step < MostSteps; ++Step) {
    auto *Change = dyn_cast<Instruction>(V);
    V = Change ? withoutFlags(*Change, Most) : nullptr;
  }
  return V == Address;
}

/// What x - x % n is a multiple of, as the optimiser writes x / n * n; 0: it is something else.
uint64_t multipleBelow(const BinaryOperator &Sub) {
  auto *Rest = dyn_cast<BinaryOperator>(Sub.getOperand(1));
  if (!Rest || Rest->getOperand(0) != Sub.getOperand(0) ||
      (Rest->getOpcode() != Instruction::URem && Rest->getOpcode() != Instruction::SRem))
    return 0;
  auto *By = dyn_cast<ConstantInt>(Rest->getOperand(1));
  return By && By->getValue().isStrictlyPositive() ? By->getZExtValue() : 0;
}

uint64_t Divisor::ofDifference(const BinaryOperator &I) {
  if (isFlags(I))
    return 0;
  if (const uint64_t Multiple = multipleBelow(I))
    return Multiple;
  const Value *To = addressOf(I.getOperand(0)), *From = addressOf(I.getOperand(1));
  if (!To || !From)
    return ofAll(I);
  Differences.push_back({To, From});
  return 0;
}

uint64_t Divisor::ofProduct(const Value *A, const Value *B) {
  const size_t First = Differences.size();
  const uint64_t OfA = of(A);
  if (Differences.size() == First)
    return scaled(B, OfA);
  Differences.truncate(First);
  const uint64_t OfB = of(B);
  if (Differences.size() == First)
    return scaled(A, OfB);
  Differences.truncate(First);
  return 1;
}

/// What is a multiple of Factor times V.
uint64_t Divisor::scaled(const Value *V, uint64_t Factor) {
  const size_t First = Differences.size();
  const uint64_t Multiple = of(V);
  for (PointerDifference &D : drop_begin(Differences, First))
    D.Factor = product(D.Factor, Factor);
  return product(Multiple, Factor);
}

/// Nothing is known of a quotient that may be rounded, or of one that goes round itself.
uint64_t Divisor::ofQuotient(const BinaryOperator &I) {
  constexpr unsigned MostBits = 32;
  auto *C = dyn_cast<ConstantInt>(I.getOperand(1));
  if (!C || !I.isExact() || C->getValue().abs().getActiveBits() > MostBits)
    return 1;
  const uint64_t Amount = C->getValue().abs().getZExtValue();
  if (I.isShift() ? Amount >= MostBits : Amount == 0)
    return 1;
  const uint64_t By = I.isShift() ? 1ull << Amount : Amount;
  const size_t First = Differences.size();
  const unsigned Before = std::exchange(Outermost, ~0u);
  const uint64_t Whole = of(I.getOperand(0));
  const bool IsInCycle = Outermost <= Open.lookup(&I);
  Outermost = std::min(Outermost, Before);
  bool Known = Whole % By == 0 && !IsInCycle;
  for (PointerDifference &D : drop_begin(Differences, First)) {
    Known &= !D.Wraps && D.Divisor == 1;
    D.Divisor = By;
  }
  if (Known)
    return Whole / By;
  Differences.truncate(First);
  return 1;
}

/// The part of a divisor that outlives an overflow, which the differences from First on are part
/// of as well.
uint64_t Divisor::wrapped(uint64_t Multiple, size_t First) {
  for (PointerDifference &D : drop_begin(Differences, First))
    D.Wraps = true;
  return powerOfTwo(Multiple);
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
    return ofProduct(I.getOperand(0), I.getOperand(1));
  case Instruction::Shl:
    return C && C->getValue().ult(63) ? scaled(I.getOperand(0), 1ull << C->getZExtValue()) : 1;
  case Instruction::And:
    return C ? powerOfTwo(C->getSExtValue()) : 1;
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::AShr:
  case Instruction::LShr:
    return ofQuotient(I);
  default:
    return 1;
  }
}

uint64_t Divisor::ofInstruction(const Instruction &I) {
  const size_t First = Differences.size();
  if (auto *Op = dyn_cast<BinaryOperator>(&I)) {
    uint64_t Out = ofArithmetic(*Op);
    return mayOverflow(*Op) ? wrapped(Out, First) : Out;
  }
  if (isa<SExtInst, FreezeInst>(I) || (isa<ZExtInst>(I) && I.hasNonNeg()))
    return of(I.getOperand(0));
  if (isa<TruncInst, ZExtInst>(I))
    return wrapped(of(I.getOperand(0)), First);
  if (isa<PHINode, SelectInst, MinMaxIntrinsic>(I))
    return ofAll(I);
  return 1;
}

uint64_t Divisor::of(const Value *V) {
  if (auto *C = dyn_cast<ConstantInt>(V))
    return C->getBitWidth() > 64 ? 1 : C->getValue().abs().getZExtValue();
  if (isa<UndefValue>(V)) // nobody comes there
    return 0;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !I->getType()->isIntegerTy() || I->getType()->getIntegerBitWidth() > 64 ||
      ++Visits > MostVisits)
    return 1;
  const auto [Met, IsNew] = Open.try_emplace(I, Open.size());
  if (!IsNew) {
    Outermost = std::min(Outermost, Met->second);
    return isa<PHINode>(I) || addsOnly(*I) ? 0 : 1;
  }
  uint64_t Out = ofInstruction(*I);
  Open.erase(I);
  return Out;
}

/// True for a sum that does not overflow, as far as indices go.
bool isSum(const Instruction &I) {
  auto *Op = dyn_cast<BinaryOperator>(&I);
  if (!Op || mayOverflow(*Op))
    return false;
  auto *Or = dyn_cast<PossiblyDisjointInst>(Op);
  return Op->getOpcode() == Instruction::Add || (Or && Or->isDisjoint());
}

uint64_t Divisor::ofSteps(const Value *V, unsigned Level) {
  if (isa<ConstantInt>(V) && V->getType()->getIntegerBitWidth() <= 64)
    return 0;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Level == MostLevels)
    return of(V);
  if (isSum(*I)) {
    const uint64_t Left = ofSteps(I->getOperand(0), Level + 1);
    return std::gcd(Left, ofSteps(I->getOperand(1), Level + 1));
  }
  if (isa<SExtInst, FreezeInst>(I) || (isa<ZExtInst>(I) && I->hasNonNeg()))
    return ofSteps(I->getOperand(0), Level + 1);
  return of(V);
}

} // namespace

int64_t PointerDifference::multipleOf(int64_t Distance) const {
  const uint64_t Product = product(std::abs(Distance), Factor);
  const uint64_t Multiple = Product % Divisor ? 1 : Product / Divisor;
  return Wraps ? powerOfTwo(Multiple) : Multiple;
}

bool isNullOr(const Value &Address, const Value &Other) {
  constexpr unsigned MostParts = 32;
  SmallSetVector<const Value *, 8> Parts;
  Parts.insert(&Address);
  for (unsigned Next = 0; Next < Parts.size(); ++Next) {
    const Value *Part = Parts[Next];
    if (auto *Phi = dyn_cast<PHINode>(Part))
      Parts.insert_range(Phi->incoming_values());
    else if (auto *Select = dyn_cast<SelectInst>(Part))
      Parts.insert_range(drop_begin(Select->operand_values()));
    else if (Part == &Other || isa<UndefValue, LoadInst>(Part) ||
             (isa<Constant>(Part) && cast<Constant>(Part)->isNullValue()))
      continue;
    else if (auto *Step = dyn_cast<GetElementPtrInst>(Part))
      Parts.insert(Step->getPointerOperand());
    else if (auto *Cast = dyn_cast<PtrToIntOperator>(Part))
      Parts.insert(Cast->getPointerOperand());
    else
      return false;
    if (Parts.size() > MostParts)
      return false;
  }
  return true;
}

Stride strideOf(const Value *Index) {
  Divisor D;
  Stride Out;
  Out.Multiple = D.ofSteps(Index);
  Out.Differences = std::move(D.Differences);
  auto *Sub = dyn_cast<BinaryOperator>(Index);
  Out.IsDifference = Sub && Sub->getOpcode() == Instruction::Sub && addressOf(Sub->getOperand(0)) &&
                     addressOf(Sub->getOperand(1));
  return Out;
}

/// As startOf, for an operand that many levels below the index.
static int64_t startOf(const Value *V, unsigned Level) {
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
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(I)->isDisjoint() ? Of(0) + Of(1) : 0;
  case Instruction::Add:
    return Of(0) + Of(1);
  case Instruction::Sub: // of addresses, see PointerDifference
    return addressOf(I->getOperand(0)) || isFlags(cast<BinaryOperator>(*I)) ? 0 : Of(0) - Of(1);
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
