// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of a std::variant<int, double> becomes a register, and its integer the low half of that:
//
//   %d = load double, ptr %p                      %d = load double, ptr %p
//   %i = trunc i64 (bitcast %d) to i32     ->     %i = load i32, ptr %p
//
// What is loaded as an integer is one if integers are stored there (analysis/LostBits.h); in the
// digits of a number none would be found. Where the register is chosen (phi, select), so is the
// integer.

#include "Unions.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned WordBits = 64, HalfBits = 32;
constexpr size_t MostChoices = 64; ///< that one integer comes through

bool isWord(const Value &V) { return V.getType()->isDoubleTy() || V.getType()->isIntegerTy(64); }

Value *withoutCast(Value *V) {
  auto *Cast = dyn_cast<BitCastInst>(V);
  return Cast && isWord(*Cast->getOperand(0)) ? Cast->getOperand(0) : V;
}

/// True if somebody takes the word for a number.
bool isNumber(const Value &V) {
  const bool IsDouble = V.getType()->isDoubleTy();
  return any_of(V.users(), [&](const User *U) {
    return isa<BitCastInst>(U) ? U->getType()->isDoubleTy() : IsDouble;
  });
}

/// The integer in the low half of words that are loaded and chosen.
class LowHalf {
public:
  LowHalf(Value &Word, IntegerType &T) : Word(Word), T(T) {}
  /// False if the word comes from anywhere else than memory.
  bool isLoaded();
  Value *make() { return of(&Word); }

private:
  Value *of(Value *V);

  Value &Word;
  IntegerType &T;
  DenseMap<Value *, Value *> Made;
};

bool LowHalf::isLoaded() {
  SmallSetVector<Value *, 8> Seen;
  Seen.insert(&Word);
  bool Any = false;
  for (size_t Next = 0; Next < Seen.size() && Seen.size() <= MostChoices; ++Next) {
    Value *V = Seen[Next];
    auto *Load = dyn_cast<LoadInst>(V);
    Any |= Load != nullptr;
    if (Load ? !Load->isSimple() : !isa<PHINode, SelectInst, Constant>(V))
      return false;
    if (auto *Phi = dyn_cast<PHINode>(V))
      for (Value *In : Phi->incoming_values())
        Seen.insert(withoutCast(In));
    if (auto *Select = dyn_cast<SelectInst>(V))
      for (Value *In : {Select->getTrueValue(), Select->getFalseValue()})
        Seen.insert(withoutCast(In));
  }
  return Any && Seen.size() <= MostChoices;
}

Value *LowHalf::of(Value *V) {
  V = withoutCast(V);
  if (Value *Known = Made.lookup(V))
    return Known;
  if (auto *Phi = dyn_cast<PHINode>(V)) {
    PHINode *Low = PHINode::Create(&T, Phi->getNumIncomingValues(), "", Phi->getIterator());
    Made[V] = Low;
    for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I)
      Low->addIncoming(of(Phi->getIncomingValue(I)), Phi->getIncomingBlock(I));
    return Low;
  }
  if (auto *C = dyn_cast<Constant>(V)) {
    IRBuilder<> B(V->getContext());
    return B.CreateTrunc(B.CreateBitCast(C, B.getIntNTy(WordBits)), &T);
  }
  IRBuilder<> B(cast<Instruction>(V));
  if (auto *Select = dyn_cast<SelectInst>(V))
    return Made[V] = B.CreateSelect(Select->getCondition(), of(Select->getTrueValue()),
                                    of(Select->getFalseValue()));
  auto *Load = cast<LoadInst>(V);
  LoadInst *Low = B.CreateAlignedLoad(&T, Load->getPointerOperand(), Load->getAlign());
  Low->setMetadata(LowHalfKind, MDNode::get(V->getContext(), {}));
  return Made[V] = Low;
}

} // namespace

void splitUnions(Function &F) {
  if (!F.getDataLayout().isLittleEndian())
    return;
  SmallVector<TruncInst *, 8> Integers;
  for (Instruction &I : instructions(F))
    if (auto *Low = dyn_cast<TruncInst>(&I); Low && isWord(*Low->getOperand(0)))
      if (const unsigned Bits = Low->getType()->getIntegerBitWidth();
          Bits <= HalfBits && Bits % 8 == 0)
        Integers.push_back(Low);
  for (TruncInst *Integer : Integers) {
    Value *Word = withoutCast(Integer->getOperand(0));
    LowHalf Low(*Word, *cast<IntegerType>(Integer->getType()));
    if (!isNumber(*Word) || !Low.isLoaded())
      continue;
    Integer->replaceAllUsesWith(Low.make());
    RecursivelyDeleteTriviallyDeadInstructions(Integer);
  }
}

} // namespace contraflow
