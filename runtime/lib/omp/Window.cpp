// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows: what a thread adds to the part of an array that it comes to, until a nest is over. Every
// addition outside of the window is made atomically and allows 32 bytes more. The window becomes
// larger, by half at least, when the part that covers the new place, too, is allowed. So it takes
// as much memory and time as the work done is worth, wherever the thread adds:
//
//   x-bar[7] += a   atomic       ...       x-bar[9] += b   makes the window [0, 1024)
//   x-bar[8] += c   window[8]    ...       the end         x-bar[8] += window[8]   atomic
//
// Where the forward sweep has noted the range that the thread comes to, and that is worth the work
// done in it, the window covers it from the beginning; what no other thread comes to is added
// plainly at the end. A range that no other thread comes near is its own window.

#include "contraflow/abi.h"

#include "accumulate/Atomic.h"
#include "omp/Model.h"
#include "omp/Reach.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace contraflow::omp {
namespace {

constexpr int64_t Line = 64, First = 4096, EachMiss = 32, MissesBefore = 64;
constexpr int64_t Most = int64_t{1} << 28;
constexpr int64_t Widest = sizeof(double);

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
  if (W.misses >= 0 && W.misses++ == 0 && isAlone()) {
    W = {0, INT64_MAX, nullptr, 1}; // adds to memory
    *Where += Value;
    return;
  }
  const auto Place = static_cast<int64_t>(reinterpret_cast<uintptr_t>(Where));
  if (W.misses >= 0 && grow(W, Place))
    *reinterpret_cast<T *>(W.memory + (Place - W.base)) += Value;
  else
    addAtomically(*Where, Value);
}

/// The window's memory is the adjoint.
bool isOwn(const cf_window &W) { return reinterpret_cast<int64_t>(W.memory) == W.base; }

/// Adds the numbers of [Begin, End) of the window to memory.
template <typename T> void empty(const cf_window &W, int64_t Begin, int64_t End) {
  auto *Own = reinterpret_cast<T *>(W.memory);
  auto *Memory = reinterpret_cast<T *>(W.base);
  for (auto I = Begin / int64_t{sizeof(T)}; I * int64_t{sizeof(T)} < End; ++I)
    if (Own[I] != 0)
      addAtomically(Memory[I], std::exchange(Own[I], T(0)));
}

template <typename T> void take(const cf_window &W, const void *Where, int64_t Bytes) {
  if (!W.memory || isOwn(W))
    return;
  const int64_t Away = static_cast<int64_t>(reinterpret_cast<uintptr_t>(Where)) - W.base;
  empty<T>(W, std::max<int64_t>(0, Away), std::min(W.bytes, Away + Bytes));
}

struct Part {
  int64_t Begin, End;
};
using Parts = std::vector<Part>;

/// What other threads come to of W: in order, apart, as distances from where it begins. False if
/// that is not known.
bool findShared(const cf_window &W, const ReachTable *Tables, int32_t Phase, Parts &Shared) {
  const int Self = threadNumber(), Threads = teamSize();
  for (int T = 0; T < Threads; ++T) {
    if (T == Self)
      continue;
    const ReachTable &Others = Tables[T];
    if (std::none_of(Others.begin(), Others.end(), [&](auto &R) { return R.Phase == Phase; }))
      return false;
    for (const Reach &R : Others) {
      if (R.Phase != Phase || R.At.low >= R.At.high)
        continue;
      const Part P{std::max<int64_t>(R.At.low - W.base, 0) / Widest * Widest,
                   std::min((R.At.high - W.base + Widest - 1) / Widest * Widest, W.bytes)};
      if (P.Begin < P.End)
        Shared.push_back(P);
    }
  }
  std::sort(Shared.begin(), Shared.end(), [](Part A, Part B) { return A.Begin < B.Begin; });
  size_t Kept = 0;
  for (const Part P : Shared)
    if (Kept && P.Begin <= Shared[Kept - 1].End)
      Shared[Kept - 1].End = std::max(Shared[Kept - 1].End, P.End);
    else
      Shared[Kept++] = P;
  Shared.resize(Kept);
  return true;
}

