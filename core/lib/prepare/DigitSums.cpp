// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk back over the integers, each looked at once. Places that hold no digits of their source
// (exponents, signs) do not vary and are left out at once, so that anything may be done to them.

#include "DigitSums.h"

#include "callee/Math.h"
#include "rules/Rounding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {

constexpr unsigned MostTerms = 12; ///< in one sum: hash functions have many
constexpr unsigned MostKnown = 4000;
constexpr unsigned MostDepth = 150;

int DigitTerm::shift() const { return std::ilogb(Factor); }

int digitsOf(Type *T) {
  return APFloat::semanticsPrecision(T->getScalarType()->getFltSemantics()) - 1;
}

static bool isSingleOrDouble(const Type *T) {
  const Type *Lane = T->getScalarType();
  return Lane->isFloatTy() || Lane->isDoubleTy();
}

static unsigned lanes(const Type *T) {
  auto *Vector = dyn_cast<FixedVectorType>(T);
  return Vector ? Vector->getNumElements() : 0;
}

/// The name of the scalar type that the language says I accesses.
static StringRef accessedName(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  const auto *Type =
      Tag && Tag->getNumOperands() > 1 ? dyn_cast<MDNode>(Tag->getOperand(1)) : nullptr;
  const auto *Name =
      Type && Type->getNumOperands() > 1 ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
  return Name ? Name->getString() : StringRef();
}

/// As the language's type tags have them.
static constexpr StringLiteral FloatNames[] = {"float", "double"};

/// The float that an access of an integer at Pointer moves, as far as its address shows.
static Type *floatAt(const Instruction &Access, const Value *Pointer, const Type *Integer) {
  if (!Integer->isIntegerTy())
    return nullptr;
  const StringRef Name = accessedName(Access);
  LLVMContext &Context = Access.getContext();
  auto *Step = dyn_cast<GetElementPtrInst>(Pointer);
  Type *T = nullptr;
  if (is_contained(FloatNames, Name))
    T = Name == FloatNames[0] ? Type::getFloatTy(Context) : Type::getDoubleTy(Context);
  else if (Step) // of an array of floats
    T = Step->getResultElementType();
  return T && isSingleOrDouble(T) && T->getScalarSizeInBits() == Integer->getIntegerBitWidth()
             ? T
             : nullptr;
}

Type *floatLoaded(const Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  return Load ? floatAt(*Load, Load->getPointerOperand(), Load->getType()) : nullptr;
}

Type *floatStored(const StoreInst &Store) {
  return floatAt(Store, Store.getPointerOperand(), Store.getValueOperand()->getType());
}

static MDNode *ownRoot(const Function &F) {
  return MDBuilder(F.getContext()).createTBAARoot("contraflow floats");
}

void markFloatLoads(Function &F) {
  MDBuilder B(F.getContext());
  MDNode *Root = ownRoot(F);
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    Type *T = Load ? Load->getType()->getScalarType() : nullptr;
    if (!T || !isSingleOrDouble(T) || Load->getMetadata(LLVMContext::MD_tbaa))
      continue;
    MDNode *Name = B.createTBAAScalarTypeNode(FloatNames[T->isDoubleTy()], Root);
    Load->setMetadata(LLVMContext::MD_tbaa, B.createTBAAStructTagNode(Name, Name, 0));
  }
}

void unmarkFloatLoads(Function &F) {
  for (Instruction &I : instructions(F))
    if (MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa); Tag && !floatLoaded(&I))
      if (auto *Name = dyn_cast<MDNode>(Tag->getOperand(0)))
        if (auto *Root = dyn_cast<MDNode>(Name->getOperand(1)); Root && Root == ownRoot(F))
          I.setMetadata(LLVMContext::MD_tbaa, nullptr);
}

