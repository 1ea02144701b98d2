// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that have to do with threads, every spelling once.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace contraflow::threads {

enum class Role {
  Create,       ///< pthread_create(thread, attributes, function, argument)
  Join,         ///< pthread_join(thread, result)
  StartObject,  ///< std::thread::_M_start_thread(this, unique_ptr<state>, ...)
  JoinObject,   ///< std::thread::join(this)
  JoinHandle,   ///< the same of libc++
  Detach,       ///< pthread_detach(thread)
  DetachObject, ///< std::thread::detach(this)
  DetachHandle, ///< the same of libc++
  Tell,         ///< something about a thread (thread, ...); the result is an error number
  Exit,         ///< pthread_exit(result)
  Names,        ///< another thread, to do something to it
  Waits,        ///< unknown: for what another thread does
  // What is one thing where threads run where they are made, and another where they take turns:
  Condition,      ///< wait(condition, mutex)
  ConditionTimed, ///< wait(condition, mutex, time); the result is an error number
  ConditionLock,  ///< std::condition_variable::wait(this, unique_lock)
  ConditionUntil, ///< the same of libc++, with a time
  Future,         ///< wait(this, address, value, has a time, seconds, nanoseconds)
  Address,        ///< wait(address, ...) until somebody wakes those who wait there
  Notify,         ///< wakes who waits
  Yield,          ///< sched_yield()
  Self,           ///< pthread_self()
  System,         ///< syscall(number, ...)
  Semaphore,      ///< sem_wait(semaphore)
  SemaphoreTimed, ///< sem_timedwait(semaphore, time); -1 and errno if the time is over
  Barrier,        ///< pthread_barrier_wait(barrier)
  Lock,           ///< lock(mutex)
};

struct ThreadFunction {
  llvm::StringRef Name;
  Role What;
  llvm::StringRef Try = {};  ///< Lock, Semaphore, ...: the function that does not wait
  bool TryGivesError = true; ///< whose result is 0 if it has got it
};

llvm::ArrayRef<ThreadFunction> threadFunctions();
/// The row of the function that is called; null: it has nothing to do with threads.
const ThreadFunction *threadFunction(const llvm::Instruction &I);
/// True if a function of this role is called anywhere.
bool calls(const llvm::Module &M, Role What);
/// True if the module makes threads of F, by name.
bool isStartOfThread(const llvm::Function &F);

/// True if somebody asks what a thread has returned.
bool keepsResults(const llvm::Module &M);
/// F, or a copy of it that returns where F ends its thread.
llvm::Value *returning(llvm::Value *F);

/// What a call of syscall() does.
enum class SystemCall { Wait, WaitTimed, Wake, Other };
SystemCall systemCall(const llvm::Instruction &Call);

} // namespace contraflow::threads
