// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the updates of a body, asks the sharing analysis, expands its answer.

#include "SharedSweep.h"
#include "Meetings.h"
#include "OwnVariables.h"
#include "analysis/TeamPhases.h"
#include "contraflow/core/Barrier.h"
#include "support/OwnBlock.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace contraflow {

bool mayBeShared(const Unit &U, const Value *Shadow) {
  if (!U.InTeam && !U.Foreign)
    return false;
  const Value *Object = getUnderlyingObject(Shadow, 20);
  if (isOwnVariable(*Object))
    return U.Detached;
  auto *Call = dyn_cast<CallBase>(Object);
  if (Call && Call->arg_size() > 0 && isOwnBlock(Call->getArgOperand(0)))
    return false;
  if (U.Detached && PointerMayBeCaptured(Object, /*ReturnCaptures=*/true))
    return true;
  if (isa<AllocaInst>(Object))
    return false;
  return !Call || Call->getFunction() != U.Forward || !Call->getCalledFunction() ||
         !Call->getCalledFunction()->getName().starts_with(RuntimePrefix);
}

namespace {

/// Updates and calls of one phase.
struct PhaseContents {
  SmallVector<std::pair<Instruction *, Value *>, 16> Updates;
  SmallVector<Instruction *, 4> Waits; ///< critical sections
  bool Hidden = false;                 ///< a call adds to memory, where is not known here
};

class SharedPlanner {
public:
  SharedPlanner(RequestState &S, Unit &U, ForwardSweep &Fwd, const BodyAnalyses &A,
                const DenseSet<const Instruction *> &Owned)
      : S(S), U(U), Fwd(Fwd), A(A), Owned(Owned), Barriers(*U.Forward, isBarrier),
        Phases(*U.Forward, [](const Instruction &I) { return isBarrier(I) || isMeeting(I); }) {}
  SharedPlans run();

private:
  void collect();
  StringRef planPhase(PhaseContents &Phase, SmallVectorImpl<SharedPlan> &Out);
  StringRef planLoop(SharedPlan &New, const PhaseContents &Phase);
  void findDivisions();
  StringRef planDealt(SharedPlan &New);
  bool uniform(Value *V, const Loop &L);
  bool uniformOnceMore(Value *V, const Loop &L);
  bool isReadByAll(const LoadInst &Load, const Loop &L) const;
  bool meetsOncePerIteration(const Loop &Around, const Loop &L) const;
  bool sameIteration(const Loop &Around, const Loop &L);
  bool leavesAlike(const Loop &Around, const Loop &L);
  bool isUnwritten(Instruction &Load) const;
  bool isOneThreads(const PhaseContents &Phase) const;
  bool mayWait(Instruction &Load, Loop &L) const;
  bool waitsBefore(const Loop &L, const PhaseContents &Phase) const;
  void merge(SmallVectorImpl<Footprint> &Groups);
  bool expand(SharedPlan &Out);
  bool chooseRange(MutableArrayRef<SharedPlan> Plans);
  void checkPromises(const SharedPlan &Plan);
  void checkPromise(const SharedUpdate &Update, const SharedPlan &Plan);

  RequestState &S;
  Unit &U;
  ForwardSweep &Fwd;
  const BodyAnalyses &A;
  const DenseSet<const Instruction *> &Owned;
  TeamPhases Barriers, Phases;   ///< of the forward sweep, of the reverse sweep
  SmallSet<unsigned, 4> Waiting; ///< those of the forward sweep with critical sections
  MapVector<unsigned, PhaseContents> Contents;
  SmallVector<DividedLoop, 2> Loops;
  SmallVector<DealtLoop, 2> Deals;
  SmallVector<NextPiece, 2> Pieces;
  SmallPtrSet<const PHINode *, 4> Assumed; ///< uniform, while that is being looked into
  int Ranges = 0;                          ///< how many are in use
};

void SharedPlanner::collect() {
  for (auto &[Block, Step] : A.Shape.steps())
    for (Instruction &I : *Block) {
      if (!A.Steps.hasWork(I))
        continue;
      PhaseContents &Phase = Contents[Phases.phaseOf(I)];
      if (const CallSite *Site = A.Steps.site(I)) {
        if (Site->Recorded.empty() || (Site->OnlyOwn && !S.Switch.Deterministic))
          continue;
        Phase.Hidden |= !Site->OnlyWaits;
        Phase.Waits.push_back(&I);
        Waiting.insert(Barriers.phaseOf(I));
        continue;
      }
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !S.Activity.activeAt(S.Graph.find(Load->getPointerOperand()),
                                        S.Graph.layout().getTypeStoreSize(I.getType())))
        continue;
      Value *Shadow = Fwd.accessOf(*Load);
      if (mayBeShared(U, Shadow))
        Phase.Updates.push_back({&I, Shadow});
    }
}

