// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tape/Registry.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace contraflow::registry {
namespace {

struct State {
  std::mutex Lock;
  std::vector<ArenaCounters *> Live;
  Totals Gone; ///< of arenas whose threads have ended
};

// Never destroyed: threads may end after the statics of the program.
State &state() {
  static State &S = *new State;
  return S;
}

void addTo(Totals &Sum, const ArenaCounters &Counters) {
  Sum.HighWater += Counters.HighWater.load(std::memory_order_relaxed);
  Sum.Frames += Counters.Frames.load(std::memory_order_relaxed);
  Sum.Chunks += Counters.Chunks.load(std::memory_order_relaxed);
}

} // namespace

void add(ArenaCounters &Counters) {
  const std::scoped_lock Guard(state().Lock);
  state().Live.push_back(&Counters);
}

void remove(ArenaCounters &Counters) {
  const std::scoped_lock Guard(state().Lock);
  addTo(state().Gone, Counters);
  std::erase(state().Live, &Counters);
}

Totals totals() {
  const std::scoped_lock Guard(state().Lock);
  Totals Sum = state().Gone;
  for (const ArenaCounters *Counters : state().Live)
    addTo(Sum, *Counters);
  return Sum;
}

void reset() {
  const std::scoped_lock Guard(state().Lock);
  state().Gone = {};
  for (ArenaCounters *Counters : state().Live) {
    Counters->HighWater.store(0, std::memory_order_relaxed);
    Counters->Frames.store(0, std::memory_order_relaxed);
    Counters->Chunks.store(0, std::memory_order_relaxed);
  }
}

} // namespace contraflow::registry