/// Leaves out what does not vary, and joins what belongs together.
static void tidy(DigitSum &S) {
  for (unsigned I = 0; I < S.Terms.size(); ++I)
    for (unsigned J = I + 1; J < S.Terms.size(); ++J) {
      DigitTerm &A = S.Terms[I], &Z = S.Terms[J];
      if (A.Source != Z.Source || A.Converted != Z.Converted || A.Where != Z.Where)
        continue;
      if (A.Factor == -Z.Factor && A.Low == Z.Low && A.High == Z.High)
        A.Low = A.High;
      else if (A.Factor == Z.Factor && (A.High == Z.Low || Z.High == A.Low))
        A.Low = std::min(A.Low, Z.Low), A.High = std::max(A.High, Z.High);
      else
        continue;
      Z.Low = Z.High;
    }
  erase_if(S.Terms, [](const DigitTerm &T) {
    Type *Loaded = T.Source->getType()->isFPOrFPVectorTy() ? nullptr : floatLoaded(T.Source);
    const int Digits = digitsOf(Loaded ? Loaded : T.Source->getType());
    return T.Low >= T.High || (!T.Converted && T.Low >= Digits);
  });
}

/// Nothing is known of S but what it depends on.
static DigitSum asLost(DigitSum S) {
  for (const DigitTerm &T : S.Terms)
    if (T.Converted)
      S.Merged = true;
    else if (!is_contained(S.Lost, T.Source) && S.Lost.size() < MostTerms)
      S.Lost.push_back(T.Source);
  S.Terms.clear();
  return S;
}

static DigitSum joined(DigitSum A, const DigitSum &Z) {
  A.Terms.append(Z.Terms);
  auto Add = [](auto &Values, const auto &More) {
    for (Value *V : More)
      if (!is_contained(Values, V) && Values.size() < MostTerms)
        Values.push_back(V);
  };
  Add(A.Lost, Z.Lost);
  Add(A.Stray, Z.Stray);
  A.Table |= Z.Table;
  A.Merged |= Z.Merged;
  tidy(A);
  return A.Terms.size() > MostTerms || !A.Lost.empty() ? asLost(std::move(A)) : A;
}

static DigitSum scaled(DigitSum S, double Factor) {
  for (DigitTerm &T : S.Terms)
    T.Factor *= Factor;
  return S;
}

/// Leaves of each term what lies at the positions [From, To).
static DigitSum within(DigitSum S, int From, int To) {
  for (DigitTerm &T : S.Terms) {
    T.Low = std::max(T.Low, From - T.shift());
    T.High = std::min(T.High, To - T.shift());
  }
  tidy(S);
  return S;
}

/// The first place of T's source behind its digits.
static int digitsEnd(const DigitTerm &T) {
  if (T.Converted)
    return T.High;
  Type *Loaded = T.Source->getType()->isFPOrFPVectorTy() ? nullptr : floatLoaded(T.Source);
  return std::min(T.High, digitsOf(Loaded ? Loaded : T.Source->getType()));
}

/// The positions of the digits of T among Width.
static std::pair<int, int> digitPositions(const DigitTerm &T, int Width) {
  const int From = std::clamp(T.Low + T.shift(), 0, Width);
  return {From, std::clamp(digitsEnd(T) + T.shift(), From, Width)};
}

/// What a mask leaves; nothing is known if it leaves several pieces of the digits of one term.
static DigitSum masked(DigitSum S, const APInt &Mask) {
  const int Width = Mask.getBitWidth();
  for (DigitTerm &T : S.Terms) {
    const auto [From, To] = digitPositions(T, Width);
    const APInt Left = Mask & APInt::getBitsSet(Width, From, To);
    unsigned First = 0, Count = 0;
    if (Left.isZero()) {
      T.Low = T.High;
    } else if (Left.isShiftedMask(First, Count)) {
      if (int(First) > From)
        T.Low = First - T.shift();
      if (int(First + Count) < To)
        T.High = First + Count - T.shift();
      else if (To < Width && !Mask[To])
        T.High = To - T.shift();
    } else {
      return asLost(std::move(S));
    }
  }
  tidy(S);
  return S;
}

/// True if bits may be set in C where a digit of S is.
static bool meetsDigits(const DigitSum &S, const APInt &C) {
  const int Width = C.getBitWidth();
  return any_of(S.Terms, [&](const DigitTerm &T) {
    const auto [From, To] = digitPositions(T, Width);
    return C.intersects(APInt::getBitsSet(Width, From, To));
  });
}

DigitSum DigitSums::unknown(Instruction &I) {
  DigitSum S = lost(I);
  S.Merged |= !S.Lost.empty();
  S.Stray.append(S.Lost);
  S.Lost.clear();
  return S;
}