void SharedPlanner::findDivisions() {
  for (Instruction &I : instructions(*U.Forward)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ConstructHandler *H = Call ? S.C.Handlers.find(*Call) : nullptr;
    if (!H)
      continue;
    auto D = H->division(*Call);
    if (!D)
      continue;
    Value *Lower = Call->getArgOperand(D->Lower), *Upper = Call->getArgOperand(D->Upper);
    if (D->What == Division::Piece)
      Loops.push_back({Call, Lower, Upper});
    else if (D->What == Division::Deal)
      Deals.push_back({Lower, Upper, D->IsSigned, Call});
    else
      Pieces.push_back({Call, Lower, Upper});
  }
}

/// The same on every thread that is in L: computed from captured values, memory that nobody writes
/// meanwhile, and what loops around L hand from iteration to iteration.
bool SharedPlanner::uniform(Value *V, const Loop &L) {
  Assumed.clear();
  return uniformOnceMore(V, L);
}

bool SharedPlanner::uniformOnceMore(Value *V, const Loop &L) {
  if (auto *C = dyn_cast<Constant>(V))
    return !C->isThreadDependent();
  if (isa<Argument>(V)) {
    for (unsigned P = 0; P < U.Primals.size(); ++P)
      if (U.Primals[P] == V || U.Shadows[0][P] == V)
        return !is_contained(S.Closure.ThreadParams.lookup(U.Prepared), P);
    return false;
  }
  auto *I = dyn_cast<Instruction>(V);
  auto OfUniform = [&] {
    return all_of(I->operand_values(), [&](Value *Op) { return uniformOnceMore(Op, L); });
  };
  if (auto *Phi = dyn_cast_or_null<PHINode>(I)) {
    const Loop *Around = A.LI.getLoopFor(Phi->getParent());
    return Around && Around->getHeader() == Phi->getParent() &&
           (!Assumed.insert(Phi).second || (sameIteration(*Around, L) && OfUniform()));
  }
  if (!I ||
      !isa<LoadInst, BinaryOperator, CastInst, GetElementPtrInst, SelectInst, CmpInst, FreezeInst>(
          I))
    return false;
  auto *Load = dyn_cast<LoadInst>(I);
  return OfUniform() && (!Load || isUnwritten(*Load) || isReadByAll(*Load, L));
}

/// All threads read this between the same barriers as L, so nobody else may write there, or the
/// program has a race.
bool SharedPlanner::isReadByAll(const LoadInst &Load, const Loop &L) const {
  const unsigned Phase = Barriers.phaseOf(Load);
  return Load.isSimple() && Phase == Barriers.phaseOf(L.getHeader()->front()) &&
         A.LI.getLoopFor(Load.getParent()) == L.getParentLoop() &&
         A.DT.dominates(Load.getParent(), L.getHeader()) && !Waiting.contains(Phase);
}

/// True if all threads come to one barrier once in each iteration of the loop right around L, which
/// tells the iterations that they are in from each other.
bool SharedPlanner::meetsOncePerIteration(const Loop &Around, const Loop &L) const {
  BasicBlock *Header = Around.getHeader(), *Latch = Around.getLoopLatch();
  SmallPtrSet<BasicBlock *, 1> NextIteration{Header};
  return Latch && any_of(Phases.barriers(), [&](const Instruction *Barrier) {
           const BasicBlock *Block = Barrier->getParent();
           return A.LI.getLoopFor(Block) == &Around && A.DT.dominates(Block, Latch) &&
                  (A.DT.dominates(Block, L.getHeader()) ||
                   !isPotentiallyReachable(Block, L.getHeader(), &NextIteration, &A.DT, &A.LI));
         });
}

