// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adding to an adjoint that other threads may add to at the same time. The order of additions does
// not matter to anyone before the next synchronisation, so relaxed atomics suffice.

#pragma once

#include "support/Fail.h"

#include <atomic>
#include <cstring>

namespace contraflow {

template <typename T> void addAtomically(T &XBar, T Value) {
  std::atomic_ref<T>(XBar).fetch_add(Value, std::memory_order_relaxed);
}

#if defined(__x86_64__)
/// The 80-bit number and its padding are exchanged as one 16-byte word. Inlined into a function
/// without the instruction it would become a call of libatomic.
__attribute__((target("cx16"), noinline)) inline void addAtomically(long double &XBar,
                                                                    long double Value) {
  static_assert(sizeof(long double) == sizeof(__int128));
  auto *Word = reinterpret_cast<__int128 *>(&XBar);
  // Exchanging zero by zero is how 16 bytes are read at once.
  __int128 Before = __sync_val_compare_and_swap(Word, __int128{0}, __int128{0});
  for (;;) {
    long double Sum = 0;
    std::memcpy(&Sum, &Before, sizeof Sum);
    Sum += Value;
    __int128 After = Before;
    std::memcpy(&After, &Sum, 10);
    const __int128 Seen = __sync_val_compare_and_swap(Word, Before, After);
    if (Seen == Before)
      return;
    Before = Seen;
  }
}
#else
inline void addAtomically(long double &, long double) {
  fail(ErrorId::Internal, "80-bit numbers exist on x86-64 only");
}
#endif

} // namespace contraflow
