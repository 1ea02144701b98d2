// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an arena's memory comes from. A chunk is a mapping that begins with a small header:
//
//   | Chunk (64 bytes) | frames ...                                  |
//   ^ chunk            ^ begin()                                     ^ limit()
//
// A reverse sweep gives chunks back and the next forward sweep wants them again. The pool keeps the
// chunk given back last as it is (a sweep that goes to and fro across a chunk's border costs
// nothing); the others are set idle: they no longer count against the budget and the system may
// take their pages when memory is short, but as long as it does not, they can be used again without
// a page fault. To tell the system takes time for every page, so the first few MiB are not told of.

#pragma once

#include <cstdint>
#include <vector>

namespace contraflow {

struct Chunk {
  static constexpr int64_t HeaderBytes = 64;

  Chunk *Below;      ///< the next older chunk of the arena
  int64_t Bytes;     ///< of the mapping
  int64_t UsedBelow; ///< bytes in frames of all older chunks

  char *begin() { return reinterpret_cast<char *>(this) + HeaderBytes; }
  char *limit() { return reinterpret_cast<char *>(this) + Bytes; }
  bool holds(const void *Frame) { return begin() <= Frame && Frame <= limit(); }
};

/// The chunks of one arena that hold no frames. Only the arena's thread touches it.
class ChunkPool {
public:
  ChunkPool() = default;
  ChunkPool(const ChunkPool &) = delete;
  ChunkPool &operator=(const ChunkPool &) = delete;
  ~ChunkPool();

  /// A chunk of exactly Bytes, a multiple of chunkGranule(Bytes), charged to the budget.
  Chunk *take(int64_t Bytes);
  void give(Chunk *C);
  /// Sets the last chunk idle, too.
  void rest();

private:
  struct Mapping {
    char *Base;
    int64_t Bytes;
    bool Quiet; ///< the system was not told of it
  };
  void forget(std::vector<Mapping>::iterator At);
  char *takeIdle(int64_t Bytes);

  Chunk *Last = nullptr;
  std::vector<Mapping> Idle; ///< oldest first
  int64_t IdleBytes = 0, QuietBytes = 0;
  int64_t HeldBytes = 0; ///< charged: handed out, and Last
  int64_t MostHeld = 0;  ///< held and idle chunks together never exceed this
};

/// Mappings come in multiples of this: large ones in huge pages.
constexpr int64_t chunkGranule(int64_t Bytes) {
  return Bytes < (int64_t{2} << 20) ? int64_t{64} << 10 : int64_t{2} << 20;
}

} // namespace contraflow
