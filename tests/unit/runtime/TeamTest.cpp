// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions and their mirrors as compiled derivative code would run them, on real teams.

#include "contraflow/abi.h"
#include "contraflow/runtime.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <omp.h>
#include <set>
#include <thread>
#include <vector>

namespace {

// The reverse of y[i] = sin(x[i]) inside a region: each thread tapes its bounds and the cosines.
struct Bounds {
  int Begin, End;
};

Bounds shareOf(int N, int Thread, int Threads) {
  return {N * Thread / Threads, N * (Thread + 1) / Threads};
}

void forwardBody(cf_team *Team, const std::vector<double> &X, std::vector<double> &Y) {
  cf_tape *Tape = cf_v1_omp_team_tape(Team);
  const Bounds B = shareOf(static_cast<int>(X.size()), omp_get_thread_num(), omp_get_num_threads());
  auto *Frame = static_cast<Bounds *>(cf_v1_tape_reserve(Tape, sizeof(Bounds)));
  *Frame = B;
  auto *Cosine = static_cast<double *>(cf_v1_tape_reserve(Tape, 8 * (B.End - B.Begin)));
  for (int I = B.Begin; I < B.End; ++I) {
    Y[static_cast<size_t>(I)] = std::sin(X[static_cast<size_t>(I)]);
    Cosine[I - B.Begin] = std::cos(X[static_cast<size_t>(I)]);
  }
  cf_v1_omp_team_store(Team, Frame);
}

void reverseBody(cf_team *Team, std::vector<double> &XBar, std::vector<double> &YBar) {
  cf_v1_omp_team_check(Team);
  cf_tape *Tape = cf_v1_omp_team_tape(Team);
  auto *Frame = static_cast<Bounds *>(cf_v1_omp_team_frame(Team));
  // The frame after the bounds begins where they end, unless it went to a new chunk.
  const auto Bytes = static_cast<int64_t>(8 * (Frame->End - Frame->Begin));
  auto *Cosine = reinterpret_cast<double *>(Tape->top - (Bytes + 15) / 16 * 16);
  for (int I = Frame->End - 1; I >= Frame->Begin; --I) {
    XBar[static_cast<size_t>(I)] += YBar[static_cast<size_t>(I)] * Cosine[I - Frame->Begin];
    YBar[static_cast<size_t>(I)] = 0;
  }
  cf_v1_tape_release(Tape, Frame);
}

void reverseRegion(cf_team *Team, std::vector<double> &XBar, std::vector<double> &YBar) {
  cf_v1_omp_team_reverse(Team);
#pragma omp parallel
  reverseBody(Team, XBar, YBar);
  cf_v1_omp_team_end(Team);
}

cf_team *forwardRegion(cf_tape *Tape, int Threads, const std::vector<double> &X,
                       std::vector<double> &Y) {
  cf_team *Team = cf_v1_omp_team_begin(Tape);
#pragma omp parallel num_threads(Threads)
  forwardBody(Team, X, Y);
  return Team;
}

std::vector<double> ramp(size_t N, double Step) {
  std::vector<double> V(N);
  for (size_t I = 0; I < N; ++I)
    V[I] = Step * static_cast<double>(I);
  return V;
}

class Teams : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, Teams, testing::Range(1, 9));

} // namespace

TEST_P(Teams, EveryThreadReversesWhatItDid) {
  constexpr size_t N = 10007;
  const std::vector<double> X = ramp(N, 1e-3);
  std::vector<double> Y(N);
  cf_tape *Tape = cf_v1_tape_begin();
  cf_team *Team = forwardRegion(Tape, GetParam(), X, Y);
  std::vector<double> XBar(N);
  std::vector<double> YBar = ramp(N, 1);
  reverseRegion(Team, XBar, YBar);
  cf_v1_tape_end(Tape); // checks that all arenas are empty
  for (size_t I = 0; I < N; ++I) {
    ASSERT_EQ(Y[I], std::sin(X[I]));
    ASSERT_EQ(XBar[I], static_cast<double>(I) * std::cos(X[I]));
  }
}

