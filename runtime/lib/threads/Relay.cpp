// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The baton is Holder, under Lock. What runners share is touched by the one that has it, or under
// the lock where it is handed over, which orders everything that they do.

#include "threads/Relay.h"

#include "support/Fail.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace contraflow {

namespace {

/// A relay whose threads have not ended is left behind.
struct Drop {
  void operator()(Relay *R) const {
    if (!R->hasLive())
      delete R;
  }
};

thread_local Runner *Self = nullptr;
thread_local std::unique_ptr<Relay, Drop> Own;

} // namespace

Relay::Relay() {
  First.In = this;
  Live.push_back(&First);
}

Relay::~Relay() { joinEnded(); }

Runner &Relay::self() {
  if (!Self) {
    Own.reset(new Relay);
    Self = &Own->First;
  }
  return *Self;
}

void Relay::become(Runner &Me) { Self = &Me; }

void Relay::notify() {
  ++Notified;
  Looks = 0;
}

int64_t Relay::arrive(const void *Barrier, int64_t Count) {
  Meeting &At = Meetings[Barrier];
  if (++At.Arrived < Count)
    return At.Round;
  At.Arrived = 0;
  ++At.Round;
  notify();
  return -1;
}

bool Relay::hasPassed(const void *Barrier, int64_t Round) const {
  return Round < 0 || Meetings.at(Barrier).Round != Round;
}

/// Threads of the system that have left the baton to others are about to end.
void Relay::joinEnded() {
  for (std::thread &T : std::exchange(Ended, {}))
    T.join();
}

int Relay::freePlace() const {
  int Place = 0;
  while (
      std::any_of(Live.begin() + 1, Live.end(), [&](const Runner *R) { return R->Place == Place; }))
    ++Place;
  return Place;
}

void Relay::pass(Runner &Me, Runner &To) {
  std::unique_lock<std::mutex> Guard(Lock);
  GivenBy = &Me;
  Holder = &To;
  To.Turn.notify_one();
  Me.Turn.wait(Guard, [&] { return Holder == &Me; });
}

/// The runner may be gone when the lock is free again.
void Relay::leave(Runner &Me, Runner &To, bool Stays) {
  const std::scoped_lock Guard(Lock);
  if (!Stays)
    Ended.push_back(std::move(Me.System));
  GivenBy = &Me;
  Holder = &To;
  To.Turn.notify_one();
}

Runner &Relay::await(Runner &Me) {
  std::unique_lock<std::mutex> Guard(Lock);
  Me.Turn.wait(Guard, [&] { return Holder == &Me; });
  return *GivenBy;
}

Runner &Relay::give(Runner &Me, Runner &To) {
  if (&Me == &To)
    return Me;
  pass(Me, To);
  joinEnded();
  return *GivenBy;
}

void Relay::startReverse(Runner &New, std::thread System) { New.System = std::move(System); }

Runner &Relay::start(Runner &Me, Runner &New, std::thread System) {
  New.System = std::move(System);
  New.Place = freePlace();
  Live.push_back(&New);
  notify();
  Me.For = Wait::Ready;
  return give(Me, New);
}

bool Relay::isLive(int64_t Id) const {
  return std::any_of(Live.begin() + 1, Live.end(), [&](const Runner *R) { return R->Id == Id; });
}

bool Relay::canGoOn(const Runner &R) const {
  switch (R.For) {
  case Wait::Look:
  case Wait::Lock:
  case Wait::Ready:
    return true;
  case Wait::Sleep:
  case Wait::Timed:
    return R.Seen != Notified;
  case Wait::Join:
    return !isLive(R.Joins);
  }
  return true;
}

/// The first one in the round for which this is so; null: none.
Runner *Relay::firstFrom(size_t Start, bool (*Fits)(const Relay &, const Runner &)) const {
  for (size_t I = 0; I < Live.size(); ++I)
    if (Runner *R = Live[(Start + I) % Live.size()]; Fits(*this, *R))
      return R;
  return nullptr;
}

/// Who goes on when a runner has handed over or ended: the first one from a place in the round.
Runner &Relay::next(size_t Start) {
  if (Runner *R = firstFrom(Start, [](const Relay &In, const Runner &R) { return In.canGoOn(R); }))
    return *R;
  Runner *R = firstFrom(Start, [](const Relay &, const Runner &R) { return R.For == Wait::Timed; });
  if (!R) // what comes from elsewhere is not differentiated
    fail(ErrorId::ThreadWaits);
  R->TimedOut = true;
  return *R;
}

size_t Relay::indexOf(const Runner &R) const {
  return static_cast<size_t>(std::find(Live.begin(), Live.end(), &R) - Live.begin());
}

/// Threads that only ask each other, and one that asks nobody, do not get on.
void Relay::countLook() {
  constexpr int64_t MostAlone = int64_t{1} << 16, MostTogether = int64_t{1} << 22;
  if (++Looks > (hasLive() ? MostTogether : MostAlone))
    fail(ErrorId::ThreadWaits);
}

Runner &Relay::wait(Runner &Me, Wait For, int64_t Joins) {
  Me.For = For;
  Me.Joins = Joins;
  Me.Seen = Notified;
  Me.TimedOut = false;
  if (For == Wait::Join && canGoOn(Me))
    return Me;
  if (For == Wait::Look)
    countLook();
  Runner &From = give(Me, next(indexOf(Me) + 1));
  if (Me.TimedOut || (For == Wait::Lock && !hasLive()))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return From;
}

void Relay::end(Runner &Me) {
  notify();
  const size_t At = indexOf(Me);
  Live.erase(Live.begin() + static_cast<std::ptrdiff_t>(At));
  leave(Me, next(At), Me.Stays);
}

void Relay::endReverse(Runner &Me, Runner &To) { leave(Me, To, false); }

} // namespace contraflow
