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
// It is no schedule of a program in which a thread waits for what is done later. Where a function
// of the library would wait, the program ends:
//
//   while (!ready) condition.wait(lock)   ->   while (!ready) fail      [CF329]
//
// Threads are refused where they wait by asking again and again, or otherwise unseen, and where
// they have variables of their own, since the maker's would be meant.

#include "contraflow/core/Construct.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Remark.h"
#include "parallel/threads/Register.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow::threads {
namespace {

enum class Role {
  Create,      ///< pthread_create(thread, attributes, function, argument)
  Join,        ///< pthread_join(thread, result)
  StartObject, ///< std::thread::_M_start_thread(this, unique_ptr<state>, ...)
  JoinObject,  ///< std::thread::join(this)
  JoinHandle,  ///< the same of libc++
  Detach,      ///< pthread_detach(thread)
  Tell,        ///< something about a thread (thread, ...); the result is an error number
  Exit,        ///< pthread_exit(result)
  Names,       ///< another thread, to do something to it
  Blocks,      ///< goes on when another thread has done something, and is called in a loop
  Waits,       ///< for what another thread does, or asks which thread this is
};

struct ThreadFunction {
  StringRef Name;
  Role What;
};

constexpr ThreadFunction Functions[] = {
    {"pthread_create", Role::Create},
    {"pthread_join", Role::Join},
    {"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
     Role::StartObject},
    {"_ZNSt6thread4joinEv", Role::JoinObject},
    {"_ZNSt3__16thread4joinEv", Role::JoinHandle},
    {"pthread_detach", Role::Detach},
    {"_ZNSt6thread6detachEv", Role::JoinObject},
    {"_ZNSt3__16thread6detachEv", Role::JoinHandle},
    {"pthread_setname_np", Role::Tell},
    {"pthread_setaffinity_np", Role::Tell},
    {"pthread_setschedparam", Role::Tell},
    {"pthread_setschedprio", Role::Tell},
    {"pthread_exit", Role::Exit},
    {"pthread_cancel", Role::Names},
    {"pthread_kill", Role::Names},
    {"pthread_sigqueue", Role::Names},
    {"pthread_getname_np", Role::Names},
    {"pthread_getaffinity_np", Role::Names},
    {"pthread_getschedparam", Role::Names},
    {"pthread_getattr_np", Role::Names},
    {"pthread_getcpuclockid", Role::Names},
    {"pthread_tryjoin_np", Role::Names},
    {"pthread_timedjoin_np", Role::Names},
    {"pthread_clockjoin_np", Role::Names},
    {"thrd_current", Role::Waits},
    {"pthread_cond_wait", Role::Blocks},
    {"pthread_cond_timedwait", Role::Blocks},
    {"pthread_cond_clockwait", Role::Blocks},
    {"pthread_barrier_wait", Role::Waits},
    {"pthread_self", Role::Waits},
    {"pthread_getspecific", Role::Waits},
    {"sem_wait", Role::Waits},
    {"sem_timedwait", Role::Waits},
    {"sched_yield", Role::Waits},
    {"syscall", Role::Waits},
    {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", Role::Blocks},
    {"_ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE", Role::Blocks},
    {"_ZNSt3__118condition_variable15__do_timed_waitERNS_11unique_lockINS_5mutexEEENS_"
     "6chrono10time_"
     "pointINS5_12system_clockENS5_8durationIxNS_5ratioILl1ELl1000000000EEEEEEE",
     Role::Blocks},
    {"_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratio"
     "ILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
     Role::Blocks},
    {"_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5"
     "ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
     Role::Blocks},
};

/// With these std::call_once hands over what it calls, to a function that reads them at once.
constexpr StringRef HandedOver[] = {"_ZSt15__once_callable", "_ZSt11__once_call"};
/// Variables of our own have such names.
constexpr StringRef Own = "cf.";

const ThreadFunction *threadFunction(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F || !F->isDeclaration())
    return nullptr;
  const ThreadFunction *Row =
      find_if(Functions, [&](const ThreadFunction &T) { return F->getName() == T.Name; });
  return Row == std::end(Functions) ? nullptr : Row;
}

bool blocks(const Instruction &I) {
  const ThreadFunction *Row = threadFunction(I);
  auto *Call = dyn_cast<CallBase>(&I);
  return (Row && Row->What == Role::Blocks) || (Call && Call->doesNotReturn());
}

/// True if both are the same address, or loaded from the same place.
bool samePlace(const Value *A, const Value *B) {
  const auto *X = dyn_cast<LoadInst>(A), *Y = dyn_cast<LoadInst>(B);
  return A == B || (X && Y && X->getPointerOperand() == Y->getPointerOperand());
}

/// True for an exchange that expects what was there before: an update, which nobody disturbs.
bool isUpdate(const AtomicCmpXchgInst &Exchange) {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Todo{Exchange.getCompareOperand()};
  while (!Todo.empty()) {
    const Value *V = Todo.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    const auto *Load = dyn_cast<LoadInst>(V);
    const auto *Other = dyn_cast<AtomicCmpXchgInst>(V);
    const Value *Place = Load    ? Load->getPointerOperand()
                         : Other ? Other->getPointerOperand()
                                 : nullptr;
    if (isa<PHINode, BitCastInst, ExtractValueInst>(V))
      append_range(Todo, cast<Instruction>(V)->operands());
    else if (!Place || !cast<Instruction>(V)->isAtomic() ||
             !samePlace(Place, Exchange.getPointerOperand()))
      return false;
  }
  return true;
}

using Blocks = SmallPtrSet<const BasicBlock *, 16>;

/// The blocks from which control may come to Block without blocking on its way.
Blocks leadingTo(const BasicBlock &Block) {
  Blocks Found;
  SmallVector<const BasicBlock *, 16> Todo(predecessors(&Block));
  while (!Todo.empty()) {
    const BasicBlock *B = Todo.pop_back_val();
    if (none_of(*B, blocks) && Found.insert(B).second)
      append_range(Todo, predecessors(B));
  }
  return Found;
}

/// True if control may leave the function from Block without blocking on its way.
bool mayLeave(const BasicBlock &Block) {
  Blocks Seen;
  SmallVector<const BasicBlock *, 16> Todo{&Block};
  while (!Todo.empty()) {
    const BasicBlock *B = Todo.pop_back_val();
    if (any_of(*B, blocks) || !Seen.insert(B).second)
      continue;
    if (isa<ReturnInst, ResumeInst>(B->getTerminator()))
      return true;
    append_range(Todo, successors(B));
  }
  return false;
}

/// True for a store to where the other instruction has loaded, as in the update of a count.
bool storesBack(const StoreInst &Store, const Instruction &Load) {
  const Value *Place = getLoadStorePointerOperand(&Load);
  return Place && samePlace(Place, Store.getPointerOperand());
}

/// True if V may decide whether control comes back to where it was (Cycle), or goes on.
bool decides(const Instruction &V, const Blocks &Cycle) {
  constexpr unsigned Most = 64;
  SmallPtrSet<const Instruction *, 16> Seen;
  SmallVector<const Instruction *, 16> Todo{&V};
  while (!Todo.empty()) {
    const Instruction *I = Todo.pop_back_val();
    if (!Seen.insert(I).second)
      continue;
    if (I->isTerminator() && !isa<InvokeInst, ReturnInst>(I)) {
      if (any_of(successors(I),
                 [&](const BasicBlock *B) { return !Cycle.contains(B) && mayLeave(*B); }))
        return true;
      continue;
    }
    const auto *Store = dyn_cast<StoreInst>(I);
    if ((Store && storesBack(*Store, V)) || blocks(*I))
      continue;
    const Value *Variable = Store ? Store->getPointerOperand() : I;
    const bool Unknown = isa<CallBase, ReturnInst>(I) || (Store && !isa<AllocaInst>(Variable));
    if ((I != &V && Unknown) || Seen.size() > Most)
      return true;
    for (const User *U : Variable->users())
      Todo.push_back(cast<Instruction>(U));
  }
  return false;
}

/// True if the instruction may be part of a loop that asks until somebody else has answered, and
/// does nothing else meanwhile. Where such a loop would block, the program ends.
bool mayAskAgain(const Instruction &I) {
  if ((!I.isAtomic() && !I.isVolatile()) || isa<FenceInst, AtomicRMWInst, StoreInst, CallBase>(I))
    return false;
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I); Exchange && isUpdate(*Exchange))
    return false;
  const Blocks Cycle = leadingTo(*I.getParent());
  return Cycle.contains(I.getParent()) && decides(I, Cycle);
}

