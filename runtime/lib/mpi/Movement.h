// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mirrors of collectives that move data without combining it. Every rank has blocks that it gives
// and blocks that it gets; in reverse they change places, and where a block was given to several
// ranks, what comes back is summed:
//
//   Gather -> Scatter    Scatter -> Gather    Alltoall -> Alltoall    Bcast -> Reduce
//   Allgather -> Reduce_scatter
//
// Blocks that are got are cleared before anything is added to blocks that were given; with
// MPI_IN_PLACE these are the same memory.

#pragma once

#include "mpi/Communicator.h"
#include "mpi/Layout.h"
#include "mpi/Record.h"

namespace contraflow::mpi {

/// The shadows of the blocks of one buffer argument.
struct Blocks {
  char *Base = nullptr;
  const Layout *L = nullptr;
  int Size = 0;  ///< number of blocks
  int Count = 0; ///< items of each, unless there are Counts
  const int *Counts = nullptr;
  const int *Displs = nullptr; ///< in items; if null, one block after the other
  int Skip = -1;               ///< a block that does not move (MPI_IN_PLACE)

  View at(int Block) const;
  std::int64_t leaves() const;
};

enum class Pattern : std::uint8_t { Bcast, Gather, Scatter, Allgather, Alltoall };

struct Movement : cf_mpi_record {
  Pattern How;
  int Root = 0;
  Communicator *Comm;
  Blocks Given, Got;
};

void tangent(const Movement &M);
void adjoint(const Movement &M);

} // namespace contraflow::mpi
