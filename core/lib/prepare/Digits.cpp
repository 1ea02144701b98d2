// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where integers become floats (bitcast, sitofp, uitofp), the integer is written as a sum of
// sources, and the sum with a slope for each of them:
//
//   bits of x                    1 / ulp(x) = 2^(digits - exponent of x), with the sign of x
//   x, converted to an integer   1
//   y, made of bits              ulp(y), with the sign of y
//
// Slopes are calculated from exponents alone, which do not vary.

#include "Digits.h"
#include "DigitSums.h"

#include "rules/Rounding.h"
#include "rules/Smooth.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

/// What a conversion to an integer leaves of a number shows steps that are meant if fewer digits
/// than these are left.
constexpr int FewestDigits = 5;
/// Numbers of so few digits choose places in a table.
constexpr int TableDigits = 12;
/// Cut off behind so many of all digits, a number is rounded; fewer are an index.
constexpr int RoundedShare = 3; ///< one of so many: 18 of 52 digits

enum class Fate { Varies, Constant, NoLine };

class Smoother {
public:
  explicit Smoother(Function &F) : F(F) {}
  bool run();

private:
  bool smooth(CastInst &Root);
  void replace(CastInst &Root, Value *Bits, CallInst *New);
  bool smooth(StoreInst &Store);
  bool fixRoundings();
  static bool isRoot(const Instruction &I);
  static Fate fateOf(const DigitTerm &T, const CastInst &Root, bool Table);
  Value *line(CastInst &Root, ArrayRef<DigitTerm> Terms);
  Value *slopeOfBits(Value *X);
  Value *number(Value *X);
  Value *sumOf(ArrayRef<Value *> Numbers, Type *T);
  void guardStray(CallInst &Stray, Value &Number);

  Function &F;
  SmallVector<std::pair<CallInst *, Value *>, 4> Strays; ///< with the only number behind each
  DigitSums Sums;
  DenseMap<Value *, Value *> Smoothed; ///< root -> what took its place
  IRBuilder<> B{F.getContext()};
};

Type *bitsType(Type *T) {
  Type *Lane = IntegerType::get(T->getContext(), T->getScalarSizeInBits());
  auto *Vector = dyn_cast<FixedVectorType>(T);
  return Vector ? FixedVectorType::get(Lane, Vector->getNumElements()) : Lane;
}

Type *withLane(Type *T, Type *Lane) {
  auto *Vector = dyn_cast<FixedVectorType>(T);
  return Vector ? FixedVectorType::get(Lane, Vector->getNumElements()) : Lane;
}

Type *sourceType(const DigitTerm &T) {
  Type *Source = T.Source->getType();
  return Source->isFPOrFPVectorTy() ? Source : floatLoaded(T.Source);
}

bool Smoother::isRoot(const Instruction &I) {
  const Type *T = I.getType(), *Lane = T->getScalarType();
  if (!isa<BitCastInst, SIToFPInst, UIToFPInst>(I) || !(Lane->isFloatTy() || Lane->isDoubleTy()) ||
      isa<ScalableVectorType>(T))
    return false;
  const Type *From = I.getOperand(0)->getType();
  if (!From->isIntOrIntVectorTy() || From->isVectorTy() != T->isVectorTy() ||
      (isa<BitCastInst>(I) && From->getScalarSizeInBits() != T->getScalarSizeInBits()))
    return false;
  // What is only compared has no derivative.
  return !all_of(I.users(), [](const User *U) { return isa<FCmpInst>(U); });
}

Fate Smoother::fateOf(const DigitTerm &T, const CastInst &Root, bool Table) {
  const bool MakesBits = isa<BitCastInst>(Root);
  const int Left = MakesBits ? digitsOf(Root.getType()) - (T.Low + T.shift()) : 0;
  if (T.Converted) {
    const int Fewest = Table ? TableDigits : FewestDigits;
    return MakesBits && Left >= Fewest ? Fate::Varies : Fate::Constant;
  }
  const int Digits = digitsOf(sourceType(T));
  if (T.High < Digits || RoundedShare * (Digits - T.Low) < Digits)
    return Fate::NoLine;
  return MakesBits && Left <= 0 ? Fate::Constant : Fate::Varies;
}

