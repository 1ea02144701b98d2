// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nonblocking and persistent reductions of abi_mpi.def, and the barrier.

#include "mpi/NonblockingStart.h"
#include "mpi/Order.h"
#include "mpi/Outbox.h"
#include "mpi/PersistentCollective.h"

#include <numeric>
#include <vector>

using namespace contraflow::mpi;

namespace {

template <class Action> int tangentOf(const ReductionCall &C, MPI_Request *Request, Action Primal) {
  Reduction R;
  if (!describe(R, C))
    return Primal();
  Packed Space = packedBuffer(spaceOf(R));
  fillSpace(R, C, Space.get());
  const int Code = Primal();
  if (Code != MPI_SUCCESS)
    return Code;
  auto Shadows = keepDirections(R.Input.All, R.Result.All);
  auto Tangent = tangentOperation(R);
  Tangent->keep(std::move(Space));
  Tangent->keep(std::move(Shadows));
  startedTangent(*R.Comm, std::move(Tangent), Request);
  return Code;
}

struct Recording {
  cf_tape *Tape;
  cf_mpi_record **Record;
};

template <class Action>
int augment(const ReductionCall &C, MPI_Request *Request, Recording To, Action Primal) {
  Reduction Found;
  *To.Record = nullptr;
  if (!describe(Found, C)) {
    const int Code = Primal();
    if (Code == MPI_SUCCESS && ordersAccesses(C.Comm))
      *To.Record = started(Communicator::collective(C.Comm), Request, To.Tape);
    return Code;
  }
  auto *R = record<Reduction>(To.Tape, spaceOf(Found));
  *R = Found;
  R->Input.All = keepAdjoints(Found.Input.All, To.Tape);
  R->Result.All = keepAdjoints(Found.Result.All, To.Tape);
  fillSpace(*R, C, reinterpret_cast<std::byte *>(R + 1));
  const int Code = Primal();
  if (Code != MPI_SUCCESS)
    return Code;
  NonblockingCollective *N = started(*R->Comm, Request, To.Tape);
  N->Reduced = R;
  startBeside(*N);
  *To.Record = N;
  return Code;
}

void reverse(cf_mpi_record *Record) {
  if (Record)
    closeAdjoint(static_cast<NonblockingCollective &>(*Record));
}

/// The arguments that all reductions have.
struct Common {
  const void *Send;
  void *Receive, *SendShadow, *ReceiveShadow;
  MPI_Datatype Type;
  MPI_Op Op;
  MPI_Comm Comm;
};

ReductionCall call(const char *Name, Reach To, const Common &A, int Count, int Root = 0,
                   const int *BlockCounts = nullptr) {
  return {Name, To,   A.Send,      A.Receive, A.SendShadow, A.ReceiveShadow, Count, A.Type,
          A.Op, Root, BlockCounts, A.Comm,    false};
}

int sizeOfComm(MPI_Comm Comm) {
  int Size = 0;
  PMPI_Comm_size(Comm, &Size);
  return Size;
}

} // namespace

Movement *contraflow::mpi::barrierBetweenGroups(Communicator &Comm, cf_tape *Tape) {
  Blocks Signals;
  Signals.L = &layoutOf(MPI_FLOAT);
  Signals.Size = static_cast<int>(Comm.groups().Remote.size());
  Signals.Count = 1;
  Signals.Same = true;
  Signals.Edges = Comm.groups().Remote.data();
  auto *M = contraflow::mpi::record<Movement>(Tape);
  M->How = Pattern::Neighbours;
  M->Blocking = false;
  M->Comm = &Comm;
  M->Given = M->Got = Signals;
  return M;
}

int cf_v1_mpi_ibarrier_tangent(MPI_Comm comm, MPI_Request *request) {
  return PMPI_Ibarrier(comm, request);
}

int cf_v1_mpi_ibarrier_augment(MPI_Comm comm, MPI_Request *request, cf_tape *tape,
                               cf_mpi_record **record) {
  Communicator &Comm = Communicator::collective(comm);
  const int Code = PMPI_Ibarrier(comm, request);
  *record = nullptr;
  if (Code != MPI_SUCCESS)
    return Code;
  NonblockingCollective *N = started(Comm, request, tape);
  if (Comm.isInter())
    N->Moved = barrierBetweenGroups(Comm, tape);
  *record = N;
  return Code;
}

void cf_v1_mpi_ibarrier_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_barrier_init_tangent(MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  return make(persistentBarrier(comm), request,
              [&] { return CF_INIT(Barrier)(comm, info, request); });
}

