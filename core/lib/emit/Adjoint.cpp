// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The adjoint of one unit, in the order of architecture.md, section 3: shadows, shape of the
// reverse sweep, plan, frames, reverse sweep, returns.

#include "Asked.h"
#include "Owned.h"
#include "Print.h"
#include "Reaches.h"
#include "Remarks.h"
#include "ReverseSweep.h"
#include "TakenBack.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

class AdjointEmitter {
public:
  AdjointEmitter(RequestState &S, Unit &U) : S(S), U(U) {}
  Error run();

private:
  void provideTape();
  Error plan(ForwardSweep &Fwd);
  void takeSnapshots(SnapshotSet &Snapshots, ArrayRef<Value *> Needs, const PlanQuestions &Q,
                     StableMemory &Stable, const BodyAnalyses &A);
  void showPlan(ArrayRef<Value *> Needs, TapePlan &Plan, SnapshotSet &Snapshots);
  void returnCombined(ReturnInst &Return, BasicBlock *Start, ReverseSweep &Sweep);
  void returnAugmented(ReturnInst &Return, ForwardSweep &Fwd);
  void returnReverse(ReverseSweep &Sweep);
  void dropUnusedTape();

  RequestState &S;
  Unit &U;
};

void AdjointEmitter::provideTape() {
  if (U.Tape)
    return;
  BasicBlock &Entry = U.Forward->getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  U.Tape = U.ReverseTape = U.Begin =
      SweepBuilder::callRuntime(B, S.C.M, "tape_begin", B.getPtrTy(), {});
  U.Mark = SweepBuilder::reserve(B, U.Tape, B.getInt64(16));
}

static void packResult(IRBuilder<> &B, ArrayRef<Value *> Parts) {
  if (Parts.empty()) {
    B.CreateRetVoid();
    return;
  }
  SmallVector<Type *, 4> Types;
  for (Value *V : Parts)
    Types.push_back(V->getType());
  Value *Result = PoisonValue::get(StructType::get(B.getContext(), Types));
  for (unsigned I = 0; I < Parts.size(); ++I)
    Result = B.CreateInsertValue(Result, Parts[I], I);
  B.CreateRet(Result);
}

void AdjointEmitter::returnCombined(ReturnInst &Return, BasicBlock *Start, ReverseSweep &Sweep) {
  Value *Primal = Return.getReturnValue();
  const FinalValues Finals(S, Return);
  IRBuilder<> B(&Return);
  B.CreateBr(Start);
  Return.eraseFromParent();
  Sweep.ir().SetInsertPoint(Sweep.end());
  Finals.putBack(Sweep.ir());
  SmallVector<Value *, 4> Parts;
  if (S.Spec.ReturnPrimal && Primal)
    Parts.push_back(Primal);
  for (unsigned A = 0; A < U.Primals.size(); ++A)
    if (S.Spec.Args[A] == Activity::Active)
      Parts.push_back(Sweep.takeAdjoint(U.Primals[A]));
  if (U.Begin && U.UsesTape) {
    Sweep.runtime("tape_release", Sweep.ir().getVoidTy(), {U.Tape, U.Mark});
    Sweep.runtime("tape_end", Sweep.ir().getVoidTy(), {U.Tape});
  }
  packResult(Sweep.ir(), Parts);
}

void AdjointEmitter::returnAugmented(ReturnInst &Return, ForwardSweep &Fwd) {
  IRBuilder<> B(&Return);
  SmallVector<Value *, 3> Parts;
  if (Value *V = Return.getReturnValue()) {
    Parts.push_back(V);
    if (U.Split.ShadowResult)
      Parts.push_back(Fwd.shadowOf(V));
  }
  Parts.push_back(U.Frame);
  packResult(B, Parts);
  Return.eraseFromParent();
}

void AdjointEmitter::returnReverse(ReverseSweep &Sweep) {
  Sweep.ir().SetInsertPoint(Sweep.end());
  SmallVector<Value *, 4> Parts;
  for (unsigned A : U.Split.ActiveArgs)
    Parts.push_back(Sweep.takeAdjoint(U.Primals[A]));
  Sweep.runtime("tape_release", Sweep.ir().getVoidTy(), {U.ReverseTape, U.ReverseFrame});
  packResult(Sweep.ir(), Parts);
}

