// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %w = load i128, ptr %p                        %a = load i64, ptr %p
//   %a = trunc i128 %w to i64             ->      %b = load i64, ptr (%p + 8)
//   %h = lshr i128 %w, 64
//   %b = trunc i128 %h to i64
//
// On little-endian machines, where all uses are of that kind. What then copies a word has a
// derivative. The same where an address is loaded and taken for two floats (a union of them).
//
//   %v = load <2 x double>, ptr %p                %a = load double, ptr %p
//   %w = bitcast <2 x double> %v to <2 x i64>  ->
//   %b = extractelement <2 x i64> %w, i64 1       %b = load i64, ptr (%p + 8)
//   %q = inttoptr i64 %b to ptr                   %q = inttoptr i64 %b to ptr
//
// That is how a number and a pointer of one structure come to be loaded together, or a float and an
// integer. An address in a register of floats would have no shadow. Stored together they are stores
// of their own as well:
//
//   %w = insertelement <2 x i64> _, i64 (ptrtoint %q), i64 0
//   %v = shufflevector %numbers, (bitcast %w to <2 x double>)      store double %a, ptr %p
//   store <2 x double> %v, ptr %p                             ->   store ptr %q, ptr (%p + 8)
//
// Words that are only moved (an __int128, _mm_loadu_si128) move one by one, and so do constants.

#include "WideLoads.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

constexpr unsigned WordBits = 64;

/// A part of the integer, as many bits from the lowest one.
struct Word {
  Instruction *Trunc;
  uint64_t Shift;
};

bool isWord(const Instruction &Trunc, uint64_t Shift) {
  const unsigned Bits = Trunc.getType()->getIntegerBitWidth();
  return Bits % 8 == 0 && Shift % 8 == 0 && Shift / WordBits == (Shift + Bits - 1) / WordBits;
}

/// The words that are taken of V, shifted so far. False if it has other uses than to be stored.
bool collect(Value &V, uint64_t Shift, SmallVectorImpl<Word> &Words) {
  for (User *U : V.users()) {
    auto *I = cast<Instruction>(U);
    const APInt *By = nullptr;
    if (auto *Store = dyn_cast<StoreInst>(I); Store && Shift == 0 && Store->getOperand(0) == &V)
      continue;
    if (isa<TruncInst>(I) && I->getType()->isIntegerTy() && isWord(*I, Shift))
      Words.push_back({I, Shift});
    else if (!match(I, m_LShr(m_Specific(&V), m_APInt(By))) ||
             By->uge(V.getType()->getIntegerBitWidth() - Shift) ||
             !collect(*I, Shift + By->getZExtValue(), Words))
      return false;
  }
  return true;
}

/// Bits is what was loaded, as an integer.
bool split(LoadInst &Load, Value &Bits) {
  SmallVector<Word, 4> Words;
  if (!collect(Bits, 0, Words) || Words.empty())
    return false;
  IRBuilder<> B(&Load);
  for (const Word &W : Words) {
    const uint64_t Offset = W.Shift / 8;
    Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Load.getPointerOperand(), Offset);
    Instruction *Part =
        B.CreateAlignedLoad(W.Trunc->getType(), At, commonAlignment(Load.getAlign(), Offset));
    Part->setDebugLoc(Load.getDebugLoc());
    W.Trunc->replaceAllUsesWith(Part);
  }
  for (const Word &W : Words)
    RecursivelyDeleteTriviallyDeadInstructions(W.Trunc);
  return true;
}

/// A union of an address and two floats, where it is taken for the floats.
bool splitAddress(LoadInst &Load) {
  SmallVector<PtrToIntInst *, 2> Casts;
  for (User *U : Load.users())
    if (auto *Cast = dyn_cast<PtrToIntInst>(U); Cast && Cast->getType()->isIntegerTy(WordBits))
      Casts.push_back(Cast);
  bool Any = false;
  for (PtrToIntInst *Cast : Casts)
    Any |= split(Load, *Cast);
  return Any;
}

bool isAddressOrStored(const User *Use) { return isa<IntToPtrInst, StoreInst>(Use); }

