// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each half of an integer is found by going back to what it was put together from; a half of
// anything else is cut out of it.

#include "Packs.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

constexpr unsigned HalfBits = 32, HalfBytes = 4;

using Builder = IRBuilder<InstSimplifyFolder>;

enum Half { Low, High };

class PackSplitter {
public:
  PackSplitter(Function &F, FunctionAnalysisManager &FAM) : F(F), FAM(FAM) {}
  bool run();
  bool run(function_ref<bool(Instruction &)> Mixed);

private:
  /// A sum of a value with an empty low half and another one; Apart: that has an empty high half.
  struct Sum {
    Instruction::BinaryOps Opcode;
    Value *High, *Low;
    bool Apart;
  };

  uint64_t bound(Value *V, unsigned Depth);
  void findSums();
  Value *halfOfSum(const Sum &S, Half Which, Builder &B);
  bool isPack(Value *V) const;
  Value *half(Value *V, Half Which);
  Value *makeHalf(Instruction &I, Half Which, Builder &B);
  Value *shifted(Instruction &I, Half Which, Builder &B);
  Value *cutOut(Value *V, Half Which, Builder &B);
  Value *halfOfPhi(PHINode &Phi, Half Which);
  void splitStore(StoreInst &Store);
  bool splitStores(function_ref<bool(StoreInst &)> Wanted);
  void splitUses(Value *V);

  Function &F;
  FunctionAnalysisManager &FAM;
  DenseMap<const Value *, Sum> Sums;
  DenseMap<std::pair<Value *, unsigned>, Value *> Known;
  SmallVector<WeakTrackingVH, 16> Old;
};

bool isWide(const Value *V) { return V->getType()->isIntegerTy(2 * HalfBits); }

/// What a counter that goes up by one, and does not wrap, is compared with before each repetition
/// of its loop, which ends there only: it stays below.
static Value *counterEnd(Value *V, const LoopInfo &Loops) {
  auto *Phi = dyn_cast<PHINode>(V);
  const BranchInst *Latch = nullptr;
  Value *Next = nullptr, *End = nullptr;
  for (BasicBlock *From : Phi ? Phi->blocks() : iterator_range<BasicBlock **>(nullptr, nullptr)) {
    Value *In = Phi->getIncomingValueForBlock(From);
    if (match(In, m_NUWAdd(m_Specific(Phi), m_One()))) {
      Next = In;
      Latch = dyn_cast<BranchInst>(From->getTerminator());
    } else if (!match(In, m_Zero())) {
      return nullptr;
    }
  }
  const Loop *L = Latch ? Loops.getLoopFor(Latch->getParent()) : nullptr;
  CmpPredicate Is;
  if (!L || L->getExitingBlock() != Latch->getParent() || L->getHeader() != Phi->getParent() ||
      !Latch->isConditional() ||
      !match(Latch->getCondition(), m_c_ICmp(Is, m_Specific(Next), m_Value(End))))
    return nullptr;
  const bool Stays = Latch->getSuccessor(0) == Phi->getParent();
  return Is == (Stays ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ) ? End : nullptr;
}

/// No less than V, as an unsigned number.
uint64_t PackSplitter::bound(Value *V, unsigned Depth) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const KnownBits Bits = computeKnownBits(V, F.getDataLayout());
  const uint64_t Least = std::min(SE.getUnsignedRangeMax(SE.getSCEV(V)).getZExtValue(),
                                  Bits.getMaxValue().getZExtValue());
  if (Value *End = counterEnd(V, FAM.getResult<LoopAnalysis>(F)); End && Depth)
    return std::min(Least, bound(End, Depth - 1));
  auto *Sum = dyn_cast<BinaryOperator>(V);
  if (!Depth || !Sum || Sum->getOpcode() != Instruction::Add || !Sum->hasNoUnsignedWrap())
    return Least;
  return std::min(Least, SaturatingAdd(bound(Sum->getOperand(0), Depth - 1),
                                       bound(Sum->getOperand(1), Depth - 1)));
}

/// True for the low half of the first operand above the high half of the second: halves that were
/// joined the other way round are rotated.
static bool isSwap(const Instruction &I) {
  return match(&I, m_FShl(m_Value(), m_Value(), m_SpecificInt(HalfBits)));
}

