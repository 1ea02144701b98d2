// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of a differentiated program and their mirror.
//
//   forward                                    reverse
//   T = thread_begin(); f = thread_run(T)      thread_reverse(T, f)   // T is reversed by then
//   f = thread_wait_record(why)                thread_back(f)         // goes on when it is given
//   back
//
// f is who has had the baton before: null for the one that is no thread of ours, which need not be
// the same in both directions. A thread is reversed on a thread of the system of its own, from when
// somebody gives back to it until its beginning.
//
// One that stays is reversed on its own, where its thread-local variables are as it has left them.
//
// Each records on a child of the arena of the derivative call. Threads that do not live at the same
// time may have the same one: the younger one is reversed first.

#include "contraflow/abi.h"

#include "support/Fail.h"
#include "tape/Arena.h"
#include "tape/DerivativeCall.h"
#include "threads/Relay.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <pthread.h>
#include <vector>

using namespace contraflow;

struct cf_thread : Runner {
  using Forward = void *(*)(void *, void *, cf_tape *);
  using Reverse = void (*)(void *, cf_tape *);

  Arena *Maker; ///< on which the record lies
  Forward Run;
  Reverse RunBack;
  void *Memory = nullptr, *Shadow = nullptr;
  Arena *Tape = nullptr;
  void *Frame = nullptr;
  Runner *Before = nullptr; ///< who had the baton before it began; null as in records
  enum { Made, Ended, Reversing, Reversed } State = Made;

  std::mutex Rest; ///< of one that stays: between its end and its reverse
  std::condition_variable Rested;
  bool GoesBack = false;

  cf_thread(Arena *Maker, Forward Run, Reverse RunBack)
      : Maker(Maker), Run(Run), RunBack(RunBack) {}
};

namespace {

/// Of a tangent: deleted when it has ended.
struct TangentThread : Runner {
  void (*Entry)(void *);
  void *Memory;
  TangentThread(void (*Entry)(void *), void *Memory) : Entry(Entry), Memory(Memory) {}
};

std::atomic<int64_t> LastId = 0;

/// How many have to come, as glibc (2.25 and later) keeps it: nothing else tells.
int64_t countOf(const void *Barrier) {
  struct {
    unsigned In, Round, Count;
  } Begin;
  static_assert(sizeof Begin <= sizeof(pthread_barrier_t));
  std::memcpy(&Begin, Barrier, sizeof Begin);
  return Begin.Count;
}

/// What records say instead of a runner.
Runner *noted(Runner &R) { return &R == &R.In->first() ? nullptr : &R; }

Runner &meant(Runner *Noted, const Runner &Me) { return Noted ? *Noted : Me.In->first(); }

void runReverse(cf_thread &T) {
  Relay::become(T);
  T.In->await(T);
  setCurrentCall(&T.Maker->root());
  T.RunBack(T.Frame, T.Tape);
  T.State = cf_thread::Reversed;
  T.In->endReverse(T, meant(T.Before, T));
}

/// Until somebody gives back to it.
void rest(cf_thread &T) {
  std::unique_lock<std::mutex> Guard(T.Rest);
  T.Rested.wait(Guard, [&] { return T.GoesBack; });
}

void wake(cf_thread &T) {
  const std::scoped_lock Guard(T.Rest);
  T.GoesBack = true;
  T.Rested.notify_one();
}

void runForward(cf_thread &T) {
  Relay::become(T);
  T.Before = noted(T.In->await(T));
  setCurrentCall(&T.Maker->root());
  T.Tape = &T.Maker->root().child(T.Place);
  T.Frame = T.Run(T.Memory, T.Shadow, T.Tape);
  T.State = cf_thread::Ended;
  const bool Stays = T.Stays; // others may reverse and release it from here on
  T.In->end(T);
  if (!Stays)
    return;
  rest(T);
  runReverse(T);
}

void runTangent(TangentThread *Made) {
  const std::unique_ptr<TangentThread> T(Made);
  Relay::become(*T);
  T->In->await(*T);
  T->Entry(T->Memory);
  T->In->end(*T);
}

/// Gives the baton back to the one that had it.
void giveBack(Runner &Me, Runner *Noted) {
  Runner &To = meant(Noted, Me);
  auto *T = static_cast<cf_thread *>(Noted);
  if (T && T->State == cf_thread::Made)
    fail(ErrorId::ThreadLives);
  if (T && T->State == cf_thread::Ended) {
    T->State = cf_thread::Reversing;
    T->In = Me.In;
    if (T->Stays)
      wake(*T);
    else
      Me.In->startReverse(*T, std::thread(runReverse, std::ref(*T)));
  }
  Me.In->give(Me, To);
}

/// The differentiated function is over: threads that nobody has waited for come to their end, and
/// their last legs are the first ones that are reversed.
void endForward(Runner &Me) {
  std::vector<Runner *> From;
  while (Me.In->hasLive()) {
    From.push_back(noted(Me.In->wait(Me, Wait::Timed)));
    if (Me.TimedOut)
      fail(ErrorId::ThreadLives);
  }
  for (; !From.empty(); From.pop_back())
    giveBack(Me, From.back());
}

} // namespace

