// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of statically divided loops as compiled code runs it on real teams: phases ordered
// between neighbours, plain additions. Integers as values make the sums exact; ThreadSanitizer runs
// this, too.

#include "contraflow/abi.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <omp.h>
#include <vector>

namespace {

using Vector = std::vector<double>;

struct Chunk {
  int64_t First, Count;
};

// How libomp divides a loop; the test of phases asks it, here the rule suffices.
Chunk chunkOf(int64_t Trip) {
  const int64_t Threads = omp_get_num_threads();
  const int64_t Me = omp_get_thread_num();
  const int64_t First = Me * (Trip / Threads) + std::min(Me, Trip % Threads);
  return {First, Trip / Threads + (Me < Trip % Threads)};
}

// y[i] = x[i] + 2 x[i + Reach], of which the reverse of one loop adds y-bar to x-bar.
struct Loop {
  const Vector &YBar;
  Vector &XBar;
  int64_t Reach;
  bool KeepsOrder = false;
  bool MeetsAtomics = false;

  void iteration(int64_t I) const {
    XBar[static_cast<size_t>(I)] += YBar[static_cast<size_t>(I)];
    XBar[static_cast<size_t>(I + Reach)] += 2 * YBar[static_cast<size_t>(I)];
  }

  // Returns how this thread ran it: the number of phases, 0 if alone.
  int32_t reverse() const {
    const auto Trip = static_cast<int64_t>(YBar.size());
    const Chunk Mine = chunkOf(Trip);
    const auto Base = reinterpret_cast<int64_t>(XBar.data());
    const cf_footprint Groups[] = {{Base, 8, 8}, {Base + 8 * Reach, 8, 8}, {Base, 8, 0}};
    cf_share Share{};
    Share.last[0] = Mine.Count - 1;
    Share.locked = KeepsOrder;
    cf_v1_omp_share_open(Groups, 2, MeetsAtomics, Trip, &Share);
    for (int32_t P = 0; P < Share.phases; ++P) {
      cf_v1_omp_share_phase(&Share, P);
      for (int64_t I = Share.last[P]; I >= Share.first[P]; --I)
        iteration(Mine.First + I);
    }
    cf_v1_omp_share_close(&Share);
    return Share.locked ? 0 : Share.phases;
  }
};

Vector weights(size_t N) {
  Vector W(N);
  for (size_t I = 0; I < N; ++I)
    W[I] = static_cast<double>(I * I % 101);
  return W;
}

Vector serially(const Loop &L) {
  Vector XBar(L.XBar.size());
  const Loop Serial{L.YBar, XBar, L.Reach};
  for (int64_t I = 0; I < static_cast<int64_t>(L.YBar.size()); ++I)
    Serial.iteration(I);
  return XBar;
}

// A reverse region around Body, on a team of the given size.
template <typename Function> void reverseRegion(cf_tape *Tape, int Threads, Function Body) {
  cf_team *Team = cf_v1_omp_team_begin(Tape);
#pragma omp parallel num_threads(Threads)
  cf_v1_omp_team_store(Team, nullptr);
  cf_v1_omp_team_reverse(Team);
#pragma omp parallel
  {
    cf_v1_omp_team_check(Team);
    Body(cf_v1_omp_team_tape(Team));
  }
  cf_v1_omp_team_end(Team);
}

class Shares : public testing::TestWithParam<int> {
protected:
  void SetUp() override { Tape = cf_v1_tape_begin(); }
  void TearDown() override { cf_v1_tape_end(Tape); }

  // Runs the loop on the team; how it was run, which must be the same for all threads.
  int32_t run(const Loop &L) const {
    std::vector<int32_t> How(static_cast<size_t>(GetParam()));
    reverseRegion(Tape, GetParam(),
                  [&](cf_tape *) { How[static_cast<size_t>(omp_get_thread_num())] = L.reverse(); });
    EXPECT_EQ(How, std::vector<int32_t>(How.size(), How[0])) << "threads disagree";
    return How[0];
  }

