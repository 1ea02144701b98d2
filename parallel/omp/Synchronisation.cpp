// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// barrier              reverse: a barrier at the mirrored place.
// a region run alone   reverse: the other end of such a region, so that barriers inside are its
// own. critical, lock       reverse: entered in the reverse of the recorded order; leaving becomes
//                      waiting for the turn, entering becomes passing it on. A mutex of the
//                      threads' library is such a lock.
// doacross             wait enters, post leaves: an iteration's turn comes before those that it
//                      waited for.
// worksharing          reverse: nothing; the bounds a thread got are recorded integers.
// reduction            is rewritten first: the library's choice between tree and atomics becomes a
//                      critical section in which each thread combines its copy, so that every
//                      operator has the adjoint of its plain combiner.

#include "contraflow/core/Barrier.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Order.h"
#include "contraflow/core/Refusal.h"
#include "parallel/omp/Flags.h"
#include "parallel/omp/Handlers.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

void writesBehind(const CallBase &Call, CallFacts &Facts) {
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    if (Call.getArgOperand(I)->getType()->isPointerTy() && !isa<Constant>(Call.getArgOperand(I)))
      Facts.Writes.push_back(I);
}

constexpr StringRef Dispatch = "__kmpc_dispatch_init_", DispatchNext = "__kmpc_dispatch_next_";

/// __kmpc_for_static_init(ident, thread, schedule, &last, &lower, &upper, &stride, 1, chunk) with
/// the plain static schedule;
/// __kmpc_dispatch_init(ident, thread, schedule, lower, upper, 1, chunk) and
/// __kmpc_dispatch_next(ident, thread, &last, &lower, &upper, &stride).
std::optional<Division> divisionBy(const CallBase &Call) {
  constexpr uint64_t Static = 34, Modifiers = 3u << 29;
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return std::nullopt;
  StringRef Name = Callee->getName();
  const bool IsSigned = Name.back() != 'u';
  auto Constant = [&](unsigned Operand) {
    return dyn_cast<ConstantInt>(Call.getArgOperand(Operand));
  };
  if (Name.starts_with(DispatchNext) && Call.arg_size() == 6)
    return Division{3, 4, Division::Next, IsSigned};
  if (Name.starts_with(Dispatch) && Call.arg_size() == 7)
    if (const ConstantInt *Step = Constant(5); Step && Step->isOne())
      return Division{3, 4, Division::Deal, IsSigned};
  if (const ConstantInt *Schedule = Call.arg_size() == 9 ? Constant(2) : nullptr;
      Schedule && (Schedule->getZExtValue() & ~Modifiers) == Static)
    return Division{4, 5};
  return std::nullopt;
}

constexpr StringRef BeginAlone = "__kmpc_serialized_parallel",
                    EndAlone = "__kmpc_end_serialized_parallel";

class ForwardOnlyHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {
#define OMP_FORWARD(Name) #Name,
#include "parallel/omp/Runtime.def"
    };
  }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    writesBehind(Call, Facts);
    return Facts;
  }
  bool hasReverse(const CallBase &) const override { return false; }
  Error augment(SweepBuilder &, CallSite &Site) const override {
    return refuseUnknown(*Site.Anchor);
  }
  std::optional<Division> division(const CallBase &Call) const override {
    auto Found = divisionBy(Call);
    return Found && !hasRegionAlone(*Call.getFunction()) ? Found : std::nullopt;
  }
  bool isRepeatable(const CallBase &Call) const override { return isAtTeams(Call); }
  /// Whoever sees the number may not see its tangent yet.
  Error tangent(SweepBuilder &, CallBase &Call) const override { return refuseUnknown(Call); }
  bool allDirections() const override { return true; }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  static Error refuseUnknown(CallBase &Call) {
    if (Call.getCalledFunction()->getName() != Flush || !waitsForUnknown(Call))
      return Error::success();
    return diffError(DiagId::UnsupportedOpenMP, Call,
                     "a thread waits without atomic operations for what is no integer; read and "
                     "write it with 'omp atomic'");
  }
};

