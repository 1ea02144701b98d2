// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mpi/Merging.h"

namespace contraflow::mpi {

Merging::Merging(MPI_Comm Comm, void *Memory, MPI_Aint Size, int Unit) {
  PMPI_Win_create(Memory, Size, Unit, MPI_INFO_NULL, Comm, &Values);
}

void Merging::close() {
  if (Values != MPI_WIN_NULL)
    PMPI_Win_free(&Values);
}

void Merging::begin(int Rank) const { PMPI_Win_lock(MPI_LOCK_EXCLUSIVE, Rank, 0, Values); }
void Merging::end(int Rank) const { PMPI_Win_unlock(Rank, Values); }

void Merging::fetch(const Target &T, std::byte *To) const {
  PMPI_Get(To, T.leaves(), T.element(), T.Rank, T.Displacement, T.Count, T.type(), Values);
  PMPI_Win_flush(T.Rank, Values);
}

void Merging::store(const Target &T, const std::byte *From) const {
  PMPI_Put(From, T.leaves(), T.element(), T.Rank, T.Displacement, T.Count, T.type(), Values);
  PMPI_Win_flush(T.Rank, Values);
}

} // namespace contraflow::mpi
