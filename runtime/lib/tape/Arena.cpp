// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tape/Arena.h"

#include "support/Fail.h"
#include "tape/Budget.h"
#include "tape/Registry.h"

#include <algorithm>
#include <bit>

namespace contraflow {
namespace {

template <typename T> constexpr T roundUp(T Value, T PowerOfTwo) {
  return (Value + (PowerOfTwo - 1)) & -PowerOfTwo;
}

// Only the arena's thread writes its counters: no read-modify-write is needed.
void increment(std::atomic<int64_t> &Counter) {
  Counter.store(Counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

} // namespace

Arena::Arena(Arena *RootOfParent, Arena *Team, Drops What)
    : cf_tape{nullptr, nullptr}, What(What), Team(Team) {
  Root = RootOfParent ? RootOfParent : this;
  push(0);
  registry::add(Counters);
}

Arena::~Arena() {
  forEachChild([](Arena &Child) { delete &Child; });
  for (const auto &Segment : Children)
    delete[] Segment.load();
  registry::remove(Counters);
  while (Current)
    pop();
}

void *Arena::reserve(int64_t Bytes) {
  increment(Counters.Frames);
  // Negative sizes are dealt with where there is time for it.
  const uint64_t Rounded = roundUp(static_cast<uint64_t>(Bytes), uint64_t{Alignment});
  if (Bytes < 0 || Rounded > static_cast<uint64_t>(limit - top)) [[unlikely]]
    return reserveSlow(Bytes);
  char *Frame = top;
  top += Rounded;
  return Frame;
}

void *Arena::reserveSlow(int64_t Bytes) {
  if (Bytes < 0)
    fail(ErrorId::FrameSize, std::to_string(Bytes));
  push(Bytes);
  char *Frame = top;
  top += roundUp(Bytes, Alignment);
  return Frame;
}

void Arena::release(void *Frame) {
  noteHighWater();
  if (Kept || What == Drops::None)
    return;
  if (What == Drops::Own) {
    const Chunk *Holder = Current;
    while (Holder && !const_cast<Chunk *>(Holder)->holds(Frame))
      Holder = Holder->Below;
    if (!Holder)
      return;
  }
  while (!Current->holds(Frame)) {
    if (!Current->Below)
      fail(ErrorId::Internal, "a frame was released that is not on this thread's tape");
    pop();
  }
  top = static_cast<char *>(Frame);
}

std::unique_ptr<Arena::Copy> Arena::keep() {
  auto Old = std::make_unique<Copy>();
  Old->Used = used();
  const char *End = top;
  for (Chunk *C = Current; C; C = C->Below) {
    Old->Frames.emplace_back(C->begin(), const_cast<char *>(End));
    End = C->Below ? C->Below->begin() + (C->UsedBelow - C->Below->UsedBelow) : nullptr;
  }
  Kept = true;
  return Old;
}

void Arena::restore(const Copy &Old) {
  Kept = false;
  while (Depth + 1 > static_cast<int>(Old.Frames.size()))
    pop();
  Chunk *C = Current;
  for (const std::vector<char> &Frames : Old.Frames) {
    std::copy(Frames.begin(), Frames.end(), C->begin());
    C = C->Below;
  }
  top = Current->begin() + (Old.Used - Current->UsedBelow);
  limit = Current->limit();
}

void Arena::noteHighWater() {
  const int64_t Used = used();
  if (Used > Counters.HighWater.load(std::memory_order_relaxed))
    Counters.HighWater.store(Used, std::memory_order_relaxed);
}

int64_t Arena::chunkBytesFor(int64_t FrameBytes) const {
  const int64_t Regular = FirstChunkBytes << std::min(Depth + (Current ? 1 : 0), MostDoublings);
  if (FrameBytes <= Regular / 2 - Chunk::HeaderBytes)
    return Regular;
  // Beyond any budget; rounding it up would overflow.
  if (FrameBytes > int64_t{1} << 60)
    budget::failToCharge(FrameBytes);
  const int64_t Bytes = FrameBytes + Chunk::HeaderBytes;
  return roundUp(Bytes, chunkGranule(Bytes));
}

void Arena::push(int64_t FrameBytes) {
  Chunk *C = Pool.take(chunkBytesFor(FrameBytes));
  C->Below = Current;
  C->UsedBelow = Current ? used() : 0;
  Depth += Current ? 1 : 0;
  Current = C;
  top = C->begin();
  limit = C->limit();
  increment(Counters.Chunks);
}

void Arena::pop() {
  Chunk *C = Current;
  Current = C->Below;
  --Depth;
  Pool.give(C);
  top = limit = Current ? Current->limit() : nullptr;
}

template <typename Visitor> void Arena::forEachChild(Visitor Visit) const {
  for (size_t S = 0; S < Children.size(); ++S) {
    ChildSlot *Segment = Children[S].load(std::memory_order_acquire);
    for (size_t I = 0; Segment && I < size_t{1} << S; ++I)
      if (Arena *Child = Segment[I].load(std::memory_order_acquire))
        Visit(*Child);
  }
}

int64_t Arena::usedWithChildren() const {
  int64_t Used = used();
  forEachChild([&Used](const Arena &Child) { Used += Child.usedWithChildren(); });
  if (TaskTape)
    Used += TaskTape->used();
  if (TaskFrames)
    Used += TaskFrames->LiveTasks.load(std::memory_order_acquire);
  return Used;
}

void Arena::clear() {
  while (Current->Below)
    pop();
  top = Current->begin();
  limit = Current->limit();
}

Arena &Arena::taskFrames() {
  if (!TaskFrames)
    TaskFrames.reset(new Arena(Root, Team, Drops::None));
  return *TaskFrames;
}

Arena &Arena::taskTape() {
  if (!TaskTape)
    TaskTape.reset(new Arena(Root, Team, Drops::Own));
  return *TaskTape;
}

void Arena::beginTask() {
  if (LiveTasks.load(std::memory_order_acquire) <= 0) {
    noteHighWater();
    clear();
    LiveTasks.store(0, std::memory_order_relaxed);
  }
  LiveTasks.fetch_add(1, std::memory_order_relaxed);
}

void Arena::rest() {
  Pool.rest();
  if (TaskFrames) {
    TaskFrames->clear();
    TaskFrames->rest();
  }
  if (TaskTape)
    TaskTape->rest();
  forEachChild([](Arena &Child) { Child.rest(); });
}

void Arena::dropAll() {
  noteHighWater();
  clear();
  Tasks = {};
  if (TaskFrames)
    TaskFrames->LiveTasks = 0;
  if (TaskTape)
    TaskTape->clear();
  forEachChild([](Arena &Child) { Child.dropAll(); });
}

Arena &Arena::child(int Number) {
  const auto Index = static_cast<unsigned>(Number) + 1;
  const auto S = static_cast<unsigned>(std::bit_width(Index)) - 1;
  ChildSlot *Segment = Children[S].load(std::memory_order_acquire);
  if (!Segment) {
    auto *Fresh = new ChildSlot[size_t{1} << S]();
    if (Children[S].compare_exchange_strong(Segment, Fresh, std::memory_order_acq_rel))
      Segment = Fresh;
    else
      delete[] Fresh;
  }
  // Of all threads only this one comes here with this number, so there is no race to make it.
  ChildSlot &Slot = Segment[Index - (1U << S)];
  Arena *Child = Slot.load(std::memory_order_acquire);
  if (!Child) {
    Child = new Arena(Root, this);
    Slot.store(Child, std::memory_order_release);
  }
  return *Child;
}

} // namespace contraflow