bool SharedPlanner::leavesAlike(const Loop &Around, const Loop &L) {
  SmallVector<BasicBlock *, 2> Ends;
  Around.getExitingBlocks(Ends);
  return all_of(Ends, [&](BasicBlock *End) {
    auto *Branch = dyn_cast<BranchInst>(End->getTerminator());
    return Branch && Branch->isConditional() && uniformOnceMore(Branch->getCondition(), L);
  });
}

/// Several loops around L are left alike by all threads: then the number of barriers that they have
/// come to tells the iteration of each.
bool SharedPlanner::sameIteration(const Loop &Around, const Loop &L) {
  const Loop *Parent = L.getParentLoop();
  if (!Parent || !Around.contains(&L) || &Around == &L || !meetsOncePerIteration(*Parent, L))
    return false;
  if (!Parent->getParentLoop())
    return true;
  for (const Loop *Each = Parent; Each; Each = Each->getParentLoop())
    if (!leavesAlike(*Each, L))
      return false;
  return true;
}

/// The body does not write what is loaded.
bool SharedPlanner::isUnwritten(Instruction &Load) const {
  Instruction *Primal = Fwd.mirrored(&Load);
  Location At = S.Graph.find(cast<LoadInst>(Primal ? Primal : &Load)->getPointerOperand());
  return At && none_of(S.Writes.writes(), [&](const WriteSet::Write &W) {
           return W.At->getFunction() == U.Forward &&
                  S.Graph.canonical(W.Node) == S.Graph.canonical(At.Node);
         });
}

/// The reverse of a store reads and clears what was added to its place, before the loop is over.
bool SharedPlanner::mayWait(Instruction &Load, Loop &L) const {
  auto Object = [](const Value *P, const Instruction &I) {
    return MemoryLocation::getBeforeOrAfter(getUnderlyingObject(P, 20), I.getAAMetadata());
  };
  MemoryLocation Read = Object(getLoadStorePointerOperand(&Load), Load);
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (!A.Steps.hasWork(I))
        continue;
      if (A.Steps.site(I) || isa<AtomicRMWInst>(I))
        return false;
      auto *Store = dyn_cast<StoreInst>(&I);
      if (Store && A.AA.alias(Read, Object(Store->getPointerOperand(), I)) != AliasResult::NoAlias)
        return false;
    }
  return true;
}

/// True if a critical section may be entered in front of the loop or inside. Behind the loop, none
/// of its reverses waits for a thread that waits in the loop's phases.
bool SharedPlanner::waitsBefore(const Loop &L, const PhaseContents &Phase) const {
  return any_of(Phase.Waits, [&](Instruction *I) {
    return L.contains(I) || Phases.reaches(*I, *L.getHeader());
  });
}

/// Equal footprints once.
void SharedPlanner::merge(SmallVectorImpl<Footprint> &Groups) {
  SmallVector<Footprint, 16> Out;
  for (const Footprint &New : Groups)
    if (none_of(Out, [&](const Footprint &Old) {
          return New.Base == Old.Base && New.Stride == Old.Stride && New.Extent == Old.Extent;
        }))
      Out.push_back(New);
  Groups.assign(Out.begin(), Out.end());
}

bool SharedPlanner::expand(SharedPlan &Out) {
  Instruction *At = Out.Loop.L->getLoopPreheader()->getTerminator();
  SCEVExpander Expander(A.SE, "cf.share");
  SmallVector<const SCEV *, 64> All{Out.Loop.Trip};
  auto Append = [&](ArrayRef<Footprint> Groups) {
    for (const Footprint &F : Groups)
      All.append({F.Base, F.Extent, F.Stride});
  };
  Append(Out.Loop.Plain);
  Append(Out.Loop.Atomic);
  for (const PrivateArray &P : Out.Loop.Private)
    Append(P.Groups);
  if (!all_of(All, [&](const SCEV *E) { return Expander.isSafeToExpandAt(E, At); }))
    return false;
  SmallVector<Value *, 64> Values;
  for (const SCEV *E : All)
    Values.push_back(Expander.expandCodeFor(E, Type::getInt64Ty(At->getContext()), At));
  IRBuilder<> B(At);
  Out.Trip = Values[0];
  Out.Groups =
      SweepBuilder::reserve(B, U.Tape, B.getInt64(std::max<size_t>(8 * (Values.size() - 1), 8)));
  for (unsigned I = 1; I < Values.size(); ++I)
    B.CreateStore(Values[I], B.CreateConstGEP1_64(B.getInt64Ty(), Out.Groups, I - 1));
  U.UsesTape = true;
  return true;
}

