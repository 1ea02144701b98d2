// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most tasks stay tasks (TaskGraph.cpp): their bodies free what was allocated for them,
//
//   t = task_alloc(entry); t->... = ...; task(t)   ->   t = malloc; ...; spawn(body, t)
//
// and whoever waits for tasks says so with sync(), also in front of a barrier.
//
// Others run where they are made. A task may be executed as soon as it is generated (OpenMP 5.2,
// section 12.5: generation is a scheduling point), and what it depends on was generated before it:
// so the program with every task executed at once is one of the schedules the original may have.
// Its derivative is the derivative of all of them.
//
//   t = task_alloc(entry); t->... = ...; task(t)   ->   t = malloc; t->... = ...; entry(t); free(t)
//
// Then a taskloop is one task with all iterations; what a task reduces, it adds to the variable
// itself.

#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/ObjectType.h"
#include "contraflow/core/Remark.h"
#include "contraflow/core/Spawned.h"
#include "parallel/omp/Handlers.h"
#include "parallel/omp/Untied.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

/// What a call does to the task that operand 2 is, or that it makes.
enum class Role {
  Make,        ///< (ident, thread, flags, bytes, bytes of shareds, entry)
  Run,         ///< (ident, thread, task, ...)
  RunLoop,     ///< (ident, thread, task, ..., dup), the last operand
  Finish,      ///< (ident, thread, task): the program has run the entry itself
  Nothing,     ///< waits for what is done already
  Wait,        ///< the same; an event may be open
  Begin,       ///< of a group of tasks
  End,         ///< of a group of tasks
  Cancel,      ///< (ident, thread, kind)
  IsCancelled, ///< (ident, thread, kind)
  Barrier,     ///< stays, but waits for tasks as well
  Event,       ///< (ident, thread, task): the event that completes the task
  Fulfil,      ///< (event)
  Reduced,     ///< (thread, group, variable): the private copy of a reduced variable
};

struct TaskFunction {
  StringRef Name;
  Role What;
};

constexpr StringRef BeginAtOnce = "__kmpc_omp_task_begin_if0";
constexpr TaskFunction Functions[] = {{"__kmpc_omp_task_alloc", Role::Make},
                                      {"__kmpc_omp_task", Role::Run},
                                      {"__kmpc_omp_task_with_deps", Role::Run},
                                      {"__kmpc_taskloop", Role::RunLoop},
                                      {"__kmpc_taskloop_5", Role::RunLoop},
                                      {BeginAtOnce, Role::Nothing},
                                      {"__kmpc_omp_task_complete_if0", Role::Finish},
                                      {"__kmpc_omp_taskwait", Role::Wait},
                                      {"__kmpc_omp_taskyield", Role::Nothing},
                                      {"__kmpc_omp_wait_deps", Role::Wait},
                                      {"__kmpc_omp_taskwait_deps_51", Role::Wait},
                                      {"__kmpc_taskgroup", Role::Begin},
                                      {"__kmpc_end_taskgroup", Role::End},
                                      {"__kmpc_taskred_init", Role::Nothing},
                                      {"__kmpc_taskred_modifier_init", Role::Nothing},
                                      {"__kmpc_task_reduction_modifier_fini", Role::Nothing},
                                      {"__kmpc_omp_reg_task_with_affinity", Role::Nothing},
                                      {"__kmpc_omp_target_task_alloc", Role::Make},
                                      {"__kmpc_barrier", Role::Barrier},
                                      {"__kmpc_cancel_barrier", Role::Barrier},
                                      {"__kmpc_end_reduce", Role::Barrier},
                                      {"__kmpc_copyprivate", Role::Barrier},
                                      {"__kmpc_cancel", Role::Cancel},
                                      {"__kmpc_cancellationpoint", Role::IsCancelled},
                                      {"__kmpc_task_allow_completion_event", Role::Event},
                                      {"omp_fulfill_event", Role::Fulfil},
                                      {"__kmpc_task_reduction_get_th_data", Role::Reduced}};

/// Loops, sections and regions are cancelled by the library.
bool cancelsTasks(const CallBase &Call) {
  constexpr uint64_t TaskGroup = 4;
  auto *Kind = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  return Kind && Kind->getZExtValue() == TaskGroup;
}

