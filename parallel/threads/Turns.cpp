// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where threads may wait for each other, they take turns: one runs until it waits or ends, then
// another one. That is a schedule that the program may have. Whatever waits becomes the same call,
// which lets others run:
//
//   pthread_create(&t, a, f, p)     t = new id; spawn({ f(p) }, p, t)
//   t.join()                        wait(until t has ended)
//   condition.wait(lock)            unlock; wait(until notified); while (!try_lock) wait
//   while (!ready) ;                while (!ready) wait
//   mutex.lock()                    while (!try_lock) wait
//   futex(address, WAIT, value)     wait(until notified)
//   pthread_barrier_wait(b)         r = arrive(b); while (!passed(b, r)) wait
//
// An odd number stands for a thread, or an address behind that of a cell with what it has returned.

#include "parallel/threads/Turns.h"

#include "contraflow/core/Construct.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Remark.h"
#include "contraflow/core/Spawned.h"
#include "parallel/threads/Calls.h"
#include "parallel/threads/Schedule.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow::threads {
namespace {

/// Of abi.def: when a thread that lets others run may go on.
enum class Wait { Look = 0, Sleep = 1, Timed = 2, Join = 3, Lock = 4 };

/// What has been looked at is marked.
constexpr StringLiteral Seen = "contraflow.thread.seen";

/// Stands for a start until it is known what is run.
constexpr StringLiteral StartLater = "cf.turns.start";
/// What has this is unused: simplification takes it away.
constexpr StringLiteral Dead = "contraflow.thread.dead";

void mark(Instruction &I) { I.setMetadata(Seen, MDNode::get(I.getContext(), {})); }

/// The cell of a thread made with pthread_create.
namespace cell {
constexpr uint64_t Argument = 0, Start = 8, Result = 16, Number = 24, Bytes = 32;
}

class Rewriting {
public:
  explicit Rewriting(CallBase &Call)
      : Call(Call), M(*Call.getModule()), B(&Call), Ptr(B.getPtrTy()), Int(B.getInt64Ty()) {}
  void run(const ThreadFunction &Row);
  void startLater();

private:
  Value *runtime(StringRef Name, Type *Result, ArrayRef<Value *> Args = {}) {
    return SweepBuilder::callRuntime(B, M, Name, Result, Args);
  }
  Value *operand(unsigned I) { return Call.getArgOperand(I); }
  void notify() { runtime("thread_notify", B.getVoidTy()); }
  void wait(Value *Why, Value *Id = nullptr);
  void wait(Wait Why, Value *Id = nullptr) { wait(B.getInt32(static_cast<uint32_t>(Why)), Id); }
  Value *timedOut() { return runtime("thread_timed_out", B.getInt32Ty()); }
  void spawn(Function *Body, Value *Memory, Value *Id);
  Function *newBody(const Twine &Name);
  Function *posixBody(Value *Start);
  Function *objectBody(Function *Run, Function *Destroy);
  void create();
  void startObject();
  void join(Role What);
  void joinTurn(Role What, Value *Id);
  Value *waitUntil(function_ref<Value *()> Holds, Wait Why);
  Value *lock(const ThreadFunction &Row, Value *Lock, Wait Why);
  void barrier();
  void waitUnlocked(Value *Mutex, Wait Why);
  void waitForFuture();
  void system();
  void answer(Value *V) {
    if (!Call.use_empty())
      Call.replaceAllUsesWith(B.CreateIntCast(V, Call.getType(), /*isSigned=*/true));
  }

