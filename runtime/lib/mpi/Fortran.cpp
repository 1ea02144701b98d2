// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of calls that came from Fortran, of abi_mpi.def. Arrays of datatypes are kept: those of a
// nonblocking call have to be there until it completes, and a program uses few different ones.
//
// The compiler rewrites such calls to calls of C in which handles are pointers, and compares
// buffers with variables of Open MPI's. A library whose handles are integers is refused.

#include "mpi/Abi.h"
#include "mpi/Refuse.h"

#include <mutex>
#include <set>
#include <type_traits>
#include <vector>

#ifndef OPEN_MPI
extern "C" {
[[gnu::weak]] MPI_Fint mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_status_ignore_,
    mpi_fortran_statuses_ignore_;
}
#endif

namespace {

template <class Handle> void *asPointer(Handle H) {
  if constexpr (std::is_pointer_v<Handle>)
    return H;
  else
    contraflow::mpi::refuse(contraflow::mpi::Refusal::Fortran, "a call of MPI");
}

template <class Handle> Handle asHandle(void *Pointer) {
  if constexpr (std::is_pointer_v<Handle>)
    return static_cast<Handle>(Pointer);
  else
    contraflow::mpi::refuse(contraflow::mpi::Refusal::Fortran, "a call of MPI");
}

enum class Kind {
#define CF_MPI_HANDLE_KIND(kind, name) kind,
#include "contraflow/abi_mpi_handles.def"
};

const void *keptForever(std::vector<MPI_Datatype> Types) {
  static std::mutex Lock;
  static std::set<std::vector<MPI_Datatype>> All;
  const std::lock_guard Guard(Lock);
  return All.insert(std::move(Types)).first->data();
}

/// Of the neighbours in a topology, on one side.
int countNeighbours(MPI_Comm Comm, bool Incoming) {
  int Kind = MPI_UNDEFINED, Count = 0;
  PMPI_Topo_test(Comm, &Kind);
  if (Kind == MPI_CART) {
    PMPI_Cartdim_get(Comm, &Count);
    return 2 * Count;
  }
  if (Kind == MPI_GRAPH) {
    int Rank = 0;
    PMPI_Comm_rank(Comm, &Rank);
    PMPI_Graph_neighbors_count(Comm, Rank, &Count);
    return Count;
  }
  int In = 0, Out = 0;
  if (Kind == MPI_DIST_GRAPH)
    PMPI_Dist_graph_neighbors_count(Comm, &In, &Out, &Count);
  return Incoming ? In : Out;
}

int countRanks(MPI_Comm Comm) {
  int Inter = 0, Count = 0;
  PMPI_Comm_test_inter(Comm, &Inter);
  (Inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(Comm, &Count);
  return Count;
}

} // namespace

void *cf_v1_mpi_from_fortran(int32_t kind, int32_t handle) {
  switch (static_cast<Kind>(kind)) {
#define CF_MPI_HANDLE_KIND(kind, name)                                                             \
  case Kind::kind:                                                                                 \
    return asPointer(PMPI_##name##_f2c(handle));
#include "contraflow/abi_mpi_handles.def"
  }
  return nullptr;
}

int32_t cf_v1_mpi_to_fortran(int32_t kind, void *handle) {
  if (!handle)
    return -1; // nothing was there before, and the call did not put anything there
  switch (static_cast<Kind>(kind)) {
#define CF_MPI_HANDLE_KIND(kind, name)                                                             \
  case Kind::kind:                                                                                 \
    return PMPI_##name##_c2f(asHandle<MPI_##kind>(handle));
#include "contraflow/abi_mpi_handles.def"
  }
  return 0;
}

void *cf_v1_mpi_requests_from_fortran(int32_t count, const int32_t *handles) {
  auto *Requests = new MPI_Request[count > 0 ? count : 0];
  for (int32_t I = 0; I < count; ++I)
    Requests[I] = PMPI_Request_f2c(handles[I]);
  return Requests;
}

void cf_v1_mpi_requests_to_fortran(int32_t count, void *requests, int32_t *handles) {
  auto *Requests = static_cast<MPI_Request *>(requests);
  for (int32_t I = 0; I < count; ++I)
    handles[I] = PMPI_Request_c2f(Requests[I]);
  delete[] Requests;
}

void cf_v1_mpi_indices_to_fortran(const int32_t *count, int32_t *indices) {
  for (int32_t I = 0; I < *count; ++I) // nothing if it is MPI_UNDEFINED
    ++indices[I];
}

const void *cf_v1_mpi_types_from_fortran(const int32_t *types, MPI_Comm comm, int32_t side,
                                         const void *buffer) {
  if (buffer == MPI_IN_PLACE)
    return nullptr;
  const int Count = side == 0 ? countRanks(comm) : countNeighbours(comm, side == 2);
  std::vector<MPI_Datatype> Types;
  for (int I = 0; I < Count; ++I)
    Types.push_back(PMPI_Type_f2c(types[I]));
  return keptForever(std::move(Types));
}
