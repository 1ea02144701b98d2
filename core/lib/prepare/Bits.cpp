// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// as(V, T) writes the bits V as floats of type T, going back to where they were floats before.
// Where that ends without a float (a count that becomes an exponent), the bits are cast.

#include "Bits.h"
#include "Masks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include <cmath>
#include <numeric>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

class FloatRestorer {
public:
  explicit FloatRestorer(Function &F) : F(F), DL(F.getDataLayout()) {}
  bool run();

private:
  Value *as(Value *V, Type *T);
  Value *castAfter(Value *V, Type *T);
  Value *rebuild(Instruction &I, Type *T, IRBuilderBase &B);
  Value *ofPhi(PHINode &Phi, Type *T);
  Value *ofLoad(LoadInst &Load, Type *T, IRBuilderBase &B);
  Value *ofShuffle(ShuffleVectorInst &I, Type *T, IRBuilderBase &B);
  Value *ofInsert(InsertElementInst &I, Type *T, IRBuilderBase &B);
  Value *ofLanes(Value *From, uint64_t FirstBit, Type *T, IRBuilderBase &B);
  Value *ofTruncation(TruncInst &I, Type *T, IRBuilderBase &B);
  Value *ofSelect(SelectInst &I, Type *T, IRBuilderBase &B);
  Value *ofAnd(BinaryOperator &I, Type *T, IRBuilderBase &B);
  Value *ofOr(BinaryOperator &I, Type *T, IRBuilderBase &B);
  Value *ofXor(BinaryOperator &I, Type *T, IRBuilderBase &B);
  Value *blend(BinaryOperator &I, Type *T, IRBuilderBase &B);
  Value *mantissa(BinaryOperator &I, Type *T, IRBuilderBase &B);
  Type *leavingType(Instruction &I);
  bool leave(Instruction &I);
  static void addSources(Instruction &I, SmallVectorImpl<Value *> &Out);
  Type *floatsIn(Value *V, bool &Loads) const;
  bool holdsFloats(Value *V) const;
  static bool isRoot(const Instruction &I);

  Function &F;
  const DataLayout &DL;
  DenseMap<std::pair<Value *, Type *>, Value *> Known;
  DenseMap<const Value *, Type *> Loaded; ///< vectors of integers whose bits became floats: these
};

/// The lanes of T's floats that fit into Bits.
Type *vectorOf(Type *T, uint64_t Bits) {
  const unsigned Width = T->getScalarSizeInBits();
  if (Bits % Width != 0)
    return nullptr;
  return Bits == Width ? T->getScalarType()
                       : FixedVectorType::get(T->getScalarType(), Bits / Width);
}

/// A constant condition for the lanes where Is holds.
Value *lanesWhere(ArrayRef<LaneMask> Lanes, Type *T, function_ref<bool(LaneMask)> Is) {
  SmallVector<Constant *, 8> Bits;
  for (LaneMask Lane : Lanes)
    Bits.push_back(ConstantInt::getBool(T->getContext(), Is(Lane)));
  return T->isVectorTy() ? ConstantVector::get(Bits) : Bits[0];
}

/// True if the float T of each lane has a sign bit of zero.
bool isPositive(Value *V, Type *T) {
  V = withoutBitcasts(V);
  Value *Mask = nullptr;
  auto Clears = [&](Value *C) {
    SmallVector<LaneMask, 8> Lanes = laneMasks(C, T);
    return !Lanes.empty() && all_of(Lanes, [](LaneMask M) {
      return M != LaneMask::Ones && M != LaneMask::Sign && M != LaneMask::SignedMantissa &&
             M != LaneMask::Other;
    });
  };
  return Clears(V) || (match(V, m_And(m_Value(), m_Value(Mask))) && Clears(Mask)) ||
         match(V, m_FAbs(m_Value()));
}