  CallBase &Call;
  Module &M;
  IRBuilder<> B;
  Type *Ptr, *Int;
};

Value *at(IRBuilder<> &B, Value *Memory, uint64_t Offset) {
  return B.CreateConstGEP1_64(B.getInt8Ty(), Memory, Offset);
}

constexpr uint64_t DestroySlot = 1, RunSlot = 2; ///< in the table of a state of std::thread

Value *loadMember(IRBuilder<> &B, Value *Object, uint64_t Slot) {
  Type *Ptr = B.getPtrTy();
  return B.CreateLoad(Ptr, B.CreateConstGEP1_64(Ptr, B.CreateLoad(Ptr, Object), Slot));
}

void Rewriting::wait(Value *Why, Value *Id) {
  runtime("thread_wait", B.getVoidTy(), {Why, Id ? Id : B.getInt64(0)});
}

void Rewriting::spawn(Function *Body, Value *Memory, Value *Id) {
  remark(RemarkKind::Missed, "Thread", Call,
         "in the derivative this thread and others take turns, one runs at a time");
  auto *Spawn = cast<CallInst>(runtime("thread_spawn", B.getVoidTy(), {Body, Memory, Id}));
  Spawn->copyMetadata(Call);
  Spawn->addFnAttr(Attribute::NoMerge); // the body of each has to be known
}

Function *Rewriting::newBody(const Twine &Name) {
  return contraflow::newBody(M, FunctionType::get(B.getVoidTy(), {Ptr}, false), Name,
                             *Call.getFunction());
}

/// cell->result = start(cell->argument); where nobody asks for it, free(cell).
Function *Rewriting::posixBody(Value *Start) {
  auto *Known = dyn_cast<Function>(returning(Start));
  Function *F = newBody(Known ? "cf.turns." + Known->getName() : Twine("cf.turns"));
  IRBuilder<> In(&F->getEntryBlock());
  Value *Cell = F->getArg(0);
  Value *Callee = Known;
  if (!Known)
    Callee = In.CreateLoad(Ptr, at(In, Cell, cell::Start));
  auto *T = FunctionType::get(Ptr, {Ptr}, false);
  CallInst *Result = In.CreateCall(T, Callee, {In.CreateLoad(Ptr, at(In, Cell, cell::Argument))});
  Result->setDebugLoc(Call.getDebugLoc());
  if (keepsResults(M))
    In.CreateStore(Result, at(In, Cell, cell::Result));
  else
    In.CreateCall(M.getOrInsertFunction("free", In.getVoidTy(), Ptr), {Cell});
  In.CreateRetVoid();
  return F;
}

void Rewriting::create() {
  Value *Thread = operand(0), *Start = operand(2);
  Value *Id = runtime("thread_new", Int);
  Value *Cell = B.CreateCall(M.getOrInsertFunction("malloc", Ptr, Int), {B.getInt64(cell::Bytes)});
  B.CreateStore(operand(3), at(B, Cell, cell::Argument));
  if (!isa<Function>(Start))
    B.CreateStore(Start, at(B, Cell, cell::Start));
  if (keepsResults(M)) {
    B.CreateStore(Id, at(B, Cell, cell::Number));
    B.CreateStore(at(B, Cell, 1), Thread);
  } else {
    B.CreateStore(Id, Thread);
  }
  spawn(posixBody(Start), Cell, Id);
  answer(B.getInt32(0));
}

/// run(state); destroy(state): functions, or nothing where the table of the state is read.
Function *Rewriting::objectBody(Function *Run, Function *Destroy) {
  Function *F = newBody(Run ? "cf.turns." + Run->getName() : Twine("cf.turns.run"));
  IRBuilder<> In(&F->getEntryBlock());
  auto *T = FunctionType::get(In.getVoidTy(), {Ptr}, false);
  for (auto [Known, Slot] : {std::pair(Run, RunSlot), std::pair(Destroy, DestroySlot)}) {
    Value *Callee = Known ? static_cast<Value *>(Known) : loadMember(In, F->getArg(0), Slot);
    In.CreateCall(T, Callee, {F->getArg(0)})->setDebugLoc(Call.getDebugLoc());
  }
  In.CreateRetVoid();
  return F;
}

/// (this, &unique_ptr<state>, ...): the thread owns its state. What it runs is known when the
/// function has been simplified.
void Rewriting::startObject() {
  Value *State = B.CreateLoad(Ptr, operand(1));
  Value *Run = loadMember(B, State, RunSlot), *Destroy = loadMember(B, State, DestroySlot);
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), operand(1));
  Value *Id = runtime("thread_new", Int);
  B.CreateStore(Id, operand(0));
  auto *T = FunctionType::get(B.getVoidTy(), {Ptr, Ptr, Ptr, Int}, false);
  CallInst *Later = B.CreateCall(M.getOrInsertFunction(StartLater, T), {Run, Destroy, State, Id});
  Later->copyMetadata(Call);
  Later->addFnAttr(Attribute::NoMerge);
  auto *Unsimplified = BinaryOperator::CreateAdd(Id, Id, "", Call.getIterator());
  Unsimplified->setMetadata(Dead, MDNode::get(M.getContext(), {}));
}

/// (run, destroy, state, id)
void Rewriting::startLater() {
  auto Known = [&](unsigned I) {
    return dyn_cast<Function>(operand(I)->stripPointerCastsAndAliases());
  };
  Function *Run = Known(0), *Destroy = Known(1);
  spawn(Run && Destroy ? objectBody(Run, Destroy) : objectBody(nullptr, nullptr), operand(2),
        operand(3));
}

