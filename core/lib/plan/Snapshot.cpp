// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that would have to be stored are grouped by nest and array. A group is worth a snapshot if
// more would be stored per iteration otherwise, of the loads or of what follows from them: the plan
// without snapshots tells how much. It is allowed one if its loads run in every iteration, so that
// the bytes between the first and the last are the array's. Loads belong together if they are a few
// iterations apart, as those of a stencil:
//
//   x[i * n + j], x[(i - 1) * n + j]      8 n bytes, one iteration of the loop over i
//   x[(3 i + v) * n + j] for v = 0, 1, 2  8 n bytes, a third of an iteration
//   x[i * n + k] * x[j * n + k]           two groups: all between the rows i and j would be copied
//
// Where a nest's bounds follow the counter of the loop around it, that loop's iterations read
// nearly the same again and again, and the copy is made in front of it:
//
//   for (i < n) for (i < j < n)  x[j]     8 n bytes instead of 4 n n

#include "Snapshot.h"
#include "support/AccessRange.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <numeric>

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostBounds = 64;
constexpr int64_t NearBytes = 512;

struct Bounds {
  SmallSetVector<const SCEV *, 8> Begins, Ends;
};

struct Candidate {
  SmallVector<LoadInst *, 8> Loads;
  bool ReadAgain = false;          ///< by most iterations of the loop
  MapVector<Loop *, Bounds> Parts; ///< by innermost loop: each part is read only if its loops run
  size_t bounds() const {
    return std::accumulate(Parts.begin(), Parts.end(), size_t(0),
                           [](size_t Sum, auto &Part) { return Sum + Part.second.Begins.size(); });
  }
};

using Key = std::pair<Loop *, Value *>; ///< nest, array

/// True if a value is one of the loads or is calculated from them in a few steps.
bool followsFrom(const Instruction &V, ArrayRef<LoadInst *> Loads, const PlanQuestions &Q) {
  constexpr unsigned MostSteps = 64;
  SmallSetVector<const Instruction *, 32> Seen;
  Seen.insert(&V);
  for (unsigned At = 0; At < Seen.size() && At < MostSteps; ++At) {
    if (is_contained(Loads, Seen[At]))
      return true;
    if (auto *Phi = dyn_cast<PHINode>(Seen[At]))
      if (const LoadInst *Again = Q.Carried ? Q.Carried(*Phi) : nullptr)
        Seen.insert(Again);
    if (isa<PHINode, LoadInst>(Seen[At]))
      continue;
    for (const Value *Operand : Seen[At]->operands())
      if (auto *I = dyn_cast<Instruction>(Operand))
        Seen.insert(I);
  }
  return false;
}

/// The branch that decides whether a loop is entered: none if it always is, or if more decides.
struct Guard {
  BranchInst *Branch = nullptr;
  bool Entered = true; ///< where its condition holds
};

Guard guardOf(const Loop &L) {
  const BasicBlock *Into = L.getLoopPreheader();
  while (const BasicBlock *From = Into ? Into->getSinglePredecessor() : nullptr) {
    auto *Branch = dyn_cast<BranchInst>(const_cast<BasicBlock *>(From)->getTerminator());
    if (Branch && Branch->isConditional())
      return {Branch, Branch->getSuccessor(0) == Into};
    if (!From->getSingleSuccessor())
      return {};
    Into = From;
  }
  return {};
}

class Chooser {
public:
  explicit Chooser(const SnapshotQuestions &S) : S(S) {}
  void collect(ArrayRef<Value *> Needs, const PlanQuestions &Q);
  MapVector<Key, SmallVector<Candidate, 1>> Groups;
  bool worthwhile(Loop &Nest, const Candidate &C, const TapePlan &Without,
                  const PlanQuestions &Q) const;
  std::unique_ptr<Snapshot> emit(Loop &Nest, Value *Array, const Candidate &C);

private:
  void add(LoadInst &Load);
  Loop *nestFor(LoadInst &Load) const;
  const SCEV *atMost(const SCEV *Count) const;
  bool walksAlong(const SCEV *Start, const SCEV *Bytes) const;
  Loop &denseIn(LoadInst &Load, Loop &Nest) const;
  bool isEntered(const Loop &L) const;
  bool isKnownBefore(const SCEV *What, const Loop &Nest) const;
  bool canAsk(const Guard &G, const Loop &L, const Loop &Nest) const;
  bool runsAlways(LoadInst &Load, const Loop &Nest) const;
  std::optional<AccessRange> rangeAround(LoadInst &Load, Loop &Root, Loop &Outer) const;
  const SCEV *mostRounds(const Loop &L, const Loop &Nest) const;
  std::pair<const SCEV *, SmallVector<const SCEV *, 4>> wayOf(LoadInst &Load,
                                                              const Loop &Nest) const;
  std::pair<APInt, const SCEV *> factorOf(const SCEV *Summand) const;
  bool isNear(const SCEV *Distance, ArrayRef<const SCEV *> Steps) const;
  Candidate &groupFor(LoadInst &Load, Loop &Nest, Value *Array);
  uint64_t storedFrom(const Candidate &C, const TapePlan &Without, const PlanQuestions &Q) const;
  Value *answerOf(const Guard &G, IRBuilder<> &B, SCEVExpander &E, const Loop &Nest);
  Value *loopsRun(IRBuilder<> &B, SCEVExpander &E, const Loop &Nest, Loop *Inner);
  std::pair<Value *, Value *> bytesRead(IRBuilder<> &B, Loop &Nest, const Candidate &C);

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
  return Best ? &denseIn(Load, *Best) : nullptr;
}

