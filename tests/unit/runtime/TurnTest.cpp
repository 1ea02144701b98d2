// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections in reverse. The sections here do not commute (x = a x + b), so their reverse is
// right only in exactly the opposite order.

#include "contraflow/abi.h"

#include <algorithm>
#include <barrier>
#include <gtest/gtest.h>
#include <omp.h>
#include <thread>
#include <vector>

namespace {

struct Entry {
  int64_t Ticket;
  int Thread;
  int Round;
};

// Every thread enters the section Rounds times; then the entries are reversed.
class Section {
public:
  explicit Section(int Threads)
      : Threads(Threads), Tape(cf_v1_tape_begin()), Mine(static_cast<size_t>(Threads)) {
    omp_init_lock(&Lock);
  }
  Section(const Section &) = delete;
  Section &operator=(const Section &) = delete;
  ~Section() {
    cf_v1_tape_end(Tape);
    omp_destroy_lock(&Lock);
  }

  void forward(int Rounds) {
    Order.clear();
    Team = cf_v1_omp_team_begin(Tape);
#pragma omp parallel num_threads(Threads)
    {
      cf_tape *Arena = cf_v1_omp_team_tape(Team);
      for (int R = 0; R < Rounds; ++R) {
        omp_set_lock(&Lock);
        const Entry E{cf_v1_omp_turn_record(&Lock), omp_get_thread_num(), R};
        Order.push_back(E); // protected by the lock, as the user's data are
        omp_unset_lock(&Lock);
        Mine[static_cast<size_t>(E.Thread)].push_back(E);
      }
      cf_v1_omp_team_store(Team, Arena->top);
    }
  }

  // Nothing but the turns protects Reversed.
  void reverse() {
    Reversed.clear();
    cf_v1_omp_team_reverse(Team);
#pragma omp parallel
    {
      cf_v1_omp_team_check(Team);
      std::vector<Entry> &Entries = Mine[static_cast<size_t>(omp_get_thread_num())];
      while (!Entries.empty()) {
        const Entry E = Entries.back();
        Entries.pop_back();
        cf_v1_omp_turn_wait(&Lock, E.Ticket);
        Reversed.push_back(E);
        cf_v1_omp_turn_done(&Lock, E.Ticket);
      }
    }
    cf_v1_omp_team_end(Team);
  }

  void expectMirrored() const {
    ASSERT_EQ(Order.size(), Reversed.size());
    for (size_t I = 0; I < Order.size(); ++I) {
      const Entry &Back = Reversed[Order.size() - 1 - I];
      ASSERT_EQ(Order[I].Ticket, static_cast<int64_t>(I));
      ASSERT_EQ(Order[I].Thread, Back.Thread);
      ASSERT_EQ(Order[I].Round, Back.Round);
    }
  }

private:
  int Threads;
  cf_tape *Tape;
  cf_team *Team = nullptr;
  omp_lock_t Lock;
  std::vector<Entry> Order, Reversed;
  std::vector<std::vector<Entry>> Mine;
};

class Turns : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, Turns, testing::Values(1, 2, 3, 4, 8));

} // namespace

TEST_P(Turns, AreTakenInTheOppositeOrder) {
  Section S(GetParam());
  S.forward(100);
  S.reverse();
  S.expectMirrored();
}

TEST_P(Turns, ASecondSweepStartsAfresh) {
  Section S(GetParam());
  for (int Sweep = 0; Sweep < 3; ++Sweep) {
    S.forward(10 + Sweep);
    S.reverse();
    S.expectMirrored(); // tickets begin with 0 again
  }
}

TEST_P(Turns, SweepsMayBeNested) {
  Section Outer(GetParam());
  Section Inner(GetParam());
  Outer.forward(20);
  Inner.forward(30);
  Inner.reverse();
  Inner.expectMirrored();
  Outer.reverse();
  Outer.expectMirrored();
}

TEST(Turn, LocksAreIndependent) {
  std::vector<char> Locks(5000);
  for (char &Lock : Locks) {
    EXPECT_EQ(cf_v1_omp_turn_record(&Lock), 0);
    EXPECT_EQ(cf_v1_omp_turn_record(&Lock), 1);
  }
  for (char &Lock : Locks)
    for (const int64_t Ticket : {1, 0}) {
      cf_v1_omp_turn_wait(&Lock, Ticket);
      cf_v1_omp_turn_done(&Lock, Ticket);
    }
  EXPECT_EQ(cf_v1_omp_turn_record(&Locks[17]), 0);
  cf_v1_omp_turn_done(&Locks[17], 0);
}