class QueryHandler : public ForwardOnlyHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {
#define OMP_QUERY(Name) #Name,
#include "parallel/omp/Runtime.def"
    };
  }
  bool claims(const CallBase &Call) const override {
    return Call.getCalledFunction()->isDeclaration();
  }
  bool isRepeatable(const CallBase &) const override { return true; }
};

class BarrierHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {
#define OMP_BARRIER(Name) #Name,
#include "parallel/omp/Runtime.def"
    };
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  /// Whoever is cancelled waits at another barrier than the rest.
  void canonicalise(Function &F) const override {
    if (hasRegionAlone(F))
      return;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (const Function *Callee = Call->getCalledFunction();
            Callee && Callee->getName() == callees()[0])
          markBarrier(*Call);
  }
  bool isRepeatable(const CallBase &Call) const override { return isAtTeams(Call); }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  bool allDirections() const override { return true; }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *>) const override {
    B.runtime("omp_barrier", B.ir().getVoidTy(), {});
    return Error::success();
  }
};

class AloneHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {BeginAlone, EndAlone}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool isRepeatable(const CallBase &Call) const override { return isAtTeams(Call); }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  bool allDirections() const override { return true; }
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *>) const override {
    const bool Ends = Site.Anchor->getCalledFunction()->getName() == EndAlone;
    B.runtime(Ends ? "omp_alone_begin" : "omp_alone_end", B.ir().getVoidTy(), {});
    return Error::success();
  }
};

struct LockFunction {
  StringRef Name;
  unsigned Lock;
};

constexpr LockFunction Enters[] = {
#define OMP_ENTER(Name, Lock) {#Name, Lock},
#include "parallel/omp/Runtime.def"
};
constexpr LockFunction Leaves[] = {
#define OMP_LEAVE(Name, Lock) {#Name, Lock},
#include "parallel/omp/Runtime.def"
};

/// The result of a function that tells whether it has entered, if it has.
enum class Entered { Zero, Nonzero };

struct TryFunction {
  StringRef Name;
  Entered Result;
};

constexpr TryFunction Tries[] = {
#define OMP_TRY(Name, Result) {#Name, Entered::Result},
#include "parallel/omp/Runtime.def"
};

const TryFunction *tryOf(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  const TryFunction *Row =
      find_if(Tries, [&](const TryFunction &T) { return F && F->getName() == T.Name; });
  return Row == std::end(Tries) ? nullptr : Row;
}

/// True for a function of the threads' library where teams may meet. Elsewhere threads run where
/// they are made.
bool meetsTeams(const CallBase &Call) {
  const Module &M = *Call.getModule();
  return Call.getCalledFunction()->isDeclaration() &&
         any_of(Forks, [&](StringRef Fork) { return M.getFunction(Fork); });
}

/// Functions that only write objects of their class are those of the threads' library.
bool isLockOfTeam(const CallBase &Call) {
  const Function &F = *Call.getCalledFunction();
  return F.isDeclaration() && (!lookupCallee(F).OwnObjects || meetsTeams(Call));
}

Value *lockOf(const CallBase &Call, ArrayRef<LockFunction> Table) {
  const Function *F = Call.getCalledFunction();
  for (const LockFunction &Row : Table)
    if (F && F->getName() == Row.Name)
      return Call.getArgOperand(Row.Lock);
  return nullptr;
}

SmallVector<StringRef, 0> namesOf(ArrayRef<LockFunction> Table) {
  SmallVector<StringRef, 0> Names;
  for (const LockFunction &Row : Table)
    Names.push_back(Row.Name);
  return Names;
}

/// What is ordered has no lock of its own: the place of the first such call stands for it.
constexpr StringRef Ordered[] = {"__kmpc_ordered", "__kmpc_end_ordered", "__kmpc_doacross_wait",
                                 "__kmpc_doacross_post"};
constexpr StringRef DoacrossWait = Ordered[2], DoacrossPost = Ordered[3];

bool isDoacrossWait(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == DoacrossWait;
}

