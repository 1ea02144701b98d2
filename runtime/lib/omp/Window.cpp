// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows: what a thread adds to the part of an array that it comes to, until a nest is over. Every
// addition outside of the window is made atomically and allows 32 bytes more. The window becomes
// larger, by half at least, when the part that covers the new place, too, is allowed. So it takes
// as much memory and time as the work done is worth, wherever the thread adds:
//
//   x-bar[7] += a   atomic       ...       x-bar[9] += b   makes the window [0, 1024)
//   x-bar[8] += c   window[8]    ...       the end         x-bar[8] += window[8]   atomic

#include "contraflow/abi.h"

#include "accumulate/Atomic.h"
#include "omp/Model.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace contraflow::omp {
namespace {

constexpr int64_t Line = 64, First = 4096, EachMiss = 32, MissesBefore = 64;
constexpr int64_t Most = int64_t{1} << 28;

int64_t allowed(const cf_window &W) {
  return W.misses < MissesBefore ? 0 : std::min(Most, First + EachMiss * W.misses);
}

/// True if the window covers the place now.
bool grow(cf_window &W, int64_t Place) {
  const int64_t Limit = allowed(W);
  const int64_t Line0 = Place / Line * Line;
  int64_t Begin = W.memory ? std::min(W.base, Line0) : Line0;
  int64_t End = W.memory ? std::max(W.base + W.bytes, Line0 + Line) : Line0 + Line;
  if (End - Begin > Limit || W.bytes + W.bytes / 2 > Limit)
    return false;
  const int64_t Room = (std::min(Limit, 2 * (End - Begin)) - (End - Begin)) / Line * Line;
  if (W.memory && Line0 < W.base)
    Begin -= std::min(Room, Begin);
  else
    End += Room;
  auto *Larger = static_cast<char *>(std::calloc(static_cast<size_t>(End - Begin), 1));
  if (!Larger)
    return false;
  if (W.memory)
    std::memcpy(Larger + (W.base - Begin), W.memory, static_cast<size_t>(W.bytes));
  std::free(W.memory);
  W = {Begin, End - Begin, Larger, W.misses};
  return true;
}

template <typename T> void add(cf_window &W, T *Where, T Value) {
  if (W.misses++ == 0 && isAlone()) {
    W = {0, INT64_MAX, nullptr, 1}; // adds to memory
    *Where += Value;
    return;
  }
  const auto Place = static_cast<int64_t>(reinterpret_cast<uintptr_t>(Where));
  if (grow(W, Place))
    *reinterpret_cast<T *>(W.memory + (Place - W.base)) += Value;
  else
    addAtomically(*Where, Value);
}

/// Adds the numbers of [Begin, End) of the window to memory.
template <typename T> void empty(const cf_window &W, int64_t Begin, int64_t End) {
  auto *Own = reinterpret_cast<T *>(W.memory);
  auto *Memory = reinterpret_cast<T *>(W.base);
  for (auto I = Begin / int64_t{sizeof(T)}; I * int64_t{sizeof(T)} < End; ++I)
    if (Own[I] != 0)
      addAtomically(Memory[I], std::exchange(Own[I], T(0)));
}

template <typename T> void take(const cf_window &W, const void *Where, int64_t Bytes) {
  if (!W.memory)
    return;
  const int64_t Away = static_cast<int64_t>(reinterpret_cast<uintptr_t>(Where)) - W.base;
  empty<T>(W, std::max<int64_t>(0, Away), std::min(W.bytes, Away + Bytes));
}

/// The threads begin at different places.
template <typename T> void close(cf_window &W) {
  if (W.memory) {
    const int64_t Start = W.bytes / Line * threadNumber() / teamSize() * Line;
    empty<T>(W, Start, W.bytes);
    empty<T>(W, 0, Start);
    std::free(W.memory);
  }
  W = {0, 0, nullptr, 0};
}

} // namespace
} // namespace contraflow::omp

using namespace contraflow;

void cf_v1_omp_window_add_f64(struct cf_window *window, double *where, double value) {
  omp::add(*window, where, value);
}

void cf_v1_omp_window_add_f32(struct cf_window *window, float *where, float value) {
  omp::add(*window, where, value);
}

void cf_v1_omp_window_take_f64(struct cf_window *window, void *where, int64_t bytes) {
  omp::take<double>(*window, where, bytes);
}

void cf_v1_omp_window_take_f32(struct cf_window *window, void *where, int64_t bytes) {
  omp::take<float>(*window, where, bytes);
}

void cf_v1_omp_window_close_f64(struct cf_window *window) { omp::close<double>(*window); }

void cf_v1_omp_window_close_f32(struct cf_window *window) { omp::close<float>(*window); }