DigitSum DigitSums::lost(Instruction &I) {
  DigitSum S;
  for (Value *V : I.operands())
    if (V->getType()->isIntOrIntVectorTy())
      S = joined(std::move(S), of(V));
  return asLost(std::move(S));
}

static std::optional<MathFn> functionOf(const Value *V) {
  auto *Call = dyn_cast<CallBase>(V);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F)
    return std::nullopt;
  return F->isIntrinsic() ? mathIntrinsic(F->getIntrinsicID()) : mathFunction(*F);
}

static bool isRounded(const Value *V) {
  static constexpr MathFn Roundings[] = {MathFn::Floor,    MathFn::Ceil,  MathFn::Trunc,
                                         MathFn::Rint,     MathFn::Round, MathFn::Nearbyint,
                                         MathFn::Roundeven};
  const std::optional<MathFn> Fn = functionOf(V);
  return Fn && is_contained(Roundings, *Fn);
}

DigitSum DigitSums::converted(Instruction &I, Value *From) {
  DigitSum S;
  if (isSingleOrDouble(From->getType()) && lanes(From->getType()) == lanes(I.getType()) &&
      !isRounded(From))
    S.Terms.push_back({From, true, 1, 0, int(I.getType()->getScalarSizeInBits()), {}});
  return S;
}

DigitSum DigitSums::added(Instruction &I, double Sign) {
  return joined(of(I.getOperand(0)), scaled(of(I.getOperand(1)), Sign));
}

/// Bits that are combined.
DigitSum DigitSums::combined(BinaryOperator &I) {
  DigitSum L = of(I.getOperand(0)), R = of(I.getOperand(1));
  if (L.isConstant() && R.isConstant())
    return joined(std::move(L), R);
  const APInt *C = nullptr;
  const bool Fixed = match(I.getOperand(1), m_APInt(C));
  if (I.getOpcode() == Instruction::And)
    return Fixed ? masked(std::move(L), *C) : lost(I);
  if (Fixed && C->isAllOnes() && I.getOpcode() == Instruction::Xor)
    return scaled(std::move(L), -1);
  if (Fixed)
    return meetsDigits(L, *C) ? lost(I) : L;
  auto *Or = dyn_cast<PossiblyDisjointInst>(&I);
  const bool Apart = (Or && Or->isDisjoint()) ||
                     haveNoCommonBitsSet(I.getOperand(0), I.getOperand(1), I.getDataLayout());
  if (Apart)
    return joined(std::move(L), R);
  // Bits that do not vary may lie where exponents are.
  const DigitSum &Varying = L.isConstant() ? R : L, &Other = L.isConstant() ? L : R;
  const KnownBits Bits = computeKnownBits(I.getOperand(L.isConstant() ? 0 : 1), I.getDataLayout());
  return Other.isConstant() && !meetsDigits(Varying, ~Bits.Zero) ? joined(std::move(L), R)
                                                                 : lost(I);
}

DigitSum DigitSums::ofBinary(BinaryOperator &I) {
  const int Width = I.getType()->getScalarSizeInBits();
  const APInt *C = nullptr;
  const bool Fixed = match(I.getOperand(1), m_APInt(C));
  switch (I.getOpcode()) {
  case Instruction::Add:
    return added(I, 1);
  case Instruction::Sub:
    return added(I, -1);
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return combined(I);
  case Instruction::Mul:
    return Fixed ? scaled(of(I.getOperand(0)), double(C->getSExtValue()))
           : of(I.getOperand(0)).isConstant() || of(I.getOperand(1)).isConstant() ? unknown(I)
                                                                                  : lost(I);
  case Instruction::SDiv:
  case Instruction::UDiv:
    return Fixed && !C->isZero() ? scaled(of(I.getOperand(0)), 1 / double(C->getSExtValue()))
                                 : lost(I);
  case Instruction::Shl:
    return Fixed && C->ult(Width)
               ? within(scaled(of(I.getOperand(0)), std::ldexp(1.0, C->getZExtValue())), 0, Width)
               : unknown(I);
  case Instruction::LShr:
  case Instruction::AShr:
    return Fixed && C->ult(Width)
               ? within(scaled(of(I.getOperand(0)), std::ldexp(1.0, -int(C->getZExtValue()))), 0,
                        Width)
               : unknown(I);
  default:
    return lost(I);
  }
}

