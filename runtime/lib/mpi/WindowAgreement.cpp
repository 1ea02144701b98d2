// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all ranks have to know of windows before there are any. Nothing here needs the part of the
// runtime for windows, which programs without them are not linked with.

#include "mpi/Abi.h"
#include "mpi/Merging.h"
#include "mpi/Order.h"

namespace contraflow::mpi {
namespace {

bool Merges = false; ///< some module combines in other ways than sums

} // namespace

bool Merging::expected() { return Merges; }

void agreeOnWindows() {
  int Any[] = {Merges, FetchAdjoints != nullptr};
  PMPI_Allreduce(MPI_IN_PLACE, Any, 2, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  Merges = Any[0] != 0;
  WindowsExpected = Any[1] != 0;
}

} // namespace contraflow::mpi

void cf_v1_mpi_merges() { contraflow::mpi::Merges = true; }