/// 2^-e, for a number of exponent e, with its sign.
Value *Smoother::slopeOfBits(Value *X) {
  Type *T = X->getType(), *BitsT = bitsType(T);
  const unsigned Digits = digitsOf(T), Width = T->getScalarSizeInBits();
  const uint64_t Bias = (uint64_t(1) << (Width - Digits - 2)) - 1;
  auto Constant = [&](const APInt &V) { return ConstantInt::get(BitsT, V); };
  auto Exponent = [&](uint64_t E) { return Constant(APInt(Width, E).shl(Digits)); };
  Value *Bits = B.CreateBitCast(X, BitsT);
  Value *E = B.CreateAnd(Bits, Constant(APInt::getBitsSet(Width, Digits, Width - 1)));
  E = B.CreateBinaryIntrinsic(Intrinsic::umax, E, Exponent(1));
  E = B.CreateBinaryIntrinsic(Intrinsic::umin, E, Exponent(2 * Bias));
  Value *Sign = B.CreateAnd(Bits, Constant(APInt::getSignMask(Width)));
  return B.CreateBitCast(B.CreateOr(B.CreateSub(Exponent(2 * Bias), E), Sign), T);
}

/// True if the bits V, as a float, would be too small for one, or none.
bool isSmallInteger(const Value *V, const DataLayout &DL, int Digits) {
  constexpr unsigned CountBits = 32;
  if (auto *Wider = dyn_cast<SExtInst>(V))
    return Wider->getSrcTy()->getScalarSizeInBits() <= CountBits;
  const KnownBits Bits = computeKnownBits(V, DL);
  return !Bits.isZero() && Bits.countMinLeadingZeros() + Digits >= Bits.getBitWidth();
}

/// True if only the lower half of the bits V may be set: no float has a derivative there.
bool isHalf(const Value *V, const DataLayout &DL) {
  if (!V->getType()->isIntegerTy())
    return false;
  const KnownBits Bits = computeKnownBits(V, DL);
  return 2 * Bits.countMinLeadingZeros() >= Bits.getBitWidth();
}

/// True if an integer of its own is chosen for X at times, as in a union that became a register, or
/// lies in the lower half of its bits.
bool holdsIntegers(const Value *X, const DataLayout &DL) {
  if (!X->getType()->isFloatingPointTy())
    return false;
  const int Digits = digitsOf(X->getType());
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Todo{X};
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    const Value *Bits = nullptr, *Low = nullptr;
    if (auto *Call = dyn_cast<CallBase>(Next); Call && isSmooth(*Call))
      Bits = Call->getArgOperand(1);
    else if (Next != X)
      match(Next, m_BitCast(m_Value(Bits)));
    if (auto *C = dyn_cast<ConstantFP>(Next)) {
      if (C->getValueAPF().isDenormal())
        return true;
    } else if (Bits && Bits->getType()->isIntegerTy()) {
      if (isSmallInteger(Bits, DL, Digits) ||
          (match(Bits, m_c_Or(m_And(m_Value(), m_ConstantInt()), m_Value(Low))) &&
           isSmallInteger(Low, DL, Digits)))
        return true;
    } else if (isa<PHINode, SelectInst, FreezeInst>(Next)) {
      for (const Value *V : cast<Instruction>(Next)->operand_values())
        if (V->getType() == X->getType())
          Todo.push_back(V);
    }
  }
  return false;
}

/// True if T is the lower half of what one of several numbers was chosen for: the integer of a
/// union that became a register, which a program reads where it has put one.
bool isIntegerOfChoice(const DigitTerm &T) {
  const Type *Source = sourceType(T);
  return !T.Converted && T.Low == 0 && Source->isDoubleTy() &&
         2 * T.High == static_cast<int>(Source->getScalarSizeInBits()) &&
         isa<PHINode, SelectInst, FreezeInst>(T.Source);
}

/// True if digits of floats narrower than T, as they are, are among what S is the sum of.
bool holdsNarrower(const DigitSum &S, Type *T) {
  return any_of(S.Terms, [T](const DigitTerm &Term) {
    Type *Source = sourceType(Term);
    return !Term.Converted && Term.Low < digitsOf(Source) &&
           Source->getScalarSizeInBits() < T->getScalarSizeInBits();
  });
}