/// True if A and Z differ in their sources only.
static bool haveOneShape(const DigitTerm &A, const DigitTerm &Z) {
  return A.Converted == Z.Converted && A.Factor == Z.Factor && A.Low == Z.Low && A.High == Z.High &&
         A.Where.empty() && Z.Where.empty() && A.Source->getType() == Z.Source->getType() &&
         A.Source->getType()->isFPOrFPVectorTy();
}

/// The choice that I makes, between two other values; there may be one already.
static Value *choiceOf(SelectInst &I, Value *Then, Value *Else) {
  for (Instruction &Other : *I.getParent())
    if (auto *Choice = dyn_cast<SelectInst>(&Other);
        Choice && Choice->getCondition() == I.getCondition() && Choice->getTrueValue() == Then &&
        Choice->getFalseValue() == Else) {
      if (I.comesBefore(Choice))
        Choice->moveBefore(I.getIterator());
      return Choice;
    }
  return IRBuilder<>(&I).CreateSelect(I.getCondition(), Then, Else);
}

DigitSum DigitSums::chosen(SelectInst &I) {
  Value *Condition = I.getCondition();
  DigitSum L = of(I.getTrueValue()), R = of(I.getFalseValue());
  const bool Single = L.Terms.size() == 1 && R.Terms.size() == 1 && L.Lost.empty() &&
                      R.Lost.empty() && !L.Merged && !R.Merged;
  if (Single && haveOneShape(L.Terms[0], R.Terms[0])) {
    L.Terms[0].Source = choiceOf(I, L.Terms[0].Source, R.Terms[0].Source);
    L.Table |= R.Table;
    return L;
  }
  for (DigitTerm &T : L.Terms)
    T.Where.push_back({Condition, true});
  for (DigitTerm &T : R.Terms)
    T.Where.push_back({Condition, false});
  return joined(std::move(L), R);
}

DigitSum DigitSums::ofCall(Instruction &I) {
  if (convertsToInteger(cast<CallBase>(I)))
    return converted(I, I.getOperand(0));
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call)
    return {};
  switch (Call->getIntrinsicID()) {
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax: {
    DigitSum S = of(Call->getArgOperand(0));
    if (!of(Call->getArgOperand(1)).isConstant())
      return lost(I);
    for (DigitTerm &T : S.Terms)
      T.Where.push_back({Call, true});
    return S;
  }
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::ctpop:
    return {};
  default:
    return lost(I);
  }
}

/// True if bits of floats, or converted floats, lead to V, whatever happens to them.
static bool holdsBits(Value &V) {
  constexpr unsigned MostLooked = 100;
  SmallPtrSet<Value *, 16> Seen;
  SmallVector<Value *, 16> Todo{&V};
  while (!Todo.empty() && Seen.size() < MostLooked) {
    auto *I = dyn_cast<Instruction>(Todo.pop_back_val());
    if (I && floatLoaded(I))
      return true;
    if (!I || !I->getType()->isIntOrIntVectorTy() || isa<LoadInst, CmpInst>(I) ||
        !Seen.insert(I).second)
      continue;
    if (isa<BitCastInst, FPToSIInst, FPToUIInst>(I) &&
        I->getOperand(0)->getType()->isFPOrFPVectorTy())
      return true;
    append_range(Todo, I->operand_values());
  }
  return !Todo.empty();
}

/// A phi of the sources that come in; there may be one already.
static Value *phiOf(PHINode &Phi, ArrayRef<Value *> Sources) {
  Type *T = Sources[0]->getType();
  for (PHINode &Other : Phi.getParent()->phis())
    if (Other.getType() == T && all_of(seq<unsigned>(0, Sources.size()), [&](unsigned I) {
          return Other.getIncomingValueForBlock(Phi.getIncomingBlock(I)) == Sources[I];
        }))
      return &Other;
  PHINode *New = PHINode::Create(T, Sources.size(), "", Phi.getIterator());
  New->setDebugLoc(Phi.getDebugLoc());
  for (unsigned I = 0; I < Sources.size(); ++I)
    New->addIncoming(Sources[I], Phi.getIncomingBlock(I));
  return New;
}