/// An iteration that waits for several others waits for all of them at one place; the last one
/// stands for them.
bool leavesToLaterWait(const CallBase &Call) {
  if (!isDoacrossWait(Call))
    return false;
  for (const Instruction *I = Call.getNextNode(); I; I = I->getNextNode()) {
    if (isDoacrossWait(*I))
      return true;
    if (I->getType()->isFPOrFPVectorTy())
      return false;
  }
  return false;
}

/// Iterations between their wait and their post run at the same time if they do not depend on each
/// other, and are reversed one by one: a lock inside would ask for another order.
bool hasLockInside(const CallBase &Wait) {
  const Function &F = *Wait.getFunction();
  DominatorTree DT(const_cast<Function &>(F));
  LoopInfo LI(DT);
  const Loop *L = LI.getLoopFor(Wait.getParent());
  return !L || any_of(instructions(F), [&](const Instruction &I) {
    auto *Other = dyn_cast<CallBase>(&I);
    return Other && (lockOf(*Other, Enters) || tryOf(*Other)) && !isDoacrossWait(I) &&
           L->getOutermostLoop()->contains(&I);
  });
}

class EnterHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return namesOf(Enters); }
  bool claims(const CallBase &Call) const override { return isLockOfTeam(Call); }
  void canonicalise(Function &F) const override {
    Value *Place = nullptr;
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || !is_contained(Ordered, Callee->getName()))
        continue;
      Place = Place ? Place : Call->getArgOperand(0);
      Call->setArgOperand(0, Place);
    }
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool isRepeatable(const CallBase &Call) const override { return isRepeatableSection(Call); }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  bool allDirections() const override { return true; }
  bool hasReverse(const CallBase &Call) const override { return !leavesToLaterWait(Call); }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    if (leavesToLaterWait(*Site.Anchor))
      return Error::success();
    if (isDoacrossWait(*Site.Anchor) && hasLockInside(*Site.Anchor))
      return diffError(DiagId::UnsupportedOpenMP, *Site.Anchor,
                       "a doacross loop with critical sections or locks");
    Value *Lock = lockOf(*Site.Anchor, Enters);
    B.ir().SetInsertPoint(Site.Anchor->getNextNode());
    Site.Recorded = {Lock, B.runtime("omp_turn_record", B.ir().getInt64Ty(), {Lock})};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("omp_turn_done", B.ir().getVoidTy(), Recalled);
    return Error::success();
  }
};

/// The wait that a post belongs to: other iterations may be between theirs at the same time.
CallBase *waitBefore(CallBase &Post) {
  CallBase *Wait = nullptr;
  DominatorTree DT(*Post.getFunction());
  for (Instruction &I : instructions(*Post.getFunction()))
    if (isDoacrossWait(I) && DT.dominates(&I, &Post) && (!Wait || DT.dominates(Wait, &I)))
      Wait = cast<CallBase>(&I);
  return Wait;
}

/// Whoever leaves holds the lock, so the latest ticket is that of its own entry; of the inner one
/// if the lock is nested.
class LeaveHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return namesOf(Leaves); }
  bool claims(const CallBase &Call) const override { return isLockOfTeam(Call); }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool isRepeatable(const CallBase &Call) const override { return isRepeatableSection(Call); }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  bool allDirections() const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    CallBase &Call = *Site.Anchor;
    Value *Lock = lockOf(Call, Leaves);
    Value *Ticket = nullptr;
    if (Call.getCalledFunction()->getName() != DoacrossPost)
      Ticket = B.runtime("omp_turn_held", B.ir().getInt64Ty(), {Lock});
    else if (CallBase *Wait = waitBefore(Call))
      Ticket = Wait->getNextNode();
    else
      return diffError(DiagId::UnsupportedOpenMP, Call,
                       "an iteration of a doacross loop posts without having waited");
    Site.Recorded = {Lock, Ticket};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("omp_turn_wait", B.ir().getVoidTy(), Recalled);
    return Error::success();
  }
};