TEST_P(Teams, RegionsInALoopAreReversedBackwards) {
  constexpr int Steps = 40;
  constexpr size_t N = 500;
  cf_tape *Tape = cf_v1_tape_begin();
  std::vector<std::vector<double>> State{ramp(N, 1e-2)};
  std::vector<cf_team *> Teams;
  for (int S = 0; S < Steps; ++S) {
    State.emplace_back(N);
    // Teams of different sizes follow each other.
    Teams.push_back(
        forwardRegion(Tape, 1 + (GetParam() + S) % 8, State[static_cast<size_t>(S)], State.back()));
  }
  std::vector<double> Bar(N, 1.0);
  for (int S = Steps - 1; S >= 0; --S) {
    std::vector<double> Before(N);
    reverseRegion(Teams[static_cast<size_t>(S)], Before, Bar);
    Bar = Before;
  }
  cf_v1_tape_end(Tape);
  for (size_t I = 0; I < N; ++I) {
    double Expected = 1;
    for (int S = Steps - 1; S >= 0; --S)
      Expected *= std::cos(State[static_cast<size_t>(S)][I]);
    ASSERT_EQ(Bar[I], Expected);
  }
}

TEST_P(Teams, RecordMayBeSizedByTheClause) {
  const std::vector<double> X = ramp(100, 0.1);
  for (const int Sized : {0, 1, 2, 20}) {
    std::vector<double> Y(100);
    cf_tape *Tape = cf_v1_tape_begin();
    cf_team *Team = cf_v1_omp_team_sized(Tape, Sized);
#pragma omp parallel num_threads(GetParam())
    forwardBody(Team, X, Y);
    std::vector<double> XBar(100);
    std::vector<double> YBar(100, 1.0);
    reverseRegion(Team, XBar, YBar);
    cf_v1_tape_end(Tape);
    for (size_t I = 0; I < 100; ++I)
      ASSERT_EQ(XBar[I], std::cos(X[I]));
  }
}

TEST(TeamOverflow, ThreadsThatAreTooManyAtOnceAgreeOnTheRoom) {
  constexpr size_t Records = 500;
  constexpr int Threads = 3;
  cf_tape *Tape = cf_v1_tape_begin();
  std::vector<cf_team *> Teams(Records);
  for (cf_team *&Team : Teams)
    Team = cf_v1_omp_team_sized(Tape, 1);
  std::atomic<int> Wrong = 0;
#pragma omp parallel num_threads(Threads)
  {
    char Mine = 0;
    for (cf_team *Team : Teams) {
      cf_v1_omp_barrier();
      cf_v1_omp_team_store(Team, &Mine);
    }
    cf_v1_omp_barrier();
    for (cf_team *Team : Teams)
      Wrong += cf_v1_omp_team_frame(Team) != &Mine;
  }
  EXPECT_EQ(Wrong, 0);
  for (auto Team = Teams.rbegin(); Team != Teams.rend(); ++Team)
    cf_v1_omp_team_end(*Team);
  cf_v1_tape_end(Tape);
}

TEST_P(Teams, ArenasBelongToThreadNumbersAndAreKept) {
  const auto Threads = static_cast<size_t>(GetParam());
  cf_tape *Tape = cf_v1_tape_begin();
  const auto Region = [&] {
    std::vector<cf_tape *> Tapes(Threads);
    cf_team *Team = cf_v1_omp_team_begin(Tape);
#pragma omp parallel num_threads(GetParam())
    {
      Tapes[static_cast<size_t>(omp_get_thread_num())] = cf_v1_omp_team_tape(Team);
      cf_v1_omp_team_store(Team, nullptr);
    }
    cf_v1_omp_team_end(Team);
    return Tapes;
  };
  const std::vector<cf_tape *> First = Region();
  EXPECT_EQ(std::set<cf_tape *>(First.begin(), First.end()).size(), Threads);
  EXPECT_EQ(std::count(First.begin(), First.end(), Tape), 0);
  EXPECT_EQ(Region(), First);
  cf_v1_tape_end(Tape);
}

