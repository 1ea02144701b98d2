// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An update may wait until the end of its loop if nothing in the loop's reverse reads the shadow it
// goes to: the reverse of a store does, so loads must be apart from all stores of the loop.

#include "Deferred.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

class DeferredFinder {
public:
  DeferredFinder(RequestState &S, Unit &U, ForwardSweep &Fwd, const BodyAnalyses &A)
      : S(S), U(U), Fwd(Fwd), A(A) {}
  bool find(Loop &L, ArrayRef<SharedPlan> Shared, DeferredLoop &Out);

private:
  bool qualifies(Loop &L);
  bool walksEvenly(Loop &L, LoadInst &Load) const;
  bool apartFromStores(LoadInst &Load) const;

  RequestState &S;
  Unit &U;
  ForwardSweep &Fwd;
  const BodyAnalyses &A;
  SmallVector<StoreInst *, 8> Stores;
};

bool DeferredFinder::qualifies(Loop &L) {
  if (!L.isInnermost() || !S.Loops.lookup(L.getHeader()).Last ||
      L.getExitingBlock() != L.getLoopLatch())
    return false;
  Stores.clear();
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      if (!A.Steps.hasWork(I))
        continue;
      if (A.Steps.site(I) || isa<AtomicRMWInst>(I))
        return false;
      if (auto *Store = dyn_cast<StoreInst>(&I))
        Stores.push_back(Store);
    }
  return true;
}

/// The shadow is walked upwards, element by element, in every iteration.
bool DeferredFinder::walksEvenly(Loop &L, LoadInst &Load) const {
  Type *T = Load.getType();
  if ((!T->isDoubleTy() && !T->isFloatTy()) || !A.DT.dominates(Load.getParent(), L.getLoopLatch()))
    return false;
  auto *Rec = dyn_cast<SCEVAddRecExpr>(A.SE.getSCEV(Fwd.accessOf(Load)));
  if (!Rec || Rec->getLoop() != &L || !Rec->isAffine())
    return false;
  auto *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(A.SE));
  return Step && Step->getAPInt() == Load.getDataLayout().getTypeStoreSize(T).getFixedValue();
}

bool DeferredFinder::apartFromStores(LoadInst &Load) const {
  auto Object = [](const Value *P, const Instruction &I) {
    return MemoryLocation::getBeforeOrAfter(getUnderlyingObject(P, 20), I.getAAMetadata());
  };
  MemoryLocation Read = Object(Load.getPointerOperand(), Load);
  return all_of(Stores, [&](StoreInst *Store) {
    return A.AA.alias(Read, Object(Store->getPointerOperand(), *Store)) == AliasResult::NoAlias;
  });
}

bool DeferredFinder::find(Loop &L, ArrayRef<SharedPlan> Shared, DeferredLoop &Out) {
  if (any_of(Shared, [&](const SharedPlan &P) { return P.Loop.L == &L; }) || !qualifies(L))
    return false;
  DenseMap<const SCEV *, unsigned> PerArray;
  SmallVector<std::pair<LoadInst *, const SCEV *>, 8> Found;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !S.Activity.active(Load) || !A.Steps.hasWork(I) || !walksEvenly(L, *Load) ||
          !apartFromStores(*Load))
        continue;
      Value *Shadow = Fwd.accessOf(*Load);
      bool Plain = !mayBeShared(U, Shadow) || any_of(Shared, [&](const SharedPlan &P) {
        return P.Loop.PlainLoads.contains(Load);
      });
      if (!Plain)
        continue;
      const SCEV *Array = A.SE.getPointerBase(A.SE.getSCEV(Shadow));
      ++PerArray[Array];
      Found.push_back({Load, Array});
    }
  for (auto [Load, Array] : Found)
    if (PerArray[Array] > 1)
      Out.Loads.push_back(Load);
  Out.L = &L;
  return !Out.Loads.empty() && Out.Loads.size() <= 64;
}

} // namespace

SmallVector<DeferredLoop, 2> findDeferredLoops(RequestState &S, Unit &U, ForwardSweep &Fwd,
                                               ArrayRef<SharedPlan> Shared, const BodyAnalyses &A) {
  SmallVector<DeferredLoop, 2> Out;
  DeferredFinder Finder(S, U, Fwd, A);
  for (Loop *L : A.LI.getLoopsInPreorder()) {
    DeferredLoop New;
    if (A.Shape.reversed(L) && Finder.find(*L, Shared, New))
      Out.push_back(std::move(New));
  }
  return Out;
}

} // namespace contraflow
