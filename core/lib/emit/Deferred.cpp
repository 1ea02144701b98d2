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

constexpr size_t MaxUpdates = 64;
constexpr int64_t WidestWindow = 16;

/// The last sum that I is a summand of and nothing else: it has the adjoint of I.
const Instruction *sumOf(const Instruction &I) {
  const Instruction *Sum = &I;
  while (Sum->hasOneUse()) {
    const auto *Next = cast<Instruction>(Sum->user_back());
    if (Next->getOpcode() != Instruction::FAdd || Next->getParent() != I.getParent())
      break;
    Sum = Next;
  }
  return Sum;
}

void sortWindow(SmallVectorImpl<DeferredUpdate> &Window) {
  sort(Window, [](const DeferredUpdate &A, const DeferredUpdate &B) {
    return std::pair(A.Shift, A.Buffer) < std::pair(B.Shift, B.Buffer);
  });
  const int64_t Lowest = Window.front().Shift;
  for (DeferredUpdate &Update : Window)
    Update.Shift -= Lowest;
}

class DeferredFinder {
public:
  DeferredFinder(RequestState &S, Unit &U, ForwardSweep &Fwd, const BodyAnalyses &A)
      : S(S), U(U), Fwd(Fwd), A(A) {}
  bool find(Loop &L, ArrayRef<SharedPlan> Shared, DeferredLoop &Out);

private:
  bool qualifies(Loop &L);
  bool readsActive(const LoadInst &Load) const;
  bool walksEvenly(Loop &L, LoadInst &Load) const;
  bool apartFromStores(LoadInst &Load) const;
  void place(DeferredLoop &Out, DeferredUpdate New) const;

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

/// Otherwise nothing is added, whether the analysis of activity is on or off.
bool DeferredFinder::readsActive(const LoadInst &Load) const {
  return S.Activity.activeAt(S.Graph.find(Load.getPointerOperand()),
                             S.Graph.layout().getTypeStoreSize(Load.getType()));
}

/// The shadow is walked upwards, element by element, in every iteration.
bool DeferredFinder::walksEvenly(Loop &L, LoadInst &Load) const {
  Type *T = Load.getType();
  if ((!T->isDoubleTy() && !T->isFloatTy()) ||
      mayMeetAddress(S.Graph, Load.getPointerOperand(), T) || isFloatOrDouble(S.Activity, Load) ||
      !A.DT.dominates(Load.getParent(), L.getLoopLatch()))
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
      if (!Load || !S.Activity.active(Load) || !A.Steps.hasWork(I) || !readsActive(*Load) ||
          !walksEvenly(L, *Load) || !apartFromStores(*Load))
        continue;
      Value *Shadow = Fwd.accessOf(*Load);
      bool Plain = !mayBeShared(U, Shadow) || any_of(Shared, [&](const SharedPlan &P) {
        return P.Range < 0 && P.Loop.PlainLoads.contains(Load);
      });
      if (!Plain)
        continue;
      const SCEV *Array = A.SE.getPointerBase(A.SE.getSCEV(Shadow));
      ++PerArray[Array];
      Found.push_back({Load, Array});
    }
  erase_if(Found, [&](const auto &Pair) { return PerArray[Pair.second] < 2; });
  if (Found.empty() || Found.size() > MaxUpdates)
    return false;
  DenseMap<const Instruction *, unsigned> BufferOf;
  for (auto [Load, Array] : Found) {
    auto [Buffer, New] = BufferOf.try_emplace(sumOf(*Load), Out.Buffers.size());
    if (New)
      Out.Buffers.push_back(Load->getType());
    place(Out, {Load, Buffer->second, 0});
  }
  for (auto &Window : Out.Windows)
    sortWindow(Window);
  Out.L = &L;
  return true;
}

/// Into the window of a neighbour, or one of its own.
void DeferredFinder::place(DeferredLoop &Out, DeferredUpdate New) const {
  auto AddressOf = [&](const DeferredUpdate &Update) {
    return A.SE.getSCEV(Fwd.accessOf(*Update.Load));
  };
  Type *T = New.Load->getType();
  const auto Size = static_cast<int64_t>(New.Load->getDataLayout().getTypeStoreSize(T));
  for (auto &Window : Out.Windows) {
    const DeferredUpdate &First = Window.front();
    auto *Apart = dyn_cast<SCEVConstant>(A.SE.getMinusSCEV(AddressOf(New), AddressOf(First)));
    if (!Apart || First.Load->getType() != T || Apart->getAPInt().getSignificantBits() > 32)
      continue;
    const int64_t Bytes = Apart->getAPInt().getSExtValue();
    if (Bytes % Size != 0 || std::abs(Bytes / Size) > WidestWindow)
      continue;
    New.Shift = First.Shift + Bytes / Size;
    Window.push_back(New);
    return;
  }
  Out.Windows.push_back({New});
}

} // namespace

int64_t DeferredLoop::padding() const {
  int64_t Widest = 0;
  for (const auto &Window : Windows)
    Widest = std::max(Widest, Window.back().Shift);
  return Widest;
}

SmallVector<DeferredLoop, 2> findDeferredLoops(RequestState &S, Unit &U, ForwardSweep &Fwd,
                                               ArrayRef<SharedPlan> Shared, const BodyAnalyses &A) {
  SmallVector<DeferredLoop, 2> Out;
  if (S.C.HasViews) // what is added to shadows that are functions is not joined
    return Out;
  DeferredFinder Finder(S, U, Fwd, A);
  for (Loop *L : A.LI.getLoopsInPreorder()) {
    DeferredLoop New;
    if (A.Shape.reversed(L) && Finder.find(*L, Shared, New))
      Out.push_back(std::move(New));
  }
  return Out;
}

} // namespace contraflow
