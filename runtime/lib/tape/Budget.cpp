// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tape/Budget.h"

#include "support/Bytes.h"
#include "support/Fail.h"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <unistd.h>

namespace contraflow::budget {
namespace {

std::atomic<int64_t> Charged = 0;
std::atomic<int64_t> Peak = 0;
std::atomic<int64_t> Chosen = 0; // by set(); 0: not chosen

int64_t fromEnvironment() {
  if (const char *Text = std::getenv("CONTRAFLOW_TAPE_BUDGET"); Text && *Text) {
    const auto Bytes = parseBytes(Text);
    if (!Bytes || *Bytes == 0)
      fail(ErrorId::BudgetText, Text);
    return *Bytes;
  }
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) / 5 * 4 * sysconf(_SC_PAGESIZE);
}

} // namespace

bool charge(int64_t Bytes) {
  const int64_t Limit = limit();
  int64_t Before = Charged.load(std::memory_order_relaxed);
  do {
    if (Bytes > Limit - Before)
      return false;
  } while (!Charged.compare_exchange_weak(Before, Before + Bytes, std::memory_order_relaxed));
  int64_t Seen = Peak.load(std::memory_order_relaxed);
  while (Seen < Before + Bytes &&
         !Peak.compare_exchange_weak(Seen, Before + Bytes, std::memory_order_relaxed)) {
  }
  return true;
}

void failToCharge(int64_t Bytes) {
  const int64_t Held = Charged.load(std::memory_order_relaxed);
  const int64_t Most = std::numeric_limits<int64_t>::max();
  fail(ErrorId::TapeBudget, formatBytes(limit()),
       formatBytes(Bytes > Most - Held ? Most : Held + Bytes));
}

void giveBack(int64_t Bytes) { Charged.fetch_sub(Bytes, std::memory_order_relaxed); }

void set(int64_t Bytes) { Chosen.store(Bytes > 0 ? Bytes : 0, std::memory_order_relaxed); }

int64_t limit() {
  if (const int64_t Bytes = Chosen.load(std::memory_order_relaxed))
    return Bytes;
  static const int64_t Default = fromEnvironment();
  return Default;
}

int64_t peak() { return Peak.load(std::memory_order_relaxed); }

void resetPeak() { Peak.store(Charged.load(std::memory_order_relaxed), std::memory_order_relaxed); }

} // namespace contraflow::budget
