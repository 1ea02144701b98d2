// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of abi_mpi.def that move data without combining it, blocking and not.

#include "mpi/MovementArguments.h"
#include "mpi/NonblockingCollective.h"
#include "mpi/NonblockingStart.h"
#include "mpi/Order.h"
#include "mpi/PersistentCollective.h"

using namespace contraflow::mpi;

namespace {

struct Recording {
  cf_tape *Tape;
  cf_mpi_record **Record;
};

Movement *keep(const Described &D, cf_tape *Tape) {
  auto *M = record<Movement>(Tape, arrayBytes(D.M));
  *M = D.M;
  copyArrays(*M, reinterpret_cast<std::byte *>(M + 1));
  M->Given.All = keepAdjoints(M->Given.All, Tape);
  M->Got.All = keepAdjoints(M->Got.All, Tape);
  return M;
}

/// In an adjoint whose tangent is asked for: moves the tangents of the primal buffers.
void tangentBeside(const Movement &M) {
  const Directions *All = M.Given.All ? M.Given.All : M.Got.All;
  if (hasBoth(All))
    tangent(oneDirection(M, All->Adjoints));
}

template <class Action>
int tangentOf(const MovementCall &C, const Side &Send, const Side &Receive, Action Primal) {
  Described D;
  describe(D, C, Send, Receive);
  describeUnseen(D.M);
  const int Code = watched(Primal);
  if (Code == MPI_SUCCESS && D.Active)
    tangent(D.M);
  return Code;
}

template <class Action>
int augment(const MovementCall &C, const Side &Send, const Side &Receive, Recording To,
            Action Primal) {
  Described D;
  describe(D, C, Send, Receive);
  describeUnseen(D.M);
  *To.Record = D.Active ? keep(D, To.Tape) : orderRecord(C.Comm, To.Tape);
  const int Code = watched(Primal);
  if (Code != MPI_SUCCESS)
    *To.Record = nullptr;
  else if (D.Active) {
    noteUnseenWords(D.M);
    tangentBeside(D.M);
  }
  return Code;
}

void reverse(const cf_mpi_record *Record) {
  if (!Record || keptOrder(*Record))
    return;
  adjoint(static_cast<const Movement &>(*Record));
  ordered();
}

template <class Action>
int startTangentOf(const MovementCall &C, const Side &Send, const Side &Receive,
                   MPI_Request *Request, Action Primal) {
  Described D;
  D.M.Blocking = false;
  describe(D, C, Send, Receive);
  describeUnseen(D.M);
  const int Code = Primal();
  if (Code == MPI_SUCCESS && D.Active) {
    const std::int64_t Bytes = arrayBytes(D.M);
    auto Arrays = std::make_unique<std::byte[]>(static_cast<std::size_t>(Bytes));
    copyArrays(D.M, Arrays.get());
    auto Shadows = keepDirections(D.M.Given.All, D.M.Got.All);
    auto Tangent = tangentOperation(D.M);
    Tangent->keep(std::move(Arrays));
    Tangent->keep(std::move(Shadows));
    startedTangent(*D.M.Comm, std::move(Tangent), Request);
  }
  return Code;
}

template <class Action>
int augmentStart(const MovementCall &C, const Side &Send, const Side &Receive, MPI_Request *Request,
                 Recording To, Action Primal) {
  Described D;
  D.M.Blocking = false;
  describe(D, C, Send, Receive);
  describeUnseen(D.M);
  *To.Record = nullptr;
  const int Code = Primal();
  if (Code == MPI_SUCCESS && (D.Active || ordersAccesses(C.Comm))) {
    NonblockingCollective *N = started(*D.M.Comm, Request, To.Tape);
    N->Moved = D.Active ? keep(D, To.Tape) : nullptr;
    startBeside(*N);
    *To.Record = N;
  }
  return Code;
}

void reverseStart(cf_mpi_record *Record) {
  if (Record)
    closeAdjoint(static_cast<NonblockingCollective &>(*Record));
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

int cf_v1_mpi_ibcast_tangent(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                             MPI_Request *request, void *buf_shadow) {
  const Side All = {buf, buf_shadow, type, count};
  return startTangentOf({"MPI_Ibcast", Pattern::Bcast, comm, root}, All, All, request,
                        [&] { return PMPI_Ibcast(buf, count, type, root, comm, request); });
}

int cf_v1_mpi_ibcast_augment(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                             MPI_Request *request, void *buf_shadow, cf_tape *tape,
                             cf_mpi_record **record) {
  const Side All = {buf, buf_shadow, type, count};
  return augmentStart({"MPI_Ibcast", Pattern::Bcast, comm, root}, All, All, request, {tape, record},
                      [&] { return PMPI_Ibcast(buf, count, type, root, comm, request); });
}

void cf_v1_mpi_ibcast_adjoint(cf_mpi_record *record) { reverseStart(record); }

int cf_v1_mpi_bcast_init_tangent(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                                 MPI_Info info, MPI_Request *request, void *buf_shadow) {
  const Side All = {buf, buf_shadow, type, count};
  return make(persistent({"MPI_Bcast_init", Pattern::Bcast, comm, root}, All, All), request,
              [&] { return CF_INIT(Bcast)(buf, count, type, root, comm, info, request); });
}

int cf_v1_mpi_bcast_init_augment(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                                 MPI_Info info, MPI_Request *request, void *buf_shadow, cf_tape *,
                                 cf_mpi_record **record) {
  *record = nullptr;
  return cf_v1_mpi_bcast_init_tangent(buf, count, type, root, comm, info, request, buf_shadow);
}

void cf_v1_mpi_bcast_init_adjoint(cf_mpi_record *) {}

// A function with two buffers, its nonblocking and its persistent form: parameters, arguments, the
// movement, what is given, what is got.

#define CF_LIST(...) __VA_ARGS__
#define CF_MOVEMENT(stem, Function, Params, Args, How, Send, Receive)                              \
  int cf_v1_mpi_##stem##_tangent(CF_LIST Params, void *sendbuf_shadow, void *recvbuf_shadow) {     \
    return tangentOf(MovementCall{"MPI_" #Function, CF_LIST How}, Side{CF_LIST Send},              \
                     Side{CF_LIST Receive}, [&] { return PMPI_##Function Args; });                 \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(CF_LIST Params, void *sendbuf_shadow, void *recvbuf_shadow,       \
                                 cf_tape *tape, cf_mpi_record **record) {                          \
    return augment(MovementCall{"MPI_" #Function, CF_LIST How}, Side{CF_LIST Send},                \
                   Side{CF_LIST Receive}, {tape, record}, [&] { return PMPI_##Function Args; });   \
  }                                                                                                \
  void cf_v1_mpi_##stem##_adjoint(cf_mpi_record *record) { reverse(record); }                      \
  int cf_v1_mpi_i##stem##_tangent(CF_LIST Params, MPI_Request *request, void *sendbuf_shadow,      \
                                  void *recvbuf_shadow) {                                          \
    return startTangentOf(MovementCall{"MPI_I" #stem, CF_LIST How}, Side{CF_LIST Send},            \
                          Side{CF_LIST Receive}, request,                                          \
                          [&] { return PMPI_I##stem(CF_LIST Args, request); });                    \
  }                                                                                                \
  int cf_v1_mpi_i##stem##_augment(CF_LIST Params, MPI_Request *request, void *sendbuf_shadow,      \
                                  void *recvbuf_shadow, cf_tape *tape, cf_mpi_record **record) {   \
    return augmentStart(MovementCall{"MPI_I" #stem, CF_LIST How}, Side{CF_LIST Send},              \
                        Side{CF_LIST Receive}, request, {tape, record},                            \
                        [&] { return PMPI_I##stem(CF_LIST Args, request); });                      \
  }                                                                                                \
  void cf_v1_mpi_i##stem##_adjoint(cf_mpi_record *record) { reverseStart(record); }                \
  int cf_v1_mpi_##stem##_init_tangent(CF_LIST Params, MPI_Info info, MPI_Request *request,         \
                                      void *sendbuf_shadow, void *recvbuf_shadow) {                \
    return make(persistent(MovementCall{"MPI_" #Function "_init", CF_LIST How},                    \
                           Side{CF_LIST Send}, Side{CF_LIST Receive}),                             \
                request, [&] { return CF_INIT(Function)(CF_LIST Args, info, request); });          \
  }                                                                                                \
  int cf_v1_mpi_##stem##_init_augment(CF_LIST Params, MPI_Info info, MPI_Request *request,         \
                                      void *sendbuf_shadow, void *recvbuf_shadow, cf_tape *,       \
                                      cf_mpi_record **record) {                                    \
    *record = nullptr;                                                                             \
    return make(persistent(MovementCall{"MPI_" #Function "_init", CF_LIST How},                    \
                           Side{CF_LIST Send}, Side{CF_LIST Receive}),                             \
                request, [&] { return CF_INIT(Function)(CF_LIST Args, info, request); });          \
  }                                                                                                \
  void cf_v1_mpi_##stem##_init_adjoint(cf_mpi_record *) {}

CF_MOVEMENT(gather, Gather,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
            (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
            (Pattern::Gather, comm, root), (sendbuf, sendbuf_shadow, sendtype, sendcount),
            (recvbuf, recvbuf_shadow, recvtype, recvcount))

CF_MOVEMENT(gatherv, Gatherv,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int *recvcounts, const int *displs, MPI_Datatype recvtype, int root,
             MPI_Comm comm),
            (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm),
            (Pattern::Gather, comm, root, true), (sendbuf, sendbuf_shadow, sendtype, sendcount),
            (recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, displs))

CF_MOVEMENT(scatter, Scatter,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
            (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
            (Pattern::Scatter, comm, root), (sendbuf, sendbuf_shadow, sendtype, sendcount),
            (recvbuf, recvbuf_shadow, recvtype, recvcount))

CF_MOVEMENT(scatterv, Scatterv,
            (const void *sendbuf, const int *sendcounts, const int *displs, MPI_Datatype sendtype,
             void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
            (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),
            (Pattern::Scatter, comm, root, true),
            (sendbuf, sendbuf_shadow, sendtype, 0, sendcounts, displs),
            (recvbuf, recvbuf_shadow, recvtype, recvcount))

CF_MOVEMENT(allgather, Allgather,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm),
            (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
            (Pattern::Allgather, comm), (sendbuf, sendbuf_shadow, sendtype, sendcount),
            (recvbuf, recvbuf_shadow, recvtype, recvcount))

CF_MOVEMENT(allgatherv, Allgatherv,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int *recvcounts, const int *displs, MPI_Datatype recvtype, MPI_Comm comm),
            (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
            (Pattern::Allgather, comm), (sendbuf, sendbuf_shadow, sendtype, sendcount),
            (recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, displs))

CF_MOVEMENT(alltoall, Alltoall,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm),
            (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
            (Pattern::Alltoall, comm), (sendbuf, sendbuf_shadow, sendtype, sendcount),
            (recvbuf, recvbuf_shadow, recvtype, recvcount))

CF_MOVEMENT(alltoallv, Alltoallv,
            (const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype sendtype,
             void *recvbuf, const int *recvcounts, const int *rdispls, MPI_Datatype recvtype,
             MPI_Comm comm),
            (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),
            (Pattern::Alltoall, comm, 0, true),
            (sendbuf, sendbuf_shadow, sendtype, 0, sendcounts, sdispls),
            (recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, rdispls))

CF_MOVEMENT(alltoallw, Alltoallw,
            (const void *sendbuf, const int *sendcounts, const int *sdispls,
             const MPI_Datatype *sendtypes, void *recvbuf, const int *recvcounts,
             const int *rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm),
            (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
             comm),
            (Pattern::Alltoall, comm, 0, true),
            (typed(sendbuf, sendbuf_shadow, sendcounts, sdispls, sendtypes)),
            (typed(recvbuf, recvbuf_shadow, recvcounts, rdispls, recvtypes)))

CF_MOVEMENT(neighbor_allgather, Neighbor_allgather,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm),
            (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
            (Pattern::Neighbours, comm, 0, true, true),
            (sendbuf, sendbuf_shadow, sendtype, sendcount),
            (recvbuf, recvbuf_shadow, recvtype, recvcount))

CF_MOVEMENT(neighbor_allgatherv, Neighbor_allgatherv,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int *recvcounts, const int *displs, MPI_Datatype recvtype, MPI_Comm comm),
            (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
            (Pattern::Neighbours, comm, 0, true, true),
            (sendbuf, sendbuf_shadow, sendtype, sendcount),
            (recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, displs))

CF_MOVEMENT(neighbor_alltoall, Neighbor_alltoall,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm),
            (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
            (Pattern::Neighbours, comm, 0, true), (sendbuf, sendbuf_shadow, sendtype, sendcount),
            (recvbuf, recvbuf_shadow, recvtype, recvcount))

CF_MOVEMENT(neighbor_alltoallv, Neighbor_alltoallv,
            (const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype sendtype,
             void *recvbuf, const int *recvcounts, const int *rdispls, MPI_Datatype recvtype,
             MPI_Comm comm),
            (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),
            (Pattern::Neighbours, comm, 0, true),
            (sendbuf, sendbuf_shadow, sendtype, 0, sendcounts, sdispls),
            (recvbuf, recvbuf_shadow, recvtype, 0, recvcounts, rdispls))

CF_MOVEMENT(neighbor_alltoallw, Neighbor_alltoallw,
            (const void *sendbuf, const int *sendcounts, const MPI_Aint *sdispls,
             const MPI_Datatype *sendtypes, void *recvbuf, const int *recvcounts,
             const MPI_Aint *rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm),
            (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
             comm),
            (Pattern::Neighbours, comm, 0, true),
            (typed(sendbuf, sendbuf_shadow, sendcounts, sdispls, sendtypes)),
            (typed(recvbuf, recvbuf_shadow, recvcounts, rdispls, recvtypes)))
