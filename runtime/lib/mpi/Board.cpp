// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the system and not of MPI, because nobody could say when MPI would have to be called
// for it, and because it is looked at by a thread beside those that call MPI.

#include "mpi/Board.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace contraflow::mpi {

/// A rank writes nothing more once it is in MPI_Finalize.
struct Board::Row {
  std::atomic<std::int64_t> Written; ///< milliseconds
  std::atomic<int> WaitsFor;
  int Rank;
};

namespace {

constexpr std::int64_t Finished = -1;

Board *&theBoard() {
  static Board *Only = nullptr; // outlives every static object
  return Only;
}

std::int64_t now() {
  timespec Time = {};
  clock_gettime(CLOCK_MONOTONIC, &Time); // one for the machine
  return std::int64_t{Time.tv_sec} * 1000 + Time.tv_nsec / 1000000;
}

/// All ranks of a machine map the same memory, or none of them does.
void *shared(MPI_Comm Machine, std::size_t Bytes) {
  int Rank = 0, Leader = static_cast<int>(getpid());
  PMPI_Comm_rank(Machine, &Rank);
  PMPI_Bcast(&Leader, 1, MPI_INT, 0, Machine);
  const std::string Name = "/contraflow-" + std::to_string(Leader);
  int File = Rank == 0 ? shm_open(Name.c_str(), O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR) : -1;
  if (File >= 0 && ftruncate(File, static_cast<off_t>(Bytes)) != 0) {
    close(File);
    File = -1;
  }
  PMPI_Barrier(Machine);
  if (Rank != 0)
    File = shm_open(Name.c_str(), O_RDWR, 0);
  void *Memory =
      File < 0 ? MAP_FAILED : mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_SHARED, File, 0);
  if (File >= 0)
    close(File);
  int Has = Memory != MAP_FAILED, All = 0;
  PMPI_Allreduce(&Has, &All, 1, MPI_INT, MPI_MIN, Machine);
  if (Rank == 0)
    shm_unlink(Name.c_str());
  return All ? Memory : nullptr;
}

} // namespace

Board *Board::get() { return theBoard(); }

void Board::open() {
  MPI_Comm Machine = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &Machine);
  auto *B = new Board;
  PMPI_Comm_size(Machine, &B->Count);
  PMPI_Comm_rank(Machine, &B->Mine);
  B->Rows = static_cast<Row *>(shared(Machine, static_cast<std::size_t>(B->Count) * sizeof(Row)));
  if (B->Rows) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &B->Rows[B->Mine].Rank);
    B->write(Nobody);
    PMPI_Barrier(Machine);
    theBoard() = B;
    int Key = MPI_KEYVAL_INVALID;
    const auto Close = [](MPI_Comm, int, void *, void *) {
      Board *Here = get();
      Here->Rows[Here->Mine].Written = Finished;
      return MPI_SUCCESS;
    };
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, Close, &Key, nullptr);
    PMPI_Comm_set_attr(MPI_COMM_SELF, Key, nullptr); // goes first in MPI_Finalize
  } else {
    delete B;
  }
  PMPI_Comm_free(&Machine);
}

void Board::write(int WaitsFor) {
  Row &R = Rows[Mine];
  R.WaitsFor = WaitsFor;
  std::int64_t Before = R.Written;
  if (Before != Finished)
    R.Written.compare_exchange_strong(Before, now());
}

const Board::Row *Board::find(int Rank) const {
  const Row *Found = std::find_if(Rows, Rows + Count, [&](const Row &R) { return R.Rank == Rank; });
  return Found == Rows + Count ? nullptr : Found;
}

std::optional<int> Board::standsStill(double Seconds) const {
  for (const Row *R = Rows; R < Rows + Count; ++R) {
    const std::int64_t Written = R->Written;
    if (Written != Finished && static_cast<double>(now() - Written) > Seconds * 1000)
      return R->Rank;
  }
  return std::nullopt;
}

int Board::last(int Rank) const {
  for (int Steps = 0; Steps < Count; ++Steps) {
    const Row *R = find(Rank);
    if (!R || R->WaitsFor < 0)
      return Rank;
    Rank = R->WaitsFor;
  }
  return Rank; // they wait in a circle
}

std::vector<int> Board::absent(const std::vector<int> &Ranks) const {
  std::vector<int> Found;
  for (const int Rank : Ranks)
    if (const Row *R = find(Rank); R && R->WaitsFor == Nobody && R->Written != Finished)
      Found.push_back(Rank);
  if (!Found.empty())
    return Found;
  for (const int Rank : Ranks)
    if (const Row *R = find(Rank); R && R->WaitsFor >= 0)
      Found.push_back(last(Rank));
  std::sort(Found.begin(), Found.end());
  Found.erase(std::unique(Found.begin(), Found.end()), Found.end());
  return Found;
}

} // namespace contraflow::mpi