/// A lock that is perhaps not set. Whether it was is recorded control flow, which leads the reverse
/// sweep through the leaves that belong to the entries.
class TestLockHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (const TryFunction &Row : Tries)
      Names.push_back(Row.Name);
    return Names;
  }
  bool claims(const CallBase &Call) const override { return isLockOfTeam(Call); }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool isRepeatable(const CallBase &Call) const override { return isRepeatableSection(Call); }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  bool allDirections() const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Value *Lock = Site.Anchor->getArgOperand(0);
    B.ir().SetInsertPoint(Site.Anchor->getNextNode());
    Value *IsSet = B.ir().CreateIsNull(Site.Anchor);
    if (tryOf(*Site.Anchor)->Result == Entered::Nonzero)
      IsSet = B.ir().CreateNot(IsSet);
    Site.Recorded = {Lock, B.runtime("omp_turn_tested", B.ir().getInt64Ty(),
                                     {Lock, B.ir().CreateZExt(IsSet, B.ir().getInt32Ty())})};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("omp_turn_done", B.ir().getVoidTy(), Recalled);
    return Error::success();
  }
};

enum class ReduceEnd { No, Yes, YesAndBarrier };

struct ReduceFunction {
  StringRef Name;
  ReduceEnd Ends;
};

constexpr ReduceFunction Reduces[] = {{"__kmpc_reduce", ReduceEnd::No},
                                      {"__kmpc_reduce_nowait", ReduceEnd::No},
                                      {"__kmpc_end_reduce", ReduceEnd::YesAndBarrier},
                                      {"__kmpc_end_reduce_nowait", ReduceEnd::Yes}};

/// The row of a reduction call, or null.
const ReduceFunction *reduceOf(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  const ReduceFunction *Row =
      find_if(Reduces, [&](const ReduceFunction &R) { return F && F->getName() == R.Name; });
  return Row == std::end(Reduces) ? nullptr : Row;
}

/// Rewrites __kmpc_reduce and __kmpc_reduce_nowait; see the top of this file.
class ReduceHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (const ReduceFunction &Row : Reduces)
      Names.push_back(Row.Name);
    return Names;
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool isRepeatable(const CallBase &Call) const override { return isAtTeams(Call); }
  Error tangent(SweepBuilder &, CallBase &Call) const override { return fault(Call); }
  Error augment(SweepBuilder &, CallSite &Site) const override { return fault(*Site.Anchor); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }
  void canonicalise(Function &F) const override;

private:
  static Error fault(CallBase &Call) {
    return diffError(DiagId::Internal, Call, "a reduction was not rewritten");
  }
};

/// A critical section, which the threads enter in their order if that is asked for.
CallInst *markReduction(CallBase &Call, bool Begins) {
  IRBuilder<> B(&Call);
  Module &M = *Call.getModule();
  Value *Lock = Call.getArgOperand(Begins ? 6 : 2);
  if (isDeterministic(M))
    return SweepBuilder::callRuntime(B, M, Begins ? "omp_ordered_enter" : "omp_ordered_leave",
                                     B.getVoidTy(), {Lock});
  auto *T = FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getInt32Ty(), B.getPtrTy()}, false);
  return B.CreateCall(M.getOrInsertFunction(Begins ? Enters[0].Name : Leaves[0].Name, T),
                      {Call.getArgOperand(0), Call.getArgOperand(1), Lock});
}

void ReduceHandler::canonicalise(Function &F) const {
  SmallVector<CallBase *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && reduceOf(*Call))
      Calls.push_back(Call);
  Module &M = *F.getParent();
  for (CallBase *Call : Calls) {
    IRBuilder<> B(Call);
    ReduceEnd Ends = reduceOf(*Call)->Ends;
    bool Begins = Ends == ReduceEnd::No;
    Value *Ident = Call->getArgOperand(0), *Thread = Call->getArgOperand(1);
    CallInst *Mark = markReduction(*Call, Begins);
    Mark->setConvergent(); // stays one call, as that which it replaces
    if (Begins)
      Call->replaceAllUsesWith(B.getInt32(1));
    else if (Ends == ReduceEnd::YesAndBarrier)
      B.CreateCall(M.getOrInsertFunction(BarrierHandler().callees()[0], B.getVoidTy(), B.getPtrTy(),
                                         B.getInt32Ty()),
                   {Ident, Thread});
    Call->eraseFromParent();
  }
  for (BasicBlock &Block : F) // the atomic operations that the library might have asked for
    if (!Calls.empty())
      ConstantFoldTerminator(&Block, /*DeleteDeadConditions=*/true);
  removeUnreachableBlocks(F);
}

