// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ranks of one machine know of each other without MPI: each writes into memory that they
// share, now and then, for whom it waits. Who has waited for too long finds there who keeps the
// others waiting, and a rank that stands still (a debugger, SIGSTOP) no longer writes.

#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

namespace contraflow::mpi {

class Board {
public:
  static constexpr int Nobody = -1, SeveralRanks = -2;

  /// All ranks, in MPI_Init. Without shared memory there is no board.
  static void open();
  static Board *get();

  /// This rank is alive and waits for a rank of MPI_COMM_WORLD, for several, or for nobody.
  void write(int WaitsFor);
  /// A rank of this machine that has not written for so long.
  std::optional<int> standsStill(double Seconds) const;
  /// Who is at the end of the chain of those who wait for each other, from this rank on.
  int last(int Rank) const;
  /// Those among these ranks who wait for nobody; if there are none, for whom they wait.
  std::vector<int> absent(const std::vector<int> &Ranks) const;

private:
  struct Row;
  const Row *find(int Rank) const;
  Row *Rows = nullptr;
  int Count = 0, Mine = 0;
};

} // namespace contraflow::mpi
