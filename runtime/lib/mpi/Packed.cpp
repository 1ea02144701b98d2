// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Free buffers are kept by powers of two, as many as have been in use at one time. What a buffer is
// stands in front of it.

#include "mpi/Packed.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

namespace contraflow::mpi {
namespace {

constexpr std::size_t Front = 64;         // keeps the alignment
constexpr std::size_t Smallest = 1 << 13; // the system's allocator is good at less

std::byte *allocate(std::size_t Bytes) {
  return static_cast<std::byte *>(::operator new(Bytes, std::align_val_t{Front}));
}
void release(std::byte *Block) { ::operator delete(Block, std::align_val_t{Front}); }

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
    if (Kept + Bytes > Peak)
      return release(Block);
    Kept += Bytes;
    Free[Class].push_back(Block);
  }

private:
  std::mutex Lock;
  std::array<std::vector<std::byte *>, 64> Free;
  std::size_t InUse = 0, Peak = 0, Kept = 0;
};

} // namespace

Packed packedBuffer(std::int64_t Bytes) {
  const std::size_t Whole = static_cast<std::size_t>(Bytes) + Front;
  const std::size_t Class =
      Whole < Smallest ? 0 : static_cast<std::size_t>(std::bit_width(Whole - 1));
  std::byte *Block = Class == 0 ? allocate(Whole) : Pool::get().take(Class);
  new (Block) std::size_t(Class);
  return Packed(Block + Front);
}

void Recycle::operator()(std::byte *Buffer) const {
  std::byte *Block = Buffer - Front;
  if (const std::size_t Class = *reinterpret_cast<std::size_t *>(Block); Class != 0)
    Pool::get().give(Block, Class);
  else
    release(Block);
}

} // namespace contraflow::mpi