/// Two tasks in two branches stay two: the body of each has to be known.
void createSpawn(IRBuilder<> &B, CallBase &Like, ArrayRef<Value *> Args) {
  CallInst *Spawn =
      SweepBuilder::callRuntime(B, *Like.getModule(), "omp_task_spawn", B.getVoidTy(), Args);
  Spawn->copyMetadata(Like);
  Spawn->addFnAttr(Attribute::NoMerge);
}

bool mayCancelTasks(const Module &M) {
  for (const TaskFunction &T : Functions)
    if (const Function *F = T.What == Role::Cancel ? M.getFunction(T.Name) : nullptr)
      return any_of(F->users(), [](const User *U) {
        auto *Call = dyn_cast<CallBase>(U);
        return Call && Call->arg_size() == 3 && cancelsTasks(*Call);
      });
  return false;
}

/// Whether any task stays one.
bool makesTasks(const Module &M) {
  const Function *Make = M.getFunction(Functions[0].Name);
  return Make && any_of(Make->users(), [](const User *U) {
           auto *Call = dyn_cast<CallBase>(U);
           auto *Entry = Call && Call->arg_size() == 6
                             ? dyn_cast<Function>(Call->getArgOperand(5)->stripPointerCasts())
                             : nullptr;
           return Entry && mayRunLater(*Entry);
         });
}

/// (ident, thread, task, count, dependences, count, others)
bool hasDependences(const CallBase &Call) { return Call.arg_size() == 7; }

bool hasEvents(const Module &M) {
  return any_of(Functions, [&](const TaskFunction &T) {
    return T.What == Role::Event && M.getFunction(T.Name);
  });
}

const TaskFunction *taskFunction(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  const TaskFunction *Row =
      find_if(Functions, [&](const TaskFunction &T) { return F && F->getName() == T.Name; });
  return Row == std::end(Functions) ? nullptr : Row;
}

constexpr StringRef Sync = "cf_v1_omp_task_sync";

bool isSync(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->getName() == Sync;
}

/// A task, where it is made.
struct Task {
  Function *Entry = nullptr;
  Value *Bytes = nullptr; ///< of the task proper; the shared part follows
  Value *Whole = nullptr;
  Value *Flags = nullptr;
  Type *Layout = nullptr; ///< if it is known
  bool Tied = true;
};

constexpr unsigned TiedBit = 0;
constexpr uint64_t PartAt = 16; ///< in libomp's kmp_task_t: the part that comes next

class Unfolder {
public:
  explicit Unfolder(Function &F)
      : M(*F.getParent()), MayCancel(mayCancelTasks(M)), HasEvents(hasEvents(M)),
        Stay(!MayCancel && !HasEvents && !F.hasFnAttribute(attr::TasksAtOnce) && hasTeams(M) &&
             makesTasks(M)) {}
  void findAtOnce(Function &F);
  bool run(CallBase &Call, Role What);

private:
  Value *allocate(IRBuilder<> &B, const Task &T);
  bool make(CallBase &Call);
  void enter(IRBuilder<> &B, const Task &T, CallBase &Call, Value *Memory);
  bool runTask(CallBase &Call, bool IsLoop);
  bool spawn(const Task &T, CallBase &Call);
  Value *duplicate(IRBuilder<> &B, const Task &T, CallBase &Call, Value *IsLast);
  bool spawnLoop(const Task &T, CallBase &Call);
  void spawnPiece(const Task &T, CallBase &Call, Value *Index, Value *Trip, Value *Pieces);
  void sync(CallBase &Call);
  bool goesOn(CallBase &Call);
  void release(IRBuilder<> &B, Value *Memory);

  bool cancel(CallBase &Call, StringRef Runtime);
  void runtime(IRBuilder<> &B, CallBase &Call, StringRef Name, ArrayRef<Value *> Args = {});

  Module &M;
  bool MayCancel, HasEvents;
  bool Stay; ///< some tasks stay tasks
  DenseMap<Value *, Task> Made;
  SmallPtrSet<const CallBase *, 4> OfProgram; ///< runs of what the program has begun itself
};

