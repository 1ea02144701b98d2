// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that take turns, and their reverses, as compiled derivative code would run them: what
// each of them does is noted, without a lock, and has to come back in the opposite order.

#include "contraflow/abi.h"
#include "contraflow/runtime.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

namespace {

enum Why : int32_t { Look, Sleep, Timed, Join };

std::vector<std::string> Log;

/// A thread that looks for others some times, and then perhaps waits to be notified.
struct Work {
  std::string Name;
  int Looks = 0;
  bool Sleeps = false;
  std::vector<cf_thread *> From = {};
  int64_t Id = 0;
  cf_thread *Thread = nullptr, *Before = nullptr;
};

void lookFor(Work &W, Why What, int64_t Id = 0) {
  Log.push_back(W.Name);
  W.From.push_back(cf_v1_thread_wait_record(What, Id));
}

void lookBack(Work &W) {
  cf_v1_thread_back(W.From.back());
  W.From.pop_back();
  Log.push_back(W.Name);
}

void *forward(void *Memory, void *, cf_tape *Tape) {
  Work &W = *static_cast<Work *>(Memory);
  void *Frame = cf_v1_tape_reserve(Tape, 16);
  *static_cast<Work **>(Frame) = &W;
  for (int I = 0; I < W.Looks; ++I)
    lookFor(W, Look);
  if (W.Sleeps)
    lookFor(W, Sleep);
  Log.push_back(W.Name + " ends");
  return Frame;
}

void reverse(void *Frame, cf_tape *Tape) {
  Work &W = **static_cast<Work **>(Frame);
  Log.push_back(W.Name + " ends");
  while (!W.From.empty())
    lookBack(W);
  cf_v1_tape_release(Tape, Frame);
}

void make(cf_tape *Tape, Work &W) {
  W.Id = cf_v1_thread_new();
  W.Thread = cf_v1_thread_begin(Tape, forward, reverse, W.Id);
  W.Before = cf_v1_thread_run(W.Thread, &W, nullptr);
}

TEST(Threads, AreReversedInTheOppositeOrder) {
  Log.clear();
  Work Main{"main"}, A{"a", 3, true}, B{"b", 2}, C{"c", 1, true};
  cf_tape *Tape = cf_v1_tape_begin();
  for (Work *W : {&A, &B, &C})
    make(Tape, *W);
  for (int I = 0; I < 8; ++I) // until both sleep
    lookFor(Main, Look);
  cf_v1_thread_notify();
  for (Work *W : {&C, &A, &B})
    lookFor(Main, Join, W->Id);
  std::vector<std::string> There;
  There.swap(Log);
  EXPECT_EQ(There.size(), 5U + 3 + 3 + 8 + 3);
  while (!Main.From.empty())
    lookBack(Main);
  for (Work *W : {&C, &B, &A})
    cf_v1_thread_reverse(W->Thread, W->Before, Tape);
  std::reverse(Log.begin(), Log.end());
  EXPECT_EQ(Log, There);
  cf_v1_tape_end(Tape);
}

TEST(Threads, ThatNobodyWaitsForEndBeforeTheReverse) {
  Log.clear();
  Work A{"a", 5};
  cf_tape *Tape = cf_v1_tape_begin();
  make(Tape, A);
  EXPECT_EQ(Log.size(), 1U);
  cf_v1_thread_reverse(A.Thread, A.Before, Tape);
  EXPECT_EQ(Log.size(), 12U);
  cf_v1_tape_end(Tape);
}

TEST(Threads, ThatStayAreReversedWhereTheyRan) {
  using Where = std::thread::id;
  static Where There, Back;
  auto Forward = [](void *, void *, cf_tape *Tape) -> void * {
    There = std::this_thread::get_id();
    return cf_v1_tape_reserve(Tape, 16);
  };
  auto Reverse = [](void *Frame, cf_tape *Tape) {
    Back = std::this_thread::get_id();
    cf_v1_tape_release(Tape, Frame);
  };
  cf_tape *Tape = cf_v1_tape_begin();
  cf_thread *First = cf_v1_thread_begin(Tape, Forward, Reverse, cf_v1_thread_new());
  cf_v1_thread_stay(First);
  cf_thread *Before = cf_v1_thread_run(First, nullptr, nullptr);
  std::thread([] {}).join(); // takes the number of a thread that has ended
  cf_v1_thread_reverse(First, Before, Tape);
  EXPECT_EQ(Back, There);
  EXPECT_NE(Back, std::this_thread::get_id());
  cf_v1_tape_end(Tape);
}

TEST(Threads, WaitForTimeOnlyIfNobodyElseCanRun) {
  Log.clear();
  Work A{"a", 1};
  cf_tape *Tape = cf_v1_tape_begin();
  make(Tape, A);
  Work Main{"main"};
  lookFor(Main, Timed);
  EXPECT_EQ(cf_v1_thread_timed_out(), 0);
  lookFor(Main, Timed);
  EXPECT_EQ(cf_v1_thread_timed_out(), -1);
  lookBack(Main);
  lookBack(Main);
  cf_v1_thread_reverse(A.Thread, A.Before, Tape);
  cf_v1_tape_end(Tape);
}

TEST(Threads, OfATangentRunUntilTheyWait) {
  int Legs = 0;
  const int64_t Id = cf_v1_thread_new();
  cf_v1_thread_spawn(
      [](void *Memory) {
        ++*static_cast<int *>(Memory);
        cf_v1_thread_wait(Look, 0);
        ++*static_cast<int *>(Memory);
      },
      &Legs, Id);
  EXPECT_EQ(Legs, 1);
  cf_v1_thread_wait(Join, Id);
  EXPECT_EQ(Legs, 2);
}

TEST(Threads, MeetAtABarrierAgainAndAgain) {
  pthread_barrier_t Barrier;
  ASSERT_EQ(pthread_barrier_init(&Barrier, nullptr, 2), 0);
  for (int Round = 0; Round < 3; ++Round) {
    const int64_t First = cf_v1_thread_barrier_arrive(&Barrier);
    EXPECT_EQ(First, Round);
    EXPECT_EQ(cf_v1_thread_barrier_passed(&Barrier, First), 0);
    const int64_t Last = cf_v1_thread_barrier_arrive(&Barrier);
    EXPECT_EQ(Last, -1);
    EXPECT_EQ(cf_v1_thread_barrier_passed(&Barrier, First), 1);
    EXPECT_EQ(cf_v1_thread_barrier_passed(&Barrier, Last), 1);
  }
  EXPECT_EQ(pthread_barrier_destroy(&Barrier), 0);
}

TEST(ThreadsDeathTest, WaitForNobody) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(cf_v1_thread_wait(Sleep, 0), testing::KilledBySignal(SIGABRT),
              "CF329. every thread waits for what none of them will do");
}

TEST(ThreadsDeathTest, OneStillWaits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto Die = [] {
    Work A{"a", 0, true};
    cf_tape *Tape = cf_v1_tape_begin();
    make(Tape, A);
    cf_v1_thread_reverse(A.Thread, A.Before, Tape);
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "CF332. a thread that was made");
}

} // namespace
