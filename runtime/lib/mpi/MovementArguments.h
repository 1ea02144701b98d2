// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the arguments of a collective that moves data to who gives and gets which blocks. Arguments
// that are not significant on a rank are not looked at.

#pragma once

#include "mpi/Movement.h"

#include <vector>

namespace contraflow::mpi {

/// One buffer argument: a block for all, or blocks with counts and displacements.
struct Side {
  const void *Primal;
  void *Shadow;
  MPI_Datatype Type;
  int Count;
  const int *Counts = nullptr, *Displs = nullptr;
  const MPI_Datatype *Types = nullptr; ///< one for each block; displacements are in bytes then
  const MPI_Aint *Places = nullptr;
};

/// A side with an array of datatypes.
inline Side typed(const void *Primal, void *Shadow, const int *Counts, const int *Displs,
                  const MPI_Datatype *Types) {
  return {Primal, Shadow, MPI_DATATYPE_NULL, 0, Counts, Displs, Types};
}
inline Side typed(const void *Primal, void *Shadow, const int *Counts, const MPI_Aint *Places,
                  const MPI_Datatype *Types) {
  return {Primal, Shadow, MPI_DATATYPE_NULL, 0, Counts, nullptr, Types, Places};
}

struct MovementCall {
  const char *Name;
  Pattern How;
  MPI_Comm Comm;
  int Root = 0;
  bool OwnBlocksOnly = false; ///< a rank does not know the sizes of blocks of others
  bool OneForAll = false;     ///< the same block goes to all neighbours
};

/// Of the blocks of one buffer.
struct BlockViews {
  std::vector<const Layout *> Layouts;
  std::vector<View> Views;
};

/// A movement and what it refers to besides the user's arrays.
struct Described {
  Movement M;
  BlockViews Given, Got;
  bool Active = false; ///< false if all ranks know that nothing here carries a derivative
};

/// D.M.Blocking is set before. Rooted: the buffer with a block for each rank is the root's.
void describe(Described &D, const MovementCall &C, const Side &Send, const Side &Receive);

/// Before each primal call: of the blocks whose bytes have no shadow (Relayed.h).
void describeUnseen(Movement &M);
/// When the primal call of a forward sweep is complete.
void noteUnseenWords(const Movement &M);

/// The user's arrays may be gone in the reverse sweep: bytes of copies, and copying them.
std::int64_t arrayBytes(const Movement &M);
void copyArrays(Movement &M, std::byte *To);

} // namespace contraflow::mpi
