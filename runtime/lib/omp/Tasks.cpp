// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks and their mirror. Whoever makes tasks waits for them: where the program says so, and at the
// latest when it ends itself. Backwards, waiting becomes making, and making becomes waiting:
//
//   forward                                  reverse
//   A = task_begin(); task_run(A, deps)      task_reverse(A)      // waits until A is reversed
//   B = task_begin(); task_run(B, deps)      task_reverse(B)
//   task_join()                              task_fork()          // makes tasks: B', then A'
//
// What depends on each other does so in both directions, and the library orders tasks by when they
// were made: made in the opposite order, with the same dependences, the graph is turned round.
//
// A context (of a task, or of a thread of the team outside tasks) lists what it has made since it
// last waited, and where it waited for any.

#include "contraflow/abi.h"

#include "omp/Model.h"
#include "tape/Arena.h"
#include "tape/DerivativeCall.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

using namespace contraflow;

struct cf_task {
  using Forward = void *(*)(int32_t, void *, void *, cf_tape *);
  using Reverse = void (*)(void *, cf_tape *);

  Arena *Maker; ///< on which the record lies
  Forward Run;
  Reverse RunBack;
  int32_t Flags;
  void *Memory = nullptr, *Shadow = nullptr;
  int32_t NumDependences = 0;
  omp::Dependence *Dependences = nullptr;
  cf_task *Older = nullptr; ///< of those that one join is about
  Arena *Frames = nullptr;  ///< where it has recorded
  void *Frame = nullptr;
  TaskContext Context; ///< at its end
  TaskContext Now;     ///< while it runs, in either direction
  std::atomic<bool> Done = false;
  enum { Here, Later, Reversing } State = Here; ///< Here: it ran where it was made

  cf_task(Arena *Maker, Forward Run, Reverse RunBack, int32_t Flags)
      : Maker(Maker), Run(Run), RunBack(RunBack), Flags(Flags) {}
};

namespace {

constexpr int32_t Tied = 1, Final = 2;

/// One time that a context waited for tasks.
struct Join {
  Join *Before;
  cf_task *Newest;
  int64_t Number;
};

thread_local cf_task *Current = nullptr;

TaskContext &contextOf(Arena &Tape) { return Current ? Current->Now : Tape.Tasks; }

/// While a task runs, its thread works for the task's derivative call.
class Running {
public:
  explicit Running(cf_task &T)
      : Outer(std::exchange(Current, &T)), OuterCall(contraflow::currentCall()) {
    setCurrentCall(&T.Maker->root());
  }
  Running(const Running &) = delete;
  Running &operator=(const Running &) = delete;
  ~Running() {
    Current = Outer;
    setCurrentCall(OuterCall);
  }

private:
  cf_task *Outer;
  Arena *OuterCall;
};

bool isDone(const cf_task &T) { return T.Done.load(std::memory_order_acquire); }

void waitFor(const cf_task &T) {
  if (isDone(T))
    return;
  omp::waitForTasks();
  static_cast<void>(isDone(T)); // sees what it did
}

Arena &ownArena(const cf_task &T) { return T.Maker->team()->child(omp::threadNumber()); }

void runForward(void *Data) {
  cf_task &T = *static_cast<cf_task *>(Data);
  const Running Scope(T);
  T.Frames = &ownArena(T).taskFrames();
  T.Frames->beginTask();
  T.Frame = T.Run(omp::globalThread(), T.Memory, T.Shadow, T.Frames);
  cf_v1_omp_task_join(T.Frames);
  T.Context = T.Now;
  T.Done.store(true, std::memory_order_release);
}

void runReverse(void *Data) {
  cf_task &T = *static_cast<cf_task *>(Data);
  const Running Scope(T);
  Arena &Tape = ownArena(T).taskTape();
  T.Now = T.Context;
  cf_v1_omp_task_fork(&Tape);
  T.RunBack(T.Frame, &Tape);
  T.Frames->endTask();
  T.Done.store(true, std::memory_order_release);
}

void copyDependences(cf_task &T, int32_t N, const void *From) {
  if (N <= 0)
    return;
  T.NumDependences = N;
  void *Memory = T.Maker->reserve(static_cast<int64_t>(sizeof(omp::Dependence)) * N);
  T.Dependences = static_cast<omp::Dependence *>(Memory);
  std::copy_n(static_cast<const omp::Dependence *>(From), N, T.Dependences);
  // Which of them was first would have to be the last one backwards.
  for (omp::Dependence *D = T.Dependences; D != T.Dependences + N; ++D)
    if (D->Kind == omp::Excludes)
      D->Kind = omp::Reads | omp::Writes;
}

} // namespace

