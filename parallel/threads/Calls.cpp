// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "parallel/threads/Calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow::threads {
namespace {

constexpr ThreadFunction Functions[] = {
    {"pthread_create", Role::Create},
    {"pthread_join", Role::Join},
    {"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
     Role::StartObject},
    {"_ZNSt6thread4joinEv", Role::JoinObject},
    {"_ZNSt3__16thread4joinEv", Role::JoinHandle},
    {"pthread_detach", Role::Detach},
    {"_ZNSt6thread6detachEv", Role::DetachObject},
    {"_ZNSt3__16thread6detachEv", Role::DetachHandle},
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
    {"pthread_getspecific", Role::Waits},
    {"pthread_cond_wait", Role::Condition},
    {"pthread_cond_timedwait", Role::ConditionTimed},
    {"pthread_cond_clockwait", Role::ConditionTimed},
    {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", Role::ConditionLock},
    {"_ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE", Role::ConditionLock},
    {"_ZNSt3__118condition_variable15__do_timed_waitERNS_11unique_lockINS_5mutexEEENS_"
     "6chrono10time_"
     "pointINS5_12system_clockENS5_8durationIxNS_5ratioILl1ELl1000000000EEEEEEE",
     Role::ConditionUntil},
    {"_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratio"
     "ILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
     Role::Future},
    {"_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5"
     "ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
     Role::Future},
    {"_ZNSt3__126__atomic_wait_global_tableEPKvi", Role::Address},
    {"_ZNSt3__120__atomic_wait_nativeILm4EEEvPKvS2_", Role::Address},
    {"_ZNSt3__120__atomic_wait_nativeILm8EEEvPKvS2_", Role::Address},
    {"_ZNSt3__120__libcpp_atomic_waitEPVKvi", Role::Address},
    {"_ZNSt3__120__libcpp_atomic_waitEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_"
     "implIiEEEEi",
     Role::Address},
    {"_ZNSt3__132__atomic_notify_all_global_tableEPKv", Role::Notify},
    {"_ZNSt3__132__atomic_notify_one_global_tableEPKv", Role::Notify},
    {"_ZNSt3__126__atomic_notify_all_nativeILm4EEEvPKv", Role::Notify},
    {"_ZNSt3__126__atomic_notify_one_nativeILm4EEEvPKv", Role::Notify},
    {"_ZNSt3__126__atomic_notify_all_nativeILm8EEEvPKv", Role::Notify},
    {"_ZNSt3__126__atomic_notify_one_nativeILm8EEEvPKv", Role::Notify},
    {"_ZNSt3__123__cxx_atomic_notify_allEPVKv", Role::Notify},
    {"_ZNSt3__123__cxx_atomic_notify_oneEPVKv", Role::Notify},
    {"_ZNSt3__123__cxx_atomic_notify_allEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_"
     "implIiEEEE",
     Role::Notify},
    {"_ZNSt3__123__cxx_atomic_notify_oneEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_"
     "implIiEEEE",
     Role::Notify},
    {"pthread_cond_signal", Role::Notify},
    {"pthread_cond_broadcast", Role::Notify},
    {"_ZNSt18condition_variable10notify_oneEv", Role::Notify},
    {"_ZNSt18condition_variable10notify_allEv", Role::Notify},
    {"_ZNSt3__118condition_variable10notify_oneEv", Role::Notify},
    {"_ZNSt3__118condition_variable10notify_allEv", Role::Notify},
    {"_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj", Role::Notify},
    {"sem_post", Role::Notify},
    {"sched_yield", Role::Yield},
    {"pthread_self", Role::Self},
    {"syscall", Role::System},
    {"pthread_barrier_wait", Role::Barrier},
    {"sem_wait", Role::Semaphore, "sem_trywait"},
    {"sem_timedwait", Role::SemaphoreTimed, "sem_trywait"},
    {"sem_clockwait", Role::SemaphoreTimed, "sem_trywait"},
    {"pthread_mutex_lock", Role::Lock, "pthread_mutex_trylock"},
    {"pthread_spin_lock", Role::Lock, "pthread_spin_trylock"},
    {"pthread_rwlock_rdlock", Role::Lock, "pthread_rwlock_tryrdlock"},
    {"pthread_rwlock_wrlock", Role::Lock, "pthread_rwlock_trywrlock"},
    {"mtx_lock", Role::Lock, "mtx_trylock"},
    {"_ZNSt3__15mutex4lockEv", Role::Lock, "_ZNSt3__15mutex8try_lockEv", false},
    {"_ZNSt3__115recursive_mutex4lockEv", Role::Lock, "_ZNSt3__115recursive_mutex8try_lockEv",
     false},
};

} // namespace

ArrayRef<ThreadFunction> threadFunctions() { return Functions; }

const ThreadFunction *threadFunction(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F || !F->isDeclaration())
    return nullptr;
  const ThreadFunction *Row =
      find_if(Functions, [&](const ThreadFunction &T) { return F->getName() == T.Name; });
  return Row == std::end(Functions) ? nullptr : Row;
}

bool calls(const Module &M, Role What) {
  return any_of(Functions, [&](const ThreadFunction &T) {
    const Function *F = T.What == What ? M.getFunction(T.Name) : nullptr;
    return F && !F->use_empty();
  });
}

bool isStartOfThread(const Function &F) {
  return F.getReturnType()->isPointerTy() && any_of(F.users(), [&](const User *U) {
           const auto *I = dyn_cast<Instruction>(U);
           const ThreadFunction *Row = I ? threadFunction(*I) : nullptr;
           return Row && Row->What == Role::Create && cast<CallBase>(I)->getArgOperand(2) == &F;
         });
}

bool keepsResults(const Module &M) {
  return any_of(threadFunctions(), [&](const ThreadFunction &T) {
    const Function *F = T.What == Role::Join ? M.getFunction(T.Name) : nullptr;
    return F && any_of(F->users(), [](const User *U) {
             auto *Call = dyn_cast<CallBase>(U);
             return Call && Call->arg_size() == 2 &&
                    !isa<ConstantPointerNull>(Call->getArgOperand(1));
           });
  });
}

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

SystemCall systemCall(const Instruction &I) {
  constexpr uint64_t FutexX86 = 202, FutexArm = 98, Private = 128;
  const auto &Call = cast<CallBase>(I);
  auto Constant = [&](unsigned Operand) {
    auto *C =
        Operand < Call.arg_size() ? dyn_cast<ConstantInt>(Call.getArgOperand(Operand)) : nullptr;
    return C ? C->getZExtValue() : ~uint64_t(0);
  };
  const bool IsX86 = Call.getModule()->getTargetTriple().isX86();
  if (Constant(0) != (IsX86 ? FutexX86 : FutexArm))
    return SystemCall::Other;
  switch (Constant(2) & ~Private) {
  case 0: // wait
  case 9: // wait for some bits
    if (Call.arg_size() < 5)
      return SystemCall::Other;
    return isa<ConstantPointerNull>(Call.getArgOperand(4)) ? SystemCall::Wait
                                                           : SystemCall::WaitTimed;
  case 1: // wake
  case 10:
    return SystemCall::Wake;
  default:
    return SystemCall::Other;
  }
}

} // namespace contraflow::threads