/// True of what is done to integers, and not to the bits of a float that are changed.
bool isOfInteger(const User *Use) {
  return isa<StoreInst, SIToFPInst, UIToFPInst, SExtInst, ICmpInst, MinMaxIntrinsic, SelectInst,
             PHINode>(Use);
}

/// Lanes of V that are taken as words and used as addresses, or stored, and integers of half a word
/// among floats.
void collectLanes(Value &V, SmallVectorImpl<ExtractElementInst *> &Lanes) {
  for (User *Cast : V.users()) {
    auto *Words = dyn_cast<FixedVectorType>(Cast->getType());
    if (!isa<BitCastInst>(Cast) || !Words)
      continue;
    const bool AreWords = Words->getElementType()->isIntegerTy(WordBits);
    if (!AreWords && !(Words->getElementType()->isIntegerTy(WordBits / 2) &&
                       V.getType()->getScalarType()->isFloatTy()))
      continue;
    for (User *U : Cast->users())
      if (auto *Lane = dyn_cast<ExtractElementInst>(U);
          Lane && isa<ConstantInt>(Lane->getIndexOperand()) &&
          (AreWords ? any_of(Lane->users(), isAddressOrStored)
                    : all_of(Lane->users(), isOfInteger)))
        Lanes.push_back(Lane);
  }
}

Value *loadPart(IRBuilder<> &B, LoadInst &Whole, Type *T, uint64_t Index) {
  const uint64_t Offset = Index * T->getPrimitiveSizeInBits() / 8;
  Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Whole.getPointerOperand(), Offset);
  return B.CreateAlignedLoad(T, At, commonAlignment(Whole.getAlign(), Offset));
}

/// What the other lanes are used for is known when it has been simplified.
bool splitLanes(LoadInst &Load) {
  SmallVector<ExtractElementInst *, 4> Lanes;
  collectLanes(Load, Lanes);
  if (Lanes.empty())
    return false;
  IRBuilder<> B(&Load);
  for (ExtractElementInst *Lane : Lanes) {
    const uint64_t Index = cast<ConstantInt>(Lane->getIndexOperand())->getZExtValue();
    Lane->replaceAllUsesWith(loadPart(B, Load, Lane->getType(), Index));
    RecursivelyDeleteTriviallyDeadInstructions(Lane);
  }
  auto *T = cast<FixedVectorType>(Load.getType());
  Value *All = PoisonValue::get(T);
  for (unsigned I = 0; I < T->getNumElements(); ++I)
    All = B.CreateInsertElement(All, loadPart(B, Load, T->getElementType(), I), I);
  Load.replaceAllUsesWith(All);
  Load.eraseFromParent();
  return true;
}

/// The scalar in a lane of V, an integer where V is bits of integers; null if it is not known.
Value *laneOf(Value *V, uint64_t Index) {
  for (;;) {
    if (auto *Insert = dyn_cast<InsertElementInst>(V)) {
      auto *At = dyn_cast<ConstantInt>(Insert->getOperand(2));
      if (!At)
        return nullptr;
      if (At->getZExtValue() == Index)
        return Insert->getOperand(1);
      V = Insert->getOperand(0);
    } else if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(V)) {
      const int From = Shuffle->getMaskValue(Index);
      auto *Source = dyn_cast<FixedVectorType>(Shuffle->getOperand(0)->getType());
      if (From < 0 || !Source)
        return nullptr;
      const unsigned Count = Source->getNumElements();
      V = Shuffle->getOperand(unsigned(From) >= Count);
      Index = unsigned(From) % Count;
    } else if (auto *Cast = dyn_cast<BitCastInst>(V);
               Cast && Cast->getSrcTy()->isVectorTy() &&
               Cast->getSrcTy()->getScalarSizeInBits() == V->getType()->getScalarSizeInBits()) {
      V = Cast->getOperand(0);
    } else {
      return nullptr;
    }
  }
}

/// The word that stands in a lane of floats, as the address that it is; null for a float.
Value *wordIn(Value *V, uint64_t Index) {
  Value *Lane = laneOf(V, Index), *Word = nullptr;
  if (!Lane || match(Lane, m_BitCast(m_Value(Word))))
    Lane = Word;
  if (!Lane || !Lane->getType()->isIntegerTy(WordBits) || isa<Constant>(Lane))
    return nullptr;
  Value *Address = nullptr;
  return match(Lane, m_PtrToInt(m_Value(Address))) ? Address : Lane;
}

