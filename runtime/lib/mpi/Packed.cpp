// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Free buffers are kept by powers of two: of small ones as many as have been in use at one time, of
// others twice as many bytes as all together, because the steps of a time loop send messages of
// several sizes one after the other. What a buffer is stands in front of it. Every message takes
// and gives back two of them, so the lock is no more than one exchange.

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

} // namespace

Packed packedBuffer(std::int64_t Bytes) {
  const std::size_t Whole = static_cast<std::size_t>(Bytes) + Front;
  const auto Class = static_cast<std::size_t>(std::bit_width(Whole - 1));
  std::byte *Block = Pool::get().take(Class);
  new (Block) std::size_t(Class);
  return Packed(Block + Front);
}

void Recycle::operator()(std::byte *Buffer) const {
  std::byte *Block = Buffer - Front;
  Pool::get().give(Block, *reinterpret_cast<std::size_t *>(Block));
}

} // namespace contraflow::mpi
