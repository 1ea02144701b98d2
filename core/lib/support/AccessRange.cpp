// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Peels the steps of the nest's loops off the scalar evolution of the address, inner loop first.

#include "AccessRange.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace contraflow {

/// Iterations after the first, never negative; null if that cannot be told. Where Nest is entered,
/// it runs, and its count is what it says, unsigned.
static const SCEV *countOf(ScalarEvolution &SE, const Loop &L, const Loop &Nest) {
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Count) || SE.getTypeSizeInBits(Count->getType()) > 64)
    return nullptr;
  if (&L == &Nest || SE.isKnownNonNegative(Count))
    return Count;
  bool Guarded = SE.getTypeSizeInBits(Count->getType()) == 64 ||
                 SE.isKnownNonNegative(SE.applyLoopGuards(Count, &L));
  return Guarded ? SE.getSMaxExpr(Count, SE.getZero(Count->getType())) : nullptr;
}

std::optional<AccessRange> accessRange(ScalarEvolution &SE, Loop &Nest, Value *Pointer,
                                       uint64_t Size) {
  Type *T = Type::getInt64Ty(Pointer->getContext());
  const SCEV *S = SE.getPtrToIntExpr(SE.getSCEV(Pointer), T);
  if (isa<SCEVCouldNotCompute>(S))
    return std::nullopt;
  const SCEV *Low = SE.getZero(T), *High = SE.getConstant(T, Size);
  while (auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
    if (!Nest.contains(Rec->getLoop()))
      break;
    const SCEV *Count = countOf(SE, *Rec->getLoop(), Nest), *Step = Rec->getStepRecurrence(SE);
    if (!Rec->isAffine() || !Count || !SE.isLoopInvariant(Step, &Nest) ||
        !SE.isLoopInvariant(Count, &Nest))
      return std::nullopt;
    const SCEV *Way = SE.getMulExpr(Step, SE.getTruncateOrZeroExtend(Count, T));
    Low = SE.getAddExpr(Low, SE.getSMinExpr(SE.getZero(T), Way));
    High = SE.getAddExpr(High, SE.getSMaxExpr(SE.getZero(T), Way));
    S = Rec->getStart();
  }
  if (!SE.isLoopInvariant(S, &Nest))
    return std::nullopt;
  return AccessRange{SE.getAddExpr(S, Low), SE.getAddExpr(S, High)};
}

Value *accessBase(ScalarEvolution &SE, Loop &Nest, Value *Pointer) {
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(SE.getSCEV(Pointer)));
  return Base && SE.isLoopInvariant(Base, &Nest) ? Base->getValue() : nullptr;
}

} // namespace contraflow
