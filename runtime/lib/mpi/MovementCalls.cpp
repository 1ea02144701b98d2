// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The broadcast, gather, scatter, allgather and alltoall functions of abi_mpi.def: which blocks
// each rank gives and gets. Arguments that are not significant on a rank are not looked at.

#include "mpi/Movement.h"

#include "mpi/Refuse.h"

#include <algorithm>
#include <new>

using namespace contraflow::mpi;

namespace {

/// One buffer argument: a block for all, or blocks with counts and displacements.
struct Side {
  const void *Primal;
  void *Shadow;
  MPI_Datatype Type;
  int Count;
  const int *Counts = nullptr, *Displs = nullptr;
};

struct Call {
  const char *Name;
  Pattern How;
  MPI_Comm Comm;
  int Root = 0;
  bool OwnBlocksOnly = false; ///< a rank does not know the sizes of blocks of others
};

Blocks blocksOf(const Side &S, int Size) {
  const int Most = S.Counts ? *std::max_element(S.Counts, S.Counts + Size) : S.Count;
  const View V = viewOf({S.Primal, S.Shadow, Most, S.Type});
  return {V.Base, V.L, Size, S.Count, S.Counts, S.Displs};
}

/// What a buffer of which only one block belongs to this rank, in place.
Blocks oneBlock(const Blocks &All, int Block) {
  const View V = All.at(Block);
  const int Count = All.Counts ? All.Counts[Block] : All.Count;
  return {V.Base, V.L, 1, Count};
}

/// Fills in who gives and gets what. Rooted: the buffer with a block for each rank is the root's.
Movement describe(const Call &C, const Side &Send, const Side &Receive) {
  Movement M;
  M.How = C.How;
  M.Root = C.Root;
  M.Comm = &Communicator::collective(C.Comm, C.Name);
  const int Size = M.Comm->size(), Rank = M.Comm->rank();
  const bool IsRoot = Rank == C.Root;
  switch (C.How) {
  case Pattern::Bcast:
    (IsRoot ? M.Given : M.Got) = blocksOf(Send, 1);
    break;
  case Pattern::Gather:
    if (IsRoot)
      M.Got = blocksOf(Receive, Size);
    if (Send.Primal != MPI_IN_PLACE)
      M.Given = blocksOf(Send, 1);
    else
      M.Got.Skip = Rank;
    break;
  case Pattern::Scatter:
    if (IsRoot)
      M.Given = blocksOf(Send, Size);
    if (Receive.Primal != MPI_IN_PLACE)
      M.Got = blocksOf(Receive, 1);
    else
      M.Given.Skip = Rank;
    break;
  case Pattern::Allgather:
    M.Got = blocksOf(Receive, Size);
    M.Given = Send.Primal == MPI_IN_PLACE ? oneBlock(M.Got, Rank) : blocksOf(Send, 1);
    break;
  case Pattern::Alltoall:
    M.Got = blocksOf(Receive, Size);
    M.Given = Send.Primal == MPI_IN_PLACE ? M.Got : blocksOf(Send, Size);
    break;
  }
  return M;
}

/// False if all ranks know that nothing here carries a derivative.
bool isActive(const Call &C, const Movement &M) {
  return C.OwnBlocksOnly || M.Given.leaves() + M.Got.leaves() > 0;
}

const int *copyInts(const int *From, int Count, int *&To) {
  if (!From)
    return nullptr;
  int *Copy = To;
  To = std::copy_n(From, Count, To);
  return Copy;
}

/// The user's arrays may be gone in the reverse sweep.
void copyArrays(Blocks &B, int *&To) {
  B.Counts = copyInts(B.Counts, B.Size, To);
  B.Displs = copyInts(B.Displs, B.Size, To);
}

std::int64_t arrayBytes(const Blocks &B) {
  return ((B.Counts ? B.Size : 0) + (B.Displs ? B.Size : 0)) *
         static_cast<std::int64_t>(sizeof(int));
}

template <class Action>
int tangentOf(const Call &C, const Side &Send, const Side &Receive, Action Primal) {
  const Movement M = describe(C, Send, Receive);
  const int Code = Primal();
  if (Code == MPI_SUCCESS && isActive(C, M))
    tangent(M);
  return Code;
}

struct Recording {
  cf_tape *Tape;
  cf_mpi_record **Record;
};

template <class Action>
int augment(const Call &C, const Side &Send, const Side &Receive, Recording To, Action Primal) {
  const Movement Found = describe(C, Send, Receive);
  *To.Record = nullptr;
  if (isActive(C, Found)) {
    auto *M = record<Movement>(To.Tape, arrayBytes(Found.Given) + arrayBytes(Found.Got));
    *M = Found;
    int *Arrays = reinterpret_cast<int *>(M + 1);
    copyArrays(M->Given, Arrays);
    copyArrays(M->Got, Arrays);
    *To.Record = M;
  }
  return Primal();
}

void reverse(const cf_mpi_record *Record) {
  if (Record)
    adjoint(static_cast<const Movement &>(*Record));
}

} // namespace

