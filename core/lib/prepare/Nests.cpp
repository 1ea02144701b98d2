// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two accesses are apart if the ranges of their bytes are, or if they are modulo a step S that both
// go by: relative to the first one's lowest byte, it touches the residues [0, w), and the other one
// [r, r + v), with w <= r and r + v <= S.

#include "Nests.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace contraflow {

const SCEV *NestAccesses::countOf(Loop &L) const {
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Count) || L.getExitingBlock() != L.getLoopLatch())
    return nullptr;
  Type *T = Type::getInt64Ty(L.getHeader()->getContext());
  const unsigned Width = SE.getTypeSizeInBits(Count->getType());
  if (Count->getType()->isPointerTy() || Width > 64)
    return nullptr;
  if (SE.isKnownNonNegative(Count))
    return SE.getTruncateOrZeroExtend(Count, T);
  const bool Divides =
      SCEVExprContains(Count, [](const SCEV *Part) { return isa<SCEVUDivExpr>(Part); });
  if (&L == &Nest) // it runs
    return SE.getTruncateOrZeroExtend(Count, T);
  if (Divides || (Width != 64 && !SE.isKnownNonNegative(SE.applyLoopGuards(Count, &L))))
    return nullptr;
  return SE.getTruncateOrSignExtend(Count, T);
}

std::optional<NestAccess> NestAccesses::describe(Instruction &I) const {
  Type *Int = Type::getInt64Ty(I.getContext());
  Type *T = isa<StoreInst>(I) ? cast<StoreInst>(I).getValueOperand()->getType() : I.getType();
  const SCEV *S = SE.getPtrToIntExpr(SE.getSCEV(getLoadStorePointerOperand(&I)), Int);
  if (isa<SCEVCouldNotCompute>(S))
    return std::nullopt;
  NestAccess Out{&I, S, {}, I.getDataLayout().getTypeStoreSize(T)};
  while (auto *Rec = dyn_cast<SCEVAddRecExpr>(Out.Start)) {
    auto *L = const_cast<Loop *>(Rec->getLoop());
    if (!Nest.contains(L))
      break;
    const SCEV *Step = Rec->getStepRecurrence(SE), *Count = countOf(*L);
    if (!Rec->isAffine() || !Count || !SE.isLoopInvariant(Step, &Nest))
      return std::nullopt;
    Out.Ways.push_back({L, Step, Count});
    if (!mostOf(Out.Ways.back()))
      return std::nullopt;
    Out.Start = Rec->getStart();
  }
  if (!SE.isLoopInvariant(Out.Start, &Nest))
    return std::nullopt;
  return Out;
}

const SCEV *NestAccesses::largest(const SCEV *S) const {
  while (auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
    if (!Nest.contains(Rec->getLoop()))
      break;
    auto *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
    if (!Rec->isAffine() || !Step)
      return nullptr;
    S = Rec->getStart();
    if (Step->getAPInt().isNegative())
      continue;
    auto *Outer = const_cast<Loop *>(Rec->getLoop());
    const SCEV *Count = countOf(*Outer);
    const SCEV *Most = Count ? mostOf({Outer, Step, Count}) : nullptr;
    if (!Most)
      return nullptr;
    S = SE.getAddExpr(S, SE.getMulExpr(Step, Most));
  }
  return SE.isLoopInvariant(S, &Nest) ? S : nullptr;
}

const SCEV *NestAccesses::mostOf(const Way &W) const {
  const SCEV *Most = largest(W.Count);
  return Most ? SE.getSMaxExpr(Most, SE.getZero(Most->getType())) : nullptr;
}

/// The bytes touched, but for the steps that are multiples of Except.
NestAccesses::Extent NestAccesses::extentOf(const NestAccess &X, const SCEV *Except) const {
  Type *T = X.Start->getType();
  const SCEV *Zero = SE.getZero(T), *Low = Zero, *High = SE.getConstant(T, X.Size);
  for (const Way &W : X.Ways) {
    if (Except && (W.Step == Except || W.Step == SE.getNegativeSCEV(Except)))
      continue;
    const SCEV *Far = SE.getMulExpr(W.Step, mostOf(W));
    Low = SE.getAddExpr(Low, SE.getSMinExpr(Zero, Far));
    High = SE.getAddExpr(High, SE.getSMaxExpr(Zero, Far));
  }
  return {SE.getAddExpr(X.Start, Low), SE.getAddExpr(X.Start, High)};
}

/// The widest step of either: one that only the run knows, or else the largest number.
const SCEV *NestAccesses::commonStep(const NestAccess &X, const NestAccess &Y) const {
  const SCEVConstant *Number = nullptr;
  for (const NestAccess *A : {&X, &Y})
    for (const Way &W : A->Ways) {
      auto *C = dyn_cast<SCEVConstant>(W.Step);
      if (!C)
        return W.Step;
      if (!Number || C->getAPInt().abs().ugt(Number->getAPInt().abs()))
        Number = C;
    }
  return Number;
}

Value *NestAccesses::apart(SCEVExpander &E, IRBuilderBase &B, const NestAccess &X,
                           const NestAccess &Y) const {
  Instruction *At = &*B.GetInsertPoint();
  const SCEV *Step = commonStep(X, Y);
  SmallVector<const SCEV *, 9> Needed;
  for (const SCEV *Except : {static_cast<const SCEV *>(nullptr), Step})
    for (const NestAccess *A : {&X, &Y}) {
      const Extent Bytes = extentOf(*A, Except);
      Needed.append({Bytes.Begin, Bytes.End});
    }
  Type *T = X.Start->getType();
  Needed.push_back(Step ? SE.getSMaxExpr(Step, SE.getNegativeSCEV(Step)) : SE.getOne(T));
  SmallVector<Value *, 9> V;
  for (const SCEV *S : Needed) {
    if (!E.isSafeToExpandAt(S, At))
      return nullptr;
    V.push_back(E.expandCodeFor(S, T, At));
  }
  Value *Ranges = B.CreateOr(B.CreateICmpULE(V[1], V[2]), B.CreateICmpULE(V[3], V[0]));
  if (!Step)
    return Ranges;
  Value *S = B.CreateBinaryIntrinsic(Intrinsic::smax, V[8], ConstantInt::get(T, 1));
  Value *Rest = B.CreateSRem(B.CreateSub(V[6], V[4]), S);
  Rest = B.CreateSelect(B.CreateIsNeg(Rest), B.CreateAdd(Rest, S), Rest);
  Value *Behind = B.CreateICmpSLE(B.CreateSub(V[5], V[4]), Rest);
  Value *Before = B.CreateICmpSLE(B.CreateAdd(Rest, B.CreateSub(V[7], V[6])), S);
  return B.CreateOr(Ranges, B.CreateAnd(Behind, Before));
}

} // namespace contraflow