/// What a count is at most, the same in all loops, if it is the lower or the higher of several
/// numbers; null if none of them tells.
///   min(n, i + 16) - i     16
const SCEV *Chooser::atMost(const SCEV *Count) const {
  auto Walks = [](const SCEV *Part) { return isa<SCEVAddRecExpr>(Part); };
  if (!SCEVExprContains(Count, Walks))
    return Count;
  const SCEV *Choice = Count;
  if (auto *Sum = dyn_cast<SCEVAddExpr>(Count))
    if (auto It = find_if(Sum->operands(), [](auto *One) { return isa<SCEVMinMaxExpr>(One); });
        It != Sum->operands().end())
      Choice = *It;
  if (!isa<SCEVMinMaxExpr>(Choice))
    return nullptr;
  const SCEV *Rest = S.SE.getMinusSCEV(Count, Choice), *Most = nullptr;
  const bool Lower = isa<SCEVSMinExpr, SCEVUMinExpr>(Choice);
  for (const SCEV *One : cast<SCEVMinMaxExpr>(Choice)->operands()) {
    const SCEV *Bound = atMost(S.SE.getAddExpr(One, Rest));
    if (Bound && (Lower || !S.SE.isKnownNonPositive(Bound))) {
      if (Most && Most != Bound)
        return nullptr;
      Most = Bound;
    } else if (!Bound && !Lower) {
      return nullptr;
    }
  }
  return Most;
}

/// True if a step is known to lead over several times as many bytes.
static bool isWide(const SCEV *Step, const SCEV *Bytes) {
  constexpr uint64_t Times = 4;
  auto *Far = dyn_cast<SCEVConstant>(Step), *Near = dyn_cast<SCEVConstant>(Bytes);
  return Far && Near && Far->getAPInt().abs().udiv(Times).ugt(Near->getAPInt().abs());
}

/// True if a loop around goes on from Start by what an inner one has read.
bool Chooser::walksAlong(const SCEV *Start, const SCEV *Bytes) const {
  for (auto *Rec = dyn_cast<SCEVAddRecExpr>(Start); Rec;
       Rec = dyn_cast<SCEVAddRecExpr>(Rec->getStart())) {
    auto *More = dyn_cast<SCEVConstant>(S.SE.getMinusSCEV(Rec->getStepRecurrence(S.SE), Bytes));
    if (More && More->getAPInt().abs().ule(NearBytes))
      return true;
  }
  return false;
}

/// The outermost loop of Nest that reads most of what lies between the first and the last byte: of
/// a tile that is the loop along a row, since the rest of each row belongs to other tiles.
Loop &Chooser::denseIn(LoadInst &Load, Loop &Nest) const {
  Type *T = Type::getInt64Ty(Load.getContext());
  const SCEV *At = S.SE.getPtrToIntExpr(S.SE.getSCEV(Load.getPointerOperand()), T), *Start = At;
  const SCEV *Extent = S.SE.getConstant(T, Load.getDataLayout().getTypeStoreSize(Load.getType()));
  auto Within = [&](const SCEV *Where) {
    auto *Rec = dyn_cast<SCEVAddRecExpr>(Where);
    return Rec && Nest.contains(Rec->getLoop()) ? Rec : nullptr;
  };
  while (auto *Rec = Within(Start))
    Start = Rec->getStart();
  for (bool Inner = false; auto *Rec = Within(At); Inner = true) {
    const SCEV *Step = Rec->getStepRecurrence(S.SE);
    if (Inner && (isWide(Step, Extent) || walksAlong(Start, Extent))) {
      Loop *Row = S.LI.getLoopFor(Load.getParent());
      while (Row != Rec->getLoop() && Row->getParentLoop() != Rec->getLoop())
        Row = Row->getParentLoop();
      return *Row;
    }
    const SCEV *Count = S.SE.getBackedgeTakenCount(Rec->getLoop());
    const SCEV *Most = isa<SCEVCouldNotCompute>(Count) ? nullptr : atMost(Count);
    if (!Most || S.SE.getTypeSizeInBits(Most->getType()) > 64)
      break;
    Extent = S.SE.getAddExpr(Extent, S.SE.getMulExpr(Step, S.SE.getNoopOrZeroExtend(Most, T)));
    At = Rec->getStart();
  }
  return Nest;
}

