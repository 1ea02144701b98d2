// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %w = load i128, ptr %p                        %a = load i64, ptr %p
//   %a = trunc i128 %w to i64             ->      %b = load i64, ptr (%p + 8)
//   %h = lshr i128 %w, 64
//   %b = trunc i128 %h to i64
//
// On little-endian machines, where all uses are of that kind. What then copies a word has a
// derivative.

#include "WideLoads.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
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

/// The words that are taken of V, shifted so far. False if it has other uses.
bool collect(Value &V, uint64_t Shift, SmallVectorImpl<Word> &Words) {
  for (User *U : V.users()) {
    auto *I = cast<Instruction>(U);
    const APInt *By = nullptr;
    if (isa<TruncInst>(I) && I->getType()->isIntegerTy() && isWord(*I, Shift))
      Words.push_back({I, Shift});
    else if (!match(I, m_LShr(m_Specific(&V), m_APInt(By))) ||
             By->uge(V.getType()->getIntegerBitWidth() - Shift) ||
             !collect(*I, Shift + By->getZExtValue(), Words))
      return false;
  }
  return true;
}

bool split(LoadInst &Load) {
  SmallVector<Word, 4> Words;
  if (!collect(Load, 0, Words) || Words.empty())
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

} // namespace

bool splitWideLoads(Function &F) {
  if (!F.getDataLayout().isLittleEndian())
    return false;
  SmallVector<LoadInst *, 8> Wide;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple() &&
                                             Load->getType()->isIntegerTy() &&
                                             Load->getType()->getIntegerBitWidth() > WordBits)
      Wide.push_back(Load);
  bool Any = false;
  for (LoadInst *Load : Wide)
    Any |= split(*Load);
  return Any;
}

} // namespace contraflow