/// True if the module makes threads of F, by name.
bool isStartOfThread(const Function &F) {
  return F.getReturnType()->isPointerTy() && any_of(F.users(), [&](const User *U) {
           const auto *I = dyn_cast<Instruction>(U);
           const ThreadFunction *Row = I ? threadFunction(*I) : nullptr;
           return Row && Row->What == Role::Create && cast<CallBase>(I)->getArgOperand(2) == &F;
         });
}

bool endsThreads(const Module &M) {
  return any_of(Functions, [&](const ThreadFunction &T) {
    const Function *F = T.What == Role::Exit ? M.getFunction(T.Name) : nullptr;
    return F && !F->use_empty();
  });
}

/// Why threads cannot run one after the other if there is this call; empty: they can.
std::string obstacleAt(const CallBase &Call, const ThreadFunction &Row) {
  if (Row.What == Role::Waits)
    return "threads may wait for each other ('" + Row.Name.str() + "')";
  if (Row.What == Role::Names)
    return "another thread is looked at or ended ('" + Row.Name.str() + "')";
  if (Row.What == Role::Exit && !isStartOfThread(*Call.getFunction()))
    return "it is ended from within what its function calls ('" + Row.Name.str() + "')";
  if (Row.What == Role::Create && !isa<Function>(Call.getArgOperand(2)) &&
      endsThreads(*Call.getModule()))
    return "which function ends it is not known here";
  return "";
}

