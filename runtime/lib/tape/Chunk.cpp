// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tape/Chunk.h"

#include "support/Bytes.h"
#include "support/Fail.h"
#include "tape/Budget.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace contraflow {
namespace {

constexpr int64_t MostQuiet = int64_t{16} << 20; // of one arena

// Maps more than asked for and cuts off the ends, since the system aligns to small pages only.
char *mapAligned(int64_t Bytes, int64_t Alignment) {
  const auto Whole = static_cast<size_t>(Bytes + Alignment);
  void *Mapped = mmap(nullptr, Whole, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Mapped == MAP_FAILED)
    return nullptr;
  char *Begin = static_cast<char *>(Mapped);
  const auto Address = reinterpret_cast<uintptr_t>(Begin);
  const uintptr_t Skip = -Address & static_cast<uintptr_t>(Alignment - 1);
  if (Skip)
    munmap(Begin, Skip);
  if (const size_t Rest = Whole - Skip - static_cast<size_t>(Bytes))
    munmap(Begin + Skip + Bytes, Rest);
  return Begin + Skip;
}

char *map(int64_t Bytes) {
  const int64_t Granule = chunkGranule(Bytes);
  char *Base = mapAligned(Bytes, Granule);
#ifdef MADV_HUGEPAGE
  if (Base && Granule >= int64_t{2} << 20)
    madvise(Base, static_cast<size_t>(Bytes), MADV_HUGEPAGE);
#endif
  return Base;
}

void unmap(char *Base, int64_t Bytes) { munmap(Base, static_cast<size_t>(Bytes)); }

// The system may take the pages from now on; what they held is of no interest.
void disregard(char *Base, int64_t Bytes) {
#ifdef MADV_FREE
  if (madvise(Base, static_cast<size_t>(Bytes), MADV_FREE) == 0)
    return;
#endif
  madvise(Base, static_cast<size_t>(Bytes), MADV_DONTNEED);
}

} // namespace

ChunkPool::~ChunkPool() {
  rest();
  for (const Mapping &M : Idle)
    unmap(M.Base, M.Bytes);
}

Chunk *ChunkPool::take(int64_t Bytes) {
  if (Last && Last->Bytes == Bytes) {
    Chunk *C = Last;
    Last = nullptr;
    return C;
  }
  rest();
  if (!budget::charge(Bytes))
    budget::failToCharge(Bytes);
  char *Base = takeIdle(Bytes);
  if (!Base) {
    // What is kept never exceeds what was once held, whatever sizes are asked for.
    while (!Idle.empty() && HeldBytes + IdleBytes + Bytes > MostHeld) {
      unmap(Idle.front().Base, Idle.front().Bytes);
      forget(Idle.begin());
    }
    Base = map(Bytes);
  }
  if (!Base)
    fail(ErrorId::OutOfMemory, "a tape chunk", formatBytes(Bytes));
  HeldBytes += Bytes;
  MostHeld = std::max(MostHeld, HeldBytes);
  return new (Base) Chunk{nullptr, Bytes, 0};
}

void ChunkPool::give(Chunk *C) {
  rest();
  Last = C;
}

void ChunkPool::rest() {
  if (!Last)
    return;
  const bool Quiet = QuietBytes + Last->Bytes <= MostQuiet;
  const Mapping M{reinterpret_cast<char *>(Last), Last->Bytes, Quiet};
  Last = nullptr;
  budget::giveBack(M.Bytes);
  HeldBytes -= M.Bytes;
  if (Quiet)
    QuietBytes += M.Bytes;
  else
    disregard(M.Base, M.Bytes);
  Idle.push_back(M);
  IdleBytes += M.Bytes;
}

void ChunkPool::forget(std::vector<Mapping>::iterator At) {
  IdleBytes -= At->Bytes;
  if (At->Quiet)
    QuietBytes -= At->Bytes;
  Idle.erase(At);
}

char *ChunkPool::takeIdle(int64_t Bytes) {
  // The one set idle last is most likely to be in memory still.
  for (auto It = Idle.rbegin(); It != Idle.rend(); ++It) {
    if (It->Bytes != Bytes)
      continue;
    char *Base = It->Base;
    forget(std::next(It).base());
    return Base;
  }
  return nullptr;
}

} // namespace contraflow