/// True if the low half of V is zero, to be seen at once.
static bool isEmptyBelow(Value *V) {
  const APInt *C = nullptr;
  return match(V, m_Shl(m_Value(), m_APInt(C)))
             ? C->uge(HalfBits)
             : match(V, m_APInt(C)) && C->countr_zero() >= HalfBits;
}

/// Where halves are joined, by 'or' or by a sum: (%hi << 32) + %lo.
void PackSplitter::findSums() {
  for (Instruction &I : instructions(F))
    for (unsigned Op : {0U, 1U}) {
      if (!isWide(&I) || (I.getOpcode() != Instruction::Add && I.getOpcode() != Instruction::Or) ||
          !isEmptyBelow(I.getOperand(Op)))
        continue;
      Value *Other = I.getOperand(1 - Op);
      Sums[&I] = {cast<BinaryOperator>(I).getOpcode(), I.getOperand(Op), Other,
                  isUInt<HalfBits>(bound(Other, 2))};
    }
}

/// Of a sum in which one operand has nothing in its low half.
Value *PackSplitter::halfOfSum(const Sum &S, Half Which, Builder &B) {
  if (Which == Low)
    return half(S.Low, Low);
  Value *Above = half(S.High, High);
  return S.Apart ? Above : B.CreateBinOp(S.Opcode, Above, half(S.Low, High));
}

/// True for an integer of a few bits: flags that an address gets.
bool isSmall(Value *V, const DataLayout &Layout) {
  constexpr unsigned FlagBits = 12;
  return computeKnownBits(V, Layout).countMaxActiveBits() <= FlagBits;
}

/// True if V is put together, and a float is in it, or may be: the optimiser loads the bits of one
/// as an integer if they are only moved. Addresses are not cut, whatever bits they get.
bool PackSplitter::isPack(Value *V) const {
  SmallPtrSet<Value *, 8> Seen;
  SmallVector<Value *, 8> Todo{V};
  bool Joined = false, Number = false;
  while (!Todo.empty()) {
    auto *I = dyn_cast<Instruction>(Todo.pop_back_val());
    if (!I || !Seen.insert(I).second || isSmall(I, F.getDataLayout()))
      continue;
    if (isa<PtrToIntInst>(I))
      return false;
    Value *Source = nullptr;
    Number |= match(I, m_BitCast(m_Value(Source))) && Source->getType()->isFloatTy();
    Number |= isa<LoadInst>(I) && I->getType()->isIntegerTy(HalfBits);
    Joined |= match(I, m_Or(m_Value(), m_Value())) || match(I, m_Shl(m_Value(), m_Value()));
    if (Sums.contains(I) || isSwap(*I))
      append_range(Todo, I->operand_values());
    if (isa<ZExtInst, PHINode, SelectInst, FreezeInst>(I) || I->getOpcode() == Instruction::Or ||
        I->getOpcode() == Instruction::And || I->getOpcode() == Instruction::Shl)
      append_range(Todo, I->operand_values());
  }
  return Joined && Number;
}

Value *PackSplitter::cutOut(Value *V, Half Which, Builder &B) {
  if (Which == High)
    V = B.CreateLShr(V, HalfBits);
  return B.CreateTrunc(V, B.getInt32Ty());
}

Value *PackSplitter::halfOfPhi(PHINode &Phi, Half Which) {
  auto *New = PHINode::Create(Type::getInt32Ty(F.getContext()), Phi.getNumIncomingValues(),
                              Phi.getName(), Phi.getIterator());
  Known[{&Phi, Which}] = New;
  for (unsigned I = 0; I != Phi.getNumIncomingValues(); ++I)
    New->addIncoming(half(Phi.getIncomingValue(I), Which), Phi.getIncomingBlock(I));
  return New;
}

Value *PackSplitter::half(Value *V, Half Which) {
  if (Value *Found = Known.lookup({V, Which}))
    return Found;
  if (auto *Phi = dyn_cast<PHINode>(V))
    return halfOfPhi(*Phi, Which);
  Builder B(F.getContext(), InstSimplifyFolder(F.getDataLayout()));
  auto *I = dyn_cast<Instruction>(V);
  if (!I) {
    B.SetInsertPoint(&F.getEntryBlock(), F.getEntryBlock().getFirstInsertionPt());
    return Known[{V, Which}] = cutOut(V, Which, B);
  }
  B.SetInsertPoint(I);
  Value *Out = makeHalf(*I, Which, B);
  if (!Out) {
    std::optional<BasicBlock::iterator> Behind = I->getInsertionPointAfterDef();
    B.SetInsertPoint(Behind->getNodeParent(), *Behind);
    Out = cutOut(I, Which, B);
  }
  return Known[{V, Which}] = Out;
}

