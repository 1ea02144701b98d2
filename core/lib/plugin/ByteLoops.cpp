// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of bytes whose number is known is unrolled wholly before it is known that the two places
// are apart, and what is left shows nothing of the numbers that move. As a loop it is memcpy once
// the callee is inlined, or bytes that move with their adjoints:
//
//   while (n--) *to++ = *from++;     ->     to[0] = from[0]; to[1] = from[1]; ...     24 bytes
//
// A variable that is copied wholly becomes a register if its loop is unrolled, also where loops
// usually are not (-O0):
//
//   for (i = 0; i < 8; i++) *at++ = ((char *)&x)[i];
//
// Of a structure, that would be registers of single bytes: what becomes a copy of memory later
// (prepare/ByteMoves.h) stays a loop.

#include "ByteLoops.h"
#include "prepare/ByteMoves.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

constexpr unsigned MostBytes = 64; ///< of a variable that is taken apart
constexpr unsigned Number = 8;     ///< bytes of one, at most

/// True if all bytes of a variable lie where a loop of so many iterations walks.
bool isWholeVariable(Value *Pointer, unsigned Bytes, ScalarEvolution &SE) {
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(SE.getSCEV(Pointer)));
  auto *Variable = Base ? dyn_cast<AllocaInst>(getUnderlyingObject(Base->getValue())) : nullptr;
  const auto Size =
      Variable ? Variable->getAllocationSize(Variable->getDataLayout()) : std::nullopt;
  return Size && !Size->isScalable() && Size->getFixedValue() == Bytes;
}

/// True if a loop of so many iterations puts the bytes of a word in the other order.
bool isSwap(const SCEVAddRecExpr *To, const SCEVAddRecExpr *From, unsigned Count) {
  return To && From && (Count == 2 || Count == 4 || Count == 8) &&
         To->getOperand(1) != From->getOperand(1);
}

/// True if I moves one byte of a word that a loop of so many iterations takes apart or puts
/// together.
bool movesPart(const Instruction &I, const Loop &L, ScalarEvolution &SE, unsigned Count) {
  if (Count != 4 && Count != 8)
    return false;
  Value *Byte = nullptr;
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return match(Store->getValueOperand(), m_Trunc(m_LShr(m_Value(), m_Value()))) &&
           Store->getValueOperand()->getType()->isIntegerTy(8) &&
           byteWalk(Store->getPointerOperand(), L, SE);
  if (!match(&I, m_c_Or(m_ZExt(m_Value(Byte)), m_Shl(m_Value(), m_Value()))) &&
      !match(&I, m_c_Or(m_Shl(m_ZExt(m_Value(Byte)), m_Value()), m_Value())))
    return false;
  auto *Load = dyn_cast<LoadInst>(Byte);
  return Load && Load->getType()->isIntegerTy(8) && byteWalk(Load->getPointerOperand(), L, SE);
}

/// Whoever wants short code gets it.
const char *unrolling(const Loop &L) {
  return L.getHeader()->getParent()->hasOptSize() ? nullptr : "llvm.loop.unroll.full";
}

/// What to do with a loop that copies bytes; null: it does not.
const char *markFor(const Loop &L, ScalarEvolution &SE) {
  const char *Mark = nullptr;
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B) {
      if (movesPart(I, L, SE, SE.getSmallConstantTripCount(&L)))
        return unrolling(L);
      auto *Store = dyn_cast<StoreInst>(&I);
      auto *Load = Store ? dyn_cast<LoadInst>(Store->getValueOperand()) : nullptr;
      if (!Load || !Load->getType()->isIntegerTy(8))
        continue;
      Mark = "llvm.loop.unroll.disable";
      if (keepsPosition(L))
        continue;
      const unsigned Bytes = SE.getSmallConstantTripCount(&L);
      const SCEVAddRecExpr *To = byteWalk(Store->getPointerOperand(), L, SE),
                           *From = byteWalk(Load->getPointerOperand(), L, SE);
      const bool IsCopy = To && From;
      if (isSwap(To, From, Bytes) ||
          (Bytes && Bytes <= (IsCopy ? Number : MostBytes) &&
           (isWholeVariable(const_cast<Value *>(Store->getPointerOperand()), Bytes, SE) ||
            isWholeVariable(const_cast<Value *>(Load->getPointerOperand()), Bytes, SE))))
        return unrolling(L);
    }
  return Mark;
}

} // namespace

PreservedAnalyses ByteLoopsPass::run(Loop &L, LoopAnalysisManager &,
                                     LoopStandardAnalysisResults &Known, LPMUpdater &) {
  const char *Mark = L.isInnermost() ? markFor(L, Known.SE) : nullptr;
  if (!Mark)
    return PreservedAnalyses::all();
  MDNode *Id = makePostTransformationMetadata(L.getHeader()->getContext(), L.getLoopID(),
                                              {"llvm.loop.unroll."}, {});
  L.setLoopID(Id);
  addStringMetadataToLoop(&L, Mark, 1);
  return PreservedAnalyses::all();
}

void keepByteLoops(PassBuilder &PB) {
  PB.registerLateLoopOptimizationsEPCallback(
      [](LoopPassManager &LPM, OptimizationLevel) { LPM.addPass(ByteLoopsPass()); });
}

} // namespace contraflow