  cf_tape *Tape = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Threads, Shares, testing::Range(1, 9));

} // namespace

TEST_P(Shares, SumsAreRightAndAtomicFree) {
  for (const int64_t Reach : {1, 5, 40})
    for (const size_t N : {1, 7, 64, 1000}) {
      const Vector YBar = weights(N);
      Vector XBar(N + static_cast<size_t>(Reach));
      const Loop L{YBar, XBar, Reach};
      const int32_t How = run(L);
      EXPECT_EQ(XBar, serially(L)) << "reach " << Reach << " n " << N;
      if (GetParam() == 1 || static_cast<int64_t>(N) <= Reach)
        EXPECT_EQ(How, 1) << "reach " << Reach << " n " << N;
      else
        EXPECT_EQ(How, static_cast<int64_t>(N) / GetParam() >= 2 * Reach ? 2 : 0)
            << "reach " << Reach << " n " << N;
    }
}

TEST_P(Shares, IterationsThatKeepTheirOrderRunThreadByThread) {
  const Vector YBar = weights(1000);
  Vector XBar(1001);
  const Loop L{YBar, XBar, 1, /*KeepsOrder=*/true};
  EXPECT_EQ(run(L), GetParam() == 1);
  EXPECT_EQ(XBar, serially(L));
}

TEST_P(Shares, PlainAdditionsThatMeetAtomicOnesRunThreadByThread) {
  const Vector YBar = weights(1000);
  Vector XBar(1001);
  const Loop L{YBar, XBar, 1, /*KeepsOrder=*/false, /*MeetsAtomics=*/true};
  EXPECT_EQ(run(L), GetParam() == 1);
  EXPECT_EQ(XBar, serially(L));
}

TEST_P(Shares, ManyLoopsInOneRegion) {
  constexpr int Loops = 50;
  const Vector YBar = weights(800);
  Vector XBar(803);
  const Loop L{YBar, XBar, 3};
  reverseRegion(Tape, GetParam(), [&](cf_tape *) {
    for (int R = 0; R < Loops; ++R) {
      L.reverse();
      cf_v1_omp_barrier(); // the mirror of the barrier between the loops
    }
  });
  Vector Expected = serially(L);
  for (double &X : Expected)
    X *= Loops;
  EXPECT_EQ(XBar, Expected);
}

TEST_P(Shares, OuterTeamGoesOnAfterAnInnerOne) {
  const int Levels = omp_get_max_active_levels();
  omp_set_max_active_levels(2);
  const Vector YBar = weights(800);
  Vector XBar(803);
  std::vector<Vector> InnerBar(static_cast<size_t>(GetParam()), Vector(803));
  const Loop L{YBar, XBar, 3};
  reverseRegion(Tape, GetParam(), [&](cf_tape *Mine) {
    L.reverse();
    cf_v1_omp_barrier();
    // Only one thread has a region of its own.
    if (omp_get_thread_num() == 0) {
      const Loop Inner{YBar, InnerBar[0], 3};
      reverseRegion(Mine, 2, [&](cf_tape *) { Inner.reverse(); });
    }
    cf_v1_omp_barrier();
    L.reverse();
  });
  omp_set_max_active_levels(Levels);
  Vector Expected = serially(L);
  EXPECT_EQ(InnerBar[0], Expected);
  for (double &X : Expected)
    X *= 2;
  EXPECT_EQ(XBar, Expected);
}

