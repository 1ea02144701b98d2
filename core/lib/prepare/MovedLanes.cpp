// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %v = load <4 x i32>, ptr %p                          %a = load i64, ptr %p
//   %w = shufflevector %v, poison, <2, 3, 0, 1>    ->    %b = load i64, ptr (%p + 8)
//   store <4 x i32> %w, ptr %q                           store i64 %b, ptr %q
//                                                        store i64 %a, ptr (%q + 8)
//
// In words of eight bytes, if these stay together on their whole way, else of four. What becomes a
// vector of floats is put together from floats. A constant mask keeps a word, or makes it zero.

#include "MovedLanes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostSteps = 32; ///< from a word to where it comes from

/// Where a word comes from: a whole scalar, an element of a vector of floats or of constants, or,
/// at a byte of it, what a load reads. Null: it may be anything.
struct Origin {
  Value *From = nullptr;
  unsigned Byte = 0;
};

class LaneMover {
public:
  /// If Pairs, two floats of a vector may be one number.
  explicit LaneMover(Value &Moved, bool Pairs = false)
      : Moved(Moved), DL(layoutOf(Moved)), Pairs(Pairs), Moves(Pairs) {}

  /// The words of Moved, made where At is; empty if they are calculated. If Float, as floats.
  SmallVector<Value *, 8> words(Instruction &At, unsigned Size, bool Float);

private:
  static const DataLayout &layoutOf(Value &V) { return cast<Instruction>(V).getDataLayout(); }
  unsigned sizeOf(const Type *T) const {
    return DL.getTypeStoreSize(const_cast<Type *>(T)).getFixedValue();
  }
  unsigned elementSize(const Value &V) const { return sizeOf(V.getType()->getScalarType()); }
  bool step(Origin &O, unsigned Size);
  bool stepShuffle(ShuffleVectorInst &Shuffle, Origin &O, unsigned Size) const;
  bool stepMask(const BinaryOperator &Masked, Origin &O, unsigned Size) const;
  std::optional<Origin> find(Origin O, unsigned Size);
  Value *make(const Origin &O, Instruction &At, Type *Word);
  Value *load(LoadInst &Load, unsigned Byte, Type *Word);

  Value &Moved;
  const DataLayout &DL;
  const bool Pairs;
  bool Moves, Reads = false; ///< as integers
};

/// A vector whose lanes are loaded one by one instead.
static bool isSplit(const Value &V) {
  auto *Load = dyn_cast<LoadInst>(&V);
  return Load && Load->isSimple() && Load->getType()->isVectorTy();
}

/// False if the word is mixed of two others.
bool LaneMover::stepShuffle(ShuffleVectorInst &Shuffle, Origin &O, unsigned Size) const {
  const unsigned Element = elementSize(Shuffle);
  if (Size % Element || O.Byte % Element)
    return false;
  const ArrayRef<int> Mask = Shuffle.getShuffleMask().slice(O.Byte / Element, Size / Element);
  const int Width = cast<FixedVectorType>(Shuffle.getOperand(0)->getType())->getNumElements();
  if (all_of(Mask, [](int Lane) { return Lane < 0; })) {
    O = {};
    return true;
  }
  for (auto [I, Lane] : enumerate(Mask))
    if (Lane < 0 || Lane != Mask.front() + int(I))
      return false;
  const int First = Mask.front() % Width;
  if (First * Element % Size || unsigned(First) + Mask.size() > unsigned(Width))
    return false;
  O = {Shuffle.getOperand(Mask.front() / Width), First * Element};
  return true;
}