int cf_v1_mpi_bcast_tangent(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                            void *buf_shadow) {
  const Side All = {buf, buf_shadow, type, count};
  return tangentOf({"MPI_Bcast", Pattern::Bcast, comm, root}, All, All,
                   [&] { return PMPI_Bcast(buf, count, type, root, comm); });
}

int cf_v1_mpi_bcast_augment(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                            void *buf_shadow, cf_tape *tape, cf_mpi_record **record) {
  const Side All = {buf, buf_shadow, type, count};
  return augment({"MPI_Bcast", Pattern::Bcast, comm, root}, All, All, {tape, record},
                 [&] { return PMPI_Bcast(buf, count, type, root, comm); });
}

void cf_v1_mpi_bcast_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_gather_tangent(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                             MPI_Comm comm, void *sendbuf_shadow, void *recvbuf_shadow) {
  return tangentOf(
      {"MPI_Gather", Pattern::Gather, comm, root}, {sendbuf, sendbuf_shadow, sendtype, sendcount},
      {recvbuf, recvbuf_shadow, recvtype, recvcount}, [&] {
        return PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
      });
}

int cf_v1_mpi_gather_augment(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                             MPI_Comm comm, void *sendbuf_shadow, void *recvbuf_shadow,
                             cf_tape *tape, cf_mpi_record **record) {
  return augment(
      {"MPI_Gather", Pattern::Gather, comm, root}, {sendbuf, sendbuf_shadow, sendtype, sendcount},
      {recvbuf, recvbuf_shadow, recvtype, recvcount}, {tape, record}, [&] {
        return PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
      });
}

void cf_v1_mpi_gather_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_gatherv_tangent(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, const int *recvcounts, const int *displs,
                              MPI_Datatype recvtype, int root, MPI_Comm comm, void *sendbuf_shadow,
                              void *recvbuf_shadow) {
  return tangentOf({"MPI_Gatherv", Pattern::Gather, comm, root, true},
                   {sendbuf, sendbuf_shadow, sendtype, sendcount},
                   {recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, displs}, [&] {
                     return PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                         recvtype, root, comm);
                   });
}

int cf_v1_mpi_gatherv_augment(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, const int *recvcounts, const int *displs,
                              MPI_Datatype recvtype, int root, MPI_Comm comm, void *sendbuf_shadow,
                              void *recvbuf_shadow, cf_tape *tape, cf_mpi_record **record) {
  return augment({"MPI_Gatherv", Pattern::Gather, comm, root, true},
                 {sendbuf, sendbuf_shadow, sendtype, sendcount},
                 {recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, displs}, {tape, record}, [&] {
                   return PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                       recvtype, root, comm);
                 });
}

void cf_v1_mpi_gatherv_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_scatter_tangent(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                              MPI_Comm comm, void *sendbuf_shadow, void *recvbuf_shadow) {
  return tangentOf(
      {"MPI_Scatter", Pattern::Scatter, comm, root}, {sendbuf, sendbuf_shadow, sendtype, sendcount},
      {recvbuf, recvbuf_shadow, recvtype, recvcount}, [&] {
        return PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
      });
}

int cf_v1_mpi_scatter_augment(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                              MPI_Comm comm, void *sendbuf_shadow, void *recvbuf_shadow,
                              cf_tape *tape, cf_mpi_record **record) {
  return augment(
      {"MPI_Scatter", Pattern::Scatter, comm, root}, {sendbuf, sendbuf_shadow, sendtype, sendcount},
      {recvbuf, recvbuf_shadow, recvtype, recvcount}, {tape, record}, [&] {
        return PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
      });
}

void cf_v1_mpi_scatter_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_scatterv_tangent(const void *sendbuf, const int *sendcounts, const int *displs,
                               MPI_Datatype sendtype, void *recvbuf, int recvcount,
                               MPI_Datatype recvtype, int root, MPI_Comm comm, void *sendbuf_shadow,
                               void *recvbuf_shadow) {
  return tangentOf({"MPI_Scatterv", Pattern::Scatter, comm, root, true},
                   {sendbuf, sendbuf_shadow, sendtype, 0, sendcounts, displs},
                   {recvbuf, recvbuf_shadow, recvtype, recvcount}, [&] {
                     return PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                                          recvtype, root, comm);
                   });
}