/// Cancelling is part of the recorded control flow. Tasks run where they are made, so there is no
/// group of them that could be cancelled.
class CancelHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"__kmpc_cancel", "__kmpc_cancellationpoint"};
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool isRepeatable(const CallBase &Call) const override { return isAtTeams(Call); }
  bool hasReverse(const CallBase &) const override { return false; }
  Error tangent(SweepBuilder &, CallBase &Call) const override { return check(Call); }
  Error augment(SweepBuilder &, CallSite &Site) const override { return check(*Site.Anchor); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  /// (ident, thread, kind)
  static Error check(CallBase &Call) {
    constexpr uint64_t TaskGroup = 4;
    auto *Kind = dyn_cast<ConstantInt>(Call.getArgOperand(2));
    if (isDeterministic(*Call.getModule()))
      return diffError(DiagId::UnsupportedOpenMP, Call,
                       "whoever cancels is not the same each time (-contraflow-deterministic)");
    if (Kind && Kind->getZExtValue() != TaskGroup)
      return Error::success();
    return diffError(DiagId::UnsupportedOpenMP, Call, "cancelling a group of tasks");
  }
};

/// What several threads may hold or pass at once has no order in which it could be reversed.
class SharedLockHandler : public RefusingHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"pthread_rwlock_rdlock",
            "pthread_rwlock_tryrdlock",
            "pthread_rwlock_timedrdlock",
            "pthread_rwlock_clockrdlock",
            "pthread_rwlock_wrlock",
            "pthread_rwlock_trywrlock",
            "pthread_rwlock_timedwrlock",
            "pthread_rwlock_clockwrlock",
            "pthread_barrier_wait",
            "sem_wait",
            "sem_trywait",
            "sem_timedwait",
            "sem_clockwait",
            "mtx_lock",
            "mtx_trylock",
            "mtx_timedlock",
            "_ZNSt3__111timed_mutex*",
            "_ZNSt3__121recursive_timed_mutex*",
            "_ZNSt3__119__shared_mutex_base*",
            "_ZNSt3__118shared_timed_mutex*"};
  }
  bool claims(const CallBase &Call) const override { return meetsTeams(Call); }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }

private:
  Error refuse(CallBase &Call) const override {
    return diffError(
        DiagId::UnsupportedOpenMP, Call,
        "a lock of the threads' library that is no plain mutex; use omp critical or an omp lock");
  }
};

/// Calls that say more than their names.
constexpr std::pair<StringRef, StringRef> Remedies[] = {
    {"__tgt_target_kernel", "a target region without a version for the host "
                            "(-fopenmp-offload-mandatory), or without effect"}};

/// Every other entry point is refused by name.
class RestHandler : public RefusingHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"__kmpc_*", "__tgt_*", "GOMP_*"}; }

private:
  Error refuse(CallBase &Call) const override {
    StringRef Name = Call.getCalledFunction()->getName();
    auto *Known = find_if(Remedies, [&](auto &Remedy) { return Remedy.first == Name; });
    return diffError(DiagId::UnsupportedOpenMP, Call,
                     Known == std::end(Remedies) ? Name : Known->second);
  }
};

} // namespace

bool hasRegionAlone(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->getName() == BeginAlone;
  });
}

void registerSynchronisation(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<ForwardOnlyHandler>());
  Registry.add(std::make_unique<QueryHandler>());
  Registry.add(std::make_unique<AloneHandler>());
  Registry.add(std::make_unique<EnterHandler>());
  Registry.add(std::make_unique<LeaveHandler>());
  Registry.add(std::make_unique<ReduceHandler>());
  Registry.add(std::make_unique<BarrierHandler>()); // sees those of reductions
  Registry.add(std::make_unique<CancelHandler>());
  Registry.add(std::make_unique<TestLockHandler>());
  Registry.add(std::make_unique<SharedLockHandler>());
  Registry.add(std::make_unique<RestHandler>());
}

} // namespace contraflow::omp