/// Half of a value that is shifted by a constant.
Value *PackSplitter::shifted(Instruction &I, Half Which, Builder &B) {
  const APInt *By = nullptr;
  if (!match(I.getOperand(1), m_APInt(By)) || By->uge(2 * HalfBits) || By->ult(HalfBits))
    return nullptr;
  const uint64_t Rest = By->getZExtValue() - HalfBits;
  const bool Left = I.getOpcode() == Instruction::Shl;
  if (Which != (Left ? High : Low))
    return B.getInt32(0);
  Value *From = half(I.getOperand(0), Left ? Low : High);
  if (!Rest)
    return From;
  return Left ? B.CreateShl(From, Rest) : B.CreateLShr(From, Rest);
}

/// Null if it has to be cut out.
Value *PackSplitter::makeHalf(Instruction &I, Half Which, Builder &B) {
  if (auto Known = Sums.find(&I); Known != Sums.end())
    return halfOfSum(Known->second, Which, B);
  if (isSwap(I))
    return half(I.getOperand(Which == High ? 0 : 1), Which == High ? Low : High);
  switch (I.getOpcode()) {
  case Instruction::ZExt: {
    Value *From = I.getOperand(0);
    if (From->getType()->getIntegerBitWidth() > HalfBits)
      return nullptr;
    return Which == High ? B.getInt32(0) : B.CreateZExt(From, B.getInt32Ty());
  }
  case Instruction::Shl:
  case Instruction::LShr:
    return shifted(I, Which, B);
  case Instruction::Add:
  case Instruction::Sub:
    if (Which == High)
      return nullptr;
    return B.CreateBinOp(cast<BinaryOperator>(I).getOpcode(), half(I.getOperand(0), Low),
                         half(I.getOperand(1), Low));
  case Instruction::Or:
  case Instruction::And: {
    const APInt *Mask = nullptr;
    if (match(&I, m_And(m_Value(), m_APInt(Mask))) &&
        Mask->extractBits(HalfBits, Which == High ? HalfBits : 0).isZero())
      return B.getInt32(0);
    Value *X = half(I.getOperand(0), Which), *Y = half(I.getOperand(1), Which);
    return I.getOpcode() == Instruction::Or ? B.CreateOr(X, Y) : B.CreateAnd(X, Y);
  }
  case Instruction::Select:
    return B.CreateSelect(I.getOperand(0), half(I.getOperand(1), Which),
                          half(I.getOperand(2), Which));
  case Instruction::Freeze:
    return B.CreateFreeze(half(I.getOperand(0), Which));
  case Instruction::Load: {
    auto &Load = cast<LoadInst>(I);
    if (!Load.isSimple())
      return nullptr;
    const unsigned Offset = Which == High ? HalfBytes : 0;
    Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Load.getPointerOperand(), Offset);
    return B.CreateAlignedLoad(B.getInt32Ty(), At, commonAlignment(Load.getAlign(), Offset));
  }
  default:
    return nullptr;
  }
}

void PackSplitter::splitStore(StoreInst &Store) {
  Value *V = Store.getValueOperand();
  Value *Halves[] = {half(V, Low), half(V, High)};
  Builder B(F.getContext(), InstSimplifyFolder(F.getDataLayout()));
  B.SetInsertPoint(&Store);
  for (Half Which : {Low, High}) {
    Value *Part = Halves[Which], *Number = nullptr;
    if (match(Part, m_BitCast(m_Value(Number))))
      Part = Number;
    const unsigned Offset = Which == High ? HalfBytes : 0;
    Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Store.getPointerOperand(), Offset);
    B.CreateAlignedStore(Part, At, commonAlignment(Store.getAlign(), Offset));
  }
  Old.push_back(V);
  Store.eraseFromParent();
}