void AdjointEmitter::dropUnusedTape() {
  if (!U.Begin || U.UsesTape || !U.Mark->use_empty() || !U.Begin->hasOneUse())
    return;
  U.Mark->eraseFromParent();
  U.Begin->eraseFromParent();
  U.Begin = U.Mark = nullptr;
}

void AdjointEmitter::takeSnapshots(SnapshotSet &Snapshots, ArrayRef<Value *> Needs,
                                   const PlanQuestions &Q, StableMemory &Stable,
                                   const BodyAnalyses &A) {
  auto IsHandled = [&](const CallBase &Call) {
    const CallSite *Site = A.Steps.site(Call);
    return Site && !Site->OnlyOwn;
  };
  DenseMap<const Loop *, bool> Waits;
  auto Unchanged = [&](const Loop &L, LoadInst &Load) {
    auto [It, New] = Waits.try_emplace(&L, false);
    if (New)
      It->second = mayWait(L, IsHandled);
    return !It->second && Stable.isUnchangedIn(L, Load, Load.getPointerOperand());
  };
  auto Reserve = [&](IRBuilderBase &B, Value *Bytes) -> Value * {
    U.UsesTape = true;
    return SweepBuilder::reserve(B, U.Tape, Bytes);
  };
  Snapshots.choose(Needs, Q, {A.LI, A.DT, A.SE, S.Loops, Unchanged, Reserve});
}

void AdjointEmitter::showPlan(ArrayRef<Value *> Needs, TapePlan &Plan, SnapshotSet &Snapshots) {
  if (S.Switch.Print.Needs)
    printNeeds(*U.Forward, Needs);
  if (S.Switch.Print.Plan) {
    errs() << "tape plan of " << U.Forward->getName() << ":\n";
    Snapshots.print(errs());
    Plan.print(errs());
  }
  remarkPlan(S, Plan, Snapshots, *U.Forward);
}

static void needTables(const SharedPlans &Sharing, SmallVectorImpl<Value *> &Needs) {
  for (const SharedPlan &Plan : concat<const SharedPlan>(Sharing.Loops, Sharing.Dealt)) {
    Needs.append({Plan.Groups, Plan.Trip});
    for (const PrivateArray &P : Plan.Loop.Private)
      Needs.push_back(P.Pointer);
  }
}

