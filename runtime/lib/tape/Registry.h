// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All arenas of the process, for statistics. What an arena has counted stays when its thread ends.

#pragma once

#include "tape/Arena.h"

namespace contraflow::registry {

void add(ArenaCounters &Counters);
void remove(ArenaCounters &Counters);

struct Totals {
  int64_t HighWater = 0;
  int64_t Frames = 0;
  int64_t Chunks = 0;
};

Totals totals();
void reset();

} // namespace contraflow::registry
