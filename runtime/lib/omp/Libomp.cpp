// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "omp/Model.h"

#include "support/Fail.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <omp.h>

// The part of libomp's compiler interface that is used here.
extern "C" {
struct ident_t {
  int32_t Reserved1;
  int32_t Flags;
  int32_t Reserved2;
  int32_t Reserved3;
  const char *Source;
};
int32_t __kmpc_global_thread_num(ident_t *);
void __kmpc_push_num_threads(ident_t *, int32_t GlobalThread, int32_t Threads);
void __kmpc_barrier(ident_t *, int32_t GlobalThread);
void __kmpc_serialized_parallel(ident_t *, int32_t GlobalThread);
void __kmpc_end_serialized_parallel(ident_t *, int32_t GlobalThread);
void *__kmpc_omp_task_alloc(ident_t *, int32_t GlobalThread, int32_t Flags, size_t Bytes,
                            size_t SharedBytes, int32_t (*Entry)(int32_t, void *));
int32_t __kmpc_omp_task(ident_t *, int32_t GlobalThread, void *Task);
int32_t __kmpc_omp_task_with_deps(ident_t *, int32_t GlobalThread, void *Task, int32_t N,
                                  const void *Dependences, int32_t, const void *);
int32_t __kmpc_omp_taskwait(ident_t *, int32_t GlobalThread);
void __kmpc_copyprivate(ident_t *, int32_t GlobalThread, size_t Bytes, void *Data,
                        void (*Copy)(void *To, void *From), int32_t Did);
}

// Of the library for devices, which is there if the program was compiled for one.
#pragma weak omp_target_is_present