Error AdjointEmitter::plan(ForwardSweep &Fwd) {
  FunctionAnalysisManager &FAM = S.C.FAM;
  FAM.clear(*U.Forward, U.Forward->getName());
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(*U.Forward);
  auto &LI = FAM.getResult<LoopAnalysis>(*U.Forward);
  auto &AA = FAM.getResult<AAManager>(*U.Forward);
  ReverseSteps Steps(S, Fwd);
  divideBody(S, U, Steps);
  ReverseShape Shape(*U.Forward, LI, DT, S.Loops,
                     [&](const Instruction &I) { return Steps.hasWork(I); });
  BodyAnalyses A{LI, DT, FAM.getResult<ScalarEvolutionAnalysis>(*U.Forward), AA, Shape, Steps};
  DenseSet<const Instruction *> Owned;
  if (S.Switch.Sharing)
    Owned = findOwnedLoads(U, A);
  SharedPlans Sharing = planSharedLoops(S, U, Fwd, A, Owned);
  if (S.Switch.Print.Sharing && U.InTeam)
    printSharing(*U.Forward, Sharing);
  auto &Shared = Sharing.Loops;
  SmallVector<Value *, 32> Needs = Shape.needs();
  needTables(Sharing, Needs);
  for (auto &[Block, Step] : Shape.steps())
    for (Instruction &I : *Block)
      Steps.needs(I, Needs);
  StableMemory Stable(S.Writes, S.Activity, AA, LI, DT, A.SE);
  Activations Runs{U.Kind == SweepKind::Split, S.Writes.runsOnce(*U.Prepared), U.Prepared};
  for (const CallSite &Site : Fwd.sites())
    if (Site.Handler)
      Site.Handler->settle(
          Site,
          [&](const Value *P) {
            return Stable.isStable(*Site.Anchor, const_cast<Value *>(P), Runs);
          },
          [&](const Value *P) { return isOverwritten(S, P); });
  DenseMap<const Instruction *, bool> Known;
  auto StableLoad = [&](const Instruction &I) {
    auto [It, New] = Known.try_emplace(&I, false);
    auto *Load = cast<LoadInst>(const_cast<Instruction *>(&I));
    if (!New || !Load->isUnordered() || Load->isVolatile())
      return It->second;
    Instruction *Primal = Fwd.mirrored(Load);
    auto *Asked = Primal ? cast<LoadInst>(Primal) : Load;
    return Known[&I] = Stable.isStable(*Asked, Asked->getPointerOperand(), Runs);
  };
  DenseSet<const Instruction *> Settled = Sharing.Planned;
  for (const Instruction *Load : Sharing.Planned)
    Owned.erase(Load);
  Owned.insert(Sharing.Alone.begin(), Sharing.Alone.end());
  Settled.insert(Owned.begin(), Owned.end());
  WindowLoops Windows = findWindowLoops(S, U, Fwd, A, Settled);
  numberReaches(Sharing.Loops, Windows);
  auto Deferred = findDeferredLoops(S, U, Fwd, Shared, A);
  U.UsesTape |= !Deferred.empty();
  for (const DeferredLoop &D : Deferred)
    for (const auto &Window : D.Windows)
      for (const DeferredUpdate &Update : Window)
        Needs.push_back(Fwd.accessOf(*Update.Load));
  SnapshotSet Snapshots;
  auto Recomputable = [&](const Instruction &I) { return Snapshots.find(&I) || StableLoad(I); };
  auto Carried = [&](const PHINode &Phi) { return S.Carried.lookup(&Phi); };
  PlanQuestions Q{Recomputable, U.Kind == SweepKind::Combined, S.Switch.MinCut,
                  U.Forward->getInstructionCount() >= S.Switch.PieceSize, Carried};
  if (S.Switch.MinCut)
    takeSnapshots(Snapshots, Needs, Q, Stable, A);
  TapePlan Plan(*U.Forward, LI, S.Loops);
  Plan.decide(Needs, Q);
  if (Error E = Plan.verify(Needs))
    return E;
  showPlan(Needs, Plan, Snapshots);
  for (const SharedPlan &P : Shared)
    remarkPhases(S, P);
  for (const SharedPlan &P : Sharing.Dealt)
    remarkDealt(S, P);
  for (const WindowLoop &W : Windows)
    remarkWindows(S, W);
  for (auto &Copy : Snapshots.all()) {
    Plan.require(Copy->Memory, Q);
    Plan.require(Copy->Begin, Q);
  }
  FrameEmitter Frames(S, U, Shape, Plan, Q);
  Frames.run();
  noteRanges(S, U, Shared, Windows);
  noteRanges(S, U, Sharing.Dealt, Windows);
  for (SharedPlan &P : Shared) // versions of one loop: all threads must agree
    P.Loop.Ordered = any_of(Shared, [&](const SharedPlan &Other) {
      return Other.Loop.Phase == P.Loop.Phase && mustKeepOrder(S, Other, Steps, Plan, A.SE);
    });
  ReverseSweep Sweep(
      {S, U, Fwd, Steps, Shape, Plan, Frames, Sharing, Snapshots, Deferred, Owned, Windows});
  auto Start = Sweep.run();
  if (!Start)
    return Start.takeError();
  auto &Return = *cast<ReturnInst>(Shape.returnBlock()->getTerminator());
  if (U.Kind == SweepKind::Combined) {
    returnCombined(Return, *Start, Sweep);
  } else {
    returnAugmented(Return, Fwd);
    returnReverse(Sweep);
  }
  return Error::success();
}

Error AdjointEmitter::run() {
  moveCode(S, U);
  provideTape();
  ForwardSweep Fwd(S, U);
  if (Error E = Fwd.run())
    return E;
  if (Error E = plan(Fwd))
    return E;
  dropUnusedTape();
  return Error::success();
}

} // namespace

Error emitAdjoint(RequestState &S, Unit &U) { return AdjointEmitter(S, U).run(); }

} // namespace contraflow