int64_t cf_v1_thread_new() { return 2 * LastId.fetch_add(1, std::memory_order_relaxed) + 3; }

int64_t cf_v1_thread_self() {
  Runner &Me = Relay::self();
  return noted(Me) ? Me.Id : static_cast<int64_t>(pthread_self());
}

void cf_v1_thread_spawn(void (*entry)(void *), void *memory, int64_t id) {
  Runner &Me = Relay::self();
  auto *T = new TangentThread(entry, memory);
  T->Id = id;
  T->In = Me.In;
  Me.In->start(Me, *T, std::thread(runTangent, T));
}

cf_thread *cf_v1_thread_begin(cf_tape *tape, cf_thread::Forward forward, cf_thread::Reverse reverse,
                              int64_t id) {
  for (const Runner *R : Relay::self().In->live())
    if (R->Id != 0 && !R->Records)
      fail(ErrorId::ThreadLives);
  Arena *Maker = Arena::of(tape);
  auto *T = new (Maker->reserve(sizeof(cf_thread))) cf_thread(Maker, forward, reverse);
  T->Id = id;
  T->Records = true;
  return T;
}

void cf_v1_thread_stay(cf_thread *thread) { thread->Stays = true; }

cf_thread *cf_v1_thread_run(cf_thread *thread, void *memory, void *shadow) {
  Runner &Me = Relay::self();
  thread->In = Me.In;
  thread->Memory = memory;
  thread->Shadow = shadow;
  Runner &From = Me.In->start(Me, *thread, std::thread(runForward, std::ref(*thread)));
  return static_cast<cf_thread *>(noted(From));
}

void cf_v1_thread_reverse(cf_thread *thread, cf_thread *from, cf_tape *tape) {
  cf_v1_thread_back(from);
  if (thread->State != cf_thread::Reversed)
    fail(ErrorId::ThreadLives);
  thread->~cf_thread();
  Arena::of(tape)->release(thread);
}

void cf_v1_thread_wait(int32_t why, int64_t id) {
  Runner &Me = Relay::self();
  Me.In->wait(Me, static_cast<Wait>(why), id);
}

cf_thread *cf_v1_thread_wait_record(int32_t why, int64_t id) {
  Runner &Me = Relay::self();
  return static_cast<cf_thread *>(noted(Me.In->wait(Me, static_cast<Wait>(why), id)));
}

void cf_v1_thread_back(cf_thread *from) {
  Runner &Me = Relay::self();
  if (Me.In->hasLive())
    endForward(Me);
  giveBack(Me, from);
}

int32_t cf_v1_thread_timed_out() {
  if (!Relay::self().TimedOut)
    return 0;
  errno = ETIMEDOUT;
  return -1;
}

void cf_v1_thread_notify() {
  Runner &Me = Relay::self();
  Me.In->notify();
}

int64_t cf_v1_thread_barrier_arrive(const void *barrier) {
  return Relay::self().In->arrive(barrier, countOf(barrier));
}

int32_t cf_v1_thread_barrier_passed(const void *barrier, int64_t round) {
  return Relay::self().In->hasPassed(barrier, round) ? 1 : 0;
}
