// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stencil's reverse adds to the neighbours of its cell. Between the contiguous chunks of two
// threads only iterations near the border meet, so two phases replace atomics:
//
//   thread:   0                    1                    2               (d = 1)
//   phase 0   o o o o o o o .      o o o o o o o .      o o o o o o o .
//   barrier
//   phase 1   . . . . . . . o      . . . . . . . o      . . . . . . . o
//
// Iterations i and k of different threads in one phase are always more than d apart, if every chunk
// has 2 d iterations or more; docs/design/runtime-omp.md has the proof.

#include "omp/Phases.h"

#include "omp/Model.h"

#include <algorithm>

namespace contraflow::omp {
namespace {

// Addresses are 64-bit and are multiplied by trip counts: 128 bits hold every intermediate value.
using Wide = __int128;

// Division of 128 bits is slow and almost never needed.
Wide floorDiv(Wide A, int64_t B) {
  if (const auto Narrow = static_cast<int64_t>(A); Narrow == A)
    return Narrow / B - (Narrow % B < 0);
  return A / B - (A % B < 0);
}

// The largest non-zero |m|, |m| <= Most, for which [0, Ge) meets [Distance + m * Stride, ... + He),
// that is
//   -He - Distance < m * Stride < Ge - Distance
int64_t sameStride(Wide Distance, Wide Ge, Wide He, int64_t Stride, int64_t Most) {
  const Wide Above = -He - Distance;
  const Wide Below = Ge - Distance;
  if (Stride == 0)
    return Above < 0 && 0 < Below ? Most : 0;
  // A negative stride sees the same set with the signs of m exchanged. (INT64_MIN has no opposite;
  // no object is large enough to be walked with it.)
  const int64_t Step = Stride < 0 ? -std::max(Stride, -INT64_MAX) : Stride;
  const Wide Low = std::max<Wide>(floorDiv(Above, Step) + 1, -Most);
  const Wide High = std::min<Wide>(floorDiv(Below - 1, Step), Most);
  if (Low > High)
    return 0;
  return static_cast<int64_t>(std::max(Low < 0 ? -Low : Low, High < 0 ? -High : High));
}

// All bytes that a group touches in the loop: [Begin, End).
struct Hull {
  Wide Begin, End;
};

Hull hullOf(const cf_footprint &G, int64_t Most) {
  const Wide Travel = Wide{G.stride} * Most;
  return {G.base + std::min<Wide>(Travel, 0), G.base + std::max<Wide>(Travel, 0) + G.extent};
}

int64_t overlapOfPair(const cf_footprint &G, const cf_footprint &H, int64_t Most) {
  if (G.stride == H.stride)
    return sameStride(Wide{H.base} - G.base, G.extent, H.extent, G.stride, Most);
  const Hull Left = hullOf(G, Most);
  const Hull Right = hullOf(H, Most);
  return Left.Begin < Right.End && Right.Begin < Left.End ? Most : 0;
}

} // namespace

int64_t overlapOf(const cf_footprint *Groups, int32_t NumGroups, int64_t Trip) {
  const int64_t Most = Trip - 1;
  if (Most <= 0)
    return 0;
  int64_t Overlap = 0;
  for (int32_t G = 0; G < NumGroups; ++G)
    for (int32_t H = G; H < NumGroups && Overlap < Most; ++H)
      if (Groups[G].extent > 0 && Groups[H].extent > 0)
        Overlap = std::max(Overlap, overlapOfPair(Groups[G], Groups[H], Most));
  return Overlap;
}

bool hullsMeet(const cf_footprint &G, const cf_footprint &H, int64_t Trip) {
  const Hull Left = hullOf(G, Trip - 1), Right = hullOf(H, Trip - 1);
  return Left.Begin < Right.End && Right.Begin < Left.End;
}

bool areApart(const cf_footprint *Groups, int32_t Plain, int32_t All, int64_t Trip) {
  const int64_t Most = Trip - 1;
  if (Most <= 0)
    return true;
  for (int32_t G = 0; G < Plain; ++G)
    for (int32_t H = G; H < All; ++H)
      if (Groups[G].extent > 0 && Groups[H].extent > 0 &&
          overlapOfPair(Groups[G], Groups[H], Most) > 0)
        return false;
  return true;
}

int32_t numPhases(int64_t Overlap, int64_t SmallestShare, int32_t Threads) {
  if (Overlap == 0 || Threads == 1)
    return 1;
  if (Overlap <= SmallestShare / 2)
    return 2;
  // Two phases always mean the split above, so two threads one after the other take three.
  return std::max(Threads, 3);
}

Range phaseRange(Phase P, int64_t Overlap, int64_t Count, int32_t Thread) {
  if (P.Of == 1)
    return {0, Count - 1};
  if (P.Of == 2)
    return P.Number == 0 ? Range{0, Count - 1 - Overlap}
                         : Range{std::max<int64_t>(Count - Overlap, 0), Count - 1};
  return P.Number == Thread ? Range{0, Count - 1} : Range{0, -1};
}

} // namespace contraflow::omp

using namespace contraflow;

int32_t cf_v1_omp_phases(const struct cf_footprint *groups, int32_t ngroups, int64_t /*stride*/,
                         int64_t trip, int64_t *overlap) {
  const int Threads = omp::teamSize();
  *overlap = omp::overlapOf(groups, ngroups, trip);
  return omp::numPhases(*overlap, omp::smallestShare(trip, Threads), Threads);
}

int32_t cf_v1_omp_pieces_apart(const struct cf_footprint *groups, int32_t plain, int32_t atomic,
                               int64_t trip) {
  return omp::teamSize() == 1 || omp::areApart(groups, plain, plain + atomic, trip);
}

void cf_v1_omp_phase_range(int32_t phase, int32_t nphases, int64_t overlap, int64_t count,
                           int64_t *first, int64_t *last) {
  const omp::Range R = omp::phaseRange({phase, nphases}, overlap, count, omp::threadNumber());
  *first = R.First;
  *last = R.Last;
}