TEST(Turn, TableIsFilledByManyThreadsAtOnce) {
  constexpr size_t NumLocks = 3000;
  std::vector<char> Locks(NumLocks);
  std::vector<std::vector<int64_t>> Tickets(8, std::vector<int64_t>(NumLocks));
  cf_tape *Tape = cf_v1_tape_begin();
  cf_team *Team = cf_v1_omp_team_begin(Tape);
#pragma omp parallel num_threads(8)
  {
    cf_v1_omp_team_tape(Team);
    for (size_t L = 0; L < NumLocks; ++L)
      Tickets[static_cast<size_t>(omp_get_thread_num())][L] = cf_v1_omp_turn_record(&Locks[L]);
  }
  for (size_t L = 0; L < NumLocks; ++L) {
    std::vector<int64_t> OfLock;
    for (const std::vector<int64_t> &Mine : Tickets)
      OfLock.push_back(Mine[L]);
    std::sort(OfLock.begin(), OfLock.end());
    // One counter per lock, whoever came first.
    ASSERT_EQ(OfLock, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    cf_v1_omp_turn_done(&Locks[L], 0);
  }
  cf_v1_omp_team_end(Team);
  cf_v1_tape_end(Tape);
}

TEST(Turn, DerivativeCallsAtTheSameTimeDoNotMix) {
  // So many calls that some of them come to the same list of the table.
  constexpr int Calls = 128;
  std::vector<char> Locks(8);
  std::barrier Together(Calls);
  std::vector<std::jthread> Threads;
  for (int C = 0; C < Calls; ++C)
    Threads.emplace_back([&] {
      cf_tape *Tape = cf_v1_tape_begin();
      for (char &Lock : Locks)
        EXPECT_EQ(cf_v1_omp_turn_record(&Lock), 0);
      Together.arrive_and_wait();
      for (char &Lock : Locks)
        EXPECT_EQ(cf_v1_omp_turn_record(&Lock), 1);
      Together.arrive_and_wait();
      for (char &Lock : Locks)
        for (const int64_t Ticket : {1, 0}) {
          cf_v1_omp_turn_wait(&Lock, Ticket);
          cf_v1_omp_turn_done(&Lock, Ticket);
        }
      cf_v1_tape_end(Tape);
    });
}

TEST(Turn, ReverseRegionThatOnlyReadsItsFrameKnowsItsCall) {
  char Lock = 0;
  cf_tape *Tape = cf_v1_tape_begin();
  EXPECT_EQ(cf_v1_omp_turn_record(&Lock), 0);
  cf_team *Team = cf_v1_omp_team_begin(Tape);
  std::vector<int64_t> Tickets(4);
#pragma omp parallel num_threads(4)
  cf_v1_omp_team_store(Team, nullptr);
  cf_v1_omp_team_reverse(Team);
#pragma omp parallel
  {
    cf_v1_omp_team_frame(Team);
    Tickets[static_cast<size_t>(omp_get_thread_num())] = cf_v1_omp_turn_record(&Lock);
  }
  cf_v1_omp_team_end(Team);
  std::sort(Tickets.begin(), Tickets.end());
  EXPECT_EQ(Tickets, (std::vector<int64_t>{1, 2, 3, 4}));
  cf_v1_omp_turn_done(&Lock, 0);
  cf_v1_tape_end(Tape);
}

TEST(Turn, ThreadsOfATeamWorkForTheCallOfTheirParent) {
  char Lock = 0;
  cf_tape *Tape = cf_v1_tape_begin();
  EXPECT_EQ(cf_v1_omp_turn_record(&Lock), 0);
  cf_team *Team = cf_v1_omp_team_begin(Tape);
  std::vector<int64_t> Tickets(4);
#pragma omp parallel num_threads(4)
  {
    cf_v1_omp_team_tape(Team);
    // A derivative call inside the region has turns of its own, and ends them.
    cf_tape *Inner = cf_v1_tape_begin();
    if (omp_get_thread_num() != 0) // thread 0 is in the outer call itself
      EXPECT_EQ(cf_v1_omp_turn_record(&Lock), 0);
    if (omp_get_thread_num() != 0)
      cf_v1_omp_turn_done(&Lock, 0);
    cf_v1_tape_end(Inner);
    Tickets[static_cast<size_t>(omp_get_thread_num())] = cf_v1_omp_turn_record(&Lock);
    cf_v1_omp_team_store(Team, nullptr);
  }
  std::sort(Tickets.begin(), Tickets.end());
  EXPECT_EQ(Tickets, (std::vector<int64_t>{1, 2, 3, 4}));
  for (int64_t Ticket = 4; Ticket >= 0; --Ticket) {
    cf_v1_omp_turn_wait(&Lock, Ticket);
    cf_v1_omp_turn_done(&Lock, Ticket);
  }
  cf_v1_omp_team_end(Team);
  cf_v1_tape_end(Tape);
}

TEST(Turn, WhoLeavesHoldsTheLatestTicket) {
  char Lock = 0;
  cf_tape *Tape = cf_v1_tape_begin();
  EXPECT_EQ(cf_v1_omp_turn_tested(&Lock, 1), 0);
  EXPECT_EQ(cf_v1_omp_turn_record(&Lock), 1); // a nested lock
  EXPECT_EQ(cf_v1_omp_turn_held(&Lock), 1);
  const int64_t None = cf_v1_omp_turn_tested(&Lock, 0);
  EXPECT_EQ(cf_v1_omp_turn_held(&Lock), 1);
  cf_v1_omp_turn_done(&Lock, None); // was no entry
  cf_v1_omp_turn_wait(&Lock, 1);
  cf_v1_omp_turn_done(&Lock, 1);
  cf_v1_omp_turn_done(&Lock, 0);
  EXPECT_EQ(cf_v1_omp_turn_held(&Lock), -1);
  cf_v1_tape_end(Tape);
}

TEST(Turn, CancellingReachesTheInnermostGroup) {
  EXPECT_EQ(cf_v1_omp_group_cancel(), 0); // there is none
  cf_v1_omp_group_enter();
  cf_v1_omp_group_enter();
  EXPECT_EQ(cf_v1_omp_group_cancel(), omp_get_cancellation());
  EXPECT_EQ(cf_v1_omp_group_cancelled(), omp_get_cancellation());
  cf_v1_omp_group_leave();
  EXPECT_EQ(cf_v1_omp_group_cancelled(), 0);
  cf_v1_omp_group_leave();
}