bool splitStore(StoreInst &Store) {
  Value *All = Store.getValueOperand();
  auto *T = cast<FixedVectorType>(All->getType());
  SmallVector<Value *, 4> Words;
  for (unsigned I = 0; I < T->getNumElements(); ++I)
    Words.push_back(wordIn(All, I));
  const bool Floats = T->getElementType()->isDoubleTy();
  if (none_of(Words,
              [&](Value *Word) { return Word && (Floats || Word->getType()->isPointerTy()); }))
    return false;
  IRBuilder<> B(&Store);
  for (auto [I, Word] : enumerate(Words)) {
    const uint64_t Offset = I * WordBits / 8;
    Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Store.getPointerOperand(), Offset);
    B.CreateAlignedStore(Word ? Word : B.CreateExtractElement(All, I), At,
                         commonAlignment(Store.getAlign(), Offset));
  }
  Store.eraseFromParent();
  return true;
}

bool isPairOfWords(const StoreInst &Store) {
  auto *T = dyn_cast<FixedVectorType>(Store.getValueOperand()->getType());
  return T && (T->getElementType()->isDoubleTy() || T->getElementType()->isIntegerTy(WordBits));
}

/// A word whose halves are stored or floats, and nothing else.
bool isTwoHalves(LoadInst &Load) {
  SmallVector<Word, 4> Words;
  const auto Moves = [](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return isa<BitCastInst>(U) ? U->getType()->isFloatTy() : Store && Store->isSimple();
  };
  return Load.getType()->isIntegerTy(WordBits) && collect(Load, 0, Words) &&
         all_of(Words, [&](const Word &W) {
           return W.Trunc->getType()->isIntegerTy(WordBits / 2) && all_of(W.Trunc->users(), Moves);
         });
}

bool isWide(LoadInst &Load) {
  Type *T = Load.getType();
  if (T->isIntegerTy())
    return T->getIntegerBitWidth() > WordBits || isTwoHalves(Load);
  return isa<FixedVectorType>(T) && T->getScalarType()->isFloatingPointTy() &&
         T->getScalarSizeInBits() <= WordBits;
}

/// True for a lane that is known by its number.
bool isWordTaken(const User &U) {
  auto *Lane = dyn_cast<ExtractElementInst>(&U);
  auto *At = Lane ? dyn_cast<ConstantInt>(Lane->getIndexOperand()) : nullptr;
  auto *T = Lane ? dyn_cast<FixedVectorType>(Lane->getVectorOperandType()) : nullptr;
  return At && T && At->getValue().ult(T->getNumElements());
}

/// True for several words that are stored, together or one by one, and nothing else.
bool isMoved(const LoadInst &Load) {
  Type *T = Load.getType();
  const unsigned Bits = T->getPrimitiveSizeInBits().getKnownMinValue();
  const Type *Scalar = T->getScalarType();
  return (T->isIntegerTy() || (isa<FixedVectorType>(T) && (Scalar->isIntegerTy(WordBits) ||
                                                           Scalar->isIntegerTy(WordBits / 2)))) &&
         Bits > WordBits && Bits % WordBits == 0 && !Load.use_empty() &&
         all_of(Load.users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return (Store && Store->isSimple() && Store->getValueOperand() == &Load) ||
                  (isWordTaken(*U) && Scalar->isIntegerTy(WordBits));
         });
}

/// Two words that are put together to be stored.
bool splitJoined(StoreInst &Store) {
  Value *Low = nullptr, *High = nullptr;
  if (!Store.getValueOperand()->getType()->isIntegerTy(2 * WordBits) ||
      !match(Store.getValueOperand(),
             m_c_Or(m_Shl(m_ZExt(m_Value(High)), m_SpecificInt(WordBits)), m_ZExt(m_Value(Low)))) ||
      !High->getType()->isIntegerTy(WordBits) || !Low->getType()->isIntegerTy(WordBits))
    return false;
  IRBuilder<> B(&Store);
  constexpr uint64_t Bytes = WordBits / 8;
  B.CreateAlignedStore(Low, Store.getPointerOperand(), Store.getAlign());
  B.CreateAlignedStore(
      High, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Store.getPointerOperand(), Bytes),
      commonAlignment(Store.getAlign(), Bytes));
  Store.eraseFromParent();
  return true;
}