bool Chooser::isEntered(const Loop &L) const {
  return S.DT.dominates(L.getLoopPreheader(), L.getParentLoop()->getLoopLatch());
}

bool Chooser::isKnownBefore(const SCEV *What, const Loop &Nest) const {
  const Instruction *At = Nest.getLoopPreheader()->getTerminator();
  return SCEVExpander(S.SE, "cf.snap").isSafeToExpandAt(What, At);
}

/// True if the guard asks how often the loop runs, or the same in all iterations of the nest: what
/// is copied is decided in front of that.
bool Chooser::canAsk(const Guard &G, const Loop &L, const Loop &Nest) const {
  if (Nest.isLoopInvariant(G.Branch->getCondition()))
    return true;
  auto *Asked = dyn_cast<ICmpInst>(G.Branch->getCondition());
  if (!Asked || !S.SE.isSCEVable(Asked->getOperand(0)->getType()))
    return false;
  const SCEV *Sides[] = {S.SE.getSCEV(Asked->getOperand(0)), S.SE.getSCEV(Asked->getOperand(1))};
  if (all_of(Sides, [&](auto *Side) { return S.SE.isLoopInvariant(Side, &Nest); }))
    return all_of(Sides, [&](auto *Side) { return isKnownBefore(Side, Nest); });
  return !S.SE.isLoopInvariant(S.SE.getBackedgeTakenCount(&L), &Nest) &&
         none_of(Sides, [&](auto *Side) {
           return SCEVExprContains(Side, [&](const SCEV *Part) {
             auto *Unknown = dyn_cast<SCEVUnknown>(Part);
             return Unknown && !Nest.isLoopInvariant(Unknown->getValue());
           });
         });
}

bool Chooser::runsAlways(LoadInst &Load, const Loop &Nest) const {
  const BasicBlock *Where = Load.getParent();
  for (Loop *L = S.LI.getLoopFor(Where);; L = L->getParentLoop()) {
    if (!S.DT.dominates(Where, L->getLoopLatch()))
      return false;
    if (L == &Nest)
      return true;
    if (!mostRounds(*L, Nest))
      return false;
    const Guard G = isEntered(*L) ? Guard() : guardOf(*L);
    if (!isEntered(*L) && (!G.Branch || !canAsk(G, *L, Nest)))
      return false;
    Where = G.Branch ? G.Branch->getParent() : L->getLoopPreheader();
  }
}

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

/// How often the back edge of a loop is taken at most while Nest runs, negative if it is never
/// entered; null if that is not known in front of Nest.
const SCEV *Chooser::mostRounds(const Loop &L, const Loop &Nest) const {
  const SCEV *Count = S.SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Count))
    return nullptr;
  if (!S.SE.isLoopInvariant(Count, &Nest)) {
    if (S.SE.getTypeSizeInBits(Count->getType()) != 64 || L.getParentLoop() != &Nest)
      return nullptr;
    Count = extremeIn(S.SE, Count, Nest, Extreme::Highest);
  }
  return Count && isKnownBefore(Count, Nest) ? Count : nullptr;
}