/// V if it is a constant exponent of each lane of T, not above that of one.
Constant *exponentUpTo(Value *V, Type *T, int Bias) {
  SmallVector<LaneMask, 8> Lanes = laneMasks(V, T);
  if (Lanes.empty() || !all_of(Lanes, [](LaneMask M) { return M == LaneMask::Exponent; }))
    return nullptr;
  auto *C = cast<Constant>(withoutBitcasts(V));
  Type *Bits = bitsOf(T);
  C = ConstantFoldCastOperand(Instruction::BitCast, C, Bits, DataLayout("e"));
  const unsigned Digits = APFloat::semanticsPrecision(T->getScalarType()->getFltSemantics()) - 1;
  for (unsigned I = 0; C && I < Lanes.size(); ++I) {
    auto *Lane = dyn_cast<ConstantInt>(Bits->isVectorTy() ? C->getAggregateElement(I) : C);
    if (!Lane || Lane->getValue().lshr(Digits).ugt(Bias))
      return nullptr;
  }
  return C;
}

Value *FloatRestorer::castAfter(Value *V, Type *T) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return IRBuilder<>(&*F.getEntryBlock().getFirstInsertionPt()).CreateBitCast(V, T);
  BasicBlock::iterator Behind = *I->getInsertionPointAfterDef();
  IRBuilder<> B(Behind->getParent(), Behind);
  B.SetCurrentDebugLocation(I->getDebugLoc());
  return B.CreateBitCast(V, T);
}

Value *FloatRestorer::as(Value *V, Type *T) {
  if (V->getType() == T)
    return V;
  if (auto *C = dyn_cast<Constant>(V))
    if (Constant *Folded = ConstantFoldCastOperand(Instruction::BitCast, C, T, DL))
      return Folded;
  if (Value *Found = Known.lookup({V, T}))
    return Found;
  auto *I = dyn_cast<Instruction>(V);
  Value *Out = nullptr;
  if (auto *Phi = dyn_cast<PHINode>(V)) {
    Out = ofPhi(*Phi, T);
  } else if (I && holdsFloats(I)) {
    IRBuilder<> B(I);
    Out = rebuild(*I, T, B);
  }
  if (!Out)
    Out = castAfter(V, T);
  return Known[{V, T}] = Out;
}

Value *FloatRestorer::ofPhi(PHINode &Phi, Type *T) {
  if (!holdsFloats(&Phi))
    return nullptr;
  PHINode *New = PHINode::Create(T, Phi.getNumIncomingValues(), Phi.getName(), Phi.getIterator());
  New->setDebugLoc(Phi.getDebugLoc());
  Known[{&Phi, T}] = New;
  for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I)
    New->addIncoming(as(Phi.getIncomingValue(I), T), Phi.getIncomingBlock(I));
  return New;
}

Value *FloatRestorer::ofLoad(LoadInst &Load, Type *T, IRBuilderBase &B) {
  if (!Load.isSimple() || !Load.getType()->isVectorTy())
    return nullptr;
  LoadInst *New = B.CreateAlignedLoad(T, Load.getPointerOperand(), Load.getAlign());
  New->setAAMetadata(Load.getAAMetadata());
  Loaded.try_emplace(&Load, T->getScalarType());
  return New;
}

Value *FloatRestorer::ofShuffle(ShuffleVectorInst &I, Type *T, IRBuilderBase &B) {
  auto *From = dyn_cast<FixedVectorType>(I.getOperand(0)->getType());
  const unsigned Have = I.getType()->getScalarSizeInBits(), Want = T->getScalarSizeInBits();
  Type *Source = From ? vectorOf(T, DL.getTypeSizeInBits(From)) : nullptr;
  if (!Source || !T->isVectorTy() || !Source->isVectorTy())
    return nullptr;
  SmallVector<int, 16> Mask(I.getShuffleMask()), Scaled;
  if (Have <= Want) {
    if (Want % Have != 0 || !widenShuffleMaskElts(Want / Have, Mask, Scaled))
      return nullptr;
  } else {
    narrowShuffleMaskElts(Have / Want, Mask, Scaled);
  }
  return B.CreateShuffleVector(as(I.getOperand(0), Source), as(I.getOperand(1), Source), Scaled);
}