/// True for a constant that is no word, and no vector of words or halves of words: zeros, most of
/// the time, which clear numbers that nobody would look for there.
bool isWideConstant(const StoreInst &Store) {
  const Value *V = Store.getValueOperand();
  const Type *T = V->getType(), *Scalar = T->getScalarType();
  const bool Lanes = isa<FixedVectorType>(T) && !Scalar->isIntegerTy(WordBits) &&
                     !Scalar->isIntegerTy(WordBits / 2);
  return isa<Constant>(V) && Scalar->isIntegerTy() &&
         (Lanes || (T->isIntegerTy() && T->getIntegerBitWidth() > WordBits)) &&
         T->getPrimitiveSizeInBits() % (WordBits / 2) == 0;
}

/// A constant moves word by word, and half a word behind the last one.
bool splitConstant(StoreInst &Store, const DataLayout &DL) {
  auto *Whole = cast<Constant>(Store.getValueOperand());
  const uint64_t Bytes = Whole->getType()->getPrimitiveSizeInBits() / 8;
  SmallVector<Constant *, 4> Parts;
  IRBuilder<> B(&Store);
  for (uint64_t At = 0; At < Bytes; At += WordBits / 8) {
    Type *T = Bytes - At < WordBits / 8 ? B.getInt32Ty() : B.getInt64Ty();
    Parts.push_back(ConstantFoldLoadFromConst(Whole, T, APInt(64, At), DL));
  }
  if (is_contained(Parts, nullptr))
    return false;
  for (const auto &[W, Part] : enumerate(Parts)) {
    const uint64_t At = W * WordBits / 8;
    B.CreateAlignedStore(Part, B.CreateConstGEP1_64(B.getInt8Ty(), Store.getPointerOperand(), At),
                         commonAlignment(Store.getAlign(), At), Store.isVolatile());
  }
  Store.eraseFromParent();
  return true;
}

/// Words of a load that is only moved.
void splitMoved(LoadInst &Load) {
  const unsigned Words = Load.getType()->getPrimitiveSizeInBits() / WordBits;
  constexpr uint64_t Bytes = WordBits / 8;
  SmallVector<Value *, 4> Parts;
  IRBuilder<> B(&Load);
  for (unsigned W = 0; W != Words; ++W)
    Parts.push_back(B.CreateAlignedLoad(
        B.getInt64Ty(), B.CreateConstGEP1_64(B.getInt8Ty(), Load.getPointerOperand(), W * Bytes),
        commonAlignment(Load.getAlign(), W * Bytes)));
  for (User *U : make_early_inc_range(Load.users())) {
    if (auto *Lane = dyn_cast<ExtractElementInst>(U)) {
      Lane->replaceAllUsesWith(Parts[cast<ConstantInt>(Lane->getIndexOperand())->getZExtValue()]);
      Lane->eraseFromParent();
      continue;
    }
    auto *Store = cast<StoreInst>(U);
    B.SetInsertPoint(Store);
    for (const auto &[W, Part] : enumerate(Parts))
      B.CreateAlignedStore(
          Part, B.CreateConstGEP1_64(B.getInt8Ty(), Store->getPointerOperand(), W * Bytes),
          commonAlignment(Store->getAlign(), W * Bytes));
    Store->eraseFromParent();
  }
  Load.eraseFromParent();
}

/// A scalar (lane NoLane), or a lane of a vector.
using Place = std::pair<Value *, int>;
constexpr int NoLane = -1;

