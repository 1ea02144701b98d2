// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of POSIX and of C++ run where they are made. A thread may be through before its maker
// goes on, so this is one of the schedules that the program may have, and a program without races
// has the same results in all of them. Its derivative is the derivative of that one.
//
//   pthread_create(&t, a, f, p)   ->   f(p) ; t = 0        pthread_join(t, 0)   ->   if (t) join
//   thread._M_start_thread(state) ->   state->run() ; thread.id = 1
//
// libc++ makes its threads with pthread_create and takes 0 for no thread. Where somebody asks what
// a thread has returned, an odd address stands for the thread, behind that of a cell:
//
//   pthread_create(&t, a, f, p)   ->   *cell = f(p) ; t = cell + 1
//   pthread_join(t, &r)           ->   if (t is odd) r = *(t - 1), free(t - 1) ; else join
//
// Where the function itself calls pthread_exit(v), a copy of it returns v.
//
// Where a thread may wait for what is done later, threads take turns instead (Turns.cpp). If it
// waits for a future only, or in a module with OpenMP teams, the program ends there:
//
//   while (!ready) condition.wait(lock)   ->   while (!ready) fail      [CF329]

#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Remark.h"
#include "parallel/threads/Calls.h"
#include "parallel/threads/Own.h"
#include "parallel/threads/Register.h"
#include "parallel/threads/Schedule.h"
#include "parallel/threads/Turns.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow::threads {
namespace {

/// Runs the function of pthread_create.
void callStart(CallBase &Call) {
  IRBuilder<> B(&Call);
  Module &M = *Call.getModule();
  auto *Type = FunctionType::get(B.getPtrTy(), {B.getPtrTy()}, false);
  CallInst *Result = B.CreateCall(Type, returning(Call.getArgOperand(2)), {Call.getArgOperand(3)});
  Result->copyMetadata(Call);
  keepOwn(*Result, notedVariables(M));
  if (!keepsResults(M)) {
    B.CreateStore(B.getInt64(0), Call.getArgOperand(0));
    return;
  }
  FunctionCallee Allocate = M.getOrInsertFunction("malloc", B.getPtrTy(), B.getInt64Ty());
  Value *Cell = B.CreateCall(Allocate, {B.getInt64(8)});
  B.CreateStore(Result, Cell);
  B.CreateStore(B.CreatePtrAdd(Cell, B.getInt64(1)), Call.getArgOperand(0));
}

/// Calls what the thread would run.
void callThread(CallBase &Call, Role What) {
  IRBuilder<> B(&Call);
  remark(RemarkKind::Missed, "Thread", Call, "in the derivative this thread runs where it is made");
  if (What == Role::Create)
    return callStart(Call);
  constexpr uint64_t RunSlot = 2; // after the two destructors
  Value *State = B.CreateLoad(B.getPtrTy(), Call.getArgOperand(1));
  Value *Table = B.CreateLoad(B.getPtrTy(), State);
  Value *Run = B.CreateLoad(B.getPtrTy(), B.CreateConstGEP1_64(B.getPtrTy(), Table, RunSlot));
  auto *Type = FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false);
  CallInst *Running = B.CreateCall(Type, Run, {State});
  Running->copyMetadata(Call);
  keepOwn(*Running, notedVariables(*Call.getModule()));
  B.CreateStore(B.getInt64(1), Call.getArgOperand(0));
}

/// What a thread that ran where it was made has returned.
void takeResult(IRBuilder<> &B, CallBase &Join) {
  Value *Thread = Join.getArgOperand(0);
  auto *Load = dyn_cast<LoadInst>(Thread);
  Value *Odd = Load ? static_cast<Value *>(B.CreateLoad(B.getPtrTy(), Load->getPointerOperand()))
                    : B.CreateIntToPtr(Thread, B.getPtrTy());
  Value *Cell = B.CreatePtrAdd(Odd, B.getInt64(-1));
  if (!isa<ConstantPointerNull>(Join.getArgOperand(1)))
    B.CreateStore(B.CreateLoad(B.getPtrTy(), Cell), Join.getArgOperand(1));
  B.CreateCall(Join.getModule()->getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()), {Cell});
}

/// Real threads are joined as before; those that ran where they were made have 0, objects 1, and
/// cells an odd address.
void joinIfReal(CallBase &Call, Role What) {
  IRBuilder<> B(&Call);
  const bool OfLibstdcxx = What == Role::JoinObject || What == Role::DetachObject;
  const bool IsObject = OfLibstdcxx || What == Role::JoinHandle || What == Role::DetachHandle;
  const bool HasCells = !OfLibstdcxx && keepsResults(*Call.getModule());
  Value *Thread = Call.getArgOperand(0);
  Value *Id = IsObject ? B.CreateLoad(B.getInt64Ty(), Thread) : Thread;
  Value *IsReal = B.CreateICmpNE(Id, ConstantInt::get(Id->getType(), OfLibstdcxx));
  if (HasCells)
    IsReal = B.CreateAnd(IsReal, B.CreateIsNull(B.CreateAnd(Id, 1)));
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(IsReal, &Call, &Then, &Else);
  CallBase *Real = cast<CallBase>(Call.clone());
  Real->insertBefore(Then->getIterator());
  if (What == Role::Join && HasCells) {
    B.SetInsertPoint(Else);
    takeResult(B, Call);
  }
  if (IsObject)
    IRBuilder<>(&Call).CreateStore(ConstantInt::get(Id->getType(), 0), Thread);
}