/// Why threads of this module cannot run one after the other; empty: they can.
std::string obstacle(const Module &M) {
  for (const GlobalVariable &G : M.globals())
    if (G.isThreadLocal() && !G.use_empty() && !is_contained(HandedOver, G.getName()) &&
        !G.getName().starts_with(Own))
      return "every thread has a variable '" + G.getName().str() + "' of its own";
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      const ThreadFunction *Row = threadFunction(I);
      if (std::string Why = Row ? obstacleAt(cast<CallBase>(I), *Row) : ""; !Why.empty())
        return Why;
      if (mayAskAgain(I))
        return "threads may wait for each other (an atomic or volatile operation in a loop)";
    }
  return "";
}

/// The same, as it was before there were derivatives: what they are made of asks nobody.
StringRef notedObstacle(Module &M) {
  NamedMDNode *Note = M.getOrInsertNamedMetadata("contraflow.threads");
  if (Note->getNumOperands() == 0)
    Note->addOperand(MDNode::get(M.getContext(), MDString::get(M.getContext(), obstacle(M))));
  return cast<MDString>(Note->getOperand(0)->getOperand(0))->getString();
}

/// True if somebody asks what a thread has returned.
bool keepsResults(const Module &M) {
  return any_of(Functions, [&](const ThreadFunction &T) {
    const Function *F = T.What == Role::Join ? M.getFunction(T.Name) : nullptr;
    return F && any_of(F->users(), [](const User *U) {
             auto *Call = dyn_cast<CallBase>(U);
             return Call && Call->arg_size() == 2 &&
                    !isa<ConstantPointerNull>(Call->getArgOperand(1));
           });
  });
}