/// What the iterations of Outer read in Root. Of bounds that both move, that of an iteration that
/// reads nothing may lie further out than those of all others.
std::optional<AccessRange> Chooser::rangeAround(LoadInst &Load, Loop &Root, Loop &Outer) const {
  constexpr uint64_t MostSteps = 4;
  const uint64_t Size = Load.getDataLayout().getTypeStoreSize(Load.getType());
  const auto Range = accessExtremes(S.SE, Root, Load.getPointerOperand(), Size);
  if (!Range)
    return std::nullopt;
  auto Stays = [&](const SCEV *What) { return S.SE.isLoopInvariant(What, &Outer); };
  if (!Stays(Range->Begin) && !Stays(Range->End) &&
      !Stays(S.SE.getMinusSCEV(Range->End, Range->Begin)))
    return std::nullopt;
  auto *Inner = dyn_cast<SCEVAddRecExpr>(S.SE.getSCEV(Load.getPointerOperand()));
  auto *Step = Inner ? dyn_cast<SCEVConstant>(Inner->getStepRecurrence(S.SE)) : nullptr;
  for (const SCEV *Bound : {Range->Begin, Range->End}) {
    auto Walked = walkIn(S.SE, Bound, Outer);
    auto *Each = Walked ? dyn_cast<SCEVConstant>(Walked->Rec->getStepRecurrence(S.SE)) : nullptr;
    if (!Stays(Bound) && (!Each || !Step || !Root.contains(Inner->getLoop()) ||
                          Each->getAPInt().abs().udiv(MostSteps).ugt(Step->getAPInt().abs())))
      return std::nullopt;
  }
  return accessExtremes(S.SE, Outer, Load.getPointerOperand(), Size);
}

void Chooser::add(LoadInst &Load) {
  Loop *Nest = Load.isSimple() ? nestFor(Load) : nullptr;
  if (!Nest || !runsAlways(Load, *Nest))
    return;
  auto Range = accessRange(S.SE, *Nest, Load.getPointerOperand(),
                           Load.getDataLayout().getTypeStoreSize(Load.getType()));
  Loop *Outer = Nest->getParentLoop();
  bool ReadAgain = false;
  if (Outer && Nest == nestRoot(S.Facts, Nest) && S.Unchanged(*Outer, Load) &&
      runsAlways(Load, *Outer))
    if (auto Around = rangeAround(Load, *Nest, *Outer)) {
      Range = Around;
      Nest = Outer;
      ReadAgain = true;
    }
  Value *Array = accessBase(S.SE, *Nest, Load.getPointerOperand());
  if (!Array || !Range)
    return;
  Candidate &C = groupFor(Load, *Nest, Array);
  C.Loads.push_back(&Load);
  C.ReadAgain |= ReadAgain;
  Bounds &Part = C.Parts[S.LI.getLoopFor(Load.getParent())];
  Part.Begins.insert(Range->Begin);
  Part.Ends.insert(Range->End);
}

void Chooser::collect(ArrayRef<Value *> Needs, const PlanQuestions &Q) {
  SmallPtrSet<Value *, 32> Seen;
  SmallVector<Value *, 32> Todo(Needs);
  while (!Todo.empty()) {
    Value *V = Todo.pop_back_val();
    if (isAvailable(V, S.Facts, Q.Combined) || !Seen.insert(V).second)
      continue;
    if (isRecomputable(V, Q))
      append_range(Todo, sourcesOf(V, Q));
    else if (auto *Load = dyn_cast<LoadInst>(V); Load && Load->getType()->isFPOrFPVectorTy())
      add(*Load);
  }
}

/// What is stored in each iteration without a copy, of the loads and what follows from them.
uint64_t Chooser::storedFrom(const Candidate &C, const TapePlan &Without,
                             const PlanQuestions &Q) const {
  SmallPtrSet<const Loop *, 4> Inner;
  for (auto &[L, Part] : C.Parts)
    Inner.insert(L);
  uint64_t Bytes = 0;
  for (auto &F : Without.frames())
    for (const Slot *Stored : F->Slots) {
      auto *I = dyn_cast<Instruction>(Stored->V);
      if (I && Inner.contains(S.LI.getLoopFor(I->getParent())) && followsFrom(*I, C.Loads, Q))
        Bytes += Stored->Bytes;
    }
  return Bytes;
}

bool Chooser::worthwhile(Loop &Nest, const Candidate &C, const TapePlan &Without,
                         const PlanQuestions &Q) const {
  if (C.bounds() > MostBounds)
    return false;
  if (C.ReadAgain)
    return true;
  const uint64_t Stored = storedFrom(C, Without, Q);
  for (LoadInst *Load : C.Loads) {
    auto *Rec = dyn_cast<SCEVAddRecExpr>(S.SE.getSCEV(Load->getPointerOperand()));
    auto *Step = Rec ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(S.SE)) : nullptr;
    if (Step && Nest.contains(Rec->getLoop()) && Step->getAPInt().abs().ult(Stored))
      return true;
  }
  return false;
}