/// Leaves out low digits of what holds integers; true if there were any. What begins with the first
/// digit has a line in any case.
bool dropIntegers(DigitSum &S, const DataLayout &DL) {
  const size_t Before = S.Terms.size();
  erase_if(S.Terms, [&](const DigitTerm &T) {
    return !T.Converted && T.High < digitsOf(sourceType(T)) && holdsIntegers(T.Source, DL);
  });
  return S.Terms.size() < Before;
}

/// True of what may be the bits of a number, though its own code does not show that: from memory, a
/// caller, or a callee. So is an address, where a word is one at times.
bool isFromElsewhere(const Value *V) {
  return isa<LoadInst, Argument, ExtractValueInst, PtrToIntInst>(V) ||
         (isa<CallBase>(V) && !isa<IntrinsicInst>(V) && !convertsToInteger(*cast<CallBase>(V)));
}

/// True if V is bits of floats of type T that are moved as they are, however they are chosen, also
/// from elsewhere: what that is is told later, here it would not vary.
bool isMoved(const Value *V, const Type *T) {
  if (isa<BitCastInst, LoadInst>(V))
    return true;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Todo{V};
  bool Any = false;
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val();
    Any |= isFromElsewhere(Next);
    if (!Seen.insert(Next).second || isFromElsewhere(Next) || isa<Constant>(Next))
      continue;
    if (auto *Phi = dyn_cast<PHINode>(Next))
      append_range(Todo, Phi->incoming_values());
    else if (auto *Choice = dyn_cast<SelectInst>(Next))
      Todo.append({Choice->getTrueValue(), Choice->getFalseValue()});
    else if (auto *Same = dyn_cast<FreezeInst>(Next))
      Todo.push_back(Same->getOperand(0));
    else if (auto *Cast = dyn_cast<BitCastInst>(Next); !Cast || Cast->getSrcTy() != T)
      return false;
  }
  return Any && V->getType()->isIntegerTy();
}

/// The number that a source is.
Value *Smoother::number(Value *X) {
  if (Value *New = Smoothed.lookup(X))
    X = New;
  if (Type *Loaded = X->getType()->isFPOrFPVectorTy() ? nullptr : floatLoaded(X))
    X = B.CreateBitCast(X, Loaded);
  return X;
}

Value *Smoother::sumOf(ArrayRef<Value *> Numbers, Type *T) {
  Value *Sum = B.CreateFPCast(Numbers[0], T);
  for (Value *V : drop_begin(Numbers))
    Sum = B.CreateFAdd(Sum, B.CreateFPCast(V, T));
  return Sum;
}

Value *Smoother::line(CastInst &Root, ArrayRef<DigitTerm> Terms) {
  Type *T = Root.getType(), *Double = Type::getDoubleTy(F.getContext());
  const bool Wide = T->getScalarType()->isDoubleTy() || any_of(Terms, [](const DigitTerm &Term) {
                      return sourceType(Term)->getScalarType()->isDoubleTy();
                    });
  Type *Used = Wide ? withLane(T, Double) : T;
  Value *Sum = nullptr;
  for (const DigitTerm &Term : Terms) {
    Value *X = number(Term.Source), *Slope = Term.Converted ? nullptr : slopeOfBits(X);
    const double Factor = std::ldexp(Term.Factor, Term.Converted ? 0 : digitsOf(X->getType())) *
                          (isa<BitCastInst>(Root) ? std::ldexp(1.0, -digitsOf(T)) : 1.0);
    Value *Part = B.CreateFPCast(X, Used);
    if (Slope)
      Part = B.CreateFMul(Part, B.CreateFPCast(Slope, Used));
    Part = B.CreateFMul(Part, ConstantFP::get(Used, Factor));
    for (auto [Condition, Holds] : Term.Where) {
      if (auto *Bound = dyn_cast<CallBase>(Condition);
          Bound && !Condition->getType()->getScalarType()->isIntegerTy(1))
        Condition = B.CreateICmpEQ(Bound, Bound->getArgOperand(0));
      Value *Zero = Constant::getNullValue(Used);
      Part = B.CreateSelect(Condition, Holds ? Part : Zero, Holds ? Zero : Part);
    }
    Sum = Sum ? B.CreateFAdd(Sum, Part) : Part;
  }
  if (isa<BitCastInst>(Root)) {
    const int Digits = digitsOf(T), Width = T->getScalarSizeInBits();
    Type *BitsT = bitsType(T);
    Value *Scale = B.CreateAnd(Root.getOperand(0),
                               ConstantInt::get(BitsT, APInt::getBitsSet(Width, Digits, Width)));
    Sum = B.CreateFMul(Sum, B.CreateFPCast(B.CreateBitCast(Scale, T), Used));
  }
  return B.CreateFPCast(Sum, T);
}

