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

/// How often L is repeated at most; null if that is not known. What only the width of a counter
/// says is no count of iterations that run: an address that far away would have wrapped around.
static const SCEV *mostIterations(ScalarEvolution &SE, const Loop &L) {
  constexpr unsigned MostBits = 40;
  const SCEV *Count = SE.getSymbolicMaxBackedgeTakenCount(&L);
  auto *Number = dyn_cast<SCEVConstant>(Count);
  const bool Runs = !Number || Number->getAPInt().getActiveBits() <= MostBits;
  return Runs && !isa<SCEVCouldNotCompute>(Count) ? Count : nullptr;
}

static bool isNonNegative(ScalarEvolution &SE, const SCEV *S, unsigned Depth) {
  constexpr unsigned MostDepth = 8;
  if (SE.isKnownNonNegative(S))
    return true;
  if (Depth > MostDepth)
    return false;
  auto Is = [&](const SCEV *Part) { return isNonNegative(SE, Part, Depth + 1); };
  if (auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
    if (!Rec->isAffine() || !Is(Rec->getStart()))
      return false;
    const SCEV *Last = mostIterations(SE, *Rec->getLoop());
    return Is(Rec->getStepRecurrence(SE)) ||
           (Last && Last->getType() == S->getType() && Is(Rec->evaluateAtIteration(Last, SE)));
  }
  if (isa<SCEVAddExpr, SCEVMulExpr, SCEVSMinExpr>(S))
    return all_of(S->operands(), Is);
  if (isa<SCEVSMaxExpr>(S))
    return any_of(S->operands(), Is);
  return false;
}

bool isNonNegative(ScalarEvolution &SE, const SCEV *S) { return isNonNegative(SE, S, 0); }

std::optional<Walk> walkIn(ScalarEvolution &SE, const SCEV *S, const Loop &L) {
  auto *Rec = dyn_cast<SCEVAddRecExpr>(S);
  if (!Rec || Rec->getLoop() != &L || !Rec->isAffine())
    return std::nullopt;
  const SCEV *Step = SE.applyLoopGuards(Rec->getStepRecurrence(SE), &L);
  const bool Rises = isNonNegative(SE, Step);
  if (!Rises && !isNonNegative(SE, SE.getNegativeSCEV(Step)))
    return std::nullopt;
  return Walk{Rec, Rises};
}

const SCEV *extremeIn(ScalarEvolution &SE, const SCEV *S, const Loop &L, Extreme Which) {
  if (SE.isLoopInvariant(S, &L))
    return S;
  const auto Walked = walkIn(SE, S, L);
  if (!Walked)
    return nullptr;
  if (Walked->Rises != (Which == Extreme::Highest))
    return Walked->Rec->getStart();
  const SCEV *Last = mostIterations(SE, L);
  if (!Last || SE.getTypeSizeInBits(Last->getType()) > 64)
    return nullptr;
  return Walked->Rec->evaluateAtIteration(SE.getNoopOrZeroExtend(Last, S->getType()), SE);
}

std::optional<AccessRange> accessExtremes(ScalarEvolution &SE, Loop &Nest, Value *Pointer,
                                          uint64_t Size) {
  Type *T = Type::getInt64Ty(Pointer->getContext());
  const SCEV *Low = SE.getPtrToIntExpr(SE.getSCEV(Pointer), T), *High = Low;
  while (!isa<SCEVCouldNotCompute>(Low)) {
    auto *Rec = dyn_cast<SCEVAddRecExpr>(High);
    if (!Rec || !Nest.contains(Rec->getLoop()))
      Rec = dyn_cast<SCEVAddRecExpr>(Low);
    if (!Rec || !Nest.contains(Rec->getLoop()))
      break;
    const Loop &L = *Rec->getLoop();
    Low = extremeIn(SE, Low, L, Extreme::Lowest);
    High = Low ? extremeIn(SE, High, L, Extreme::Highest) : nullptr;
    if (!High)
      return std::nullopt;
  }
  if (isa<SCEVCouldNotCompute>(Low) || !SE.isLoopInvariant(Low, &Nest) ||
      !SE.isLoopInvariant(High, &Nest))
    return std::nullopt;
  return AccessRange{Low, SE.getAddExpr(High, SE.getConstant(T, Size))};
}

std::optional<AccessRange> accessHull(ScalarEvolution &SE, Loop &Nest, Value *Pointer,
                                      uint64_t Size) {
  if (auto Range = accessRange(SE, Nest, Pointer, Size))
    return Range;
  return accessExtremes(SE, Nest, Pointer, Size);
}

Value *accessBase(ScalarEvolution &SE, Loop &Nest, Value *Pointer) {
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(SE.getSCEV(Pointer)));
  return Base && SE.isLoopInvariant(Base, &Nest) ? Base->getValue() : nullptr;
}

} // namespace contraflow