/// What a guard asks, if that is the same in all iterations of the nest, or else true.
Value *Chooser::answerOf(const Guard &G, IRBuilder<> &B, SCEVExpander &E, const Loop &Nest) {
  Value *Asked = G.Branch->getCondition();
  if (auto *Compare = dyn_cast<ICmpInst>(Asked); Compare && !Nest.isLoopInvariant(Asked)) {
    Value *Sides[2];
    for (unsigned I : {0u, 1u}) {
      const SCEV *Side = S.SE.getSCEV(Compare->getOperand(I));
      if (!S.SE.isLoopInvariant(Side, &Nest))
        return B.getTrue();
      Sides[I] = E.expandCodeFor(Side, Compare->getOperand(I)->getType(), B.GetInsertPoint());
    }
    Asked = B.CreateICmp(Compare->getPredicate(), Sides[0], Sides[1]);
  }
  return G.Entered ? Asked : B.CreateNot(Asked);
}

/// False at run time if some loop between the nest's root and Inner does not run, so that nothing
/// is read.
Value *Chooser::loopsRun(IRBuilder<> &B, SCEVExpander &E, const Loop &Nest, Loop *Inner) {
  Value *Run = B.getTrue();
  for (Loop *L = Inner; L != &Nest; L = L->getParentLoop()) {
    if (!isEntered(*L))
      Run = B.CreateAnd(Run, answerOf(guardOf(*L), B, E, Nest));
    const SCEV *Count = mostRounds(*L, Nest);
    if (S.SE.isKnownNonNegative(Count))
      continue;
    Value *V = E.expandCodeFor(Count, Count->getType(), Nest.getLoopPreheader()->getTerminator());
    Run = B.CreateAnd(Run, B.CreateICmpSGE(V, Constant::getNullValue(V->getType())));
  }
  return Run;
}

/// The addresses of the first byte read and of that behind the last one, the second below the first
/// if nothing is read; null if they cannot be calculated in front of the nest.
std::pair<Value *, Value *> Chooser::bytesRead(IRBuilder<> &B, Loop &Nest, const Candidate &C) {
  Instruction *At = &*B.GetInsertPoint();
  SCEVExpander Expander(S.SE, "cf.snap");
  Type *I64 = B.getInt64Ty();
  Value *First = B.getInt64(~uint64_t(0)), *End = B.getInt64(0);
  for (auto &[Inner, Part] : C.Parts) {
    SmallVector<const SCEV *, 8> Begins(Part.Begins.begin(), Part.Begins.end());
    SmallVector<const SCEV *, 8> Ends(Part.Ends.begin(), Part.Ends.end());
    const SCEV *Low = S.SE.getUMinExpr(Begins), *High = S.SE.getUMaxExpr(Ends);
    if (!Expander.isSafeToExpandAt(Low, At) || !Expander.isSafeToExpandAt(High, At))
      return {};
    Value *Run = loopsRun(B, Expander, Nest, Inner);
    Value *PartFirst = B.CreateSelect(Run, Expander.expandCodeFor(Low, I64, At), First);
    Value *PartEnd = B.CreateSelect(Run, Expander.expandCodeFor(High, I64, At), End);
    First = B.CreateBinaryIntrinsic(Intrinsic::umin, First, PartFirst);
    End = B.CreateBinaryIntrinsic(Intrinsic::umax, End, PartEnd);
  }
  return {First, End};
}

std::unique_ptr<Snapshot> Chooser::emit(Loop &Nest, Value *Array, const Candidate &C) {
  IRBuilder<> B(Nest.getLoopPreheader()->getTerminator());
  auto [Begin, End] = bytesRead(B, Nest, C);
  if (!Begin)
    return nullptr;
  auto Out = std::make_unique<Snapshot>();
  Out->Nest = &Nest;
  Out->Begin = Begin;
  Type *I64 = B.getInt64Ty();
  Value *Bytes =
      B.CreateSelect(B.CreateICmpULT(Begin, End), B.CreateSub(End, Begin), B.getInt64(0));
  Out->Memory = S.Reserve(B, Bytes);
  Value *From = B.CreatePtrAdd(Array, B.CreateSub(Begin, B.CreatePtrToInt(Array, I64)));
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
  if (Choice.Groups.empty())
    return;
  TapePlan Without(*Choice.Groups.front().first.first->getHeader()->getParent(), S.LI, S.Facts);
  Without.decide(Needs, Q);
  for (auto &[Where, Groups] : Choice.Groups)
    for (const Candidate &C : Groups) {
      if (!Choice.worthwhile(*Where.first, C, Without, Q))
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