void Smoother::replace(CastInst &Root, Value *Bits, CallInst *New) {
  Smoothed[&Root] = New;
  Root.replaceUsesWithIf(New, [&](Use &U) { return U.getUser() != Bits; });
}

bool Smoother::smooth(CastInst &Root) {
  DigitSum S = Sums.of(Root.getOperand(0));
  const DataLayout &DL = F.getDataLayout();
  const bool MakesBits = isa<BitCastInst>(Root);
  if (MakesBits && holdsNarrower(S, Root.getType()) && isHalf(Root.getOperand(0), DL))
    return false; // half of what it is moved in, and no digits of that
  const bool IsOwn = MakesBits ? !(S.isConstant() && !S.Merged) && isHalf(Root.getOperand(0), DL)
                               : dropIntegers(S, DL) && S.isConstant() && S.Stray.empty();
  if (!IsOwn && MakesBits && (!S.Lost.empty() || S.Merged))
    return false; // refused where it matters, with what else becomes bits
  SmallVector<DigitTerm, 4> Varying;
  if (!MakesBits && S.Lost.empty() && S.Stray.empty() && all_of(S.Terms, isIntegerOfChoice))
    for (const DigitTerm &T : S.Terms)
      S.Stray.push_back(T.Source);
  for (const DigitTerm &T : S.Terms) {
    const Fate Ends = fateOf(T, Root, S.Table);
    if (Ends == Fate::NoLine && MakesBits && !IsOwn)
      return false;
    if (Ends == Fate::NoLine)
      S.Lost.push_back(T.Source);
    if (Ends == Fate::Varies)
      Varying.push_back(T);
  }
  if (MakesBits && isMoved(Root.getOperand(0), Root.getType()))
    return false;
  const bool IsStray = !S.Stray.empty();
  if (IsStray)
    S.Lost = S.Stray;
  else if (S.Merged)
    S.Lost.clear();
  if ((Varying.empty() || S.Merged) && S.Lost.empty() && !IsOwn)
    return false;
  B.SetInsertPoint(Root.getNextNode());
  B.SetCurrentDebugLocation(Root.getDebugLoc());
  Value *Bits = MakesBits ? Root.getOperand(0) : B.CreateBitCast(&Root, bitsType(Root.getType()));
  for (Value *&V : S.Lost)
    V = number(V);
  if (IsOwn)
    replace(Root, Bits, createSmooth(B, Constant::getNullValue(Root.getType()), Bits));
  else if (S.Lost.empty())
    replace(Root, Bits, createSmooth(B, line(Root, Varying), Bits));
  else if (IsStray) {
    CallInst *Stray = createStray(B, sumOf(S.Lost, Root.getType()), Bits);
    replace(Root, Bits, Stray);
    if (S.Lost.size() == 1 && S.Lost[0]->getType()->isFloatingPointTy() &&
        Root.getType()->isFloatingPointTy())
      Strays.push_back({Stray, S.Lost[0]});
  } else
    replace(Root, Bits, createRugged(B, S.Lost, Bits, Root.getType()));
  return true;
}