/// True if so many bytes of a constant vector of integers have all bits set, or none.
static bool isFilled(const Value *V, unsigned Byte, unsigned Size, bool Ones) {
  const auto *C = dyn_cast<Constant>(V);
  const auto *T = C ? dyn_cast<FixedVectorType>(C->getType()) : nullptr;
  const unsigned Bits = T ? T->getScalarSizeInBits() : 0;
  if (!T || !T->getElementType()->isIntegerTy() || Bits % 8)
    return false;
  for (unsigned At = Byte; At < Byte + Size; ++At) {
    const auto *Part = dyn_cast_or_null<ConstantInt>(C->getAggregateElement(At * 8 / Bits));
    const uint64_t Found = Part ? Part->getValue().extractBitsAsZExtValue(8, At * 8 % Bits) : 1;
    if (Found != (Ones ? 0xff : 0))
      return false;
  }
  return true;
}

/// True if the word is zero, as far as one mask shows.
static bool isCleared(const Value *V, unsigned Byte, unsigned Size) {
  const auto *Mask = dyn_cast<BinaryOperator>(V);
  if (Mask && Mask->getOpcode() == Instruction::And)
    return any_of(Mask->operands(),
                  [&](const Use &Op) { return isFilled(Op, Byte, Size, /*Ones=*/false); });
  return isFilled(V, Byte, Size, /*Ones=*/false);
}

bool LaneMover::stepMask(const BinaryOperator &Masked, Origin &O, unsigned Size) const {
  const bool And = Masked.getOpcode() == Instruction::And;
  if (And && isCleared(&Masked, O.Byte, Size)) {
    O = {ConstantInt::get(IntegerType::get(Masked.getContext(), Size * 8), 0), 0};
    return true;
  }
  for (unsigned Side : {0U, 1U}) {
    const Value *Other = Masked.getOperand(1 - Side);
    if (And ? !isFilled(Other, O.Byte, Size, /*Ones=*/true) : !isCleared(Other, O.Byte, Size))
      continue;
    O.From = Masked.getOperand(Side);
    return true;
  }
  return false;
}

/// One step back. False where the word is calculated, or has come to its origin.
bool LaneMover::step(Origin &O, unsigned Size) {
  if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(O.From)) {
    Moves |= Shuffle->getType()->isIntOrIntVectorTy();
    return stepShuffle(*Shuffle, O, Size);
  }
  if (auto *Cast = dyn_cast<BitCastInst>(O.From)) {
    const Type *From = Cast->getSrcTy();
    if (!From->isVectorTy() || From->getScalarSizeInBits() != 8 * elementSize(*Cast->getOperand(0)))
      return false; // conditions lie in bits
    O.From = Cast->getOperand(0);
    return true;
  }
  if (auto *Masked = dyn_cast<BinaryOperator>(O.From);
      Masked && is_contained({Instruction::And, Instruction::Or}, Masked->getOpcode()) &&
      Masked->getType()->isVectorTy()) {
    Moves = true;
    return stepMask(*Masked, O, Size);
  }
  if (auto *Extract = dyn_cast<ExtractElementInst>(O.From)) {
    auto *Lane = dyn_cast<ConstantInt>(Extract->getIndexOperand());
    if (!Lane || !isa<FixedVectorType>(Extract->getVectorOperandType()) ||
        sizeOf(Extract->getType()) != Size)
      return false;
    O = {Extract->getVectorOperand(), unsigned(Lane->getZExtValue() * Size)};
    return O.Byte < sizeOf(Extract->getVectorOperandType());
  }
  auto *Insert = dyn_cast<InsertElementInst>(O.From);
  auto *Index = Insert ? dyn_cast<ConstantInt>(Insert->getOperand(2)) : nullptr;
  if (!Index || elementSize(*Insert) != Size)
    return false;
  Moves |= Insert->getType()->isIntOrIntVectorTy();
  if (Index->getZExtValue() * Size == O.Byte)
    O = {Insert->getOperand(1), 0};
  else
    O.From = Insert->getOperand(0);
  return true;
}