/// What comes into a phi. Where that is a constant, and the way there says that an integer, or the
/// lower part of one, is equal to it, it is that integer: the optimiser has put the constant there.
///
///   if (high == 0x3ff00000 && low == 0) return 0;        phi(high, 0x3ff00000)
static Value *comesIn(const PHINode &Phi, unsigned I) {
  constexpr unsigned MostBlocks = 4;
  const auto *In = dyn_cast<ConstantInt>(Phi.getIncomingValue(I));
  const BasicBlock *To = Phi.getParent(), *From = Phi.getIncomingBlock(I);
  for (unsigned Left = In ? MostBlocks : 0; Left && From; --Left) {
    Value *Equal;
    const APInt *Number;
    const auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    if (Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1)) {
      const auto Is = Branch->getSuccessor(0) == To ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE;
      if (match(Branch->getCondition(), m_SpecificICmp(Is, m_Value(Equal), m_APInt(Number))) &&
          Number->getBitWidth() >= In->getBitWidth() &&
          Number->trunc(In->getBitWidth()) == In->getValue())
        return Equal;
    }
    To = From;
    From = From->getSinglePredecessor();
  }
  return Phi.getIncomingValue(I);
}

/// Terms that differ in their sources only become one of a phi of these. A constant that comes in
/// is as good as the bits of one.
DigitSum DigitSums::ofPhi(PHINode &Phi) {
  DigitSum Unknown;
  Unknown.Merged = true;
  if (!holdsBits(Phi))
    return {};
  std::optional<DigitTerm> Shape;
  SmallVector<Value *, 4> Sources;
  for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
    const DigitSum S = within(of(comesIn(Phi, I)), 0, Phi.getType()->getScalarSizeInBits());
    if (S.Merged || !S.Lost.empty() || S.Terms.size() > 1)
      return Unknown;
    Sources.push_back(S.Terms.empty() ? nullptr : S.Terms[0].Source);
    if (S.Terms.empty())
      continue;
    const DigitTerm &T = S.Terms[0];
    if (!haveOneShape(T, Shape.value_or(T)))
      return Unknown;
    Shape = T;
  }
  if (!Shape)
    return {};
  for (Value *&V : Sources)
    V = V ? V : ConstantFP::get(Shape->Source->getType(), 1);
  Shape->Source = phiOf(Phi, Sources);
  DigitSum S;
  S.Terms.push_back(*Shape);
  return S;
}

DigitSum DigitSums::compute(Instruction &I) {
  const int Width = I.getType()->getScalarSizeInBits();
  if (auto *Binary = dyn_cast<BinaryOperator>(&I))
    return ofBinary(*Binary);
  if (isa<CallBase>(I))
    return ofCall(I);
  if (isa<TruncInst, ZExtInst, SExtInst>(I))
    return within(of(I.getOperand(0)), 0, Width);
  if (isa<FreezeInst>(I))
    return of(I.getOperand(0));
  if (isa<FPToSIInst, FPToUIInst>(I))
    return converted(I, I.getOperand(0));
  if (auto *Phi = dyn_cast<PHINode>(&I))
    return ofPhi(*Phi);
  if (auto *Choice = dyn_cast<SelectInst>(&I))
    return chosen(*Choice);
  DigitSum S;
  if (isa<LoadInst>(I)) {
    S.Table = !floatLoaded(&I);
    if (!S.Table)
      S.Terms.push_back({&I, false, 1, 0, Width, {}});
  } else if (auto *Cast = dyn_cast<BitCastInst>(&I)) {
    Value *From = Cast->getOperand(0);
    if (!isSingleOrDouble(From->getType()) || lanes(From->getType()) != lanes(I.getType()))
      return S;
    if (!isRoundingSum(From))
      S.Terms.push_back({From, false, 1, 0, Width, {}});
  } else {
    S.Merged = holdsBits(I);
  }
  return S;
}

DigitSum DigitSums::of(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !I->getType()->isIntOrIntVectorTy())
    return {};
  if (auto It = Known.find(V); It != Known.end())
    return It->second;
  if (Known.size() > MostKnown || Depth > MostDepth)
    return {};
  Known[V].Merged = true; // where a cycle comes back
  ++Depth;
  DigitSum S = compute(*I);
  --Depth;
  return Known[V] = S;
}

} // namespace contraflow