/// An element of several lanes is put in by a shuffle.
Value *FloatRestorer::ofInsert(InsertElementInst &I, Type *T, IRBuilderBase &B) {
  const unsigned Have = I.getType()->getScalarSizeInBits(), Want = T->getScalarSizeInBits();
  auto *Index = dyn_cast<ConstantInt>(I.getOperand(2));
  if (!Index || Have % Want != 0 || !T->isVectorTy())
    return nullptr;
  Value *To = as(I.getOperand(0), T), *Element = as(I.getOperand(1), vectorOf(T, Have));
  if (Have == Want)
    return B.CreateInsertElement(To, Element, Index);
  const unsigned Part = Have / Want, First = Index->getZExtValue() * Part, Lanes = lanesOf(T);
  SmallVector<int, 16> Widen, Blend;
  for (unsigned L = 0; L < Lanes; ++L) {
    bool In = L >= First && L < First + Part;
    Widen.push_back(In ? int(L - First) : PoisonMaskElem);
    Blend.push_back(In ? Lanes + L : L);
  }
  return B.CreateShuffleVector(To, B.CreateShuffleVector(Element, Widen), Blend);
}

/// T's lanes from FirstBit on of a longer value.
Value *FloatRestorer::ofLanes(Value *From, uint64_t FirstBit, Type *T, IRBuilderBase &B) {
  const unsigned Want = T->getScalarSizeInBits();
  Type *Source = vectorOf(T, DL.getTypeSizeInBits(From->getType()));
  if (!Source || FirstBit % Want != 0)
    return nullptr;
  const unsigned First = FirstBit / Want;
  if (!T->isVectorTy())
    return B.CreateExtractElement(as(From, Source), uint64_t(First));
  SmallVector<int, 16> Mask(lanesOf(T));
  std::iota(Mask.begin(), Mask.end(), First);
  return B.CreateShuffleVector(as(From, Source), Mask);
}

Value *FloatRestorer::ofTruncation(TruncInst &I, Type *T, IRBuilderBase &B) {
  Value *From = I.getOperand(0), *Whole = nullptr;
  if (From->getType()->isVectorTy())
    return nullptr;
  const APInt *Places = nullptr;
  if (match(From, m_LShr(m_Value(Whole), m_APInt(Places))) && Places->ult(1024))
    return ofLanes(Whole, Places->getZExtValue(), T, B);
  return ofLanes(From, 0, T, B);
}

Value *FloatRestorer::ofSelect(SelectInst &I, Type *T, IRBuilderBase &B) {
  Value *Condition = I.getCondition();
  if (Condition->getType()->isVectorTy() && lanesOf(I.getType()) != lanesOf(T))
    return nullptr;
  return B.CreateSelect(Condition, as(I.getTrueValue(), T), as(I.getFalseValue(), T));
}

Value *FloatRestorer::ofAnd(BinaryOperator &I, Type *T, IRBuilderBase &B) {
  Value *Zero = Constant::getNullValue(T);
  for (unsigned Operand : {1u, 0u})
    if (Value *Condition = asCondition(I.getOperand(Operand), T, B))
      return B.CreateSelect(Condition, as(I.getOperand(1 - Operand), T), Zero);
  SmallVector<LaneMask, 8> Lanes = laneMasks(I.getOperand(1), T);
  auto IsKnown = [](LaneMask M) { return M <= LaneMask::Magnitude; };
  if (Lanes.empty() || !all_of(Lanes, IsKnown))
    return nullptr;
  Value *X = as(I.getOperand(0), T), *Out = X;
  auto Put = [&](LaneMask Which, Value *V) {
    if (is_contained(Lanes, Which))
      Out = B.CreateSelect(lanesWhere(Lanes, T, [&](LaneMask M) { return M == Which; }), V, Out);
  };
  Put(LaneMask::Magnitude, B.CreateUnaryIntrinsic(Intrinsic::fabs, X));
  Put(LaneMask::Sign, B.CreateBinaryIntrinsic(Intrinsic::copysign, Zero, X));
  Put(LaneMask::Zero, Zero);
  return Out;
}

