// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mirrors of collectives that move data without combining it. Every rank has blocks that it gives
// and blocks that it gets; in reverse they change places, and where a block was given to several
// ranks, what comes back is summed:
//
//   Gather -> Scatter    Scatter -> Gather    Alltoall -> Alltoall    Bcast -> Reduce
//   Allgather -> Reduce_scatter       along the edges of a topology -> against them
//
// Blocks that are got are cleared before anything is added to blocks that were given; with
// MPI_IN_PLACE these are the same memory.

#pragma once

#include "mpi/Communicator.h"
#include "mpi/Layout.h"
#include "mpi/Operation.h"
#include "mpi/Record.h"
#include "mpi/Relayed.h"

namespace contraflow::mpi {

/// The shadows of the blocks of one buffer argument.
struct Blocks {
  char *Base = nullptr;
  const Layout *L = nullptr;
  int Size = 0;  ///< number of blocks
  int Count = 0; ///< items of each, unless there are Counts
  const int *Counts = nullptr;
  const int *Displs = nullptr;            ///< in items; if null, one block after the other
  const MPI_Aint *Places = nullptr;       ///< displacements in bytes
  const Layout *const *Layouts = nullptr; ///< one for each block; Displs are in bytes then
  const View *Views = nullptr;            ///< one for each block, if they lie in several objects
  const Edge *Edges = nullptr;            ///< where each block goes or comes from
  int Skip = -1;                          ///< a block that does not move (MPI_IN_PLACE)
  bool Same = false;                      ///< every block is the same memory
  const Directions *All = nullptr;        ///< as in View
  const char *Primal = nullptr;           ///< without a shadow: the buffer
  PassedOn PassesOn = PassedOn::No;       ///< without a shadow: of all blocks

  View at(int Block) const;
  /// From the beginning of the buffer, in bytes.
  std::int64_t start(int Block) const;
  /// If bytes of the block have no shadow, where it begins; else null.
  const char *unseenAt(int Block) const;
  std::int64_t leaves() const;
};

enum class Pattern : std::uint8_t { Bcast, Gather, Scatter, Allgather, Alltoall, Neighbours };

struct Movement : cf_mpi_record {
  Pattern How;
  bool Blocking = true;
  int Root = 0;
  Communicator *Comm;
  Blocks Given, Got;
};

void tangent(const Movement &M);
void adjoint(const Movement &M);

/// The movement of one of several directions.
Movement oneDirection(const Movement &M, int D);

/// The same without blocking.
std::unique_ptr<Operation> tangentOperation(const Movement &M);
/// Takes what belongs to the blocks that were got.
std::unique_ptr<Operation> adjointOperation(const Movement &M);

} // namespace contraflow::mpi