/// Where else in I the word at From is: a copy of it. What is calculated from it is not looked at.
void addCopies(Instruction &I, Place From, SmallVectorImpl<Place> &Out) {
  auto [V, Lane] = From;
  if (auto *Insert = dyn_cast<InsertElementInst>(&I)) {
    auto *At = dyn_cast<ConstantInt>(Insert->getOperand(2));
    if (At && Insert->getOperand(1) == V)
      Out.push_back({&I, int(At->getZExtValue())});
    else if (At && Insert->getOperand(0) == V && int(At->getZExtValue()) != Lane)
      Out.push_back({&I, Lane});
  } else if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I)) {
    auto *T = dyn_cast<FixedVectorType>(Shuffle->getOperand(0)->getType());
    for (auto [To, Index] : enumerate(Shuffle->getShuffleMask()))
      if (T && Index >= 0 && Shuffle->getOperand(unsigned(Index) >= T->getNumElements()) == V &&
          int(unsigned(Index) % T->getNumElements()) == Lane)
        Out.push_back({&I, int(To)});
  } else if (auto *Extract = dyn_cast<ExtractElementInst>(&I)) {
    auto *At = dyn_cast<ConstantInt>(Extract->getIndexOperand());
    if (At && int(At->getZExtValue()) == Lane)
      Out.push_back({&I, NoLane});
  } else if (isa<PHINode, SelectInst, FreezeInst>(I)) {
    Out.push_back({&I, Lane});
  } else if (isa<BitCastInst>(I) &&
             I.getType()->getScalarSizeInBits() == V->getType()->getScalarSizeInBits()) {
    Out.push_back({&I, Lane});
  }
}

} // namespace

const Instruction *findAddressInVector(Function &F) {
  SmallVector<Place, 16> Todo;
  for (Instruction &I : instructions(F))
    if (isa<PtrToIntInst>(I) && I.getType()->isIntegerTy(WordBits))
      for (User *U : I.users())
        if (isa<InsertElementInst>(U))
          addCopies(cast<Instruction>(*U), {&I, NoLane}, Todo);
  DenseSet<Place> Seen(Todo.begin(), Todo.end());
  while (!Todo.empty()) {
    const Place From = Todo.pop_back_val();
    for (User *U : From.first->users()) {
      auto &I = cast<Instruction>(*U);
      auto *Store = dyn_cast<StoreInst>(&I);
      if (isa<ReturnInst, IntToPtrInst>(I) || (Store && Store->getValueOperand() == From.first) ||
          (isa<CallBase>(I) && !isa<IntrinsicInst>(I)))
        return &I;
      SmallVector<Place, 4> Copies;
      addCopies(I, From, Copies);
      for (const Place &Copy : Copies)
        if (Seen.insert(Copy).second)
          Todo.push_back(Copy);
    }
  }
  return nullptr;
}

bool splitWideLoads(Function &F) {
  if (!F.getDataLayout().isLittleEndian())
    return false;
  SmallVector<LoadInst *, 8> Wide, Moved, Addresses;
  SmallVector<StoreInst *, 8> Stores, Joined, Constants;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple() && isMoved(*Load))
      Moved.push_back(Load);
    else if (Load && Load->isSimple() && isWide(*Load))
      Wide.push_back(Load);
    else if (Load && Load->isSimple() && Load->getType()->isPointerTy())
      Addresses.push_back(Load);
    else if (auto *Store = dyn_cast<StoreInst>(&I);
             Store && Store->isSimple() && isPairOfWords(*Store))
      Stores.push_back(Store);
    else if (Store && Store->isSimple() && isa<BinaryOperator>(Store->getValueOperand()))
      Joined.push_back(Store);
    else if (Store && !Store->isAtomic() && isWideConstant(*Store))
      Constants.push_back(Store);
  bool Any = !Moved.empty();
  erase_if(Stores, [&](StoreInst *Store) { return is_contained(Moved, Store->getValueOperand()); });
  for (LoadInst *Load : Moved)
    splitMoved(*Load);
  for (StoreInst *Store : Stores)
    Any |= splitStore(*Store);
  for (StoreInst *Store : Joined)
    Any |= splitJoined(*Store);
  for (StoreInst *Store : Constants)
    Any |= splitConstant(*Store, F.getDataLayout());
  for (LoadInst *Load : Wide) {
    const WeakVH Whole(Load); // which may still be stored as such
    Any |= Load->getType()->isIntegerTy() ? split(*Load, *Load) : splitLanes(*Load);
    if (Whole && isMoved(*Load))
      splitMoved(*Load);
  }
  for (LoadInst *Load : Addresses)
    Any |= splitAddress(*Load);
  return Any;
}

} // namespace contraflow