/// Behind the memory of a window that covers all.
struct Cover {
  Parts Shared;
};

constexpr int64_t Covers = -1;

int64_t roomOf(const cf_window &W) { return (W.bytes + Line - 1) / Line * Line; }

Cover *coverOf(const cf_window &W) {
  return W.misses == Covers && W.memory ? reinterpret_cast<Cover *>(W.memory + roomOf(W)) : nullptr;
}

/// An atomic addition takes longer than a plain one by about as much as six numbers of memory that
/// are cleared and looked at; what is shared is added atomically once more.
bool isWorthIt(const cf_window &W, const Parts &Shared, const cf_reach &At) {
  const int64_t Work = At.count / std::max<int64_t>(At.times, 1);
  int64_t Bytes = 0;
  for (const Part P : Shared)
    Bytes += P.End - P.Begin;
  const int64_t Again = std::min(Work, Bytes / Widest);
  return W.bytes <= First || (W.bytes <= Most && W.bytes / Widest <= 6 * (Work - Again));
}

bool cover(cf_window &W, cf_tape *Tape, size_t Slot, bool Only) {
  if (teamSize() == 1) {
    W = {0, INT64_MAX, nullptr, Covers};
    return true;
  }
  const ReachTable *Tables = reaches(Tape);
  if (!Tables || Tables[threadNumber()][Slot].Phase < 0)
    return false;
  const Reach &Mine = Tables[threadNumber()][Slot];
  if (Mine.At.low >= Mine.At.high)
    return true;
  cf_window New{Mine.At.low, Mine.At.high - Mine.At.low, nullptr, Covers};
  Parts Shared{{0, New.bytes}};
  if (Only) {
    Shared.clear();
    if (!findShared(New, Tables, Mine.Phase, Shared))
      return false;
    if (Shared.empty()) {
      New.memory = reinterpret_cast<char *>(New.base);
      W = New;
      return true;
    }
  }
  if (!isWorthIt(New, Shared, Mine.At)) {
    W.misses = Covers; // atomically, all of them
    return false;
  }
  New.memory =
      static_cast<char *>(std::calloc(static_cast<size_t>(roomOf(New)) + sizeof(Cover), 1));
  if (!New.memory)
    return false;
  new (New.memory + roomOf(New)) Cover{std::move(Shared)};
  W = New;
  return true;
}

/// Nobody else comes here.
template <typename T> void emptyOwn(const cf_window &W, Part P) {
  auto *Own = reinterpret_cast<const T *>(W.memory);
  auto *Memory = reinterpret_cast<T *>(W.base);
  for (auto I = P.Begin / int64_t{sizeof(T)}; I * int64_t{sizeof(T)} < P.End; ++I)
    if (Own[I] != 0)
      Memory[I] += Own[I];
}

/// The threads begin at different places.
template <typename T> void emptyShared(const cf_window &W, Part P) {
  const int64_t Start = P.Begin + (P.End - P.Begin) / Line * threadNumber() / teamSize() * Line;
  empty<T>(W, Start, P.End);
  empty<T>(W, P.Begin, Start);
}

/// Atomically what is shared, plainly what lies between.
template <typename T> void closeCover(const cf_window &W, Cover &C) {
  int64_t Behind = 0;
  for (const Part P : C.Shared) {
    emptyOwn<T>(W, {Behind, P.Begin});
    emptyShared<T>(W, P);
    Behind = P.End;
  }
  emptyOwn<T>(W, {Behind, W.bytes});
  C.~Cover();
}

template <typename T> void close(cf_window &W) {
  if (W.memory && !isOwn(W)) {
    if (Cover *C = coverOf(W))
      closeCover<T>(W, *C);
    else
      emptyShared<T>(W, {0, W.bytes});
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

int32_t cf_v1_omp_window_cover(struct cf_window *window, struct cf_tape *tape, int32_t slot,
                               int32_t only) {
  return omp::cover(*window, tape, static_cast<size_t>(slot), only != 0) ? 1 : 0;
}