/// New memory for a task, whose first word points behind it, to the shared part.
Value *Unfolder::allocate(IRBuilder<> &B, const Task &T) {
  FunctionCallee Malloc = M.getOrInsertFunction("malloc", B.getPtrTy(), B.getInt64Ty());
  CallInst *Memory = B.CreateCall(Malloc, {T.Whole}, "task");
  if (T.Layout)
    noteObjectType(*Memory, T.Layout);
  B.CreateStore(B.CreatePtrAdd(Memory, T.Bytes), Memory);
  if (!T.Tied) // the library does so; not every program does it again
    B.CreateStore(B.getInt32(0), B.CreateConstGEP1_64(B.getInt8Ty(), Memory, PartAt));
  return Memory;
}

/// What a task has for itself, as clang has noted it, and the addresses of what it shares: arrays
/// among the former are told from the latter.
static Type *layoutOf(const CallBase &Call, uint64_t SharedAt, uint64_t Whole) {
  LLVMContext &Context = Call.getContext();
  Type *Own = notedObjectType(Call), *Address = PointerType::getUnqual(Context);
  const DataLayout &DL = Call.getDataLayout();
  if (!Own || DL.getTypeAllocSize(Own) != SharedAt)
    return nullptr;
  SmallVector<Type *, 8> Parts((Whole - SharedAt) / DL.getTypeAllocSize(Address), Address);
  Parts.insert(Parts.begin(), Own);
  return StructType::get(Context, Parts);
}

void Unfolder::release(IRBuilder<> &B, Value *Memory) {
  B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()), {Memory});
}

/// False if the task is left to the library, which is refused.
bool Unfolder::make(CallBase &Call) {
  auto *Entry = dyn_cast<Function>(Call.getArgOperand(5)->stripPointerCasts());
  const bool Stays = Stay && Entry && mayRunLater(*Entry);
  if (Entry && !Stays && waitsForMaker(*Entry))
    return false;
  IRBuilder<> B(&Call);
  Task T;
  T.Entry = Entry;
  T.Flags = Call.getArgOperand(2); // calculated, where a clause says final(...)
  T.Tied = computeKnownBits(T.Flags, M.getDataLayout()).One[TiedBit];
  if (T.Entry && T.Entry->arg_size() == 2)
    relaxPrivates(*T.Entry->getArg(1));
  relaxPrivates(Call);
  Value *Rounded = B.CreateAdd(Call.getArgOperand(3), B.getInt64(7));
  T.Bytes = B.CreateAnd(Rounded, B.getInt64(-8));
  T.Whole = B.CreateAdd(T.Bytes, Call.getArgOperand(4));
  auto *SharedAt = dyn_cast<ConstantInt>(T.Bytes), *Whole = dyn_cast<ConstantInt>(T.Whole);
  if (SharedAt && Whole)
    T.Layout = layoutOf(Call, SharedAt->getZExtValue(), Whole->getZExtValue());
  Value *Memory = allocate(B, T);
  Call.replaceAllUsesWith(Memory);
  Made[Memory] = T;
  return true;
}

void Unfolder::enter(IRBuilder<> &B, const Task &T, CallBase &Call, Value *Memory) {
  Function *Entry = T.Tied ? T.Entry : tiedCopy(*T.Entry, Functions[1].Name);
  B.CreateCall(Entry, {Call.getArgOperand(1), Memory})->copyMetadata(Call);
  release(B, Memory);
}

/// The entry, followed by the end of the task's memory.
Function *bodyOf(Function &Entry) {
  Module &M = *Entry.getParent();
  const std::string Name = (Entry.getName() + ".task").str();
  if (Function *Made = M.getFunction(Name))
    return Made;
  Function *F = newBody(M, Entry.getFunctionType(), Name, Entry);
  IRBuilder<> B(&F->getEntryBlock());
  CallInst *Call = B.CreateCall(&Entry, {F->getArg(0), F->getArg(1)});
  B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()), {F->getArg(1)});
  Call->getType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Call);
  return F;
}