/// The index must be read in every iteration: the check reads it at all places.
void SharedPlanner::checkPromises(const SharedPlan &Plan) {
  SmallVector<const SharedUpdate *, 8> Done;
  for (const SharedUpdate &U : Plan.Loop.Updates) {
    if (!U.Through.Index ||
        !A.DT.dominates(U.Through.Index->getParent(), Plan.Loop.L->getLoopLatch()) ||
        any_of(Done, [&](const SharedUpdate *Old) {
          return Old->Bytes.Base == U.Bytes.Base && Old->Through.Low == U.Through.Low &&
                 Old->Through.High == U.Through.High;
        }))
      continue;
    Done.push_back(&U);
    checkPromise(U, Plan);
  }
}

void SharedPlanner::checkPromise(const SharedUpdate &Update, const SharedPlan &Plan) {
  Instruction *At = Plan.Loop.L->getLoopPreheader()->getTerminator();
  SCEVExpander Expander(A.SE, "cf.promise");
  const PromisedBytes &P = Update.Through;
  const int64_t Bytes = P.Index->getDataLayout().getTypeStoreSize(P.Index->getType());
  Type *I64 = Type::getInt64Ty(At->getContext());
  const SCEV *Fields[] = {Update.Bytes.Base,
                          Update.Bytes.Extent,
                          Update.Bytes.Stride,
                          A.SE.getConstant(I64, P.Signed ? -Bytes : Bytes),
                          P.Scale,
                          P.Low,
                          P.High};
  SmallVector<Value *, 7> Values;
  for (const SCEV *Field : Fields) {
    if (!Expander.isSafeToExpandAt(Field, At))
      return;
    Values.push_back(Expander.expandCodeFor(Field, I64, At));
  }
  IRBuilder<> B(At);
  Value *Promise = SweepBuilder::reserve(B, U.Tape, B.getInt64(8 * Values.size()));
  for (unsigned I = 0; I < Values.size(); ++I)
    B.CreateStore(Values[I], B.CreateConstGEP1_64(I64, Promise, I));
  SweepBuilder::callRuntime(
      B, S.C.M, "omp_check_promise", B.getVoidTy(),
      {Promise, Plan.Groups, B.getInt32(Plan.Plain + Plan.Atomic), Plan.Trip});
}

/// Every way into the loop's reverse begins with its last whole iteration.
static bool entersAtLatch(const ReverseShape &Shape, Loop *L) {
  for (auto &[Block, Step] : Shape.steps())
    for (BasicBlock *Target : Step.Targets)
      if (is_contained(Shape.entered(Block, Target), L) && Target != L->getLoopLatch())
        return false;
  return true;
}

/// Empty if the loop can be run so, else why not.
StringRef SharedPlanner::planLoop(SharedPlan &New, const PhaseContents &Phase) {
  if (waitsBefore(*New.Loop.L, Phase))
    return "a critical section is entered in front of the divided loop";
  if (!entersAtLatch(A.Shape, New.Loop.L))
    return "the divided loop may be left early";
  merge(New.Loop.Plain);
  merge(New.Loop.Atomic);
  New.Plain = New.Loop.Plain.size();
  New.Atomic = New.Loop.Atomic.size();
  for (PrivateArray &P : New.Loop.Private) {
    merge(P.Groups);
    New.Atomic += P.Groups.size();
  }
  if (!expand(New))
    return "the addresses cannot be computed in front of the divided loop";
  if (S.Switch.CheckPromises)
    checkPromises(New);
  return {};
}