/// Of a thread that takes turns: Id is its number, or the address behind that of its cell.
void Rewriting::joinTurn(Role What, Value *Id) {
  const bool Joins = is_contained({Role::Join, Role::JoinObject, Role::JoinHandle}, What);
  const bool HasCell =
      !is_contained({Role::JoinObject, Role::DetachObject}, What) && keepsResults(M);
  if (!Joins)
    return;
  if (!HasCell)
    return wait(Wait::Join, Id);
  auto *Load = dyn_cast<LoadInst>(Id);
  Value *Odd = Load ? static_cast<Value *>(B.CreateLoad(Ptr, Load->getPointerOperand()))
                    : B.CreateIntToPtr(Id, Ptr);
  Value *Cell = B.CreatePtrAdd(Odd, B.getInt64(-1));
  wait(Wait::Join, B.CreateLoad(Int, at(B, Cell, cell::Number)));
  if (What == Role::Join && !isa<ConstantPointerNull>(operand(1)))
    B.CreateStore(B.CreateLoad(Ptr, at(B, Cell, cell::Result)), operand(1));
  B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), Ptr), {Cell});
}

/// What is done to a thread; to one that takes turns, nothing but joining it.
void Rewriting::join(Role What) {
  const bool IsObject = is_contained(
      {Role::JoinObject, Role::JoinHandle, Role::DetachObject, Role::DetachHandle}, What);
  Value *Id = IsObject ? B.CreateLoad(Int, operand(0)) : operand(0);
  Value *IsReal = B.CreateIsNull(B.CreateAnd(Id, 1));
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(IsReal, &Call, &Then, &Else);
  Instruction *Real = Call.clone();
  mark(*Real);
  Real->insertBefore(Then->getIterator());
  B.SetInsertPoint(Else);
  joinTurn(What, Id);
  B.SetInsertPoint(&Call);
  if (IsObject)
    B.CreateStore(ConstantInt::get(Int, 0), operand(0));
  answer(B.getInt32(0));
}

/// while (!holds()) wait. True if it holds; where the time may be over, that ends the loop, too.
Value *Rewriting::waitUntil(function_ref<Value *()> Holds, Wait Why) {
  Instruction *Then = &Call;
  BasicBlock *Test = SplitBlock(Call.getParent(), Then->getIterator());
  BasicBlock *Again = SplitBlock(Test, Then->getIterator());
  BasicBlock *Done = SplitBlock(Again, Then->getIterator());
  B.SetInsertPoint(Again->getTerminator());
  wait(Why);
  if (Why == Wait::Timed)
    B.CreateCondBr(B.CreateIsNull(timedOut()), Test, Done);
  else
    B.CreateBr(Test);
  Again->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Test->getTerminator());
  B.CreateCondBr(Holds(), Done, Again);
  Test->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Done, Done->begin());
  if (Why != Wait::Timed)
    return B.getTrue();
  PHINode *Held = B.CreatePHI(B.getInt1Ty(), 2);
  Held->addIncoming(B.getTrue(), Test);
  Held->addIncoming(B.getFalse(), Again);
  return Held;
}

/// while (!try(lock)) wait
Value *Rewriting::lock(const ThreadFunction &Row, Value *Lock, Wait Why) {
  auto Try = [&] {
    Type *T = Row.TryGivesError ? B.getInt32Ty() : B.getInt1Ty();
    Value *Answer = B.CreateCall(M.getOrInsertFunction(Row.Try, T, Ptr), {Lock});
    return Row.TryGivesError ? B.CreateIsNull(Answer) : Answer;
  };
  return waitUntil(Try, Why);
}

/// The last one to arrive goes on at once, and is told so.
void Rewriting::barrier() {
  Value *Round = runtime("thread_barrier_arrive", Int, {operand(0)});
  auto Passed = [&] {
    return B.CreateIsNotNull(runtime("thread_barrier_passed", B.getInt32Ty(), {operand(0), Round}));
  };
  waitUntil(Passed, Wait::Sleep);
  answer(B.CreateSelect(B.CreateICmpSLT(Round, B.getInt64(0)), B.getInt32(-1), B.getInt32(0)));
}

/// Mutexes of all libraries begin with one of POSIX.
void Rewriting::waitUnlocked(Value *Mutex, Wait Why) {
  constexpr ThreadFunction Posix = {"pthread_mutex_lock", Role::Lock, "pthread_mutex_trylock"};
  B.CreateCall(M.getOrInsertFunction("pthread_mutex_unlock", B.getInt32Ty(), Ptr), {Mutex});
  wait(Why);
  lock(Posix, Mutex, Wait::Lock);
}

/// (this, address, value, has a time, ...): true if the time was not over.
void Rewriting::waitForFuture() {
  auto Number = [&](Wait W) { return B.getInt32(static_cast<uint32_t>(W)); };
  wait(B.CreateSelect(B.CreateIsNotNull(operand(3)), Number(Wait::Timed), Number(Wait::Sleep)));
  if (!Call.use_empty())
    Call.replaceAllUsesWith(B.CreateZExtOrTrunc(B.CreateIsNull(timedOut()), Call.getType()));
}