/// A stray number counts where the program comes to it. The optimiser calculates both numbers of a
/// choice: that is a branch again. A number that is zero, or tiny, is an integer of a union.
///
///   %n = digits(%x, bits)              br (%c and not |%x| < smallest normal), %there, %on
///   %s = select %c, %n, %y             there: %n = digits(%x, bits)
///                                      on:    %s = select %c, phi(%n, bits that do not vary), %y
void Smoother::guardStray(CallInst &Stray, Value &Number) {
  auto *Choice = Stray.hasOneUse() ? dyn_cast<SelectInst>(Stray.user_back()) : nullptr;
  if (Choice && (Choice->getParent() != Stray.getParent() ||
                 !Choice->getCondition()->getType()->isIntegerTy(1)))
    Choice = nullptr;
  Instruction *At = Choice ? Choice : Stray.getNextNode();
  B.SetInsertPoint(At);
  B.SetCurrentDebugLocation(Stray.getDebugLoc());
  const fltSemantics &Kind = Number.getType()->getFltSemantics();
  Value *Counts =
      B.CreateFCmpUGE(B.CreateUnaryIntrinsic(Intrinsic::fabs, &Number),
                      ConstantFP::get(Number.getType(), APFloat::getSmallestNormalized(Kind)));
  if (Choice && Choice->getTrueValue() == &Stray)
    Counts = B.CreateAnd(Choice->getCondition(), Counts);
  else if (Choice)
    Counts = B.CreateAnd(B.CreateNot(Choice->getCondition()), Counts);
  Value *Bits = Stray.getArgOperand(1);
  Value *Fixed = createSmooth(B, Constant::getNullValue(Stray.getType()), Bits);
  BasicBlock *Before = At->getParent();
  Instruction *End = SplitBlockAndInsertIfThen(Counts, At->getIterator(), /*Unreachable=*/false);
  Stray.moveBefore(End->getIterator());
  B.SetInsertPoint(At->getParent(), At->getParent()->begin());
  PHINode *Either = B.CreatePHI(Stray.getType(), 2);
  Stray.replaceAllUsesWith(Either);
  Either->addIncoming(&Stray, Stray.getParent());
  Either->addIncoming(Fixed, Before);
}

/// The bits of a sum with a number so large that it is rounded do not vary, though the sum is one.
bool Smoother::fixRoundings() {
  SmallVector<BitCastInst *, 4> Casts;
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<BitCastInst>(&I);
        Cast && Cast->getType()->isIntOrIntVectorTy() && isRoundingSum(Cast->getOperand(0)) &&
        none_of(Cast->users(), [](User *U) { return isa<CallBase>(U); }))
      Casts.push_back(Cast);
  for (BitCastInst *Cast : Casts) {
    B.SetInsertPoint(Cast->getNextNode());
    Value *Sum = Cast->getOperand(0);
    Value *Bits = B.CreateBitCast(Sum, bitsType(Sum->getType()));
    CallInst *Fixed = createSmooth(B, Constant::getNullValue(Sum->getType()), Bits);
    Cast->setOperand(0, Fixed);
    Cast->moveAfter(Fixed);
  }
  return !Casts.empty();
}

/// Bits that are stored where floats are.
bool Smoother::smooth(StoreInst &Store) {
  Value *Bits = Store.getValueOperand();
  Type *T = floatStored(Store);
  if (!T || Sums.of(Bits).isConstant())
    return false;
  B.SetInsertPoint(&Store);
  B.SetCurrentDebugLocation(Store.getDebugLoc());
  auto *Cast = dyn_cast<CastInst>(B.CreateBitCast(Bits, T));
  if (!Cast)
    return false;
  Store.setOperand(0, Cast);
  if (smooth(*Cast))
    return true;
  Store.setOperand(0, Bits);
  Cast->eraseFromParent();
  return false;
}

bool Smoother::run() {
  SmallVector<CastInst *, 8> Roots;
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(F))
    if (auto *Store = dyn_cast<StoreInst>(&I))
      Stores.push_back(Store);
    else if (isRoot(I))
      Roots.push_back(cast<CastInst>(&I));
  bool Any = fixRoundings();
  for (CastInst *Root : Roots)
    Any |= smooth(*Root);
  for (StoreInst *Store : Stores)
    Any |= smooth(*Store);
  for (auto [Stray, Number] : Strays)
    guardStray(*Stray, *Number);
  unmarkFloatLoads(F);
  return Any;
}

} // namespace

bool smoothDigits(Function &F) { return Smoother(F).run(); }

} // namespace contraflow