/// (m & a) | (~m & b)
Value *FloatRestorer::blend(BinaryOperator &I, Type *T, IRBuilderBase &B) {
  Value *Operands[2][2];
  for (unsigned Side : {0u, 1u})
    if (!match(withoutBitcasts(I.getOperand(Side)),
               m_And(m_Value(Operands[Side][0]), m_Value(Operands[Side][1]))))
      return nullptr;
  auto IsNot = [&](Value *X, Value *Y) {
    X = withoutBitcasts(X), Y = withoutBitcasts(Y);
    Value *Inner = nullptr;
    if (match(X, m_Not(m_Value(Inner))) && withoutBitcasts(Inner) == Y)
      return true;
    SmallVector<LaneMask, 8> L = laneMasks(X, T), R = laneMasks(Y, T);
    return !L.empty() && L.size() == R.size() && all_of(zip(L, R), [](auto Pair) {
      auto [A, C] = Pair;
      return (A == LaneMask::Zero && C == LaneMask::Ones) ||
             (A == LaneMask::Ones && C == LaneMask::Zero);
    });
  };
  for (unsigned L : {0u, 1u})
    for (unsigned R : {0u, 1u}) {
      Value *First = Operands[0][L], *Second = Operands[1][R];
      if (!IsNot(First, Second) && !IsNot(Second, First))
        continue;
      if (Value *Condition = asCondition(First, T, B))
        return B.CreateSelect(Condition, as(Operands[0][1 - L], T), as(Operands[1][1 - R], T));
    }
  return nullptr;
}

/// (bits(x) & mantissa) | exponent: x times a power of two that has no derivative. What is above
/// one is brought down first, so that the power is a normal number. With the field zero, numbers
/// are evenly spaced above the exponent; infinity and NaN give the exponent alone.
Value *FloatRestorer::mantissa(BinaryOperator &I, Type *T, IRBuilderBase &B) {
  Value *X = nullptr, *Mask = nullptr;
  if (!match(withoutBitcasts(I.getOperand(0)), m_And(m_Value(X), m_Value(Mask))))
    return nullptr;
  const fltSemantics &Float = T->getScalarType()->getFltSemantics();
  const unsigned Width = T->getScalarSizeInBits(), Digits = APFloat::semanticsPrecision(Float) - 1;
  const int Bias = APFloat::semanticsMaxExponent(Float);
  Type *Bits = bitsOf(T);
  Constant *Field = ConstantInt::get(Bits, APInt::getBitsSet(Width, Digits, Width - 1));
  Constant *One = ConstantInt::get(Bits, APInt(Width, Bias).shl(Digits));
  Constant *Exponent = exponentUpTo(I.getOperand(1), T, Bias);
  SmallVector<LaneMask, 8> Lanes = laneMasks(Mask, T);
  if (!Exponent || Lanes.empty() || !all_equal(Lanes) ||
      (Lanes[0] != LaneMask::Mantissa && Lanes[0] != LaneMask::SignedMantissa))
    return nullptr;
  auto Power = [&](int E) { return ConstantFP::get(T, std::ldexp(1.0, E)); };
  X = as(X, T);
  Value *Size = B.CreateUnaryIntrinsic(Intrinsic::fabs, X);
  Value *Shift = B.CreateSelect(B.CreateFCmpOGT(Size, Power(0)), Power(-(Bias + 1) / 2), Power(0));
  Value *Y = B.CreateFMul(Lanes[0] == LaneMask::Mantissa ? Size : X, Shift);
  Value *Old = B.CreateAnd(B.CreateBitCast(Y, Bits), Field);
  Value *Scale = B.CreateBitCast(B.CreateSub(B.CreateAdd(Exponent, One), Old), T);
  Value *Floor = B.CreateBinaryIntrinsic(Intrinsic::copysign, B.CreateBitCast(Exponent, T), Y);
  Value *Low = B.CreateFAdd(Floor, B.CreateFMul(Y, B.CreateFMul(Scale, Power(-1))));
  Value *Special = B.CreateICmpEQ(Old, Field);
  Value *Out = B.CreateSelect(Special, Floor, B.CreateFMul(Y, Scale));
  return B.CreateSelect(B.CreateICmpEQ(Old, Constant::getNullValue(Bits)), Low, Out);
}