namespace {

// The reverse of y[i] = sum over j of x[j], walked in steps of two numbers: the odd places of x-bar
// hold something that is nobody's business.
template <typename T>
std::vector<T> addPrivately(cf_tape *Tape, int Threads, void (*Close)(cf_private *, cf_tape *)) {
  constexpr int64_t Trip = 40, Numbers = 32;
  std::vector<T> XBar(2 * Numbers, T(-0.0));
  reverseRegion(Tape, Threads, [&](cf_tape *Mine) {
    const Chunk Own = chunkOf(Trip);
    const auto Base = reinterpret_cast<int64_t>(XBar.data());
    const cf_footprint Groups[] = {{Base, (2 * Numbers - 1) * int64_t(sizeof(T)), 0},
                                   {Base, sizeof(T), 0}};
    cf_share Share{};
    Share.last[0] = Own.Count - 1;
    cf_v1_omp_share_open(Groups, 0, 2, Trip, &Share);
    cf_private Private{};
    cf_v1_omp_private_open(Groups, 2, Trip, &Share, Mine, &Private);
    for (int64_t I = Share.last[0]; I >= Share.first[0]; --I)
      for (int64_t J = 0; J < Numbers; ++J)
        reinterpret_cast<T *>(Private.memory + (Base - Private.base))[2 * J] += T(J);
    Close(&Private, Mine);
    cf_v1_omp_share_close(&Share);
  });
  return XBar;
}

template <typename T> void expectSums(const std::vector<T> &XBar) {
  for (size_t J = 0; J < XBar.size(); ++J)
    EXPECT_EQ(XBar[J], T(J % 2 == 0 ? 40 * J / 2 : 0)) << J;
  for (size_t J = 1; J < XBar.size(); J += 2)
    EXPECT_TRUE(std::signbit(XBar[J])) << "touched place " << J;
}

} // namespace

TEST_P(Shares, WhatAllIterationsAddToIsSummedInMemoryOfTheThreadsOwn) {
  expectSums(addPrivately<double>(Tape, GetParam(), cf_v1_omp_private_close_f64));
  expectSums(addPrivately<float>(Tape, GetParam(), cf_v1_omp_private_close_f32));
}

TEST_P(Shares, UpdatesOutsideTheLoopWaitForPlainOnes) {
  constexpr int Rounds = 200;
  double Sum = 0;
  reverseRegion(Tape, GetParam(), [&](cf_tape *) {
    for (int R = 0; R < Rounds; ++R) {
      cf_v1_omp_share_enter();
      Sum += 1;
      cf_v1_omp_share_leave();
    }
  });
  EXPECT_EQ(Sum, Rounds * GetParam());
}

// Thread t comes to the bytes [1000 + 100 t, 1000 + 100 t + 8) in range 1 of the region, and to
// none in range 0.
TEST_P(Shares, GroupsAreComparedWithTheRangeOfAllThreads) {
  cf_team *Team = cf_v1_omp_team_begin(Tape);
#pragma omp parallel num_threads(GetParam())
  {
    cf_tape *Own = cf_v1_omp_team_tape(Team);
    const int64_t Low = 1000 + 100 * omp_get_thread_num();
    cf_v1_omp_range_note(Own, 0, INT64_MAX, INT64_MIN);
    cf_v1_omp_range_note(Own, 1, Low, Low + 8);
    cf_v1_omp_team_store(Team, nullptr);
  }
  const int64_t End = 1000 + 100 * (GetParam() - 1) + 8;
  const cf_footprint Below[] = {{900, 10, 10}}, Above[] = {{End, 8, 8}},
                     Into[] = {{500, 8, 0}, {End + 90, 8, -10}};
  std::vector<int> Answers(static_cast<size_t>(GetParam()));
  cf_v1_omp_team_reverse(Team);
#pragma omp parallel
  {
    cf_v1_omp_team_check(Team);
    cf_tape *Own = cf_v1_omp_team_tape(Team);
    Answers[static_cast<size_t>(omp_get_thread_num())] =
        cf_v1_omp_range_apart(Own, 1, Below, 1, 10) +
        10 * cf_v1_omp_range_apart(Own, 1, Above, 1, 10) +
        100 * cf_v1_omp_range_apart(Own, 1, Into, 2, 11) +
        1000 * cf_v1_omp_range_apart(Own, 0, Into, 2, 11);
  }
  cf_v1_omp_team_end(Team);
  EXPECT_EQ(Answers, std::vector<int>(Answers.size(), GetParam() == 1 ? 1111 : 1011));
}
