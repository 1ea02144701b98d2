// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shelf is a file in the memory of the system whose name is gone once all have opened it. It is
// filled from its beginning, in blocks of several sizes that are used again in the order in which
// they were. What the system has no memory for travels as a message.

#include "mpi/Shelf.h"

#include "mpi/Layout.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace contraflow::mpi {
namespace {

/// Of a shelf, in bytes; memory comes as it is used.
constexpr std::int64_t Longest = 1 << 30, Shortest = 1 << 20;
constexpr std::int64_t UsualLeast = 512, ///< shorter messages are as fast
    LeastOfAll = 32;                     ///< no message of values is as short as a note

struct alignas(64) Block {
  std::atomic<bool> Taken = false;
  Shelf::Note Mine = {};
  Block *Next = nullptr; ///< of the same size, for the owner alone
  std::byte *values() { return reinterpret_cast<std::byte *>(this + 1); }
};

/// Four sizes between two powers of two.
struct SizeClass {
  std::size_t Number, Bytes;
};

SizeClass classFor(std::size_t Bytes) {
  const auto Power = static_cast<std::size_t>(std::bit_width(Bytes - 1)) - 1;
  const std::size_t Below = std::size_t{1} << Power, Quarter = Below / 4;
  const std::size_t Quarters = (Bytes - Below + Quarter - 1) / Quarter;
  constexpr std::size_t Step = alignof(Block); // where the next one begins as well
  return {4 * Power + Quarters, (Below + Quarters * Quarter + Step - 1) / Step * Step};
}

class Shelves {
public:
  int Mine = 0, File = -1;
  std::size_t Length = 0;
  std::vector<std::byte *> Memory; ///< of each rank of the machine
  std::vector<bool> IsHere;        ///< of each rank of MPI_COMM_WORLD

  Block *take(std::size_t Bytes) {
    const SizeClass Class = classFor(Bytes);
    const std::scoped_lock Guard(Lock);
    Line &L = Lines[Class.Number];
    Block *Found = L.first();
    if (!Found)
      Found = make(Class.Bytes);
    if (!Found)
      return nullptr;
    Found->Taken.store(false, std::memory_order_relaxed);
    L.append(Found);
    return Found;
  }

private:
  /// Blocks of one size, the one that was used last at the end.
  struct Line {
    Block *First = nullptr, *Last = nullptr;
    /// Removes one that has been taken, if there is one among the first.
    Block *first() {
      int Looks = 8;
      Block *Before = nullptr;
      for (Block *B = First; B && Looks > 0; Before = B, B = B->Next, --Looks)
        if (B->Taken.load(std::memory_order_acquire)) {
          (Before ? Before->Next : First) = B->Next;
          if (Last == B)
            Last = Before;
          return B;
        }
      return nullptr;
    }
    void append(Block *B) {
      B->Next = nullptr;
      (Last ? Last->Next : First) = B;
      Last = B;
    }
  };

  Block *make(std::size_t Bytes) {
    if (Bytes > Length - Used ||
        posix_fallocate(File, static_cast<off_t>(Used), static_cast<off_t>(Bytes)) != 0)
      return nullptr;
    auto *New = new (Memory[static_cast<std::size_t>(Mine)] + Used) Block;
    New->Mine.Owner = Mine;
    New->Mine.Place = static_cast<std::int64_t>(Used);
    Used += Bytes;
    return New;
  }