Value *FloatRestorer::ofOr(BinaryOperator &I, Type *T, IRBuilderBase &B) {
  if (Value *Out = blend(I, T, B))
    return Out;
  if (Value *Out = mantissa(I, T, B))
    return Out;
  for (unsigned Operand : {1u, 0u}) {
    Value *Mask = I.getOperand(Operand), *Other = I.getOperand(1 - Operand);
    if (isSignOnly(Mask, T) && isPositive(Other, T))
      return B.CreateBinaryIntrinsic(Intrinsic::copysign, as(Other, T), as(Mask, T));
  }
  SmallVector<LaneMask, 8> Lanes = laneMasks(I.getOperand(1), T);
  if (!Lanes.empty() && isSignOnly(I.getOperand(1), T)) {
    Value *X = as(I.getOperand(0), T);
    Value *Negative = B.CreateFNeg(B.CreateUnaryIntrinsic(Intrinsic::fabs, X));
    return B.CreateSelect(lanesWhere(Lanes, T, [](LaneMask M) { return M == LaneMask::Sign; }),
                          Negative, X);
  }
  for (unsigned Operand : {1u, 0u})
    if (Value *Condition = asCondition(I.getOperand(Operand), T, B)) {
      Constant *Ones = ConstantFoldCastOperand(Instruction::BitCast,
                                               Constant::getAllOnesValue(bitsOf(T)), T, DL);
      return B.CreateSelect(Condition, Ones, as(I.getOperand(1 - Operand), T));
    }
  return nullptr;
}

Value *FloatRestorer::ofXor(BinaryOperator &I, Type *T, IRBuilderBase &B) {
  for (unsigned Operand : {1u, 0u}) {
    Value *Sign = I.getOperand(Operand);
    if (!isSignOnly(Sign, T))
      continue;
    Value *X = as(I.getOperand(1 - Operand), T), *Negative = B.CreateFNeg(X);
    SmallVector<LaneMask, 8> Lanes = laneMasks(Sign, T);
    Value *Flips =
        Lanes.empty()
            ? B.CreateICmpSLT(B.CreateBitCast(Sign, bitsOf(T)), Constant::getNullValue(bitsOf(T)))
            : lanesWhere(Lanes, T, [](LaneMask M) { return M == LaneMask::Sign; });
    return B.CreateSelect(Flips, Negative, X);
  }
  return nullptr;
}

Value *FloatRestorer::rebuild(Instruction &I, Type *T, IRBuilderBase &B) {
  switch (I.getOpcode()) {
  case Instruction::BitCast:
    return as(I.getOperand(0), T);
  case Instruction::Freeze:
    return B.CreateFreeze(as(I.getOperand(0), T));
  case Instruction::Load:
    return ofLoad(cast<LoadInst>(I), T, B);
  case Instruction::ShuffleVector:
    return ofShuffle(cast<ShuffleVectorInst>(I), T, B);
  case Instruction::InsertElement:
    return ofInsert(cast<InsertElementInst>(I), T, B);
  case Instruction::ExtractElement:
    if (auto *Index = dyn_cast<ConstantInt>(I.getOperand(1)))
      return ofLanes(I.getOperand(0),
                     Index->getZExtValue() * DL.getTypeSizeInBits(I.getType()).getFixedValue(), T,
                     B);
    return nullptr;
  case Instruction::Trunc:
    return ofTruncation(cast<TruncInst>(I), T, B);
  case Instruction::Select:
    return ofSelect(cast<SelectInst>(I), T, B);
  case Instruction::And:
    return ofAnd(cast<BinaryOperator>(I), T, B);
  case Instruction::Or:
    return ofOr(cast<BinaryOperator>(I), T, B);
  case Instruction::Xor:
    return ofXor(cast<BinaryOperator>(I), T, B);
  default:
    return nullptr;
  }
}

