// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that would have to be stored are grouped by nest and array. A group is worth a snapshot if
// it reads at least two values per iteration and walks memory densely; it is allowed one if its
// loads run in every iteration, so that the bytes between the first and the last are the array's.
// Loads belong together if they are a few iterations apart, as those of a stencil:
//
//   x[i * n + j], x[(i - 1) * n + j]      8 n bytes, one iteration of the loop over i
//   x[(3 i + v) * n + j] for v = 0, 1, 2  8 n bytes, a third of an iteration
//   x[i * n + k] * x[j * n + k]           two groups: all between the rows i and j would be copied

#include "Snapshot.h"
#include "support/AccessRange.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostBounds = 64;

struct Candidate {
  SmallVector<LoadInst *, 8> Loads;
  SmallSetVector<const SCEV *, 8> Begins, Ends;
};

using Key = std::pair<Loop *, Value *>; ///< nest, array

class Chooser {
public:
  explicit Chooser(const SnapshotQuestions &S) : S(S) {}
  void collect(ArrayRef<Value *> Needs, const PlanQuestions &Q);
  MapVector<Key, SmallVector<Candidate, 1>> Groups;
  bool worthwhile(Loop &Nest, const Candidate &C) const;
  std::unique_ptr<Snapshot> emit(Loop &Nest, Value *Array, const Candidate &C);

private:
  void add(LoadInst &Load);
  Loop *nestFor(LoadInst &Load) const;
  bool runsAlways(LoadInst &Load, const Loop &Nest) const;
  std::pair<const SCEV *, SmallVector<const SCEV *, 4>> wayOf(LoadInst &Load,
                                                              const Loop &Nest) const;
  std::pair<APInt, const SCEV *> factorOf(const SCEV *Summand) const;
  bool isNear(const SCEV *Distance, ArrayRef<const SCEV *> Steps) const;
  Candidate &groupFor(LoadInst &Load, Loop &Nest, Value *Array);
  Value *innerLoopsRun(IRBuilder<> &B, SCEVExpander &E, Loop &Nest, const Candidate &C);

  const SnapshotQuestions &S;
};

/// The outermost loop of the load's nest in which its memory does not change.
Loop *Chooser::nestFor(LoadInst &Load) const {
  Loop *L = S.LI.getLoopFor(Load.getParent());
  Loop *Root = L ? nestRoot(S.Facts, L) : nullptr, *Best = nullptr;
  for (; Root && L; L = L->getParentLoop()) {
    if (!S.Unchanged(*L, Load))
      break;
    Best = L;
    if (L == Root)
      break;
  }
  return Best;
}

bool Chooser::runsAlways(LoadInst &Load, const Loop &Nest) const {
  BasicBlock *Where = Load.getParent();
  for (Loop *L = S.LI.getLoopFor(Where);; L = L->getParentLoop()) {
    if (!S.DT.dominates(Where, L->getLoopLatch()))
      return false;
    if (L == &Nest)
      return true;
    BranchInst *Guard = L->getLoopGuardBranch();
    const SCEV *Count = S.SE.getBackedgeTakenCount(L);
    if (isa<SCEVCouldNotCompute>(Count) || (Guard && S.SE.isKnownNonNegative(Count)))
      return false; // nothing is known, or the guard asks something else
    Where = Guard ? Guard->getParent() : L->getLoopPreheader();
  }
}

constexpr int64_t NearBytes = 512;

/// Where the address begins, and how far it moves with each loop of the nest, as far as that is not
/// near anyway.
std::pair<const SCEV *, SmallVector<const SCEV *, 4>> Chooser::wayOf(LoadInst &Load,
                                                                     const Loop &Nest) const {
  constexpr unsigned MostSteps = 2;
  SmallVector<const SCEV *, 4> Steps;
  Type *T = Type::getInt64Ty(Load.getContext());
  const SCEV *At = S.SE.getPtrToIntExpr(S.SE.getSCEV(Load.getPointerOperand()), T);
  for (auto *Rec = dyn_cast<SCEVAddRecExpr>(At); Rec && Nest.contains(Rec->getLoop());
       Rec = dyn_cast<SCEVAddRecExpr>(At)) {
    const SCEV *Step = Rec->getStepRecurrence(S.SE);
    auto *Bytes = dyn_cast<SCEVConstant>(Step);
    if (Steps.size() < MostSteps && !(Bytes && Bytes->getAPInt().abs().ule(NearBytes)))
      Steps.push_back(Step);
    At = Rec->getStart();
  }
  return {At, Steps};
}

