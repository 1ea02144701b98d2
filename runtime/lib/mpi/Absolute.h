// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers that are MPI_BOTTOM: where they are is in the datatype, as addresses of primal memory.
// Differentiated code has asked for these addresses, and so told where the shadows are:
//
//   MPI_Get_address(&a, &d[0])         (a, a-bar, bytes of a) is entered
//   MPI_Type_create_struct(2, n, d, t, &type)
//   MPI_Send(MPI_BOTTOM, 1, type)      runs at a, b  ->  runs at a-bar, b-bar
//
// Datatypes of differences of such addresses lead from the buffer's object into others; their runs
// are looked up in the same way.
//
// What lies at an address that nobody has asked for is refused, never guessed.

#pragma once

#include "mpi/Layout.h"

namespace contraflow::mpi {

/// viewOf() for buffers that may be MPI_BOTTOM or lead into several objects: one item of a layout
/// of its own then.
View messageViewOf(const Buffer &B, Characters What = Characters::Moved);

/// A block of a buffer, and its view if it is in the buffer's object.
struct Block {
  Buffer Of;
  std::ptrdiff_t From; ///< bytes behind the buffer
  View Here;
};

/// The views of all blocks if some are in other objects than the buffer's, or at addresses; else
/// nothing.
std::vector<View> blockViewsOf(const std::vector<Block> &All);

/// False if all blocks of a buffer are in its object.
bool mayLeadElsewhere(const void *Primal);

/// viewOf() for a function whose buffers lead to one object only.
View ownViewOf(const Buffer &B, const char *Function);

/// Items of its layout that a view has.
inline std::int64_t itemsOf(const View &V, std::int64_t IfEmpty) {
  return V.L->Leaves > 0 ? V.Leaves / V.L->Leaves : IfEmpty;
}

} // namespace contraflow::mpi