cf_task *cf_v1_omp_task_begin(cf_tape *tape, cf_task::Forward forward, cf_task::Reverse reverse,
                              int32_t flags) {
  Arena *Maker = Arena::of(tape);
  return new (Maker->reserve(sizeof(cf_task))) cf_task(Maker, forward, reverse, flags);
}

void cf_v1_omp_task_run(cf_task *task, void *memory, void *shadow, int32_t n,
                        const void *dependences) {
  Arena *Maker = task->Maker;
  if (!Maker->team() || omp::teamSize() == 1 || omp::inFinalTask()) {
    task->Frame = task->Run(omp::globalThread(), memory, shadow, Maker);
    return;
  }
  task->State = cf_task::Later;
  task->Memory = memory;
  task->Shadow = shadow;
  copyDependences(*task, n, dependences);
  task->Older = std::exchange(contextOf(*Maker).Newest, task);
  omp::makeTask(Tied | (task->Flags & Final), runForward, task, task->NumDependences,
                task->Dependences);
}

void cf_v1_omp_task_join(cf_tape *tape) {
  Arena &Tape = *Arena::of(tape);
  TaskContext &Context = contextOf(Tape);
  if (cf_task *Newest = std::exchange(Context.Newest, nullptr)) {
    for (const cf_task *T = Newest; T; T = T->Older)
      waitFor(*T);
    Context.Joins = new (Tape.reserve(sizeof(Join)))
        Join{static_cast<Join *>(Context.Joins), Newest, Context.NumJoins};
  }
  ++Context.NumJoins;
}

void cf_v1_omp_task_fork(cf_tape *tape) {
  TaskContext &Context = contextOf(*Arena::of(tape));
  const auto *Last = static_cast<Join *>(Context.Joins);
  if (--Context.NumJoins < 0 || !Last || Last->Number != Context.NumJoins)
    return;
  Context.Joins = Last->Before;
  for (cf_task *T = Last->Newest; T; T = T->Older) {
    T->Done.store(false, std::memory_order_relaxed);
    T->State = cf_task::Reversing;
    omp::makeTask(Tied, runReverse, T, T->NumDependences, T->Dependences);
  }
}

void cf_v1_omp_task_reverse(cf_task *task, cf_tape *tape) {
  if (task->State == cf_task::Here)
    task->RunBack(task->Frame, tape);
  else
    waitFor(*task);
  if (task->State == cf_task::Later) // nobody has waited for it forwards
    runReverse(task);
  else if (task->State == cf_task::Reversing)
    task->State = cf_task::Later;
  Arena::of(tape)->release(task);
}

void cf_v1_omp_task_spawn(int32_t (*entry)(int32_t, void *), void *memory, int32_t flags, int32_t n,
                          const void *dependences) {
  struct Call {
    int32_t (*Entry)(int32_t, void *);
    void *Memory;
  };
  omp::makeTask(
      Tied | (flags & Final),
      [](void *Data) {
        const Call C = *static_cast<Call *>(Data);
        delete static_cast<Call *>(Data);
        C.Entry(omp::globalThread(), C.Memory);
        omp::waitForTasks(); // as if a group ended here, which waits for them as well
      },
      new Call{entry, memory}, n, static_cast<const omp::Dependence *>(dependences));
}

void cf_v1_omp_task_sync() { omp::waitForTasks(); }

int64_t cf_v1_omp_task_pieces(int64_t trip, int32_t deferred, int32_t schedule, int64_t grain) {
  constexpr int64_t PerThread = 10;
  const int Threads = omp::teamSize();
  if (Threads == 1 || deferred == 0 || omp::inFinalTask())
    return 1;
  int64_t Pieces = PerThread * Threads;
  if (schedule == 1)
    Pieces = trip / std::max<int64_t>(grain, 1);
  else if (schedule == 2)
    Pieces = grain;
  return std::clamp<int64_t>(Pieces, 1, std::max<int64_t>(trip, 1));
}