std::optional<Origin> LaneMover::find(Origin O, unsigned Size) {
  unsigned Steps = 0;
  while (O.From && Steps++ < MostSteps && step(O, Size))
    ;
  if (!O.From || isa<UndefValue>(O.From))
    return Origin();
  Reads |= isa<LoadInst>(O.From);
  Moves |= O.From->getType()->isIntOrIntVectorTy(8) || O.From->getType()->isIntOrIntVectorTy(16);
  const bool IsZero = (Pairs && isa<ConstantAggregateZero>(O.From)) ||
                      isFilled(O.From, O.Byte, Size, /*Ones=*/false);
  if (isa<FixedVectorType>(O.From->getType()) && IsZero)
    return Origin{ConstantInt::get(IntegerType::get(O.From->getContext(), Size * 8), 0), 0};
  if (!isa<FixedVectorType>(O.From->getType()))
    return sizeOf(O.From->getType()) == Size ? std::optional(O) : std::nullopt;
  const bool IsElement = elementSize(*O.From) == Size;
  const bool IsFloats = O.From->getType()->isFPOrFPVectorTy();
  if (isSplit(*O.From) && (IsElement || Pairs || !IsFloats))
    return O;
  return (IsFloats || isa<Constant>(O.From)) && IsElement ? std::optional(O) : std::nullopt;
}

Value *LaneMover::load(LoadInst &Load, unsigned Byte, Type *Word) {
  IRBuilder<> B(&Load);
  Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Load.getPointerOperand(), Byte);
  LoadInst *One = B.CreateAlignedLoad(Word, At, commonAlignment(Load.getAlign(), Byte));
  One->setAAMetadata(Load.getAAMetadata());
  return One;
}

Value *LaneMover::make(const Origin &O, Instruction &At, Type *Word) {
  if (!O.From)
    return PoisonValue::get(Word);
  if (isSplit(*O.From))
    return load(*cast<LoadInst>(O.From), O.Byte, Word);
  IRBuilder<> B(&At);
  Value *V = O.From;
  if (V->getType()->isVectorTy())
    V = B.CreateExtractElement(V, uint64_t(O.Byte / elementSize(*V)));
  // A float is stored as such.
  return V->getType() == Word || (isa<StoreInst>(At) && V->getType()->isFloatingPointTy())
             ? V
             : B.CreateBitCast(V, Word);
}

SmallVector<Value *, 8> LaneMover::words(Instruction &At, unsigned Size, bool Float) {
  const unsigned All = sizeOf(Moved.getType());
  if (All % Size)
    return {};
  SmallVector<Origin, 8> Origins;
  for (unsigned Byte = 0; Byte < All; Byte += Size) {
    const auto O = find({&Moved, Byte}, Size);
    if (!O || (O->From && O->From->getType()->isPointerTy()))
      return {};
    Origins.push_back(*O);
  }
  if (!Moves || !Reads)
    return {};
  LLVMContext &Context = At.getContext();
  Type *Word = IntegerType::get(Context, Size * 8);
  if (Float)
    Word = Size == 8 ? Type::getDoubleTy(Context) : Type::getFloatTy(Context);
  SmallVector<Value *, 8> Words;
  for (const Origin &O : Origins)
    Words.push_back(make(O, At, Word));
  return Words;
}

/// Into words of Size bytes each. If Pairs, two floats may be one number.
bool splitStore(StoreInst &Store, unsigned Size, bool Pairs = false) {
  LaneMover Lanes(*Store.getValueOperand(), Pairs);
  const SmallVector<Value *, 8> Words = Lanes.words(Store, Size, /*Float=*/false);
  if (Words.empty())
    return false;
  IRBuilder<> B(&Store);
  for (auto [I, Word] : enumerate(Words)) {
    Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Store.getPointerOperand(), I * Size);
    StoreInst *One = B.CreateAlignedStore(Word, At, commonAlignment(Store.getAlign(), I * Size));
    One->setAAMetadata(Store.getAAMetadata());
  }
  Store.eraseFromParent();
  return true;
}

