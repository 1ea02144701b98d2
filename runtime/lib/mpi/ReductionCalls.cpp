// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reductions of abi_mpi.def, and the barrier.

#include "mpi/Reduction.h"

#include "mpi/Order.h"
#include "mpi/Outbox.h"
#include "mpi/Watch.h"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace contraflow::mpi;

namespace {

template <class Action> int tangentOf(const ReductionCall &C, Action Primal) {
  Reduction R;
  if (!describe(R, C))
    return watched(Primal);
  const Packed Space = packedBuffer(spaceOf(R));
  fillSpace(R, C, Space.get());
  const int Code = watched(Primal);
  if (Code == MPI_SUCCESS)
    tangent(R);
  return Code;
}

template <class Action>
int augment(const ReductionCall &C, Action Primal, cf_tape *Tape, cf_mpi_record **Record) {
  Reduction Found;
  if (!describe(Found, C)) {
    *Record = orderRecord(C.Comm, Tape);
    return watched(Primal);
  }
  auto *R = record<Reduction>(Tape, spaceOf(Found));
  *R = Found;
  fillSpace(*R, C, reinterpret_cast<std::byte *>(R + 1));
  R->Input.All = keepAdjoints(Found.Input.All, Tape);
  R->Result.All = keepAdjoints(Found.Result.All, Tape);
  const int Code = watched(Primal);
  *Record = Code == MPI_SUCCESS ? R : nullptr;
  if (Code == MPI_SUCCESS && hasBoth(R->Input.All))
    tangent(oneDirection(*R, R->Input.All->Adjoints));
  return Code;
}

void reverse(const cf_mpi_record *Record) {
  if (!Record || keptOrder(*Record))
    return;
  adjoint(static_cast<const Reduction &>(*Record));
  ordered();
}

/// The block counts of a call that gives one for all.
std::vector<int> equalBlocks(int Count, MPI_Comm Comm) {
  int Size = 0;
  PMPI_Comm_size(Comm, &Size);
  return std::vector<int>(static_cast<std::size_t>(Size), Count);
}

int sumOfBlocks(const int *Counts, MPI_Comm Comm) {
  int Size = 0;
  PMPI_Comm_size(Comm, &Size);
  return std::accumulate(Counts, Counts + Size, 0);
}

struct BarrierRecord : cf_mpi_record {
  Communicator *Comm;
};

} // namespace

// A barrier may order accesses to shared memory, so it is a barrier at the mirrored place.

int cf_v1_mpi_barrier_tangent(MPI_Comm comm) {
  return watched([&] { return PMPI_Barrier(comm); });
}

int cf_v1_mpi_barrier_augment(MPI_Comm comm, cf_tape *tape, cf_mpi_record **record) {
  auto *R = contraflow::mpi::record<BarrierRecord>(tape);
  R->Comm = &Communicator::collective(comm);
  *record = R;
  return watched([&] { return PMPI_Barrier(comm); });
}

void cf_v1_mpi_barrier_adjoint(cf_mpi_record *record) {
  if (!record)
    return;
  const MPI_Comm Comm = static_cast<BarrierRecord *>(record)->Comm->carrier();
  const Watch Waits(Comm);
  PMPI_Barrier(Comm);
  ordered();
}

int cf_v1_mpi_reduce_tangent(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                             MPI_Op op, int root, MPI_Comm comm, void *sendbuf_shadow,
                             void *recvbuf_shadow) {
  const ReductionCall C = {"MPI_Reduce",   Reach::Root, sendbuf, recvbuf, sendbuf_shadow,
                           recvbuf_shadow, count,       type,    op,      root,
                           nullptr,        comm};
  return tangentOf(C, [&] { return PMPI_Reduce(sendbuf, recvbuf, count, type, op, root, comm); });
}

int cf_v1_mpi_reduce_augment(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                             MPI_Op op, int root, MPI_Comm comm, void *sendbuf_shadow,
                             void *recvbuf_shadow, cf_tape *tape, cf_mpi_record **record) {
  const ReductionCall C = {"MPI_Reduce",   Reach::Root, sendbuf, recvbuf, sendbuf_shadow,
                           recvbuf_shadow, count,       type,    op,      root,
                           nullptr,        comm};
  return augment(
      C, [&] { return PMPI_Reduce(sendbuf, recvbuf, count, type, op, root, comm); }, tape, record);
}

void cf_v1_mpi_reduce_adjoint(cf_mpi_record *record) { reverse(record); }