/// False if this task runs where it is made.
bool Unfolder::spawn(const Task &T, CallBase &Call) {
  constexpr unsigned Count = 3, Dependences = 4, OtherCount = 5;
  const bool Depends = hasDependences(Call);
  auto *Others = Depends ? dyn_cast<ConstantInt>(Call.getArgOperand(OtherCount)) : nullptr;
  if (!Stay || !mayRunLater(*T.Entry) || (Depends && (!Others || !Others->isZero())))
    return false;
  IRBuilder<> B(&Call);
  Value *None = ConstantPointerNull::get(B.getPtrTy());
  Function *Entry = T.Tied ? T.Entry : tiedCopy(*T.Entry, Functions[1].Name);
  createSpawn(B, Call,
              {bodyOf(*Entry), Call.getArgOperand(2), T.Flags,
               Depends ? Call.getArgOperand(Count) : B.getInt32(0),
               Depends ? Call.getArgOperand(Dependences) : None});
  return true;
}

/// A copy of a taskloop's task, with what is private in it.
Value *Unfolder::duplicate(IRBuilder<> &B, const Task &T, CallBase &Call, Value *IsLast) {
  Value *Original = Call.getArgOperand(2);
  Value *Copy = allocate(B, T);
  Value *Shareds = B.CreateLoad(B.getPtrTy(), Copy);
  B.CreateMemCpy(Copy, MaybeAlign(8), Original, MaybeAlign(8), T.Whole);
  B.CreateStore(Shareds, Copy);
  if (auto *Dup = dyn_cast<Function>(Call.getArgOperand(Call.arg_size() - 1)))
    B.CreateCall(Dup, {Copy, Original, IsLast})->copyMetadata(Call);
  return Copy;
}

/// Iterations trip / pieces * index + min(index, trip % pieces) ... of the loop.
void Unfolder::spawnPiece(const Task &T, CallBase &Call, Value *Index, Value *Trip, Value *Pieces) {
  constexpr uint64_t LowerBound = 40, UpperBound = 48; // of libomp's kmp_task_t
  IRBuilder<> B(&Call);
  Value *Each = B.CreateUDiv(Trip, Pieces), *Rest = B.CreateURem(Trip, Pieces);
  auto Begin = [&](Value *I) {
    Value *Longer = B.CreateSelect(B.CreateICmpULT(I, Rest), I, Rest);
    return B.CreateAdd(B.CreateMul(Each, I), Longer);
  };
  Value *Next = B.CreateAdd(Index, B.getInt64(1));
  Value *IsLast = B.CreateZExt(B.CreateICmpEQ(Next, Pieces), B.getInt32Ty());
  Value *First = Begin(Index), *Last = B.CreateSub(Begin(Next), B.getInt64(1));
  Value *Copy = duplicate(B, T, Call, IsLast);
  Value *Lower = B.CreateLoad(B.getInt64Ty(), Call.getArgOperand(4));
  Value *Step = Call.getArgOperand(6);
  for (auto [Offset, Iteration] : {std::pair(LowerBound, First), std::pair(UpperBound, Last)})
    B.CreateStore(B.CreateAdd(Lower, B.CreateMul(Iteration, Step)),
                  B.CreateConstGEP1_64(B.getInt8Ty(), Copy, Offset));
  Function *Entry = T.Tied ? T.Entry : tiedCopy(*T.Entry, Functions[1].Name);
  createSpawn(
      B, Call,
      {bodyOf(*Entry), Copy, T.Flags, B.getInt32(0), ConstantPointerNull::get(B.getPtrTy())});
}

