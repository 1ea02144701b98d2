// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stencil's reverse on real teams in the phases that omp_phases says, with plain additions.
// Integers as values make the sums exact; ThreadSanitizer runs this, too.

#include "contraflow/abi.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <omp.h>
#include <vector>

namespace {

using Vector = std::vector<double>;

// y[i] = x[i] + 2 x[i + 1] + 3 x[i + Reach]
void adjointOf(double YBar, double *XBar, int64_t Reach) {
  XBar[0] += YBar;
  XBar[1] += 2 * YBar;
  XBar[Reach] += 3 * YBar;
}

Vector serially(const Vector &YBar, int64_t Reach) {
  Vector XBar(YBar.size() + static_cast<size_t>(Reach));
  for (size_t I = 0; I < YBar.size(); ++I)
    adjointOf(YBar[I], &XBar[I], Reach);
  return XBar;
}

struct Loop {
  const Vector &YBar;
  Vector &XBar;
  int64_t Reach;
};

// What a thread does that was given iterations First..First + Count - 1 by the static schedule.
int32_t reverseChunk(const Loop &L, int64_t First, int64_t Count) {
  const auto Base = static_cast<int64_t>(reinterpret_cast<uintptr_t>(L.XBar.data()));
  const cf_footprint Groups[] = {{Base, 16, 8}, {Base + 8 * L.Reach, 8, 8}};
  int64_t Overlap = 0;
  const auto Trip = static_cast<int64_t>(L.YBar.size());
  const int32_t Phases = cf_v1_omp_phases(Groups, 2, 8, Trip, &Overlap);
  EXPECT_EQ(Overlap, L.Reach < Trip ? L.Reach : std::min<int64_t>(1, Trip - 1));
  for (int32_t P = 0; P < Phases; ++P) {
    int64_t From = 0;
    int64_t To = 0;
    cf_v1_omp_phase_range(P, Phases, Overlap, Count, &From, &To);
    for (int64_t I = To; I >= From; --I)
      adjointOf(L.YBar[static_cast<size_t>(First + I)], &L.XBar[static_cast<size_t>(First + I)],
                L.Reach);
    if (P + 1 < Phases)
      cf_v1_omp_barrier();
  }
  return Phases;
}

class PhasesOnTeams : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, PhasesOnTeams, testing::Range(1, 9));

} // namespace

TEST_P(PhasesOnTeams, StencilWithoutAtomics) {
  for (const int64_t Reach : {2, 5, 40})
    for (const size_t N : {1, 7, 64, 1000}) {
      Vector YBar(N);
      for (size_t I = 0; I < N; ++I)
        YBar[I] = static_cast<double>(I * I % 101);
      Vector XBar(N + static_cast<size_t>(Reach));
      const Loop L{YBar, XBar, Reach};
      std::vector<int32_t> Phases(static_cast<size_t>(GetParam()));
#pragma omp parallel num_threads(GetParam())
      {
        // The bounds that the library itself gives to this thread.
        int64_t First = 0;
        int64_t Count = 0;
#pragma omp for schedule(static)
        for (size_t I = 0; I < N; ++I) {
          First = Count == 0 ? static_cast<int64_t>(I) : First;
          ++Count;
        }
        Phases[static_cast<size_t>(omp_get_thread_num())] = reverseChunk(L, First, Count);
      }
      EXPECT_EQ(XBar, serially(YBar, Reach)) << "reach " << Reach << " n " << N;
      EXPECT_EQ(Phases, std::vector<int32_t>(Phases.size(), Phases[0])) << "threads disagree";
      if (GetParam() > 1 && N == 1000 && Reach == 5)
        EXPECT_EQ(Phases[0], 2);
    }
}