void Rewriting::system() {
  switch (systemCall(Call)) {
  case SystemCall::Wait:
    wait(Wait::Sleep);
    return answer(B.getInt32(0));
  case SystemCall::WaitTimed:
    wait(Wait::Timed);
    return answer(timedOut());
  case SystemCall::Wake:
    notify();
    return answer(B.getInt32(0));
  case SystemCall::Other:
    llvm_unreachable("is an obstacle");
  }
}

void Rewriting::run(const ThreadFunction &Row) {
  constexpr uint32_t TimeIsOver = 110; // ETIMEDOUT
  switch (Row.What) {
  case Role::Create:
    return create();
  case Role::StartObject:
    return startObject();
  case Role::Condition:
    waitUnlocked(operand(1), Wait::Sleep);
    return answer(B.getInt32(0));
  case Role::ConditionTimed:
    waitUnlocked(operand(1), Wait::Timed);
    return answer(B.CreateAnd(timedOut(), B.getInt32(TimeIsOver)));
  case Role::ConditionLock:
    return waitUnlocked(B.CreateLoad(Ptr, operand(1)), Wait::Sleep);
  case Role::ConditionUntil:
    return waitUnlocked(B.CreateLoad(Ptr, operand(1)), Wait::Timed);
  case Role::Future:
    return waitForFuture();
  case Role::Address:
    return wait(Wait::Sleep);
  case Role::Yield:
    wait(Wait::Look);
    return answer(B.getInt32(0));
  case Role::Self:
    return answer(runtime("thread_self", Int));
  case Role::System:
    return system();
  case Role::Semaphore:
    lock(Row, operand(0), Wait::Sleep);
    return answer(B.getInt32(0));
  case Role::SemaphoreTimed: // errno is set where the time is over
    return answer(B.CreateSExt(B.CreateNot(lock(Row, operand(0), Wait::Timed)), B.getInt32Ty()));
  case Role::Barrier:
    return barrier();
  case Role::Lock:
    lock(Row, operand(0), Wait::Lock);
    return answer(B.getInt32(0));
  default:
    return join(Row.What);
  }
}

/// Before a call, or before what asks.
void letOthersRun(Instruction &At, Wait Why) {
  IRBuilder<> B(&At);
  SweepBuilder::callRuntime(B, *At.getModule(), "thread_wait", B.getVoidTy(),
                            {B.getInt32(static_cast<uint32_t>(Why)), B.getInt64(0)});
}

} // namespace

/// Starts whose functions are known, or will not become known.
static bool startKnown(Function &F) {
  bool Unsimplified = false;
  SmallVector<CallInst *, 4> Starts;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Unsimplified |= I.hasMetadata(Dead);
    if (Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == StartLater)
      Starts.push_back(Call);
  }
  erase_if(Starts,
           [&](CallInst *Call) { return Unsimplified && !isa<Function>(Call->getArgOperand(0)); });
  for (CallInst *Call : Starts) {
    Rewriting(*Call).startLater();
    Call->eraseFromParent();
  }
  return !Starts.empty();
}

bool takeTurns(Function &F) {
  const bool Started = startKnown(F);
  SmallVector<std::pair<CallBase *, const ThreadFunction *>, 8> Calls;
  SmallVector<Instruction *, 4> Asking, Notifying;
  for (Instruction &I : instructions(F)) {
    if (I.hasMetadata(Seen))
      continue;
    const ThreadFunction *Row = threadFunction(I);
    if (Row && Row->What == Role::Notify)
      Notifying.push_back(&I);
    else if (Row && !is_contained({Role::Exit, Role::Waits, Role::Names}, Row->What))
      Calls.push_back({cast<CallBase>(&I), Row});
    else if (!Row && mayAskAgain(I))
      Asking.push_back(&I);
  }
  for (Instruction *I : Asking) {
    letOthersRun(*I, Wait::Look);
    mark(*I);
  }
  for (Instruction *I : Notifying) {
    IRBuilder<> B(I);
    SweepBuilder::callRuntime(B, *F.getParent(), "thread_notify", B.getVoidTy(), {});
    mark(*I);
  }
  for (auto [Old, Row] : Calls) {
    auto *Invoke = dyn_cast<InvokeInst>(Old);
    CallBase &Call = Invoke ? *changeToCall(Invoke) : *Old;
    Rewriting(Call).run(*Row);
    Call.eraseFromParent();
  }
  return Started || !Calls.empty() || !Asking.empty() || !Notifying.empty();
}

} // namespace contraflow::threads