int cf_v1_mpi_barrier_init_augment(MPI_Comm comm, MPI_Info info, MPI_Request *request, cf_tape *,
                                   cf_mpi_record **record) {
  *record = nullptr;
  return cf_v1_mpi_barrier_init_tangent(comm, info, request);
}

void cf_v1_mpi_barrier_init_adjoint(cf_mpi_record *) {}

// Nonblocking and persistent form: parameters, arguments of MPI, and those of call() that differ.

#define CF_LIST(...) __VA_ARGS__
#define CF_REDUCTION(stem, Function, Params, Args, To, ...)                                        \
  int cf_v1_mpi_i##stem##_tangent(CF_LIST Params, MPI_Request *request, void *sendbuf_shadow,      \
                                  void *recvbuf_shadow) {                                          \
    const Common All = {sendbuf, recvbuf, sendbuf_shadow, recvbuf_shadow, type, op, comm};         \
    return tangentOf(call("MPI_I" #stem, To, All, __VA_ARGS__), request,                           \
                     [&] { return PMPI_I##stem(CF_LIST Args, request); });                         \
  }                                                                                                \
  int cf_v1_mpi_i##stem##_augment(CF_LIST Params, MPI_Request *request, void *sendbuf_shadow,      \
                                  void *recvbuf_shadow, cf_tape *tape, cf_mpi_record **record) {   \
    const Common All = {sendbuf, recvbuf, sendbuf_shadow, recvbuf_shadow, type, op, comm};         \
    return augment(call("MPI_I" #stem, To, All, __VA_ARGS__), request, {tape, record},             \
                   [&] { return PMPI_I##stem(CF_LIST Args, request); });                           \
  }                                                                                                \
  void cf_v1_mpi_i##stem##_adjoint(cf_mpi_record *record) { reverse(record); }                     \
  int cf_v1_mpi_##stem##_init_tangent(CF_LIST Params, MPI_Info info, MPI_Request *request,         \
                                      void *sendbuf_shadow, void *recvbuf_shadow) {                \
    const Common All = {sendbuf, recvbuf, sendbuf_shadow, recvbuf_shadow, type, op, comm};         \
    return make(persistent(call("MPI_" #Function "_init", To, All, __VA_ARGS__)), request,         \
                [&] { return CF_INIT(Function)(CF_LIST Args, info, request); });                   \
  }                                                                                                \
  int cf_v1_mpi_##stem##_init_augment(CF_LIST Params, MPI_Info info, MPI_Request *request,         \
                                      void *sendbuf_shadow, void *recvbuf_shadow, cf_tape *,       \
                                      cf_mpi_record **record) {                                    \
    const Common All = {sendbuf, recvbuf, sendbuf_shadow, recvbuf_shadow, type, op, comm};         \
    *record = nullptr;                                                                             \
    return make(persistent(call("MPI_" #Function "_init", To, All, __VA_ARGS__)), request,         \
                [&] { return CF_INIT(Function)(CF_LIST Args, info, request); });                   \
  }                                                                                                \
  void cf_v1_mpi_##stem##_init_adjoint(cf_mpi_record *) {}

#define CF_PREFIX(stem, Function, To)                                                              \
  CF_REDUCTION(stem, Function,                                                                     \
               (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,       \
                MPI_Comm comm),                                                                    \
               (sendbuf, recvbuf, count, type, op, comm), To, count)

CF_PREFIX(allreduce, Allreduce, Reach::All)
CF_PREFIX(scan, Scan, Reach::Prefix)
CF_PREFIX(exscan, Exscan, Reach::PrefixBefore)

CF_REDUCTION(reduce, Reduce,
             (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
              MPI_Comm comm),
             (sendbuf, recvbuf, count, type, op, root, comm), Reach::Root, count, root)

CF_REDUCTION(reduce_scatter, Reduce_scatter,
             (const void *sendbuf, void *recvbuf, const int *recvcounts, MPI_Datatype type,
              MPI_Op op, MPI_Comm comm),
             (sendbuf, recvbuf, recvcounts, type, op, comm), Reach::Blocks,
             std::accumulate(recvcounts, recvcounts + sizeOfComm(comm), 0), 0, recvcounts)

CF_REDUCTION(reduce_scatter_block, Reduce_scatter_block,
             (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm),
             (sendbuf, recvbuf, recvcount, type, op, comm), Reach::Blocks,
             recvcount *sizeOfComm(comm), 0,
             std::vector<int>(static_cast<std::size_t>(sizeOfComm(comm)), recvcount).data())