/// Nobody waits there, and nothing is carried from piece to piece but by who reverses it in order.
StringRef SharedPlanner::planDealt(SharedPlan &New) {
  merge(New.Loop.Plain);
  merge(New.Loop.Atomic);
  New.Plain = New.Loop.Plain.size();
  New.Atomic = New.Loop.Atomic.size();
  return expand(New) ? StringRef()
                     : "the addresses cannot be computed in front of the divided loop";
}

/// True if one thread makes all updates of the phase: the same one, or whoever is chosen once.
bool SharedPlanner::isOneThreads(const PhaseContents &Phase) const {
  if (U.Foreign || !Phase.Waits.empty())
    return false;
  const CallBase *Choice = nullptr;
  for (auto &[Load, Shadow] : Phase.Updates) {
    const CallBase *By = choiceFor(*Load, A.DT);
    if (!By || (Choice && Choice != By &&
                (choosesThread(*By) == Chosen::Any || choosesThread(*Choice) == Chosen::Any)))
      return false;
    Choice = By;
  }
  return choosesThread(*Choice) == Chosen::First || !Phases.reaches(*Choice, *Choice->getParent());
}

/// All versions of a loop ask alike, whichever of them has loose updates.
bool SharedPlanner::chooseRange(MutableArrayRef<SharedPlan> Plans) {
  constexpr int Most = 4; // of cf_team
  if (all_of(Plans, [](const SharedPlan &P) { return P.Loop.Loose.empty(); }))
    return true;
  if (Ranges == Most)
    return false;
  for (SharedPlan &P : Plans)
    P.Range = Ranges;
  ++Ranges;
  return true;
}

static bool isInside(ArrayRef<SharedPlan> Plans, const Instruction &I) {
  return any_of(Plans, [&](const SharedPlan &P) { return P.Loop.L->contains(&I); });
}

static bool isLoose(ArrayRef<SharedPlan> Plans, const Instruction &Load) {
  return any_of(Plans, [&](const SharedPlan &P) {
    return any_of(P.Loop.Loose, [&](const LooseUpdate &U) { return U.Load == &Load; });
  });
}

StringRef SharedPlanner::planPhase(PhaseContents &Phase, SmallVectorImpl<SharedPlan> &Out) {
  if (Phase.Hidden)
    return "a call of the region adds to memory as well";
  auto Uniform = [&](Value *V, const Loop &L) { return uniform(V, L); };
  auto Same = [&](const Loop &Around, const Loop &L) {
    Assumed.clear();
    return sameIteration(Around, L);
  };
  auto MayWait = [&](Instruction &Load, Loop &L) { return mayWait(Load, L); };
  auto IsUnwritten = [&](Instruction &Load) { return isUnwritten(Load); };
  SharingAnswer Found =
      findSharedLoops({Phases, Loops, Deals, Pieces, Phase.Updates, Uniform, Same, MayWait,
                       IsUnwritten, Owned, !S.Switch.Deterministic && !U.Foreign},
                      A.LI, A.DT, A.SE);
  for (SharedLoop &Loop : Found.Loops) {
    SharedPlan New;
    New.Loop = std::move(Loop);
    StringRef Why = New.Loop.Division ? planLoop(New, Phase) : planDealt(New);
    if (!Why.empty())
      return Why;
    Out.push_back(std::move(New));
  }
  if (!chooseRange(Out))
    return "too many phases with addresses that are not affine";
  for (auto &[Load, Shadow] : Phase.Updates)
    if (!isInside(Out, *Load) && !Owned.contains(Load))
      for (SharedPlan &P : Out)
        P.Outside.insert(Load);
  return Found.Why;
}

