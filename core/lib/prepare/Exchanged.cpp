// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that name something, as the edges of a contact, are exchanged in pairs, which the optimiser
// turns into halves of the word they are in:
//
//   store i16 (trunc (%w >> 16)), ptr %p
//   store i16 (trunc %w), ptr (%p + 2)        ->    store i32 (rotate %w by 16), ptr %p
//
// Two bytes that move may be of a float, to the memory graph, here and wherever they are copied to.
// What is calculated is none, and a float whose halves are exchanged is refused as what its bits
// are calculated with (CF205, CF216).

#include "Exchanged.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

constexpr unsigned HalfBits = 16, HalfBytes = 2, WordBits = 32;

/// The word that the low, or the high half is stored of; null: something else is stored.
Value *wordOf(const StoreInst &Store, bool High) {
  Value *Word = nullptr;
  auto *V = const_cast<Value *>(Store.getValueOperand());
  const bool Matches = High ? match(V, m_Trunc(m_LShr(m_Value(Word), m_SpecificInt(HalfBits))))
                            : match(V, m_Trunc(m_Value(Word)));
  const bool IsHalf = Store.isSimple() && V->getType()->isIntegerTy(HalfBits);
  return Matches && IsHalf && Word->getType()->isIntegerTy(WordBits) ? Word : nullptr;
}

/// True if the second one's place is behind the first one's.
bool isBehind(const StoreInst &First, const StoreInst &Second, const DataLayout &DL) {
  auto By = Second.getPointerOperand()->getPointerOffsetFrom(First.getPointerOperand(), DL);
  return By == HalfBytes;
}

/// The next access of memory in the block.
StoreInst *nextStore(StoreInst &Store) {
  for (Instruction *I = Store.getNextNode(); I; I = I->getNextNode())
    if (I->mayReadOrWriteMemory())
      return dyn_cast<StoreInst>(I);
  return nullptr;
}

/// The store of the word; null: it is none.
StoreInst *join(StoreInst &A, const DataLayout &DL) {
  StoreInst *B = nextStore(A);
  if (!B)
    return nullptr;
  for (StoreInst *Low : {&A, B}) { // at the place of the high half
    StoreInst *High = Low == &A ? B : &A;
    Value *Word = wordOf(*Low, false);
    if (!Word || wordOf(*High, true) != Word || !isBehind(*High, *Low, DL))
      continue;
    IRBuilder<> At(B);
    Value *Rotated =
        At.CreateIntrinsic(Intrinsic::fshl, {Word->getType()}, {Word, Word, At.getInt32(HalfBits)});
    StoreInst *Store = At.CreateAlignedStore(Rotated, High->getPointerOperand(), High->getAlign());
    Store->setAAMetadata(High->getAAMetadata().merge(Low->getAAMetadata()));
    for (StoreInst *Half : {&A, B}) {
      auto *V = dyn_cast<Instruction>(Half->getValueOperand());
      Half->eraseFromParent();
      RecursivelyDeleteTriviallyDeadInstructions(V);
    }
    return Store;
  }
  return nullptr;
}

} // namespace

void joinExchangedHalves(Function &F) {
  for (BasicBlock &Block : F)
    for (Instruction *I = &Block.front(); I;) {
      auto *Store = dyn_cast<StoreInst>(I);
      StoreInst *Joined = Store ? join(*Store, F.getDataLayout()) : nullptr;
      I = (Joined ? Joined : I)->getNextNode();
    }
}

} // namespace contraflow
