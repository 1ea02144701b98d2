// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Free buffers are kept by powers of two: of small ones as many as have been in use at one time, of
// others twice as many bytes as all together, because the steps of a time loop send messages of
// several sizes one after the other. What a buffer is stands in front of it. Every message takes
// and gives back two of them, so the lock is no more than one exchange, and of small ones each
// thread keeps a few for itself.

#include "mpi/Packed.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace contraflow::mpi {
namespace {

constexpr std::size_t Front = 64; // keeps the alignment
constexpr std::size_t Small = 1 << 13;

std::byte *allocate(std::size_t Bytes) {
  return static_cast<std::byte *>(::operator new(Bytes, std::align_val_t{Front}));
}
void release(std::byte *Block) { ::operator delete(Block, std::align_val_t{Front}); }

/// For a few instructions at a time.
class BriefLock {
public:
  void lock() {
    while (Held.test_and_set(std::memory_order_acquire))
      std::this_thread::yield();
  }
  void unlock() { Held.clear(std::memory_order_release); }

private:
  std::atomic_flag Held;
};

class Pool {
public:
  static Pool &get() {
    static auto *Only = new Pool; // outlives every other static object
    return *Only;
  }

  std::byte *take(std::size_t Class) {
    const std::scoped_lock Guard(Lock);
    InUse += std::size_t{1} << Class;
    Peak = std::max(Peak, InUse);
    if (Free[Class].empty())
      return allocate(std::size_t{1} << Class);
    std::byte *Block = Free[Class].back();
    Free[Class].pop_back();
    Kept -= std::size_t{1} << Class;
    return Block;
  }

  void give(std::byte *Block, std::size_t Class) {
    const std::size_t Bytes = std::size_t{1} << Class;
    const std::scoped_lock Guard(Lock);
    InUse -= Bytes;
    if (Bytes > Small && Kept + Bytes > 2 * Peak)
      return release(Block);
    Kept += Bytes;
    Free[Class].push_back(Block);
  }

private:
  BriefLock Lock;
  std::array<std::vector<std::byte *>, 64> Free;
  std::size_t InUse = 0, Peak = 0, Kept = 0;
};

/// Small blocks that this thread has given back last, without a lock.
class OwnBlocks {
public:
  std::byte *take(std::size_t Class) {
    return Class <= Most && Counts[Class] > 0 ? Blocks[Class][--Counts[Class]] : nullptr;
  }
  bool give(std::byte *Block, std::size_t Class);
  void release() {
    for (std::size_t Class = 0; Class <= Most; ++Class)
      while (std::byte *Block = take(Class))
        Pool::get().give(Block, Class);
    Ended = true;
  }

private:
  static constexpr std::size_t Most = std::bit_width(Small) - 1;
  static constexpr std::uint8_t Full = 8;
  std::array<std::array<std::byte *, Full>, Most + 1> Blocks;
  std::array<std::uint8_t, Most + 1> Counts;
  bool Ended; ///< the thread
};

constinit thread_local OwnBlocks Own{};

struct AtThreadEnd {
  ~AtThreadEnd() { Own.release(); }
};

bool OwnBlocks::give(std::byte *Block, std::size_t Class) {
  if (Class > Most || Counts[Class] == Full || Ended)
    return false;
  if (Counts[Class] == 0) [[maybe_unused]]
    static thread_local const AtThreadEnd End;
  Blocks[Class][Counts[Class]++] = Block;
  return true;
}

} // namespace

Packed packedBuffer(std::int64_t Bytes) {
  const std::size_t Whole = static_cast<std::size_t>(Bytes) + Front;
  const auto Class = static_cast<std::size_t>(std::bit_width(Whole - 1));
  std::byte *Block = Own.take(Class);
  if (!Block)
    Block = Pool::get().take(Class);
  new (Block) std::size_t(Class);
  return Packed(Block + Front);
}

void Recycle::operator()(std::byte *Buffer) const {
  std::byte *Block = Buffer - Front;
  const std::size_t Class = *reinterpret_cast<std::size_t *>(Block);
  if (!Own.give(Block, Class))
    Pool::get().give(Block, Class);
}

} // namespace contraflow::mpi