/// (ident, thread, task, if, &lower, &upper, step, no group, schedule, grain, ..., duplicate).
/// False if the loop is one task, which runs where it is made.
bool Unfolder::spawnLoop(const Task &T, CallBase &Call) {
  if (!Stay || !mayRunLater(*T.Entry) || Call.arg_size() < 11)
    return false;
  IRBuilder<> B(&Call);
  Type *Int = B.getInt64Ty();
  Value *Step = Call.getArgOperand(6);
  Value *Extent = B.CreateSub(B.CreateLoad(Int, Call.getArgOperand(5)),
                              B.CreateLoad(Int, Call.getArgOperand(4)));
  Value *Trip = B.CreateAdd(B.CreateSDiv(Extent, Step), B.getInt64(1));
  Value *Pieces = SweepBuilder::callRuntime(
      B, M, "omp_task_pieces", Int,
      {Trip, Call.getArgOperand(3), Call.getArgOperand(8), Call.getArgOperand(9)});
  BasicBlock *Head = Call.getParent();
  BasicBlock *Body = SplitBlock(Head, Call.getIterator());
  Instruction *After = Call.getNextNode();
  B.SetInsertPoint(Body, Body->begin());
  PHINode *Index = B.CreatePHI(Int, 2, "piece");
  spawnPiece(T, Call, Index, Trip, Pieces);
  B.SetInsertPoint(&Call);
  Value *Next = B.CreateAdd(Index, B.getInt64(1));
  Value *More = B.CreateICmpNE(Next, Pieces);
  BasicBlock *Out = SplitBlock(Body, After->getIterator());
  Index->addIncoming(B.getInt64(0), Head);
  Index->addIncoming(Next, Body);
  Body->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Body);
  B.CreateCondBr(More, Body, Out);
  Call.moveBefore(Out->begin());
  B.SetInsertPoint(&Call);
  release(B, Call.getArgOperand(2));
  auto *If = dyn_cast<ConstantInt>(Call.getArgOperand(3));
  auto *Alone = dyn_cast<ConstantInt>(Call.getArgOperand(7));
  if (!If || If->isZero() || !Alone || Alone->isZero())
    sync(Call);
  return true;
}

void Unfolder::sync(CallBase &Call) {
  if (!Stay)
    return;
  IRBuilder<> B(&Call);
  SweepBuilder::callRuntime(B, M, "omp_task_sync", B.getVoidTy(), {})->copyMetadata(Call);
}

/// False if the task was not made in this function, or is left to the library.
bool Unfolder::runTask(CallBase &Call, bool IsLoop) {
  Value *Memory = Call.getArgOperand(2);
  auto It = Made.find(Memory);
  if (It == Made.end() || !It->second.Entry || It->second.Entry->arg_size() != 2)
    return false;
  const Task T = It->second;
  if (IsLoop ? spawnLoop(T, Call) : spawn(T, Call))
    return true;
  if (hasDependences(Call))
    sync(Call);
  IRBuilder<> B(&Call);
  if (HasEvents && hasDependences(Call)) { // before the task has an event of its own
    IRBuilder<> Before(cast<Instruction>(Memory));
    SweepBuilder::callRuntime(Before, M, "omp_event_wait", B.getVoidTy(), {});
  }
  auto *Dup = IsLoop ? dyn_cast<Function>(Call.getArgOperand(Call.arg_size() - 1)) : nullptr;
  if (Dup) { // copies what is private, and says that this is the last chunk
    enter(B, T, Call, duplicate(B, T, Call, B.getInt32(1)));
    release(B, Memory);
  } else {
    enter(B, T, Call, Memory);
  }
  remark(RemarkKind::Missed, "Task", Call, "in the derivative this task runs where it is made");
  return true;
}

/// An untied task whose if clause is false: the program has run its first part itself, which asks
/// for the next one.
bool Unfolder::goesOn(CallBase &Call) {
  Value *Memory = Call.getArgOperand(2);
  auto It = Made.find(Memory);
  if (!OfProgram.contains(&Call) || It == Made.end() || !It->second.Entry)
    return false;
  IRBuilder<> B(&Call);
  B.CreateCall(tiedCopy(*It->second.Entry, Functions[1].Name), {Call.getArgOperand(1), Memory})
      ->copyMetadata(Call);
  return true;
}

/// Finds what tasks ask for between where the program begins to run them and where it ends.
void Unfolder::findAtOnce(Function &F) {
  SmallVector<CallBase *, 4> Begins, Runs;
  for (Instruction &I : instructions(F))
    if (const TaskFunction *Row = taskFunction(I); Row && Row->Name == BeginAtOnce)
      Begins.push_back(cast<CallBase>(&I));
    else if (Row && Row->What == Role::Run)
      Runs.push_back(cast<CallBase>(&I));
  if (Begins.empty())
    return;
  promoteVariables(F); // without optimisation the task's address is in one
  const DominatorTree DT(F);
  for (CallBase *Run : Runs)
    if (any_of(Begins, [&](CallBase *Begin) {
          return Begin->getArgOperand(2) == Run->getArgOperand(2) && DT.dominates(Begin, Run);
        }))
      OfProgram.insert(Run);
}