/// Everything that takes one half of V.
void PackSplitter::splitUses(Value *V) {
  for (User *U : SmallVector<User *, 4>(V->users())) {
    auto *I = cast<Instruction>(U);
    Value *New = nullptr;
    Builder B(F.getContext(), InstSimplifyFolder(F.getDataLayout()));
    B.SetInsertPoint(I);
    if (I->getOpcode() == Instruction::Trunc && I->getType()->isIntegerTy() &&
        I->getType()->getIntegerBitWidth() <= HalfBits)
      New = B.CreateTrunc(half(V, Low), I->getType());
    else if (match(I, m_LShr(m_Specific(V), m_SpecificInt(HalfBits))))
      New = B.CreateZExt(half(V, High), V->getType());
    if (!New || New == I)
      continue;
    for (User *Cast : SmallVector<User *, 2>(I->users())) { // back to what it was made from
      Value *Source = nullptr;
      if (Cast->getType()->isFloatTy() && match(Cast, m_BitCast(m_Specific(I))) &&
          match(New, m_BitCast(m_Value(Source))) && Source->getType()->isFloatTy()) {
        Cast->replaceAllUsesWith(Source);
        Old.push_back(Cast);
      } else if (auto *Narrow = dyn_cast<TruncInst>(Cast); Narrow && isa<ZExtInst>(New)) {
        Value *Part = cast<ZExtInst>(New)->getOperand(0);
        if (Narrow->getType() != Part->getType())
          continue;
        Narrow->replaceAllUsesWith(Part);
        Old.push_back(Narrow);
      }
    }
    I->replaceAllUsesWith(New);
    Old.push_back(I);
  }
}

/// The integer that I takes a float out of, or whose low half, which is then zero, it joins with
/// the bits of one.
Value *takenFrom(Instruction &I) {
  Value *V = nullptr, *Number = nullptr;
  if (match(&I, m_c_Or(m_Trunc(m_Value(V)), m_BitCast(m_Value(Number)))) &&
      Number->getType()->isFloatTy() && isWide(V))
    return V;
  if (!I.getType()->isFloatTy() || !match(&I, m_BitCast(m_Trunc(m_Value(V)))) || !isWide(V))
    return nullptr;
  Value *Whole = nullptr;
  return match(V, m_LShr(m_Value(Whole), m_SpecificInt(HalfBits))) ? Whole : V;
}

bool PackSplitter::splitStores(function_ref<bool(StoreInst &)> Wanted) {
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (Store && Store->isSimple() && isWide(Store->getValueOperand()) && Wanted(*Store))
      Stores.push_back(Store);
  }
  for (StoreInst *Store : Stores)
    splitStore(*Store);
  return !Stores.empty();
}

bool PackSplitter::run() {
  findSums();
  SmallSetVector<Value *, 8> Sources;
  for (Instruction &I : instructions(F))
    if (Value *V = takenFrom(I))
      Sources.insert(V);
  const bool Stored =
      splitStores([&](StoreInst &Store) { return isPack(Store.getValueOperand()); });
  for (Value *V : Sources)
    splitUses(V);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
  return Stored || !Sources.empty();
}

/// True if the program takes one half of V.
static bool hasHalves(const Value &V) {
  return any_of(V.users(), [&](const User *U) {
    return (isa<TruncInst>(U) && U->getType()->isIntegerTy(HalfBits)) ||
           match(U, m_LShr(m_Specific(&V), m_SpecificInt(HalfBits)));
  });
}

bool PackSplitter::run(function_ref<bool(Instruction &)> Mixed) {
  findSums();
  SmallVector<LoadInst *, 8> Loads;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && Load->isSimple() && isWide(Load) && hasHalves(*Load) && Mixed(*Load))
      Loads.push_back(Load);
  const bool Stored = splitStores(
      [&](StoreInst &Store) { return !isa<Constant>(Store.getValueOperand()) && Mixed(Store); });
  for (LoadInst *Load : Loads)
    splitUses(Load);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
  return Stored || !Loads.empty();
}

} // namespace

bool splitPacks(Function &F, FunctionAnalysisManager &FAM) {
  return F.getDataLayout().isLittleEndian() && PackSplitter(F, FAM).run();
}

bool splitMoves(Function &F, FunctionAnalysisManager &FAM,
                function_ref<bool(Instruction &)> Mixed) {
  return F.getDataLayout().isLittleEndian() && PackSplitter(F, FAM).run(Mixed);
}

} // namespace contraflow