int cf_v1_mpi_scatterv_augment(const void *sendbuf, const int *sendcounts, const int *displs,
                               MPI_Datatype sendtype, void *recvbuf, int recvcount,
                               MPI_Datatype recvtype, int root, MPI_Comm comm, void *sendbuf_shadow,
                               void *recvbuf_shadow, cf_tape *tape, cf_mpi_record **record) {
  return augment({"MPI_Scatterv", Pattern::Scatter, comm, root, true},
                 {sendbuf, sendbuf_shadow, sendtype, 0, sendcounts, displs},
                 {recvbuf, recvbuf_shadow, recvtype, recvcount}, {tape, record}, [&] {
                   return PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                                        recvtype, root, comm);
                 });
}

void cf_v1_mpi_scatterv_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_allgather_tangent(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                void *sendbuf_shadow, void *recvbuf_shadow) {
  return tangentOf(
      {"MPI_Allgather", Pattern::Allgather, comm}, {sendbuf, sendbuf_shadow, sendtype, sendcount},
      {recvbuf, recvbuf_shadow, recvtype, recvcount}, [&] {
        return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

int cf_v1_mpi_allgather_augment(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                void *sendbuf_shadow, void *recvbuf_shadow, cf_tape *tape,
                                cf_mpi_record **record) {
  return augment(
      {"MPI_Allgather", Pattern::Allgather, comm}, {sendbuf, sendbuf_shadow, sendtype, sendcount},
      {recvbuf, recvbuf_shadow, recvtype, recvcount}, {tape, record}, [&] {
        return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

void cf_v1_mpi_allgather_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_allgatherv_tangent(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, const int *recvcounts, const int *displs,
                                 MPI_Datatype recvtype, MPI_Comm comm, void *sendbuf_shadow,
                                 void *recvbuf_shadow) {
  return tangentOf({"MPI_Allgatherv", Pattern::Allgather, comm},
                   {sendbuf, sendbuf_shadow, sendtype, sendcount},
                   {recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, displs}, [&] {
                     return PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                            displs, recvtype, comm);
                   });
}

int cf_v1_mpi_allgatherv_augment(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, const int *recvcounts, const int *displs,
                                 MPI_Datatype recvtype, MPI_Comm comm, void *sendbuf_shadow,
                                 void *recvbuf_shadow, cf_tape *tape, cf_mpi_record **record) {
  return augment({"MPI_Allgatherv", Pattern::Allgather, comm},
                 {sendbuf, sendbuf_shadow, sendtype, sendcount},
                 {recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, displs}, {tape, record}, [&] {
                   return PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                          recvtype, comm);
                 });
}

void cf_v1_mpi_allgatherv_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_alltoall_tangent(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                               void *sendbuf_shadow, void *recvbuf_shadow) {
  return tangentOf(
      {"MPI_Alltoall", Pattern::Alltoall, comm}, {sendbuf, sendbuf_shadow, sendtype, sendcount},
      {recvbuf, recvbuf_shadow, recvtype, recvcount}, [&] {
        return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

int cf_v1_mpi_alltoall_augment(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                               void *sendbuf_shadow, void *recvbuf_shadow, cf_tape *tape,
                               cf_mpi_record **record) {
  return augment(
      {"MPI_Alltoall", Pattern::Alltoall, comm}, {sendbuf, sendbuf_shadow, sendtype, sendcount},
      {recvbuf, recvbuf_shadow, recvtype, recvcount}, {tape, record}, [&] {
        return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

void cf_v1_mpi_alltoall_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_alltoallv_tangent(const void *sendbuf, const int *sendcounts, const int *sdispls,
                                MPI_Datatype sendtype, void *recvbuf, const int *recvcounts,
                                const int *rdispls, MPI_Datatype recvtype, MPI_Comm comm,
                                void *sendbuf_shadow, void *recvbuf_shadow) {
  return tangentOf({"MPI_Alltoallv", Pattern::Alltoall, comm, 0, true},
                   {sendbuf, sendbuf_shadow, sendtype, 0, sendcounts, sdispls},
                   {recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, rdispls}, [&] {
                     return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                           recvcounts, rdispls, recvtype, comm);
                   });
}

int cf_v1_mpi_alltoallv_augment(const void *sendbuf, const int *sendcounts, const int *sdispls,
                                MPI_Datatype sendtype, void *recvbuf, const int *recvcounts,
                                const int *rdispls, MPI_Datatype recvtype, MPI_Comm comm,
                                void *sendbuf_shadow, void *recvbuf_shadow, cf_tape *tape,
                                cf_mpi_record **record) {
  return augment({"MPI_Alltoallv", Pattern::Alltoall, comm, 0, true},
                 {sendbuf, sendbuf_shadow, sendtype, 0, sendcounts, sdispls},
                 {recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, rdispls}, {tape, record}, [&] {
                   return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                         recvcounts, rdispls, recvtype, comm);
                 });
}

void cf_v1_mpi_alltoallv_adjoint(cf_mpi_record *record) { reverse(record); }