/// Adds the instructions that bits of V may come from.
void FloatRestorer::addSources(Instruction &I, SmallVectorImpl<Value *> &Out) {
  auto *Logic = dyn_cast<BinaryOperator>(&I);
  if (isa<BitCastInst, FreezeInst, ShuffleVectorInst, InsertElementInst, ExtractElementInst,
          TruncInst, SelectInst, PHINode>(I) ||
      (Logic && (Logic->isBitwiseLogicOp() || Logic->getOpcode() == Instruction::LShr)))
    append_range(Out, I.operand_values());
}

/// The type of the floats whose bits are in V, or null.
Type *FloatRestorer::floatsIn(Value *V, bool &Loads) const {
  SmallPtrSet<Value *, 16> Seen;
  SmallVector<Value *, 16> Todo{V};
  while (!Todo.empty()) {
    auto *I = dyn_cast<Instruction>(Todo.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    Type *T = I->getType();
    if (T->isFPOrFPVectorTy())
      return T->getScalarType();
    if (Type *Float = Loaded.lookup(I))
      return Float;
    Loads |= isa<LoadInst>(I) && T->isVectorTy();
    addSources(*I, Todo);
  }
  return nullptr;
}

/// True if bits of floats, or of memory that is read as a vector, may be in V.
bool FloatRestorer::holdsFloats(Value *V) const {
  bool Loads = false;
  return floatsIn(V, Loads) || Loads;
}

/// Bits become floats here. Integers that carry a single float unchanged are followed as they are.
bool FloatRestorer::isRoot(const Instruction &I) {
  if (!isa<BitCastInst>(I) || !I.getType()->isFPOrFPVectorTy())
    return false;
  const Value *From = I.getOperand(0);
  Type *Lane = I.getType()->getScalarType();
  if (!(Lane->isFloatTy() || Lane->isDoubleTy()) || isa<ScalableVectorType>(I.getType()))
    return false;
  if (I.getType()->isVectorTy() || From->getType()->isVectorTy())
    return true;
  auto *Logic = dyn_cast<BinaryOperator>(From);
  return (Logic && Logic->isBitwiseLogicOp()) ||
         (isa<TruncInst>(From) && From->getType()->isIntegerTy());
}

/// The floats that leave a vector of integers for memory, or one of its lanes for anywhere: their
/// type, or null.
Type *FloatRestorer::leavingType(Instruction &I) {
  auto *Store = dyn_cast<StoreInst>(&I);
  Value *V = Store ? Store->getValueOperand() : &I;
  if (!V->getType()->isIntOrIntVectorTy() ||
      (Store ? !V->getType()->isVectorTy() || !Store->isSimple()
             : !isa<ExtractElementInst>(I) || V->getType()->getIntegerBitWidth() < 32))
    return nullptr;
  bool Loads = false;
  Type *Float = floatsIn(V, Loads);
  return Float && (Float->isFloatTy() || Float->isDoubleTy())
             ? vectorOf(Float, DL.getTypeSizeInBits(V->getType()))
             : nullptr;
}

/// The type of the number of which V has the upper bits, if the lower half or less of it is an
/// integer of its own, or null: a variant that became a register, of which the integer is set.
///
///   or disjoint (and (bitcast double %x to i64), -4294967296), 3
static Type *numberBeside(Value *V) {
  Value *Upper = nullptr, *Integer = nullptr;
  const APInt *Mask = nullptr;
  if (!V->getType()->isIntegerTy() ||
      !match(V, m_c_Or(m_And(m_BitCast(m_Value(Upper)), m_APInt(Mask)), m_Value(Integer))))
    return nullptr;
  Type *T = Upper->getType();
  const unsigned Width = Mask->getBitWidth(), Low = Mask->countr_zero();
  const bool IsWhole =
      (Low == 8 || Low == 16 || Low == 32) && 2 * Low <= Width && Mask->popcount() == Width - Low;
  auto *C = dyn_cast<ConstantInt>(Integer);
  auto *Wider = dyn_cast<ZExtInst>(Integer);
  const unsigned Bits = C       ? C->getValue().getActiveBits()
                        : Wider ? Wider->getSrcTy()->getScalarSizeInBits()
                                : Width;
  if (Wider && isa<BitCastInst>(Wider->getOperand(0))) // two floats
    return nullptr;
  return IsWhole && Bits <= Low && (T->isDoubleTy() || T->isFloatTy()) ? T : nullptr;
}

bool FloatRestorer::leave(Instruction &I) {
  if (auto *To = dyn_cast<StoreInst>(&I);
      To && To->isSimple() && !To->hasMetadata(LLVMContext::MD_tbaa))
    if (Type *Number = numberBeside(To->getValueOperand())) {
      To->setOperand(0, IRBuilder<>(To).CreateBitCast(To->getValueOperand(), Number));
      return true;
    }
  Type *T = leavingType(I);
  if (!T)
    return false;
  auto *Store = dyn_cast<StoreInst>(&I);
  Value *Old = Store ? Store->getValueOperand() : &I, *New = as(Old, T);
  if (auto *Plain = dyn_cast<BitCastInst>(New); Plain && Plain->getOperand(0) == Old)
    return false;
  if (Store) {
    Store->setOperand(0, New);
    return true;
  }
  Value *Bits = nullptr;
  for (Use &U : make_early_inc_range(I.uses())) {
    auto *To = dyn_cast<StoreInst>(U.getUser());
    if (!To && !Bits)
      Bits = castAfter(New, I.getType());
    if (U.getUser() != New)
      U.set(To ? New : Bits);
  }
  return true;
}

bool FloatRestorer::run() {
  SmallVector<WeakTrackingVH, 32> Roots, Leaving;
  for (Instruction &I : instructions(F))
    if (isRoot(I) && holdsFloats(I.getOperand(0)))
      Roots.push_back(&I);
    else if (isa<StoreInst, ExtractElementInst>(I))
      Leaving.push_back(&I);
  bool Changed = false;
  for (WeakTrackingVH &Root : Roots) {
    auto *Cast = cast<BitCastInst>(Root);
    Value *V = as(Cast->getOperand(0), Cast->getType());
    auto *Plain = dyn_cast<BitCastInst>(V);
    if (V == Cast || (Plain && Plain->getOperand(0) == Cast->getOperand(0)))
      continue;
    Cast->replaceAllUsesWith(V);
    Changed = true;
  }
  for (WeakTrackingVH &I : Leaving)
    Changed |= leave(*cast<Instruction>(I));
  for (WeakTrackingVH &Root : Roots)
    if (Root)
      RecursivelyDeleteTriviallyDeadInstructions(Root);
  return Changed;
}

/// store ptr inttoptr (i64 0x3fe0000000000000 to ptr)   ->   store double 0.5
void storeNumbers(Function &F) {
  for (Instruction &I : instructions(F))
    if (auto *Store = dyn_cast<StoreInst>(&I))
      if (auto *C = dyn_cast<Constant>(Store->getValueOperand()))
        if (Constant *Number = numberOf(*C); Number && Store->isSimple())
          Store->setOperand(0, Number);
}

} // namespace

Constant *numberOf(Constant &C) {
  auto *Cast = dyn_cast<ConstantExpr>(&C);
  auto *Bits = Cast && Cast->getOpcode() == Instruction::IntToPtr
                   ? dyn_cast<ConstantInt>(Cast->getOperand(0))
                   : nullptr;
  if (!Bits || Bits->getBitWidth() != 64 || Bits->getValue().isIntN(AddressBits))
    return nullptr;
  const APFloat Number(APFloat::IEEEdouble(), Bits->getValue());
  return Number.isFinite() ? ConstantFP::get(C.getContext(), Number) : nullptr;
}

bool restoreFloats(Function &F) {
  const bool Changed = FloatRestorer(F).run();
  storeNumbers(F);
  return Changed;
}

} // namespace contraflow
