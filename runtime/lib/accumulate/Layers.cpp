// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "accumulate/Layers.h"

#include "contraflow/abi.h"
#include "support/FieldKind.h"
#include "tape/DerivativeCall.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace contraflow {

std::atomic<int64_t> LayerCount = 0;

namespace {

using Refusal = void (*)(int64_t Bytes);

struct Layer {
  char *At;
  std::vector<char> Bars;
  int64_t Left; ///< of these, not zero
  Refusal Refuse;
  const Arena *Call;

  char *end() const { return At + Bars.size(); }
  char *barsOf(const char *Place) { return Bars.data() + (Place - At); }
};

/// Places from First to Last.
struct Range {
  char *First, *Last;
  bool isEmpty() const { return First >= Last; }
  auto bytes() const { return static_cast<std::size_t>(Last - First); }
};

std::mutex Lock;

std::vector<Layer> &layers() {
  static auto *All = new std::vector<Layer>; // outlives every other static object
  return *All;
}

int64_t countOf(const char *Bars, std::size_t Bytes) {
  return std::count_if(Bars, Bars + Bytes, [](char C) { return C != 0; });
}

/// What a layer has above some bytes.
Range above(const Layer &L, const char *At, int64_t Bytes) {
  char *First = const_cast<char *>(At);
  return {std::max(L.At, First), std::min(L.end(), First + Bytes)};
}

/// Copies them to `To`, unless it is null, and leaves zeros.
void take(Layer &L, Range What, char *To) {
  char *Bars = L.barsOf(What.First);
  L.Left -= countOf(Bars, What.bytes());
  if (To)
    std::memcpy(To, Bars, What.bytes());
  std::memset(Bars, 0, What.bytes());
}

void dropEmpty() {
  std::erase_if(layers(), [](const Layer &L) { return L.Left == 0; });
  LayerCount = static_cast<int64_t>(layers().size());
}

void checkCall(Arena *Root) {
  if (!areLayers())
    return;
  const std::scoped_lock Guard(Lock);
  for (const Layer &L : layers())
    if (L.Call == Root)
      L.Refuse(L.Left);
}

template <class T> void settleOne(char *At) {
  for (Layer &L : layers()) {
    const Range Found = above(L, At, sizeof(T));
    if (Found.isEmpty())
      continue;
    char Bits[sizeof(T)] = {}; // of a number that the layer cuts off, what is there
    const bool Whole = Found.bytes() == sizeof(T);
    if (!Whole && countOf(L.barsOf(Found.First), Found.bytes()) > 0)
      L.Refuse(static_cast<int64_t>(Found.bytes()));
    take(L, Found, Bits);
    T Sum, Bar;
    std::memcpy(&Sum, At, sizeof(T));
    std::memcpy(&Bar, Bits, sizeof(T));
    Sum += Bar;
    std::memcpy(At, &Sum, sizeof(T));
  }
}

template <class T> void settleAll(char *At, int64_t Count) {
  for (int64_t I = 0; I < Count; ++I)
    settleOne<T>(At + I * static_cast<int64_t>(sizeof(T)));
}

} // namespace

void addLayer(char *At, const char *Bars, int64_t Bytes, Refusal Refuse) {
  static const bool Hooked = (setCallEndHook(AtCallEnd::Layers, checkCall), true);
  static_cast<void>(Hooked);
  const auto Size = static_cast<std::size_t>(Bytes);
  const std::scoped_lock Guard(Lock);
  layers().push_back({At, {Bars, Bars + Size}, countOf(Bars, Size), Refuse, currentCall()});
  dropEmpty();
}

/// True if some number of the layer's has been read below, but not here.
static bool wasForgotten(Layer &L, Range What) {
  constexpr std::ptrdiff_t Reach = sizeof(double) - 1; // of a number that a byte may be part of
  const char *Bars = L.barsOf(What.First);
  for (char *At = What.First; At < What.Last; ++At) {
    const char *First = std::max(What.First, At - Reach);
    const char *Last = std::min(What.Last, At + Reach + 1);
    if (Bars[At - What.First] != 0 && countOf(First, static_cast<std::size_t>(Last - First)) == 0)
      return true;
  }
  return false;
}

bool liesUnderLayers(const char *At, int64_t Bytes) {
  if (!areLayers())
    return false;
  const std::scoped_lock Guard(Lock);
  return std::ranges::any_of(layers(), [&](Layer &L) {
    const Range Found = above(L, At, Bytes);
    return !Found.isEmpty() && countOf(L.barsOf(Found.First), Found.bytes()) > 0;
  });
}

/// What has been taken for one copy.
static bool touches(const std::vector<Range> &Taken, Range New) {
  return std::ranges::any_of(
      Taken, [&](Range Old) { return New.First <= Old.Last && Old.First <= New.Last; });
}

bool takeLayer(const char *At, char *To, int64_t Bytes) {
  if (!areLayers())
    return false;
  const std::scoped_lock Guard(Lock);
  std::vector<Range> Taken;
  for (Layer &L : layers()) {
    const Range Found = above(L, At, Bytes);
    if (Found.isEmpty() || countOf(L.barsOf(Found.First), Found.bytes()) == 0 ||
        touches(Taken, Found))
      continue;
    take(L, Found, To + (Found.First - At));
    Taken.push_back(Found);
  }
  dropEmpty();
  return !Taken.empty();
}

void settle(char *At, int32_t Kind, int64_t Count) {
  if (!areLayers())
    return;
  const std::scoped_lock Guard(Lock);
  if (Kind == Float)
    settleAll<float>(At, Count);
  else if (Kind == Double)
    settleAll<double>(At, Count);
  else
    settleAll<long double>(At, Count);
  dropEmpty();
}

void moveLayers(const char *From, char *To, int64_t Bytes) {
  if (!areLayers() || From == To)
    return;
  const std::scoped_lock Guard(Lock);
  std::vector<Layer> Moved;
  for (Layer &L : layers()) {
    const Range Found = above(L, From, Bytes);
    if (Found.isEmpty())
      continue;
    std::vector<char> Bars(Found.bytes());
    take(L, Found, Bars.data());
    if (const int64_t Left = countOf(Bars.data(), Bars.size()); To && Left > 0)
      Moved.push_back({To + (Found.First - From), std::move(Bars), Left, L.Refuse, L.Call});
  }
  std::ranges::move(Moved, std::back_inserter(layers()));
  dropEmpty();
}

} // namespace contraflow

// Nobody reads what is left.
void cf_v1_bytes_dropped(void *shadow, std::int64_t bytes) {
  using namespace contraflow;
  if (!areLayers() || !shadow)
    return;
  const std::scoped_lock Guard(Lock);
  for (Layer &L : layers()) {
    const Range Found = above(L, static_cast<char *>(shadow), bytes);
    if (Found.isEmpty())
      continue;
    if (wasForgotten(L, Found))
      L.Refuse(L.Left);
    take(L, Found, nullptr);
  }
  dropEmpty();
}

void cf_v1_bytes_settle(void *bar, std::int32_t kind, std::int64_t n) {
  if (bar)
    contraflow::settle(static_cast<char *>(bar), kind, n);
}