/// Words of eight bytes: two halves may be one number.
bool splitConstant(StoreInst &Store) {
  auto *All = cast<Constant>(Store.getValueOperand());
  auto *T = cast<FixedVectorType>(All->getType());
  constexpr unsigned WordBits = 64;
  const unsigned Bits = T->getScalarSizeInBits(), Each = WordBits / Bits;
  if (T->getNumElements() % Each || Bits < 32)
    return false;
  IRBuilder<> B(&Store);
  for (unsigned Word = 0; Word < T->getNumElements() / Each; ++Word) {
    APInt Whole(WordBits, 0);
    for (unsigned I = 0; I < Each; ++I)
      if (auto *Part = dyn_cast_or_null<ConstantInt>(All->getAggregateElement(Word * Each + I)))
        Whole.insertBits(Part->getValue(), I * Bits);
    const unsigned Byte = Word * WordBits / 8;
    Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Store.getPointerOperand(), Byte);
    StoreInst *One = B.CreateAlignedStore(ConstantInt::get(B.getContext(), Whole), At,
                                          commonAlignment(Store.getAlign(), Byte));
    One->setAAMetadata(Store.getAAMetadata());
  }
  Store.eraseFromParent();
  return true;
}

bool joinFloats(BitCastInst &Cast) {
  auto *T = cast<FixedVectorType>(Cast.getType());
  const unsigned Size = T->getElementType()->isDoubleTy() ? 8 : 4;
  const SmallVector<Value *, 8> Words =
      LaneMover(*Cast.getOperand(0)).words(Cast, Size, /*Float=*/true);
  if (Words.empty())
    return false;
  IRBuilder<> B(&Cast);
  Value *All = PoisonValue::get(T);
  for (auto [I, Word] : enumerate(Words))
    All = B.CreateInsertElement(All, Word, uint64_t(I));
  Cast.replaceAllUsesWith(All);
  Cast.eraseFromParent();
  return true;
}

/// A vector of integers that an instruction makes, or a constant, not of conditions.
bool isWords(const Value &V) {
  auto *T = dyn_cast<FixedVectorType>(V.getType());
  return T && (isa<Instruction>(V) || (isa<ConstantData>(V) && !isa<UndefValue>(V))) &&
         T->getElementType()->isIntegerTy() &&
         is_contained({8U, 16U, 32U, 64U}, T->getScalarSizeInBits());
}

} // namespace

bool splitMovedLanes(Function &F) {
  SmallVector<StoreInst *, 8> Stores;
  SmallVector<BitCastInst *, 8> Casts;
  for (Instruction &I : instructions(F)) {
    if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple()) {
      if (isWords(*Store->getValueOperand()))
        Stores.push_back(Store);
    } else if (auto *Cast = dyn_cast<BitCastInst>(&I); Cast && isWords(*Cast->getOperand(0))) {
      Type *Element = Cast->getType()->getScalarType();
      if (Cast->getType()->isVectorTy() && (Element->isDoubleTy() || Element->isFloatTy()))
        Casts.push_back(Cast);
    }
  }
  bool Changed = false;
  for (StoreInst *Store : Stores)
    Changed |= isa<Constant>(Store->getValueOperand())
                   ? splitConstant(*Store)
                   : splitStore(*Store, 8) || splitStore(*Store, 4);
  for (BitCastInst *Cast : Casts)
    Changed |= joinFloats(*Cast);
  return Changed;
}

bool joinMovedFloats(Function &F, function_ref<bool(StoreInst &)> MayBeDoubles) {
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    Type *T = Store ? Store->getValueOperand()->getType() : nullptr;
    if (Store && Store->isSimple() && isa<Instruction>(Store->getValueOperand()) &&
        isa<FixedVectorType>(T) && T->getScalarType()->isFloatTy() && MayBeDoubles(*Store))
      Stores.push_back(Store);
  }
  bool Changed = false;
  for (StoreInst *Store : Stores) {
    Value *Old = Store->getValueOperand();
    if (!splitStore(*Store, 8, /*Pairs=*/true))
      continue;
    RecursivelyDeleteTriviallyDeadInstructions(Old); // what loaded floats says that there are some
    Changed = true;
  }
  return Changed;
}

} // namespace contraflow
