// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where each thread of a region has come to through indices, as the record of the region knows it.

#pragma once

#include "contraflow/abi.h"

#include <array>

namespace contraflow::omp {

struct Reach {
  cf_reach At{};
  int32_t Phase = -1; ///< of the region, in which it adds there; none: not noted
};

constexpr int MostReaches = 8;
using ReachTable = std::array<Reach, MostReaches>; ///< of one thread

/// One table for each thread of the team that works on the arena; null if nothing was noted.
const ReachTable *reaches(cf_tape *Tape);

} // namespace contraflow::omp
