// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of POSIX and of C++ run where they are made. A thread may be through before its maker
// goes on, so this is one of the schedules that the program may have, and a program without races
// has the same results in all of them. Its derivative is the derivative of that one.
//
//   pthread_create(&t, a, f, p)   ->   f(p) ; t = 0        pthread_join(t, 0)   ->   if (t) join
//   thread._M_start_thread(state) ->   state->run() ; thread.id = 1
//
// libc++ makes its threads with pthread_create and takes 0 for no thread.
//
// It is no schedule of a program whose threads wait for each other, and other memory is meant where
// threads have variables of their own: then threads are refused.

#include "contraflow/core/Construct.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Remark.h"
#include "parallel/threads/Register.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
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
    {"pthread_cond_wait", Role::Waits},
    {"pthread_cond_timedwait", Role::Waits},
    {"pthread_barrier_wait", Role::Waits},
    {"pthread_self", Role::Waits},
    {"pthread_getspecific", Role::Waits},
    {"sem_wait", Role::Waits},
    {"sem_timedwait", Role::Waits},
    {"sched_yield", Role::Waits},
    {"syscall", Role::Waits},
    {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", Role::Waits},
    {"_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratio"
     "ILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
     Role::Waits},
    {"_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5"
     "ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
     Role::Waits},
};

const ThreadFunction *threadFunction(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F || !F->isDeclaration())
    return nullptr;
  const ThreadFunction *Row =
      find_if(Functions, [&](const ThreadFunction &T) { return F->getName() == T.Name; });
  return Row == std::end(Functions) ? nullptr : Row;
}

/// True if the instruction may be part of a loop that asks until somebody else has answered.
bool mayAskAgain(const Instruction &I) {
  if (!I.isAtomic() || isa<FenceInst, AtomicRMWInst>(I))
    return false;
  const BasicBlock *Block = I.getParent();
  return any_of(successors(Block),
                [&](const BasicBlock *Next) { return isPotentiallyReachable(Next, Block); });
}

/// Why threads of this module cannot run one after the other; empty: they can.
std::string obstacle(const Module &M) {
  for (const GlobalVariable &G : M.globals())
    if (G.isThreadLocal() && !G.use_empty())
      return "every thread has a variable '" + G.getName().str() + "' of its own";
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      const ThreadFunction *Row = threadFunction(I);
      if (Row && Row->What == Role::Waits)
        return "threads may wait for each other ('" + Row->Name.str() + "')";
      if (Row && Row->What == Role::Join &&
          !isa<ConstantPointerNull>(cast<CallBase>(I).getArgOperand(1)))
        return "what a thread returns is asked for";
      if (mayAskAgain(I))
        return "threads may wait for each other (an atomic operation in a loop)";
    }
  return "";
}

/// Calls what the thread would run.
void callThread(CallBase &Call, Role What) {
  IRBuilder<> B(&Call);
  remark(RemarkKind::Missed, "Thread", Call, "in the derivative this thread runs where it is made");
  if (What == Role::Create) {
    auto *Type = FunctionType::get(B.getPtrTy(), {B.getPtrTy()}, false);
    B.CreateCall(Type, Call.getArgOperand(2), {Call.getArgOperand(3)})->copyMetadata(Call);
    B.CreateStore(ConstantInt::get(B.getInt64Ty(), 0), Call.getArgOperand(0));
    return;
  }
  constexpr uint64_t RunSlot = 2; // after the two destructors
  Value *State = B.CreateLoad(B.getPtrTy(), Call.getArgOperand(1));
  Value *Table = B.CreateLoad(B.getPtrTy(), State);
  Value *Run = B.CreateLoad(B.getPtrTy(), B.CreateConstGEP1_64(B.getPtrTy(), Table, RunSlot));
  auto *Type = FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false);
  B.CreateCall(Type, Run, {State})->copyMetadata(Call);
  B.CreateStore(B.getInt64(1), Call.getArgOperand(0));
}

/// Real threads are joined as before; those that ran where they were made have 0, objects 1.
void joinIfReal(CallBase &Call, Role What) {
  IRBuilder<> B(&Call);
  const bool IsObject = What != Role::Join;
  Value *Thread = Call.getArgOperand(0);
  Value *Id = IsObject ? B.CreateLoad(B.getInt64Ty(), Thread) : Thread;
  Value *IsReal = B.CreateICmpNE(Id, ConstantInt::get(Id->getType(), What == Role::JoinObject));
  Instruction *Then = SplitBlockAndInsertIfThen(IsReal, Call.getIterator(), false);
  Call.clone()->insertBefore(Then->getIterator());
  if (IsObject)
    IRBuilder<>(&Call).CreateStore(ConstantInt::get(Id->getType(), 0), Thread);
}

class ThreadHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (const ThreadFunction &F : Functions)
      if (F.What != Role::Waits)
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
    std::string Why = obstacle(*Call.getModule());
    return diffError(DiagId::UnsupportedInstruction, Call,
                     "a thread; " + (Why.empty() ? "its arguments are not understood" : Why));
  }
};

/// Joins that have been looked at are marked.
constexpr StringLiteral Seen = "contraflow.thread.join";

bool ThreadHandler::unfold(Function &F) const {
  SmallVector<std::pair<CallBase *, Role>, 8> Calls;
  for (Instruction &I : instructions(F))
    if (const ThreadFunction *Row = threadFunction(I); Row && !I.hasMetadata(Seen))
      Calls.push_back({cast<CallBase>(&I), Row->What});
  if (Calls.empty() || !obstacle(*F.getParent()).empty())
    return false;
  for (auto [Old, What] : Calls) {
    CallBase *Call = Old;
    if (auto *Invoke = dyn_cast<InvokeInst>(Call))
      Call = changeToCall(Invoke);
    if (What == Role::Join || What == Role::JoinObject || What == Role::JoinHandle) {
      Call->setMetadata(Seen, MDNode::get(Call->getContext(), {}));
      joinIfReal(*Call, What);
    } else {
      callThread(*Call, What);
    }
    if (!Call->use_empty())
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
    Call->eraseFromParent();
  }
  return true;
}

} // namespace

void registerHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<ThreadHandler>());
}

} // namespace contraflow::threads