/// The library would wait here.
void failToWait(CallBase &Call) {
  IRBuilder<> B(&Call);
  const std::string Text = "[CF329] a thread would wait (" + SourcePlace::of(Call).str() +
                           "), but in the derivative threads run where they are made";
  CallInst *End = SweepBuilder::callRuntime(B, *Call.getModule(), "fail", B.getVoidTy(),
                                            {B.CreateGlobalString(Text)});
  End->addFnAttr(Attribute::NoReturn);
  End->addFnAttr(Attribute::NoUnwind);
  End->addFnAttr(Attribute::Cold);
}

constexpr Role Starts[] = {Role::Create, Role::StartObject};
constexpr Role Blocking[] = {Role::Condition, Role::ConditionTimed, Role::ConditionLock,
                             Role::ConditionUntil, Role::Future};
/// What is another thing only where threads take turns, and otherwise unknown.
constexpr Role Turning[] = {Role::Address,   Role::Yield,          Role::Self,   Role::System,
                            Role::Semaphore, Role::SemaphoreTimed, Role::Barrier};
/// What the tables know as well, and what nobody knows.
constexpr Role Left[] = {Role::Waits, Role::Names, Role::Exit, Role::Notify, Role::Lock};

class ThreadHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (const ThreadFunction &F : threadFunctions())
      if (!is_contained(Left, F.What))
        Names.push_back(F.Name);
    return Names;
  }
  bool claims(const CallBase &Call) const override {
    const ThreadFunction *Row = threadFunction(Call);
    return Row && (!is_contained(Turning, Row->What) || scheduleFor(Call).TakesTurns);
  }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    if (is_contained(Turning, threadFunction(Call)->What))
      return Facts;
    if (isStart(Call) || Call.getArgOperand(0)->getType()->isPointerTy())
      Facts.Writes = {0};
    return Facts;
  }
  bool severalDirections() const override { return true; }
  bool hasReverse(const CallBase &) const override { return false; }
  bool unfold(Function &F) const override;
  Error tangent(SweepBuilder &, CallBase &Call) const override { return refuse(Call); }
  Error augment(SweepBuilder &, CallSite &Site) const override { return refuse(*Site.Anchor); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  static bool isStart(const CallBase &Call) {
    return is_contained(Starts, threadFunction(Call)->What);
  }
  static Schedule scheduleFor(const Instruction &I) {
    return notedSchedule(*const_cast<Module *>(I.getModule()));
  }
  /// What was not unfolded. Joins are made as they are.
  static Error refuse(CallBase &Call) {
    const Role What = threadFunction(Call)->What;
    if (!isStart(Call) && !is_contained(Turning, What) && !is_contained(Blocking, What))
      return Error::success();
    const Schedule S = scheduleFor(Call);
    const std::string Why = !S.Obstacle.empty() || !S.TakesTurns ? S.Obstacle : NotAgain.str();
    return diffError(DiagId::UnsupportedInstruction, Call,
                     "a thread; " + (Why.empty() ? "its arguments are not understood" : Why));
  }
  /// True if the threads that a function makes are refused.
  static bool refusesThreads(const Function &F, const Schedule &S) {
    return !S.Obstacle.empty() || (S.TakesTurns && F.hasFnAttribute(attr::TasksAtOnce));
  }
  static constexpr StringLiteral NotAgain =
      "it may wait for others, and the derivative is differentiated again, or its order is fixed";
};

/// Joins that have been looked at are marked.
constexpr StringLiteral Seen = "contraflow.thread.join";

void replaceCall(CallBase &Call, Role What) {
  if (is_contained(Blocking, What)) {
    failToWait(Call);
  } else if (is_contained(Starts, What)) {
    callThread(Call, What);
  } else {
    Call.setMetadata(Seen, MDNode::get(Call.getContext(), {}));
    joinIfReal(Call, What);
  }
  if (!Call.use_empty()) // no error
    Call.replaceAllUsesWith(Constant::getNullValue(Call.getType()));
  Call.eraseFromParent();
}

bool ThreadHandler::unfold(Function &F) const {
  Module &M = *F.getParent();
  const Schedule S = notedSchedule(M);
  const bool Refused = refusesThreads(F, S);
  if (S.TakesTurns && !Refused)
    return takeTurns(F);
  SmallVector<std::pair<CallBase *, Role>, 8> Calls;
  for (Instruction &I : instructions(F))
    if (const ThreadFunction *Row = threadFunction(I);
        Row && !I.hasMetadata(Seen) && !is_contained(Left, Row->What) &&
        !is_contained(Turning, Row->What) && (!Refused || is_contained(Blocking, Row->What)))
      Calls.push_back({cast<CallBase>(&I), Row->What});
  for (auto [Old, What] : Calls) {
    auto *Invoke = dyn_cast<InvokeInst>(Old);
    replaceCall(Invoke ? *changeToCall(Invoke) : *Old, What);
  }
  return !Calls.empty();
}

} // namespace

void registerHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<ThreadHandler>());
  registerTurns(Registry);
}

} // namespace contraflow::threads
