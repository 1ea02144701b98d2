// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of omp_phases against the definition, by brute force: what two iterations of
// different threads touch in one phase must be disjoint, for random footprints, trip counts and
// teams.

#include "omp/Phases.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace contraflow::omp;

namespace {

using Groups = std::vector<cf_footprint>;

bool meet(const Groups &G, int64_t I, int64_t K) {
  for (const cf_footprint &A : G)
    for (const cf_footprint &B : G) {
      const int64_t First = A.base + A.stride * I;
      const int64_t Second = B.base + B.stride * K;
      if (First < Second + B.extent && Second < First + A.extent && A.extent > 0 && B.extent > 0)
        return true;
    }
  return false;
}

int64_t overlapByDefinition(const Groups &G, int64_t Trip) {
  for (int64_t M = Trip - 1; M > 0; --M)
    for (int64_t I = 0; I + M < Trip; ++I)
      if (meet(G, I, I + M) || meet(G, I + M, I))
        return M;
  return 0;
}

int64_t overlap(const Groups &G, int64_t Trip) {
  return overlapOf(G.data(), static_cast<int32_t>(G.size()), Trip);
}

bool apartByDefinition(const Groups &G, size_t Plain, int64_t Trip) {
  const auto Meet = [](cf_footprint A, cf_footprint B, int64_t I, int64_t K) {
    const int64_t First = A.base + A.stride * I;
    const int64_t Second = B.base + B.stride * K;
    return First < Second + B.extent && Second < First + A.extent && A.extent > 0 && B.extent > 0;
  };
  for (size_t A = 0; A < Plain; ++A)
    for (size_t B = 0; B < G.size(); ++B)
      for (int64_t I = 0; I < Trip; ++I)
        for (int64_t K = 0; K < Trip; ++K)
          if (I != K && Meet(G[A], G[B], I, K))
            return false;
  return true;
}

class Phases : public testing::Test {
protected:
  int64_t uniform(int64_t Low, int64_t High) {
    return std::uniform_int_distribution<int64_t>(Low, High)(Random);
  }
  Groups randomGroups(bool SameStride) {
    Groups G(static_cast<size_t>(uniform(1, 4)));
    const int64_t Stride = uniform(-9, 9);
    for (cf_footprint &F : G)
      F = {uniform(-60, 60), uniform(0, 20), SameStride ? Stride : uniform(-9, 9)};
    return G;
  }

  const unsigned Seed = std::random_device{}();
  const testing::ScopedTrace Trace{__FILE__, __LINE__, "seed " + std::to_string(Seed)};
  std::mt19937 Random{Seed};
};

// How a loop is divided: the first iteration of each thread, and one past the last.
std::vector<int64_t> evenly(int64_t Trip, int Threads) {
  std::vector<int64_t> Begin{0};
  for (int T = 0; T < Threads; ++T)
    Begin.push_back(Begin.back() + Trip / Threads + (T < Trip % Threads));
  return Begin;
}

std::vector<int64_t> greedily(int64_t Trip, int Threads) {
  std::vector<int64_t> Begin{0};
  for (int T = 0; T < Threads; ++T)
    Begin.push_back(std::min(Trip, Begin.back() + (Trip + Threads - 1) / Threads));
  return Begin;
}

// The phase in which each iteration runs; every iteration exactly once.
std::vector<int> phaseOfIterations(const std::vector<int64_t> &Begin, int32_t NumPhases,
                                   int64_t Overlap) {
  std::vector<int> PhaseOf(static_cast<size_t>(Begin.back()), -1);
  for (size_t T = 0; T + 1 < Begin.size(); ++T)
    for (int32_t P = 0; P < NumPhases; ++P) {
      const int64_t Count = Begin[T + 1] - Begin[T];
      const Range R = phaseRange({P, NumPhases}, Overlap, Count, static_cast<int32_t>(T));
      for (int64_t I = R.First; I <= R.Last; ++I) {
        EXPECT_TRUE(I >= 0 && I < Count);
        int &Phase = PhaseOf[static_cast<size_t>(Begin[T] + I)];
        EXPECT_EQ(Phase, -1) << "iteration runs twice";
        Phase = P;
      }
    }
  EXPECT_EQ(std::count(PhaseOf.begin(), PhaseOf.end(), -1), 0) << "iteration never runs";
  return PhaseOf;
}

void expectDisjoint(const Groups &G, const std::vector<int64_t> &Begin) {
  const int64_t Trip = Begin.back();
  const auto Threads = static_cast<int32_t>(Begin.size() - 1);
  int64_t Smallest = Trip;
  for (size_t T = 0; T + 1 < Begin.size(); ++T)
    Smallest = std::min(Smallest, Begin[T + 1] - Begin[T]);
  const int64_t D = overlap(G, Trip);
  const int32_t Num = numPhases(D, Smallest, Threads);
  const std::vector<int> PhaseOf = phaseOfIterations(Begin, Num, D);
  const auto ThreadOf = [&](int64_t I) {
    return std::upper_bound(Begin.begin(), Begin.end(), I) - Begin.begin();
  };
  for (int64_t I = 0; I < Trip; ++I)
    for (int64_t K = 0; K < Trip; ++K)
      if (PhaseOf[static_cast<size_t>(I)] == PhaseOf[static_cast<size_t>(K)] &&
          ThreadOf(I) != ThreadOf(K))
        ASSERT_FALSE(meet(G, I, K))
            << "iterations " << I << " and " << K << " of " << Trip << " on " << Threads
            << " threads, overlap " << D << ", phases " << Num;
}

} // namespace