// Functions with the arguments (send, receive, count, type, operator, communicator).

#define CF_REDUCTION(stem, Function, To)                                                           \
  int cf_v1_mpi_##stem##_tangent(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, \
                                 MPI_Op op, MPI_Comm comm, void *sendbuf_shadow,                   \
                                 void *recvbuf_shadow) {                                           \
    const ReductionCall C = {"MPI_" #Function, To,    sendbuf, recvbuf, sendbuf_shadow,            \
                             recvbuf_shadow,   count, type,    op,      0,                         \
                             nullptr,          comm};                                              \
    return tangentOf(C, [&] { return PMPI_##Function(sendbuf, recvbuf, count, type, op, comm); }); \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, \
                                 MPI_Op op, MPI_Comm comm, void *sendbuf_shadow,                   \
                                 void *recvbuf_shadow, cf_tape *tape, cf_mpi_record **record) {    \
    const ReductionCall C = {"MPI_" #Function, To,    sendbuf, recvbuf, sendbuf_shadow,            \
                             recvbuf_shadow,   count, type,    op,      0,                         \
                             nullptr,          comm};                                              \
    return augment(                                                                                \
        C, [&] { return PMPI_##Function(sendbuf, recvbuf, count, type, op, comm); }, tape,         \
        record);                                                                                   \
  }                                                                                                \
  void cf_v1_mpi_##stem##_adjoint(cf_mpi_record *record) { reverse(record); }

CF_REDUCTION(allreduce, Allreduce, Reach::All)
CF_REDUCTION(scan, Scan, Reach::Prefix)
CF_REDUCTION(exscan, Exscan, Reach::PrefixBefore)

int cf_v1_mpi_reduce_scatter_tangent(const void *sendbuf, void *recvbuf, const int *recvcounts,
                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                     void *sendbuf_shadow, void *recvbuf_shadow) {
  const ReductionCall C = {"MPI_Reduce_scatter",
                           Reach::Blocks,
                           sendbuf,
                           recvbuf,
                           sendbuf_shadow,
                           recvbuf_shadow,
                           sumOfBlocks(recvcounts, comm),
                           type,
                           op,
                           0,
                           recvcounts,
                           comm};
  return tangentOf(
      C, [&] { return PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm); });
}

int cf_v1_mpi_reduce_scatter_augment(const void *sendbuf, void *recvbuf, const int *recvcounts,
                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                     void *sendbuf_shadow, void *recvbuf_shadow, cf_tape *tape,
                                     cf_mpi_record **record) {
  const ReductionCall C = {"MPI_Reduce_scatter",
                           Reach::Blocks,
                           sendbuf,
                           recvbuf,
                           sendbuf_shadow,
                           recvbuf_shadow,
                           sumOfBlocks(recvcounts, comm),
                           type,
                           op,
                           0,
                           recvcounts,
                           comm};
  return augment(
      C, [&] { return PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm); }, tape,
      record);
}

void cf_v1_mpi_reduce_scatter_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_reduce_scatter_block_tangent(const void *sendbuf, void *recvbuf, int recvcount,
                                           MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                           void *sendbuf_shadow, void *recvbuf_shadow) {
  const std::vector<int> Counts = equalBlocks(recvcount, comm);
  const ReductionCall C = {"MPI_Reduce_scatter_block",
                           Reach::Blocks,
                           sendbuf,
                           recvbuf,
                           sendbuf_shadow,
                           recvbuf_shadow,
                           sumOfBlocks(Counts.data(), comm),
                           type,
                           op,
                           0,
                           Counts.data(),
                           comm};
  return tangentOf(
      C, [&] { return PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm); });
}

int cf_v1_mpi_reduce_scatter_block_augment(const void *sendbuf, void *recvbuf, int recvcount,
                                           MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                           void *sendbuf_shadow, void *recvbuf_shadow,
                                           cf_tape *tape, cf_mpi_record **record) {
  const std::vector<int> Counts = equalBlocks(recvcount, comm);
  const ReductionCall C = {"MPI_Reduce_scatter_block",
                           Reach::Blocks,
                           sendbuf,
                           recvbuf,
                           sendbuf_shadow,
                           recvbuf_shadow,
                           sumOfBlocks(Counts.data(), comm),
                           type,
                           op,
                           0,
                           Counts.data(),
                           comm};
  return augment(
      C, [&] { return PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm); },
      tape, record);
}

void cf_v1_mpi_reduce_scatter_block_adjoint(cf_mpi_record *record) { reverse(record); }