SharedPlans SharedPlanner::run() {
  collect();
  findDivisions();
  SharedPlans Out;
  Out.Why = "a call of the region adds to memory as well";
  for (auto &[Number, Phase] : Contents) {
    if (Phase.Updates.empty())
      continue;
    if (isOneThreads(Phase)) {
      for (auto &[Load, Shadow] : Phase.Updates)
        Out.Alone.insert(Load);
      continue;
    }
    SmallVector<SharedPlan, 2> New;
    Out.Why = planPhase(Phase, New);
    const bool Planned = Out.Why.empty();
    for (auto &[Load, Shadow] : Phase.Updates) {
      if (!Planned)
        Out.Atomic[Load] = Out.Why;
      else if (Owned.contains(Load) && (!isInside(New, *Load) || !New[0].Loop.Division))
        continue;
      else if (isLoose(New, *Load))
        Out.Atomic[Load] = "its address is not affine in the divided loop";
      else
        Out.Planned.insert(Load);
      if (Planned && !New.empty() && !New[0].Loop.Division &&
          !New[0].Loop.PlainLoads.contains(Load))
        Out.Atomic.try_emplace(Load, "every iteration adds to the same memory");
    }
    if (Planned)
      for (SharedPlan &P : New)
        (P.Loop.Division ? Out.Loops : Out.Dealt).push_back(std::move(P));
  }
  return Out;
}

} // namespace

/// Why nothing is known of the threads that run the unit; empty if it is the body of a team that
/// runs alone.
static StringRef whyUnknown(const RequestState &S, const Unit &U) {
  if (!S.Switch.Sharing)
    return "the sharing analysis is switched off";
  if (!is_contained(S.Closure.TeamBodies, U.Prepared))
    return "the function is called from a region, by several threads";
  if (S.Closure.UsedInTeams.contains(U.Prepared))
    return "the region is inside another one, of which other threads run others like it";
  return {};
}

void divideBody(const RequestState &S, const Unit &U, const ReverseSteps &Steps) {
  if (whyUnknown(S, U).empty())
    chooseMeetings(U, Steps);
}

SharedPlans planSharedLoops(RequestState &S, Unit &U, ForwardSweep &Fwd, const BodyAnalyses &A,
                            const DenseSet<const Instruction *> &Owned) {
  SharedPlans None;
  None.Why = whyUnknown(S, U);
  const DenseSet<const Instruction *> Nothing; // owned: threads take turns, and wait for nobody
  return None.Why.empty()
             ? SharedPlanner(S, U, Fwd, A, S.Switch.Deterministic ? Nothing : Owned).run()
             : None;
}

/// True if memory that is the function's own is used outside of L as well: what one iteration
/// leaves there is for another one, or for what follows.
static bool outlives(const AllocaInst &Memory, const Loop &L) {
  SmallVector<const Value *, 8> Work{&Memory};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      auto *I = cast<Instruction>(U);
      if (isa<GetElementPtrInst, CastInst>(I))
        Work.push_back(I);
      else if (!L.contains(I) && !I->isLifetimeStartOrEnd() && !isa<DbgInfoIntrinsic>(I))
        return true;
    }
  return false;
}

/// True if iterations of L share the place that a store in it writes to, which no two threads do.
static bool isCarried(const StoreInst &Store, const Loop &L, ScalarEvolution &SE) {
  if (auto *Memory = dyn_cast<AllocaInst>(getUnderlyingObject(Store.getPointerOperand(), 20)))
    return outlives(*Memory, L);
  const SCEV *Address = SE.getSCEV(const_cast<Value *>(Store.getPointerOperand()));
  while (auto *Rec = dyn_cast<SCEVAddRecExpr>(Address)) {
    if (Rec->getLoop() == &L || !L.contains(Rec->getLoop()))
      break;
    Address = Rec->getStart();
  }
  return SE.isLoopInvariant(Address, &L);
}

bool mustKeepOrder(RequestState &S, const SharedPlan &Shared, const ReverseSteps &Steps,
                   const TapePlan &Plan, ScalarEvolution &SE) {
  Loop *L = Shared.Loop.L;
  if (any_of(Plan.frames(), [&](auto &F) { return F->What == Frame::Iteration && F->L == L; }))
    return true;
  for (PHINode &Phi : L->getHeader()->phis())
    if (S.Activity.active(&Phi))
      return true;
  for (BasicBlock *Block : L->blocks())
    for (Instruction &I : *Block) {
      auto *Store = dyn_cast<StoreInst>(&I);
      if (Steps.hasWork(I) && (Steps.site(I) || (Store && isCarried(*Store, *L, SE))))
        return true;
      if (S.Activity.active(&I) && any_of(I.users(), [&](const User *U) {
            return !L->contains(cast<Instruction>(U)); // the last iteration gives it
          }))
        return true;
    }
  return false;
}

} // namespace contraflow