namespace contraflow::omp {
namespace {

constexpr int32_t KmpcInterface = 0x02;
constexpr int32_t ExplicitBarrier = 0x20;

constexpr ident_t here(int32_t Flags) { return {0, Flags, 0, 0, ";contraflow;reverse;0;0;;"}; }

constinit ident_t Fork = here(KmpcInterface);
constinit ident_t Barrier = here(KmpcInterface | ExplicitBarrier);

const bool Hooked = (setThreadNumberHook(omp_get_thread_num), true);

// libomp divides evenly unless the user asks for the other way: ceil(trip / threads) for each
// thread as long as there are any.
bool greedy() {
  static const bool Asked = [] {
    const char *Schedule = std::getenv("KMP_SCHEDULE");
    return Schedule && std::strstr(Schedule, "greedy");
  }();
  return Asked;
}

} // namespace

int threadNumber() { return omp_get_thread_num(); }

int teamSize() { return omp_get_num_threads(); }

int maxThreads() { return omp_get_max_threads(); }
bool isAlone() { return omp_in_parallel() == 0; }

void pushNumThreads(int Threads) {
  __kmpc_push_num_threads(&Fork, __kmpc_global_thread_num(&Fork), Threads);
}

Limits liftLimits(int Threads) {
  Limits Before;
  if (Threads > 1 && omp_get_dynamic()) {
    Before.Dynamic = true;
    omp_set_dynamic(0);
  }
  const int Levels = omp_get_max_active_levels(), Needed = omp_get_active_level() + 1;
  if (Threads > 1 && Levels < Needed) {
    Before.ActiveLevels = Levels;
    omp_set_max_active_levels(Needed);
  }
  return Before;
}

void restoreLimits(const Limits &Before) {
  if (Before.Dynamic)
    omp_set_dynamic(1);
  if (Before.ActiveLevels)
    omp_set_max_active_levels(Before.ActiveLevels);
}

bool isRationed() {
  return omp_get_active_level() > 1 && omp_get_num_threads() > 1 &&
         omp_get_thread_limit() != std::numeric_limits<int>::max();
}

bool cancellation() { return omp_get_cancellation() != 0; }

void barrier() { __kmpc_barrier(&Barrier, __kmpc_global_thread_num(&Barrier)); }

void beginAlone() { __kmpc_serialized_parallel(&Fork, __kmpc_global_thread_num(&Fork)); }

void endAlone() { __kmpc_end_serialized_parallel(&Fork, __kmpc_global_thread_num(&Fork)); }

void *broadcast(void *Mine, bool Given) {
  void *Value = Mine;
  __kmpc_copyprivate(
      &Barrier, __kmpc_global_thread_num(&Barrier), sizeof Value, &Value,
      [](void *To, void *From) { *static_cast<void **>(To) = *static_cast<void **>(From); }, Given);
  return Value;
}

int globalThread() { return __kmpc_global_thread_num(&Fork); }

bool inFinalTask() { return omp_in_final() != 0; }

namespace {

/// How libomp's tasks begin, and what ours share with their maker. The library hands the memory of
/// finished tasks to new ones in a way that ThreadSanitizer does not see.
struct Payload {
  std::atomic<void (*)(void *)> Run;
  std::atomic<void *> Data;
};
struct Task {
  Payload *Shared;
  void *Entry;
  int32_t Part;
  void *Data[2];
};

int32_t enterTask(int32_t, void *Memory) {
  const Payload *P = static_cast<Task *>(Memory)->Shared;
  void *Data = P->Data.load(std::memory_order_acquire);
  P->Run.load(std::memory_order_relaxed)(Data);
  return 0;
}

} // namespace

void makeTask(int32_t Flags, void (*Run)(void *), void *Data, int32_t N,
              const Dependence *Dependences) {
  const int Thread = globalThread();
  auto *T = static_cast<Task *>(
      __kmpc_omp_task_alloc(&Fork, Thread, Flags, sizeof(Task), sizeof(Payload), enterTask));
  T->Shared->Run.store(Run, std::memory_order_relaxed);
  T->Shared->Data.store(Data, std::memory_order_release);
  if (N > 0)
    __kmpc_omp_task_with_deps(&Fork, Thread, T, N, Dependences, 0, nullptr);
  else
    __kmpc_omp_task(&Fork, Thread, T);
}

void waitForTasks() { __kmpc_omp_taskwait(&Fork, globalThread()); }

void giveBack(void *Memory) { omp_free(Memory, omp_null_allocator); }

namespace {

/// What libomp keeps in front of memory that it has given, for its own omp_realloc.
struct Description {
  void *Taken;
  size_t BytesTaken;
  size_t Bytes;
  void *Given;
  void *Allocator;
};

} // namespace

int64_t blockBytes(const void *Memory) {
  Description D;
  std::memcpy(&D, static_cast<const char *>(Memory) - sizeof D, sizeof D);
  if (D.Given != Memory || D.Bytes > D.BytesTaken)
    fail(ErrorId::UnknownBlock);
  return static_cast<int64_t>(D.Bytes);
}

void destroyAllocator(int64_t Allocator) {
  omp_destroy_allocator(static_cast<omp_allocator_handle_t>(Allocator));
}

bool isHeldByDevice(const void *Address, int64_t Device) {
  if (!&omp_target_is_present)
    return false;
  const int Asked = Device < 0 ? omp_get_default_device() : static_cast<int>(Device);
  return Asked != omp_get_initial_device() && omp_target_is_present(Address, Asked) != 0;
}

int64_t smallestShare(int64_t Trip, int Threads) {
  if (!greedy())
    return Trip / Threads;
  const int64_t Share = Trip / Threads + (Trip % Threads != 0);
  return std::max<int64_t>(0, Trip - Share * (Threads - 1));
}

int threadsOf(int64_t Trip, int Threads) {
  const int64_t Share = greedy() ? Trip / Threads + (Trip % Threads != 0) : 1;
  return static_cast<int>(
      std::clamp<int64_t>((Trip + Share - 1) / std::max<int64_t>(Share, 1), 1, Threads));
}

} // namespace contraflow::omp
