// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic behind omp_phases and omp_phase_range, without an OpenMP library.

#pragma once

#include "contraflow/abi.h"

namespace contraflow::omp {

/// The largest |i - k|, i != k, 0 <= i, k < Trip, for which iterations i and k may touch a common
/// byte; exact for groups of the same stride. 0: none.
int64_t overlapOf(const cf_footprint *Groups, int32_t NumGroups, int64_t Trip);

/// True if no two iterations touch a common byte of which one is in the first Plain groups.
bool areApart(const cf_footprint *Groups, int32_t Plain, int32_t All, int64_t Trip);

/// True if the two groups may touch a common byte in any two iterations.
bool hullsMeet(const cf_footprint &G, const cf_footprint &H, int64_t Trip);

/// SmallestShare: the fewest iterations that one of the Threads gets.
int32_t numPhases(int64_t Overlap, int64_t SmallestShare, int32_t Threads);

struct Range {
  int64_t First;
  int64_t Last;
};

struct Phase {
  int32_t Number;
  int32_t Of;
};

/// Which of the Count iterations of a thread run in a phase.
Range phaseRange(Phase P, int64_t Overlap, int64_t Count, int32_t Thread);

} // namespace contraflow::omp