/// Calls the runtime, whose integer stands for what the call returns.
void Unfolder::runtime(IRBuilder<> &B, CallBase &Call, StringRef Name, ArrayRef<Value *> Args) {
  Type *Result = Call.getType();
  Value *V =
      SweepBuilder::callRuntime(B, M, Name, Result->isPointerTy() ? B.getInt64Ty() : Result, Args);
  if (!Result->isVoidTy())
    Call.replaceAllUsesWith(Result->isPointerTy() ? B.CreateIntToPtr(V, Result) : V);
}

bool Unfolder::cancel(CallBase &Call, StringRef Runtime) {
  if (!cancelsTasks(Call))
    return false;
  IRBuilder<> B(&Call);
  runtime(B, Call, Runtime);
  return true;
}

/// True if the call is replaced.
bool Unfolder::run(CallBase &Call, Role What) {
  IRBuilder<> B(&Call);
  auto Note = [&](StringRef Runtime) {
    SweepBuilder::callRuntime(B, M, Runtime, B.getVoidTy(), {});
  };
  switch (What) {
  case Role::Make:
    if (!make(Call))
      return false;
    break;
  case Role::Run:
  case Role::RunLoop:
    if (!goesOn(Call) && !runTask(Call, What == Role::RunLoop))
      return false;
    break;
  case Role::Finish:
    release(B, Call.getArgOperand(2));
    break;
  case Role::Reduced:
    Call.replaceAllUsesWith(Call.getArgOperand(2));
    break;
  case Role::Begin:
    if (MayCancel)
      Note("omp_group_enter");
    break;
  case Role::End:
    if (MayCancel)
      Note("omp_group_leave");
    [[fallthrough]];
  case Role::Wait:
    if (HasEvents)
      Note("omp_event_wait");
    sync(Call);
    break;
  case Role::Barrier:
    if (auto *Before = dyn_cast_or_null<CallBase>(Call.getPrevNode());
        Stay && !(Before && isSync(*Before)))
      return sync(Call), true;
    return false;
  case Role::Cancel:
    if (!cancel(Call, "omp_group_cancel"))
      return false;
    break;
  case Role::IsCancelled:
    if (!cancel(Call, "omp_group_cancelled"))
      return false;
    break;
  case Role::Event:
    runtime(B, Call, "omp_event_make");
    break;
  case Role::Fulfil:
    runtime(B, Call, "omp_event_fulfil",
            {Call.getArgOperand(0)->getType()->isPointerTy()
                 ? B.CreatePtrToInt(Call.getArgOperand(0), B.getInt64Ty())
                 : B.CreateZExtOrTrunc(Call.getArgOperand(0), B.getInt64Ty())});
    break;
  case Role::Nothing:
    break;
  }
  if (!Call.getType()->isVoidTy() && !Call.use_empty())
    Call.replaceAllUsesWith(Constant::getNullValue(Call.getType()));
  Call.eraseFromParent();
  return true;
}

class TaskHandler : public Rewriter {
public:
  bool unfold(Function &F) const override {
    SmallVector<std::pair<CallBase *, Role>, 8> Calls;
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (const TaskFunction *Row = taskFunction(I))
        Calls.push_back({&plainCall(cast<CallBase>(I)), Row->What});
    Unfolder U(F);
    U.findAtOnce(F);
    bool Changed = false;
    for (bool Makes : {true, false}) // a task is known before it is run, wherever the blocks stand
      for (auto [Call, What] : Calls)
        if (Makes == (What == Role::Make))
          Changed |= U.run(*Call, What);
    return Changed;
  }
};

} // namespace

void registerTasks(HandlerRegistry &Registry) { Registry.add(std::make_unique<TaskHandler>()); }

} // namespace contraflow::omp