/// A summand as a number times something.
std::pair<APInt, const SCEV *> Chooser::factorOf(const SCEV *Summand) const {
  const SCEV *One = S.SE.getOne(Summand->getType());
  if (auto *Number = dyn_cast<SCEVConstant>(Summand))
    return {Number->getAPInt(), One};
  auto *Product = dyn_cast<SCEVMulExpr>(Summand);
  auto *Number = Product ? dyn_cast<SCEVConstant>(Product->getOperand(0)) : nullptr;
  if (!Number)
    return {cast<SCEVConstant>(One)->getAPInt(), Summand};
  SmallVector<const SCEV *, 4> Others(drop_begin(Product->operands()));
  return {Number->getAPInt(), S.SE.getMulExpr(Others)};
}

/// True if the distance is that of a few iterations at most, and perhaps a few bytes more.
bool Chooser::isNear(const SCEV *Distance, ArrayRef<const SCEV *> Steps) const {
  constexpr uint64_t MostIterations = 4;
  auto IsShort = [&](const SCEV *Summand) {
    const auto [Number, What] = factorOf(Summand);
    const APInt Size = Number.abs();
    if (What->isOne() && Size.ule(NearBytes))
      return true;
    return any_of(Steps, [&, What = What](const SCEV *Step) {
      const auto [Each, Of] = factorOf(Step);
      return Of == What && Size.udiv(MostIterations).ule(Each.abs());
    });
  };
  if (auto *Sum = dyn_cast<SCEVAddExpr>(Distance))
    return all_of(Sum->operands(), IsShort);
  return IsShort(Distance);
}

Candidate &Chooser::groupFor(LoadInst &Load, Loop &Nest, Value *Array) {
  SmallVector<Candidate, 1> &All = Groups[{&Nest, Array}];
  const auto [Start, Steps] = wayOf(Load, Nest);
  for (Candidate &C : All)
    if (isNear(S.SE.getMinusSCEV(Start, wayOf(*C.Loads.front(), Nest).first), Steps))
      return C;
  return All.emplace_back();
}

void Chooser::add(LoadInst &Load) {
  Loop *Nest = Load.isSimple() ? nestFor(Load) : nullptr;
  if (!Nest || !runsAlways(Load, *Nest))
    return;
  Value *Array = accessBase(S.SE, *Nest, Load.getPointerOperand());
  auto Range = accessRange(S.SE, *Nest, Load.getPointerOperand(),
                           Load.getDataLayout().getTypeStoreSize(Load.getType()));
  if (!Array || !Range)
    return;
  Candidate &C = groupFor(Load, *Nest, Array);
  C.Loads.push_back(&Load);
  C.Begins.insert(Range->Begin);
  C.Ends.insert(Range->End);
}

void Chooser::collect(ArrayRef<Value *> Needs, const PlanQuestions &Q) {
  SmallPtrSet<Value *, 32> Seen;
  SmallVector<Value *, 32> Todo(Needs);
  while (!Todo.empty()) {
    Value *V = Todo.pop_back_val();
    if (isAvailable(V, S.Facts, Q.Combined) || !Seen.insert(V).second)
      continue;
    if (isRecomputable(V, Q))
      append_range(Todo, cast<Instruction>(V)->operand_values());
    else if (auto *Load = dyn_cast<LoadInst>(V); Load && Load->getType()->isFPOrFPVectorTy())
      add(*Load);
  }
}

bool Chooser::worthwhile(Loop &Nest, const Candidate &C) const {
  if (C.Loads.size() < 2 || C.Begins.size() > MostBounds)
    return false;
  for (LoadInst *Load : C.Loads) {
    auto *Rec = dyn_cast<SCEVAddRecExpr>(S.SE.getSCEV(Load->getPointerOperand()));
    auto *Step = Rec ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(S.SE)) : nullptr;
    if (!Step || !Nest.contains(Rec->getLoop()))
      continue;
    uint64_t Size = Load->getDataLayout().getTypeStoreSize(Load->getType());
    if (Step->getAPInt().abs().ule(Size * C.Loads.size()))
      return true;
  }
  return false;
}

