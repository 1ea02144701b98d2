// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tape of one thread: a stack of chunks on which frames are reserved by moving a pointer.
// Records are consumed in the reverse of the order in which they were made, so dropping a frame
// drops all that is younger:
//
//   reserve(a) reserve(b) reserve(c)     | a | b |      | c |
//   release(b)                           | a |                    (the younger chunk goes to the
//   pool)
//
// The n-th chunk of the stack has 64 KiB * 2^n, up to 64 MiB; a frame larger than half of that gets
// a chunk of its own. So the same sequence of frames always takes the same chunks.
//
// A parallel region gives every thread of its team a child arena: child(t) of the arena on which
// the region was met belongs to thread number t of every team that is forked there. It is made by
// the thread that uses it, so that its memory is near that thread.
//
// Tasks end in another order than that in which they began, on any thread of the team. What they
// record is in one more arena of the thread that ran them: no frame is dropped there until all of
// them are reversed. Their reverses work on a third one, which is asked to drop frames of others.

#pragma once

#include "contraflow/abi.h"
#include "tape/Chunk.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

struct cf_task;
struct cf_team;

namespace contraflow {

/// What a thread, or a task, knows about the tasks that it has made.
struct TaskContext {
  cf_task *Newest = nullptr; ///< made since it last waited for them
  void *Joins = nullptr;     ///< the last time that it waited for any
  int64_t NumJoins = 0;      ///< how often it has waited, for any or none
};

/// Statistics of one arena. Its thread writes, any thread reads.
struct ArenaCounters {
  std::atomic<int64_t> HighWater = 0;
  std::atomic<int64_t> Frames = 0;
  std::atomic<int64_t> Chunks = 0;
};

class alignas(64) Arena : public cf_tape {
public:
  static constexpr int64_t Alignment = 16;
  static constexpr int64_t FirstChunkBytes = int64_t{64} << 10;
  static constexpr int MostDoublings = 10;

  Arena() : Arena(nullptr, nullptr) {}
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  static Arena *of(cf_tape *Tape) { return static_cast<Arena *>(Tape); }

  void *reserve(int64_t Bytes);
  void release(void *Frame);

  /// Bytes in frames, of this arena alone.
  int64_t used() const { return Current->UsedBelow + (top - Current->begin()); }
  /// Bytes in frames, with all children. No team may be running.
  int64_t usedWithChildren() const;
  /// From now on frames are not dropped; the copy says what they hold.
  struct Copy {
    std::vector<std::vector<char>> Frames; ///< of each chunk, from the youngest on
    int64_t Used;
  };
  std::unique_ptr<Copy> keep();
  /// Back to what the arena was when the copy was made.
  void restore(const Copy &Old);
  bool isKept() const { return Kept; }

  /// Leaves every chunk but the first to the system, here and in all children. No team may be
  /// running.
  void rest();

  /// Drops all frames, here and in all children. No team may be running.
  void dropAll();

  Arena &child(int Number);
  /// The arena on which the team that works here was forked; null outside of teams.
  Arena *team() { return Team; }
  /// Where tasks that this arena's thread runs record, and where their reverses work.
  Arena &taskFrames();
  Arena &taskTape();
  /// Of taskFrames(): a task begins that will be reversed later, by whatever thread.
  void beginTask();
  void endTask() { LiveTasks.fetch_sub(1, std::memory_order_release); }
  TaskContext Tasks; ///< of the thread itself
  /// The record of the region that the arena's thread runs, or ran last.
  cf_team *Region = nullptr;
  /// The arena of the thread that began the derivative call.
  Arena &root() { return *Root; }

  void noteHighWater();
  ArenaCounters &counters() { return Counters; }

private:
  enum class Drops { All, None, Own };

  Arena(Arena *RootOfParent, Arena *Team, Drops What = Drops::All);

  void *reserveSlow(int64_t Bytes);
  int64_t chunkBytesFor(int64_t FrameBytes) const;
  void push(int64_t FrameBytes);
  void pop();
  void clear();
  template <typename Visitor> void forEachChild(Visitor Visit) const;

  using ChildSlot = std::atomic<Arena *>;

  Chunk *Current = nullptr;
  int Depth = 0; ///< chunks below Current
  Drops What;
  bool Kept = false; ///< no frame is dropped
  Arena *Root, *Team;
  std::unique_ptr<Arena> TaskFrames, TaskTape; ///< made by this arena's thread
  std::atomic<int64_t> LiveTasks = 0;
  ChunkPool Pool;
  ArenaCounters Counters;
  /// Segment s holds children 2^s - 1 .. 2^(s+1) - 2; made on first use, never moved.
  std::array<std::atomic<ChildSlot *>, 31> Children{};
};

} // namespace contraflow
