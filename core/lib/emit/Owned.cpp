// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a block: the same address, and no call between. In a loop: the store is reached in every
// iteration and walks memory densely, and what the load reads in the whole loop lies between its
// first and its last place.

#include "Owned.h"
#include "contraflow/core/Callee.h"
#include "prepare/Nests.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

/// True if threads may wait for each other here, or the code behind may not be reached.
bool mayWait(const Instruction &I) {
  if (isa<FenceInst>(I) || I.isAtomic() || I.isVolatile())
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || isa<IntrinsicInst>(Call))
    return false;
  const CalleeKind Kind = lookupCallee(*Call).Kind;
  return Kind != CalleeKind::Math && Kind != CalleeKind::Allocate && Kind != CalleeKind::Free;
}

/// What is read is read while the loop runs: the larger one of 0 and its count is the count.
class WhileRunning : public SCEVRewriteVisitor<WhileRunning> {
public:
  WhileRunning(ScalarEvolution &SE, const SCEV &Count) : SCEVRewriteVisitor(SE), Count(Count) {}
  const SCEV *visitSMaxExpr(const SCEVSMaxExpr *S) {
    const bool Is =
        S->getNumOperands() == 2 && S->getOperand(0)->isZero() && S->getOperand(1) == &Count;
    return Is ? &Count : SCEVRewriteVisitor::visitSMaxExpr(S);
  }

private:
  const SCEV &Count;
};

class OwnedFinder {
public:
  explicit OwnedFinder(const BodyAnalyses &A) : A(A) {}
  void inBlock(BasicBlock &Block);
  void inLoop(Loop &L);
  DenseSet<const Instruction *> Out;

private:
  bool covers(Loop &L, const NestAccess &Write, const NestAccess &Read) const;

  const BodyAnalyses &A;
};

bool sameAddress(ScalarEvolution &SE, const LoadInst &Load, const StoreInst &Store) {
  const DataLayout &Layout = Load.getDataLayout();
  const Value *P = Load.getPointerOperand(), *Q = Store.getPointerOperand();
  return Layout.getTypeStoreSize(Load.getType()) <=
             Layout.getTypeStoreSize(Store.getValueOperand()->getType()) &&
         (P == Q || SE.getSCEV(const_cast<Value *>(P)) == SE.getSCEV(const_cast<Value *>(Q)));
}

void OwnedFinder::inBlock(BasicBlock &Block) {
  SmallVector<LoadInst *, 8> Loads;
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : Block) {
    if (mayWait(I)) {
      Loads.clear();
      Stores.clear();
    } else if (auto *Load = dyn_cast<LoadInst>(&I)) {
      Loads.push_back(Load);
      if (any_of(Stores, [&](StoreInst *S) { return sameAddress(A.SE, *Load, *S); }))
        Out.insert(Load);
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      Stores.push_back(Store);
      for (LoadInst *L : Loads)
        if (sameAddress(A.SE, *L, *Store))
          Out.insert(L);
    }
    if (Loads.size() + Stores.size() > 64)
      break;
  }
}

bool OwnedFinder::covers(Loop &L, const NestAccess &Write, const NestAccess &Read) const {
  const NestAccesses N(A.SE, L);
  Type *T = Read.Start->getType();
  const SCEV *Low = A.SE.getMinusSCEV(Read.Start, Write.Start), *High = Low;
  auto IsWhole = [&](const SCEV *S) {
    auto *C = dyn_cast<SCEVConstant>(S);
    return C && C->getAPInt().srem(Write.Size) == 0;
  };
  if (Read.Size != Write.Size || !IsWhole(Low))
    return false;
  for (const Way &W : Read.Ways) {
    const SCEV *Most = N.largest(W.Count);
    if (!Most || !IsWhole(W.Step))
      return false;
    const SCEV *Far = A.SE.getMulExpr(W.Step, Most);
    const SCEV *&End = cast<SCEVConstant>(W.Step)->getAPInt().isNegative() ? Low : High;
    End = A.SE.getAddExpr(End, Far);
  }
  const SCEV *Last = A.SE.getMulExpr(A.SE.getConstant(T, Write.Size), Write.Ways[0].Count);
  const SCEV *Behind =
      A.SE.getMinusSCEV(Last, WhileRunning(A.SE, *Write.Ways[0].Count).visit(High));
  return A.SE.isKnownNonNegative(Low) && A.SE.isKnownNonNegative(Behind);
}

void OwnedFinder::inLoop(Loop &L) {
  if (L.getExitingBlock() != L.getLoopLatch() || !L.getLoopLatch())
    return;
  const NestAccesses N(A.SE, L);
  SmallVector<NestAccess, 8> Reads, Writes;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (mayWait(I))
        return;
      auto *Load = dyn_cast<LoadInst>(&I);
      const bool Stores = isa<StoreInst>(I) && A.LI.getLoopFor(Block) == &L &&
                          A.DT.dominates(Block, L.getLoopLatch());
      if (!Stores && !(Load && Load->getType()->isFloatingPointTy()))
        continue;
      if (auto Access = N.describe(I))
        (Load ? Reads : Writes).push_back(std::move(*Access));
      if (Reads.size() + Writes.size() > 64)
        return;
    }
  for (const NestAccess &W : Writes) {
    auto *Step = W.Ways.size() == 1 ? dyn_cast<SCEVConstant>(W.Ways[0].Step) : nullptr;
    if (!Step || W.Ways[0].L != &L || Step->getAPInt() != W.Size)
      continue;
    for (const NestAccess &R : Reads)
      if (covers(L, W, R))
        Out.insert(R.I);
  }
}

} // namespace

DenseSet<const Instruction *> findOwnedLoads(const Unit &U, const BodyAnalyses &A) {
  OwnedFinder Finder(A);
  if (!U.InTeam || U.Foreign)
    return {};
  for (BasicBlock &Block : *U.Forward)
    Finder.inBlock(Block);
  for (Loop *L : A.LI.getLoopsInPreorder())
    Finder.inLoop(*L);
  return std::move(Finder.Out);
}

} // namespace contraflow