/// False at run time if some loop inside the nest does not run, so that nothing is read.
Value *Chooser::innerLoopsRun(IRBuilder<> &B, SCEVExpander &E, Loop &Nest, const Candidate &C) {
  Value *Run = B.getTrue();
  SmallPtrSet<Loop *, 4> Seen;
  for (LoadInst *Load : C.Loads)
    for (Loop *L = S.LI.getLoopFor(Load->getParent()); L != &Nest; L = L->getParentLoop()) {
      const SCEV *Count = S.SE.getBackedgeTakenCount(L);
      if (!Seen.insert(L).second || S.SE.isKnownNonNegative(Count))
        continue;
      Value *V = E.expandCodeFor(Count, Count->getType(), Nest.getLoopPreheader()->getTerminator());
      Run = B.CreateAnd(Run, B.CreateICmpSGE(V, Constant::getNullValue(V->getType())));
    }
  return Run;
}

std::unique_ptr<Snapshot> Chooser::emit(Loop &Nest, Value *Array, const Candidate &C) {
  Instruction *At = Nest.getLoopPreheader()->getTerminator();
  SCEVExpander Expander(S.SE, "cf.snap");
  SmallVector<const SCEV *, 8> Begins(C.Begins.begin(), C.Begins.end());
  SmallVector<const SCEV *, 8> Ends(C.Ends.begin(), C.Ends.end());
  const SCEV *Begin = S.SE.getUMinExpr(Begins), *End = S.SE.getUMaxExpr(Ends);
  if (!Expander.isSafeToExpandAt(Begin, At) || !Expander.isSafeToExpandAt(End, At))
    return nullptr;
  auto Out = std::make_unique<Snapshot>();
  Out->Nest = &Nest;
  Type *I64 = Type::getInt64Ty(At->getContext());
  Out->Begin = Expander.expandCodeFor(Begin, I64, At);
  Value *Last = Expander.expandCodeFor(End, I64, At);
  IRBuilder<> B(At);
  Value *Bytes = B.CreateSelect(innerLoopsRun(B, Expander, Nest, C), B.CreateSub(Last, Out->Begin),
                                B.getInt64(0));
  Out->Memory = S.Reserve(B, Bytes);
  Value *From = B.CreatePtrAdd(Array, B.CreateSub(Out->Begin, B.CreatePtrToInt(Array, I64)));
  B.CreateMemCpy(Out->Memory, Align(16), From, Align(1), Bytes);
  return Out;
}

} // namespace

Loop *nestRoot(const LoopFacts &Facts, Loop *L) {
  if (!Facts.lookup(L->getHeader()).Last)
    return nullptr;
  Loop *Root = L;
  for (Loop *Outer = L->getParentLoop(); Outer; Outer = Outer->getParentLoop()) {
    if (!Facts.lookup(Outer->getHeader()).Last)
      return Root;
    for (Loop *Inner = L; Inner != Outer; Inner = Inner->getParentLoop()) {
      LoopFact Fact = Facts.lookup(Inner->getHeader());
      Value *Last = Fact.Last;
      auto *I = dyn_cast<Instruction>(Last);
      if ((I && Outer->contains(I)) || Fact.Reach == CountReach::Inside)
        return Root;
    }
    Root = Outer;
  }
  return Root;
}

void SnapshotSet::print(raw_ostream &OS) const {
  for (auto &Copy : All) {
    OS << "  snapshot on entry of ";
    Copy->Nest->getHeader()->printAsOperand(OS, false);
    OS << " for " << count_if(Loads, [&](auto &L) { return All[L.second] == Copy; }) << " loads\n";
  }
}

void SnapshotSet::choose(ArrayRef<Value *> Needs, const PlanQuestions &Q,
                         const SnapshotQuestions &S) {
  Chooser Choice(S);
  Choice.collect(Needs, Q);
  for (auto &[Where, Groups] : Choice.Groups)
    for (const Candidate &C : Groups) {
      if (!Choice.worthwhile(*Where.first, C))
        continue;
      auto New = Choice.emit(*Where.first, Where.second, C);
      if (!New)
        continue;
      All.push_back(std::move(New));
      for (LoadInst *Load : C.Loads)
        Loads[Load] = All.size() - 1;
    }
}

} // namespace contraflow
