// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the root writes a scalar of its caller's, any array may have been written as far as the
// compiler knows, and what loops read of arrays would be recorded for it:
//
//   for (t) { s->step++ ; for (i) e += x[at[i]] * ... ; } *out = e       s->step in at? *out in x?
//
// One number for each run of the store is less than one for each run of the loads:
//
//   forward:  old = s->step ; s->step = old + 1 ; for (i) ...
//   reverse:  last = s->step ; ... for (i) ... ; s->step = old ; ... ; s->step = last
//
// A load in a loop (or function) that the store is not in then finds what it has read: it is read
// again while the same run of that loop is reversed, and no store is between.

#include "TakenBack.h"
#include "construct/Memory.h"
#include "contraflow/core/Barrier.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Rule.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Values that the reverse sweep may ask for, and all that they come from.
class MaybeNeeded {
public:
  MaybeNeeded(const RequestState &S, const Function &F) : S(S) {
    for (const Instruction &I : instructions(F))
      add(I);
    while (!Todo.empty())
      if (auto *I = dyn_cast<Instruction>(Todo.pop_back_val()); I && Seen.insert(I).second)
        append_range(Todo, I->operand_values());
  }
  bool contains(const Instruction &I) const { return Seen.contains(&I); }

private:
  void add(const Instruction &I);

  const RequestState &S;
  SmallVector<const Value *, 32> Todo;
  SmallPtrSet<const Instruction *, 32> Seen;
};

void MaybeNeeded::add(const Instruction &I) {
  if (const auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(I) && !findRule(I))
    append_range(Todo, Call->args());
  else if (I.isTerminator() && !isa<ReturnInst>(I))
    append_range(Todo, I.operand_values());
  else if (const Value *Pointer = getLoadStorePointerOperand(&I))
    Todo.push_back(Pointer);
  else if (const auto *Select = dyn_cast<SelectInst>(&I))
    Todo.push_back(Select->getCondition());
  if (!S.Activity.active(&I))
    return;
  const Rule R = findRule(I);
  for (unsigned Op = 0; R && Op < R.operands(); ++Op)
    if (!R.isZero(Op) && S.Activity.active(I.getOperand(Op)))
      for (unsigned Read = 0; Read < R.operands(); ++Read)
        if (R.readsOperand(Op, Read))
          Todo.push_back(I.getOperand(Read));
}

} // namespace

/// The beginning of an object that is there as long as the call is, and where in it Store writes.
static std::pair<const Value *, int64_t> placeOf(const StoreInst &Store) {
  const DataLayout &DL = Store.getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(Store.getPointerOperandType()), 0);
  const Value *Base =
      Store.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
  const auto *Variable = dyn_cast<GlobalVariable>(Base);
  const bool Stays = isa<Argument>(Base) || (Variable && !Variable->isThreadLocal());
  return {Stays ? Base : nullptr, Offset.getSExtValue()};
}

/// True if I may wait for other threads, or holds them up: while one of them runs forwards, another
/// one's reverse sweep must not put back what they share.
static bool mayMeetThreads(const RequestState &S, const Instruction &I) {
  if (I.isAtomic() || isBarrier(I) || choosesThread(I) != Chosen::None)
    return true;
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || isa<IntrinsicInst>(I) || Call->onlyReadsMemory() || isPlainMath(I) || findRule(I) ||
      is_contained(S.Closure.Functions, Call->getCalledFunction()))
    return false;
  const CalleeInfo Info = lookupCallee(*Call);
  if (Info.Kind == CalleeKind::Inactive)
    return Info.Opaque || !(Info.ReadOnly || Info.OwnObjects);
  if (Info.Kind != CalleeKind::Unknown)
    return false;
  const ConstructHandler *H = S.C.Handlers.find(*Call);
  const auto Body = H ? H->closure(*Call) : std::nullopt;
  return !H || (Body ? Body->Detached : !H->meetsProcesses(*Call));
}

/// The same of what the root calls in its own thread.
static bool mayMeetThreads(const RequestState &S) {
  SmallVector<const Function *, 8> Todo{S.Closure.Root};
  SmallPtrSet<const Function *, 8> Seen;
  while (!Todo.empty()) {
    const Function *F = Todo.pop_back_val();
    if (!is_contained(S.Closure.Functions, F) || !Seen.insert(F).second)
      continue;
    for (const Instruction &I : instructions(*F)) {
      if (mayMeetThreads(S, I))
        return true;
      if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction())
        Todo.push_back(Call->getCalledFunction());
    }
  }
  return false;
}

/// True if the caller may have no memory there: its stores are dropped (Absent.h).
static bool mayBeAbsent(const RequestState &S, const Value &Base) {
  const auto *Parameter = dyn_cast<Argument>(&Base);
  return Parameter && any_of(S.Spec.Absent, [&](const auto &Absent) {
           return Absent.first == Parameter->getArgNo();
         });
}

/// True for a number that lies in the caller's memory, and no address beside it.
static bool isCallersScalar(const RequestState &S, const StoreInst &Store) {
  Type *T = Store.getValueOperand()->getType();
  const Value *Base = placeOf(Store).first;
  if (!Store.isSimple() || !(T->isIntegerTy() || T->isFloatingPointTy()) || !Base ||
      Base->getType()->getPointerAddressSpace() != 0 || mayBeAbsent(S, *Base))
    return false;
  const Location At = S.Graph.find(Store.getPointerOperand());
  return At && !(S.Graph.kindsAt(At, Store.getDataLayout().getTypeStoreSize(T)) & SK_Pointer);
}

