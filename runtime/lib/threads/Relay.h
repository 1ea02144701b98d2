// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of a differentiated program, of which one runs at a time: it has the baton, and hands it
// over where it makes a thread, waits or ends. So the program is a sequence of legs,
//
//   maker ... | thread ... | maker ... | thread ... | maker ...
//          makes        waits       joins        ends
//
// and whoever gets the baton notes from whom. The reverse sweep runs the same legs backwards: where
// a runner got the baton it gives it back, and waits until somebody gives back to it.
//
// A runner that waits may be woken without cause, as the standards allow; it asks again. Runners
// follow each other in the order in which they were made, so the legs are the same each time.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace contraflow {

class Relay;

/// When a runner that has handed over may go on.
enum class Wait : int32_t {
  Look = 0,  ///< at once: it asks again and again
  Sleep = 1, ///< when anybody has notified
  Timed = 2, ///< the same, or when nobody else can go on
  Join = 3,  ///< when a thread has ended
  Lock = 4,  ///< at once; perhaps somebody else's thread has what is wanted
  Ready = 5, ///< at once
};

/// Whoever may have the baton: a thread of ours, or the one that began.
struct Runner {
  Runner() = default;
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;
  virtual ~Runner() = default;

  Relay *In = nullptr;
  std::condition_variable Turn;
  std::thread System; ///< on which it runs; of the one that began: none
  int64_t Id = 0;
  Wait For = Wait::Ready;
  int64_t Seen = 0;  ///< For sleep: notifications
  int64_t Joins = 0; ///< For join: the thread
  bool TimedOut = false;
  bool Records = false; ///< its reverse will be run
  bool Stays = false;   ///< on its thread of the system
  int Place = 0;        ///< no two that live have the same
};

class Relay {
public:
  Relay();
  ~Relay();
  Relay(const Relay &) = delete;
  Relay &operator=(const Relay &) = delete;

  /// The calling thread, with a relay of its own if it is in none.
  static Runner &self();
  /// Of a new thread of the system.
  static void become(Runner &Me);

  Runner &first() { return First; }
  /// True if there is a thread whose forward sweep has not ended.
  bool hasLive() const { return Live.size() > 1; }
  const std::vector<Runner *> &live() const { return Live; }
  void notify();
  /// The round of a barrier that is passed when as many have come; -1: with the calling one.
  int64_t arrive(const void *Barrier, int64_t Count);
  bool hasPassed(const void *Barrier, int64_t Round) const;

  // Forward. The result had the baton before the caller got it back; or it is the caller.
  Runner &start(Runner &Me, Runner &New, std::thread System);
  Runner &wait(Runner &Me, Wait For, int64_t Joins = 0);
  /// Reverse: until the baton comes back.
  Runner &give(Runner &Me, Runner &To);
  void startReverse(Runner &New, std::thread System);

  /// On the thread of the runner: until it gets the baton for the first time.
  Runner &await(Runner &Me);
  /// The last things that a runner does, forward and in reverse.
  void end(Runner &Me);
  void endReverse(Runner &Me, Runner &To);

private:
  void pass(Runner &Me, Runner &To);
  void leave(Runner &Me, Runner &To, bool Stays);
  Runner &next(size_t Start);
  Runner *firstFrom(size_t Start, bool (*Fits)(const Relay &, const Runner &)) const;
  size_t indexOf(const Runner &R) const;
  bool canGoOn(const Runner &R) const;
  bool isLive(int64_t Id) const;
  int freePlace() const;
  void countLook();
  void joinEnded();

  std::mutex Lock;
  Runner First;
  Runner *Holder = &First, *GivenBy = nullptr;
  std::vector<Runner *> Live; ///< in the order in which they were made
  std::vector<std::thread> Ended;
  int64_t Notified = 0;
  struct Meeting {
    int64_t Round = 0, Arrived = 0;
  };
  std::map<const void *, Meeting> Meetings; ///< by address; rounds go on where one follows another
  int64_t Looks = 0;                        ///< in a row, while nothing else happened
};

} // namespace contraflow