TEST_F(Phases, OverlapIsExactForOneStride) {
  for (int Round = 0; Round < 3000; ++Round) {
    const Groups G = randomGroups(true);
    const int64_t Trip = uniform(0, 30);
    ASSERT_EQ(overlap(G, Trip), overlapByDefinition(G, Trip));
  }
}

TEST_F(Phases, OverlapIsSafeForDifferentStrides) {
  int Apart = 0;
  for (int Round = 0; Round < 3000; ++Round) {
    Groups G = randomGroups(false);
    if (Round % 2 == 0)
      for (cf_footprint &F : G)
        F.base *= 50;
    const int64_t Trip = uniform(0, 30);
    ASSERT_GE(overlap(G, Trip), overlapByDefinition(G, Trip));
    Apart += G.size() > 1 && Trip > 1 && overlap(G, Trip) < Trip - 1;
  }
  EXPECT_GT(Apart, 100); // groups that are far from each other do not count as meeting
}

TEST_F(Phases, PiecesAreApartOnlyIfNoTwoIterationsMeetWhereOneAddsPlainly) {
  int Apart = 0;
  for (int Round = 0; Round < 3000; ++Round) {
    Groups G = randomGroups(Round % 4 != 0);
    for (cf_footprint &F : G)
      F.base *= Round % 3 == 0 ? 20 : 1;
    const int64_t Trip = uniform(0, 12);
    const auto Plain = static_cast<size_t>(uniform(0, static_cast<int64_t>(G.size())));
    const bool Found =
        areApart(G.data(), static_cast<int32_t>(Plain), static_cast<int32_t>(G.size()), Trip);
    const bool OneStride = Round % 4 != 0;
    ASSERT_TRUE(!Found || apartByDefinition(G, Plain, Trip));
    ASSERT_TRUE(Found || !OneStride || !apartByDefinition(G, Plain, Trip));
    Apart += Found && Plain > 0 && Trip > 1;
  }
  EXPECT_GT(Apart, 100);
}

TEST_F(Phases, IterationsOfDifferentThreadsInOnePhaseAreDisjoint) {
  for (int Round = 0; Round < 1500; ++Round) {
    const Groups G = randomGroups(Round % 4 != 0);
    const int64_t Trip = uniform(0, 40);
    for (const int Threads : {1, 2, 3, 4, 5, 8}) {
      expectDisjoint(G, evenly(Trip, Threads));
      expectDisjoint(G, greedily(Trip, Threads));
    }
  }
}

TEST(PhasesOf, AStencil) {
  // Three-point stencil on doubles: i - 1, i, i + 1 as three groups or as one of 24 bytes.
  const Groups Three{{0, 8, 8}, {8, 8, 8}, {16, 8, 8}};
  const Groups One{{0, 24, 8}};
  EXPECT_EQ(overlap(Three, 1000), 2);
  EXPECT_EQ(overlap(One, 1000), 2);
  EXPECT_EQ(overlap(One, 2), 1);
  EXPECT_EQ(overlap(One, 1), 0);
  EXPECT_EQ(numPhases(2, 4, 2), 2);
  EXPECT_EQ(numPhases(2, 4, 8), 2);
  EXPECT_EQ(numPhases(2, 3, 8), 8);
}

TEST(PhasesOf, RowsOfAGrid) {
  // The outer loop of a five-point stencil on rows of 100 doubles: rows j - 1, j, j + 1.
  const Groups Rows{{0, 800, 800}, {800, 800, 800}, {1600, 800, 800}};
  EXPECT_EQ(overlap(Rows, 50), 2);
  EXPECT_EQ(overlap({{0, 800, 800}}, 50), 0);
  EXPECT_EQ(overlap({{0, 801, 800}}, 50), 1);
  EXPECT_EQ(overlap({{0, 800, -800}}, 50), 0);
}

TEST(PhasesOf, SharedTarget) {
  EXPECT_EQ(overlap({{0, 8, 0}}, 50), 49);
  EXPECT_EQ(overlap({{0, 0, 0}}, 50), 0);
  EXPECT_EQ(overlap({}, 50), 0);
}

TEST(PhasesOf, AddressesNearTheEndsOfTheRange) {
  const Groups Far{{INT64_MIN, 8, INT64_MAX}, {INT64_MAX - 8, 8, INT64_MAX}};
  EXPECT_EQ(overlap(Far, INT64_MAX), 2);
  EXPECT_EQ(overlap({{0, 8, 1}, {INT64_MAX - 7, 8, 1}}, INT64_MAX), INT64_MAX - 1);
  EXPECT_EQ(overlap({{0, INT64_MAX, 1}}, INT64_MAX), INT64_MAX - 1);
  EXPECT_EQ(overlap({{0, 8, INT64_MIN}}, 100), 0);
  EXPECT_EQ(numPhases(INT64_MAX - 1, INT64_MAX, 2), 3);
}

TEST(PhasesOf, OneThreadNeedsOne) {
  EXPECT_EQ(numPhases(49, 50, 1), 1);
  EXPECT_EQ(numPhases(0, 50, 8), 1);
}

TEST(PhasesOf, TwoThreadsInTurnAreNotMistakenForTheSplit) {
  EXPECT_EQ(numPhases(2, 3, 2), 3);
  for (int32_t Thread = 0; Thread < 2; ++Thread)
    for (int32_t P = 0; P < 3; ++P) {
      const Range R = phaseRange({P, 3}, 2, 3, Thread);
      EXPECT_EQ(R.Last - R.First + 1, P == Thread ? 3 : 0);
    }
}