TEST_P(Teams, NestedRegions) {
  const int Levels = omp_get_max_active_levels();
  omp_set_max_active_levels(2);
  constexpr size_t N = 64;
  const auto Outer = static_cast<size_t>(std::min(GetParam(), 4));
  const std::vector<double> X = ramp(N, 0.1);
  std::vector<std::vector<double>> Y(Outer, std::vector<double>(N));
  std::vector<std::vector<double>> XBar = Y;
  std::vector<std::vector<double>> YBar(Outer, std::vector<double>(N, 1.0));
  cf_tape *Tape = cf_v1_tape_begin();
  cf_team *Team = cf_v1_omp_team_begin(Tape);
#pragma omp parallel num_threads(static_cast<int>(Outer))
  {
    cf_tape *Mine = cf_v1_omp_team_tape(Team);
    cf_v1_omp_team_store(Team,
                         forwardRegion(Mine, 3, X, Y[static_cast<size_t>(omp_get_thread_num())]));
  }
  cf_v1_omp_team_reverse(Team);
#pragma omp parallel
  {
    cf_v1_omp_team_check(Team);
    const auto Me = static_cast<size_t>(omp_get_thread_num());
    cf_v1_omp_team_tape(Team);
    reverseRegion(static_cast<cf_team *>(cf_v1_omp_team_frame(Team)), XBar[Me], YBar[Me]);
  }
  cf_v1_omp_team_end(Team);
  cf_v1_tape_end(Tape);
  omp_set_max_active_levels(Levels);
  for (const std::vector<double> &Bar : XBar)
    for (size_t I = 0; I < N; ++I)
      ASSERT_EQ(Bar[I], std::cos(X[I]));
}

TEST_P(Teams, ThreadsOfATeamMayHaveDerivativeCallsOfTheirOwn) {
  constexpr size_t N = 300;
  const std::vector<double> X = ramp(N, 0.1);
  std::atomic<int> Wrong = 0;
#pragma omp parallel num_threads(GetParam())
  {
    for (int Round = 0; Round < 5; ++Round) {
      std::vector<double> Y(N);
      cf_tape *Tape = cf_v1_tape_begin();
      cf_team *Team = forwardRegion(Tape, 2, X, Y);
      std::vector<double> XBar(N);
      std::vector<double> YBar(N, 1.0);
      reverseRegion(Team, XBar, YBar);
      cf_v1_tape_end(Tape);
      for (size_t I = 0; I < N; ++I)
        Wrong += XBar[I] != std::cos(X[I]);
    }
  }
  EXPECT_EQ(Wrong, 0);
}

TEST_P(Teams, ReverseTeamHasTheSizeEvenIfTheLibraryMayChoose) {
  omp_set_dynamic(0);
  const std::vector<double> X = ramp(64, 0.1);
  std::vector<double> Y(64);
  cf_tape *Tape = cf_v1_tape_begin();
  cf_team *Team = forwardRegion(Tape, GetParam(), X, Y);
  omp_set_dynamic(1);
  cf_v1_omp_team_reverse(Team);
  int Size = 0;
  std::vector<double> XBar(64);
#pragma omp parallel
  {
#pragma omp single
    Size = omp_get_num_threads();
    reverseBody(Team, XBar, Y);
  }
  cf_v1_omp_team_end(Team);
  cf_v1_tape_end(Tape);
  EXPECT_EQ(Size, GetParam());
  EXPECT_TRUE(omp_get_dynamic());
  omp_set_dynamic(0);
}

TEST_P(Teams, StatisticsCountAllThreads) {
  cf_tape *Tape = cf_v1_tape_begin();
  cf_v1_tape_end(Tape);
  cf_tape_statistics_reset();
  cf_v1_tape_begin();
  cf_team *Team = cf_v1_omp_team_begin(Tape);
#pragma omp parallel num_threads(GetParam())
  {
    cf_tape *Mine = cf_v1_omp_team_tape(Team);
    void *Frame = cf_v1_tape_reserve(Mine, 1 << 20);
    cf_v1_omp_team_store(Team, Frame);
    cf_v1_tape_release(Mine, Frame);
  }
  cf_v1_omp_team_end(Team);
  cf_v1_tape_end(Tape);
  struct cf_tape_statistics Statistics;
  cf_tape_statistics(&Statistics);
  EXPECT_GE(Statistics.high_water_bytes, int64_t{GetParam()} << 20);
  EXPECT_LE(Statistics.high_water_bytes, (int64_t{GetParam()} << 20) + 1024);
}

TEST_P(Teams, BarrierSeparates) {
  const int Threads = GetParam();
  std::atomic<int> Arrived = 0;
  std::atomic<int> Early = 0;
#pragma omp parallel num_threads(Threads)
  for (int Round = 1; Round <= 20; ++Round) {
    ++Arrived;
    cf_v1_omp_barrier();
    Early += Arrived != Round * omp_get_num_threads();
    cf_v1_omp_barrier();
  }
  EXPECT_EQ(Early, 0);
  EXPECT_EQ(Arrived, 20 * Threads);
}