  std::size_t Used = 0;
  std::mutex Lock;
  std::array<Line, 4 * 64> Lines;
};

Shelves *All = nullptr; ///< outlives every static object

/// Different for every rank and start.
std::int64_t anyName() {
  return std::chrono::steady_clock::now().time_since_epoch().count() ^ std::int64_t{getpid()} << 40;
}

std::string nameOf(std::int64_t Number) { return "/contraflow-shelf-" + std::to_string(Number); }

/// Bytes of a shelf that this rank would have, 0 if it wants none. There has to be room for others
/// where shelves are, and limits on files and addresses are not to be met for the sake of speed.
std::int64_t lengthFor(int Ranks, int File) {
  const auto isLimited = [](auto Which) {
    rlimit Limit = {};
    return getrlimit(Which, &Limit) != 0 || Limit.rlim_cur != RLIM_INFINITY;
  };
  struct statvfs There = {};
  if (File < 0 || isLimited(RLIMIT_AS) || isLimited(RLIMIT_FSIZE) || fstatvfs(File, &There) != 0)
    return 0;
  constexpr std::int64_t Part = 4;
  const auto Free = static_cast<std::int64_t>(There.f_bavail * There.f_frsize);
  const std::int64_t Length = std::min(Longest, Free / Part / Ranks / Shortest * Shortest);
  return ftruncate(File, Length) == 0 ? Length : 0;
}

/// Messages of fewer bytes carry their values; 0: all do.
std::int64_t wantedLeast() {
  const char *Said = std::getenv("CONTRAFLOW_MPI_SHELF");
  const std::int64_t Least = Said ? std::atoll(Said) : UsualLeast;
  return Least <= 0 ? 0 : std::max(Least, LeastOfAll);
}

std::byte *mapped(int File, std::size_t Length) {
  void *Memory =
      File < 0 ? MAP_FAILED
               : mmap(nullptr, Length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, File, 0);
  return Memory == MAP_FAILED ? nullptr : static_cast<std::byte *>(Memory);
}

std::int64_t leastOf(std::int64_t Here, MPI_Comm Machine) {
  std::int64_t Least = 0;
  PMPI_Allreduce(&Here, &Least, 1, MPI_INT64_T, MPI_MIN, Machine);
  return Least;
}

/// Maps the shelves of all ranks of the machine, or none: then some rank cannot see that of
/// another one.
bool mapAll(Shelves &S, const std::vector<std::int64_t> &Names, MPI_Comm Machine) {
  bool Has = true;
  for (const std::int64_t Name : Names) {
    const int File = shm_open(nameOf(Name).c_str(), O_RDWR, 0);
    S.Memory.push_back(mapped(File, S.Length));
    Has = Has && S.Memory.back();
    if (File >= 0)
      close(File);
  }
  if (leastOf(Has, Machine) != 0)
    return true;
  for (std::byte *Memory : S.Memory)
    if (Memory)
      munmap(Memory, S.Length);
  return false;
}

/// False if the ranks of the machine have no shelves.
bool openAll(Shelves &S, MPI_Comm Machine) {
  int Size = 0;
  PMPI_Comm_size(Machine, &Size);
  PMPI_Comm_rank(Machine, &S.Mine);
  const std::int64_t Name = anyName();
  std::vector<std::int64_t> Names(static_cast<std::size_t>(Size));
  PMPI_Allgather(&Name, 1, MPI_INT64_T, Names.data(), 1, MPI_INT64_T, Machine);
  S.File = shm_open(nameOf(Name).c_str(), O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR);
  S.Length = static_cast<std::size_t>(leastOf(lengthFor(Size, S.File), Machine));
  const bool Has = S.Length > 0 && mapAll(S, Names, Machine);
  if (S.File >= 0)
    shm_unlink(nameOf(Name).c_str());
  if (!Has && S.File >= 0)
    close(S.File);
  return Has;
}

Block *blockOf(const Shelf::Note &N) {
  return reinterpret_cast<Block *>(All->Memory[static_cast<std::size_t>(N.Owner)] + N.Place);
}

} // namespace

std::int64_t Shelf::Least = std::numeric_limits<std::int64_t>::max();

void Shelf::open() {
  MPI_Comm Machine = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &Machine);
  const std::int64_t Wanted = leastOf(wantedLeast(), Machine);
  auto New = std::make_unique<Shelves>();
  if (Wanted > 0 && openAll(*New, Machine)) {
    int World = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &World);
    New->IsHere.resize(static_cast<std::size_t>(World));
    std::vector<int> Ranks(New->Memory.size());
    PMPI_Comm_rank(MPI_COMM_WORLD, &World);
    PMPI_Allgather(&World, 1, MPI_INT, Ranks.data(), 1, MPI_INT, Machine);
    for (const int Rank : Ranks)
      New->IsHere[static_cast<std::size_t>(Rank)] = true;
    All = New.release();
    Least = Wanted;
  }
  PMPI_Comm_free(&Machine);
}

std::byte *Shelf::room(std::int64_t Bytes, int World) {
  if (!All || World < 0 || static_cast<std::size_t>(World) >= All->IsHere.size() ||
      !All->IsHere[static_cast<std::size_t>(World)])
    return nullptr;
  Block *B = All->take(static_cast<std::size_t>(Bytes + WordBytes) + sizeof(Block));
  if (!B)
    return nullptr;
  std::memset(B->values() + Bytes, 0, WordBytes);
  return B->values();
}

const Shelf::Note &Shelf::noteOf(std::byte *Values, int Units) {
  Block *B = reinterpret_cast<Block *>(Values) - 1;
  B->Mine.Units = Units;
  std::atomic_thread_fence(std::memory_order_release);
  return B->Mine;
}

const std::byte *Shelf::find(const Note &N) {
  std::atomic_thread_fence(std::memory_order_acquire);
  return blockOf(N)->values();
}

void Shelf::taken(const Note &N) { blockOf(N)->Taken.store(true, std::memory_order_release); }

} // namespace contraflow::mpi