/// F, or a copy of it that returns where F ends its thread.
Value *returning(Value *Start) {
  auto *F = dyn_cast<Function>(Start);
  auto EndsThread = [](const Instruction &I) {
    const ThreadFunction *Row = threadFunction(I);
    return Row && Row->What == Role::Exit;
  };
  if (!F || F->isDeclaration() || none_of(instructions(*F), EndsThread))
    return Start;
  const std::string Name = ("cf.thread." + F->getName()).str();
  if (Function *Made = F->getParent()->getFunction(Name))
    return Made;
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(F, Map);
  Copy->setName(Name);
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setComdat(nullptr);
  Copy->removeFnAttr(Attribute::NoReturn);
  SmallVector<CallBase *, 2> Ends;
  for (Instruction &I : instructions(*Copy))
    if (EndsThread(I))
      Ends.push_back(cast<CallBase>(&I));
  for (CallBase *End : Ends) {
    CallInst *Call =
        isa<InvokeInst>(End) ? changeToCall(cast<InvokeInst>(End)) : cast<CallInst>(End);
    BasicBlock *Block = Call->getParent();
    Block->splitBasicBlock(Call->getIterator());
    Block->getTerminator()->eraseFromParent();
    ReturnInst::Create(Block->getContext(), Call->getArgOperand(0), Block);
  }
  removeUnreachableBlocks(*Copy);
  return Copy;
}

/// Runs the function of pthread_create.
void callStart(CallBase &Call) {
  IRBuilder<> B(&Call);
  Module &M = *Call.getModule();
  auto *Type = FunctionType::get(B.getPtrTy(), {B.getPtrTy()}, false);
  CallInst *Result = B.CreateCall(Type, returning(Call.getArgOperand(2)), {Call.getArgOperand(3)});
  Result->copyMetadata(Call);
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
  B.CreateCall(Type, Run, {State})->copyMetadata(Call);
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
  const bool IsObject = What == Role::JoinObject || What == Role::JoinHandle;
  const bool HasCells = What != Role::JoinObject && keepsResults(*Call.getModule());
  Value *Thread = Call.getArgOperand(0);
  Value *Id = IsObject ? B.CreateLoad(B.getInt64Ty(), Thread) : Thread;
  Value *IsReal = B.CreateICmpNE(Id, ConstantInt::get(Id->getType(), What == Role::JoinObject));
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

class ThreadHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (const ThreadFunction &F : Functions)
      if (!is_contained({Role::Waits, Role::Blocks, Role::Names, Role::Exit}, F.What))
        Names.push_back(F.Name);
    return Names;
  }
  bool claims(const CallBase &Call) const override { return threadFunction(Call); }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
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
    Role What = threadFunction(Call)->What;
    return What == Role::Create || What == Role::StartObject;
  }
  /// Starts that were not unfolded. Joins are made as they are.
  static Error refuse(CallBase &Call) {
    if (!isStart(Call))
      return Error::success();
    const StringRef Why = notedObstacle(*Call.getModule());
    return diffError(DiagId::UnsupportedInstruction, Call,
                     "a thread; " + (Why.empty() ? "its arguments are not understood" : Why));
  }
};

/// Joins that have been looked at are marked.
constexpr StringLiteral Seen = "contraflow.thread.join";

bool ThreadHandler::unfold(Function &F) const {
  Module &M = *F.getParent();
  if (any_of(Functions, [&](const ThreadFunction &T) { return M.getFunction(T.Name); }))
    notedObstacle(M);
  SmallVector<std::pair<CallBase *, Role>, 8> Calls;
  for (Instruction &I : instructions(F))
    if (const ThreadFunction *Row = threadFunction(I); Row && !I.hasMetadata(Seen))
      Calls.push_back({cast<CallBase>(&I), Row->What});
  const bool Refused = !Calls.empty() && !notedObstacle(M).empty();
  erase_if(Calls, [&](auto &C) {
    return is_contained({Role::Waits, Role::Names, Role::Exit}, C.second) ||
           (Refused && C.second != Role::Blocks);
  });
  for (auto [Old, What] : Calls) {
    CallBase *Call = Old;
    if (auto *Invoke = dyn_cast<InvokeInst>(Call))
      Call = changeToCall(Invoke);
    if (!is_contained({Role::Create, Role::StartObject, Role::Blocks}, What)) {
      Call->setMetadata(Seen, MDNode::get(Call->getContext(), {}));
      joinIfReal(*Call, What);
    } else if (What == Role::Blocks) {
      failToWait(*Call);
    } else {
      callThread(*Call, What);
    }
    if (!Call->use_empty()) // no error
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
    Call->eraseFromParent();
  }
  return !Calls.empty();
}

} // namespace

void registerHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<ThreadHandler>());
}

} // namespace contraflow::threads