/// True if the call gives back what was there before it, which may be what the stores write. That
/// of active memory waits for the end of the reverse sweep, or is refused.
static bool freesOutside(const RequestState &S) {
  return any_of(S.Writes.writes(), [&](const WriteSet::Write &W) {
    const auto *Call = dyn_cast<CallBase>(W.At);
    const CalleeKind Kind = Call ? lookupCallee(*Call).Kind : CalleeKind::Unknown;
    return (Kind == CalleeKind::Free || Kind == CalleeKind::Reallocate ||
            Kind == CalleeKind::ReallocateSized) &&
           S.Graph.isOutside(W.Node);
  });
}

/// Adds the stores that keep some load of F from being read again.
static void findWanted(RequestState &S, Function &F, SmallPtrSetImpl<const Instruction *> &Wanted) {
  FunctionAnalysisManager &FAM = S.C.FAM;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  const bool IsRoot = &F == S.Closure.Root;
  if (IsRoot && LI.empty())
    return;
  StableMemory Stable(S.Writes, S.Activity, FAM.getResult<AAManager>(F), LI,
                      FAM.getResult<DominatorTreeAnalysis>(F),
                      FAM.getResult<ScalarEvolutionAnalysis>(F));
  const Activations Runs{!IsRoot, S.Writes.runsOnce(F), &F};
  const MaybeNeeded Needed(S, F);
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->isUnordered() || Load->isVolatile() || !Needed.contains(I) ||
        (IsRoot && !LI.getLoopFor(I.getParent())))
      continue;
    SmallPtrSet<const Instruction *, 4> Relied;
    if (Stable.isStable(*Load, Load->getPointerOperand(), Runs, &Relied))
      Wanted.insert(Relied.begin(), Relied.end());
  }
}

void chooseTakenBack(RequestState &S) {
  const DerivativeSpec &Spec = S.Spec;
  if (Spec.Mode != DerivativeMode::Adjoint || Spec.Split || Spec.Again || Spec.Repeated ||
      !S.Switch.MinCut || S.Foreign || !S.Writes.runsOnce(*S.Closure.Root))
    return;
  constexpr unsigned Deepest = 2;
  auto &LI = S.C.FAM.getResult<LoopAnalysis>(*S.Closure.Root);
  auto &DT = S.C.FAM.getResult<DominatorTreeAnalysis>(*S.Closure.Root);
  if (!all_of(LI, [&](const Loop *L) { return L->isRecursivelyLCSSAForm(DT, LI); }))
    return;
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(*S.Closure.Root))
    if (auto *Store = dyn_cast<StoreInst>(&I);
        Store && LI.getLoopDepth(I.getParent()) <= Deepest && isCallersScalar(S, *Store))
      Stores.push_back(Store);
  if (Stores.empty() || freesOutside(S) || mayMeetThreads(S))
    return;
  SmallPtrSet<const Instruction *, 8> Wanted;
  S.Writes.takeBack(Stores);
  for (Function *F : S.Closure.Functions)
    findWanted(S, *F, Wanted);
  erase_if(Stores, [&](StoreInst *Store) { return !Wanted.contains(Store); });
  S.Writes.takeBack(Stores);
  for (StoreInst *Store : Stores) {
    takeBack(*Store);
    S.TakenBack.push_back(Store);
  }
}

/// A store that has not run has changed nothing: then another place stands for this one.
FinalValues::FinalValues(const RequestState &S, ReturnInst &Return) {
  BasicBlock &Entry = Return.getFunction()->getEntryBlock();
  IRBuilder<> Top(&Entry, Entry.getFirstInsertionPt()), B(&Return);
  MapVector<std::tuple<const Value *, int64_t, Type *>, SmallVector<StoreInst *, 2>> Places;
  for (StoreInst *Store : S.TakenBack) {
    const auto [Base, Offset] = placeOf(*Store);
    Places[{Base, Offset, Store->getValueOperand()->getType()}].push_back(Store);
  }
  for (auto &[Key, Stores] : Places) {
    auto [Base, Offset, T] = Key;
    AllocaInst *Written = Top.CreateAlloca(B.getInt1Ty(), nullptr, "written");
    AllocaInst *Elsewhere = Top.CreateAlloca(T, nullptr, "elsewhere");
    Top.CreateStore(B.getFalse(), Written);
    Align Alignment = Elsewhere->getAlign();
    for (StoreInst *Store : Stores) {
      IRBuilder<>(Store->getNextNode()).CreateStore(B.getTrue(), Written);
      Alignment = std::min(Alignment, Store->getAlign());
    }
    Value *Place =
        B.CreateSelect(B.CreateLoad(B.getInt1Ty(), Written),
                       B.CreatePtrAdd(const_cast<Value *>(Base), B.getInt64(Offset)), Elsewhere);
    All.push_back({Place, B.CreateAlignedLoad(T, Place, Alignment, "final"), Alignment});
  }
}

void FinalValues::putBack(IRBuilder<> &B) const {
  for (const Final &F : All)
    B.CreateAlignedStore(F.V, F.Place, F.Alignment);
}

} // namespace contraflow
