// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nonblocking collectives of abi_mpi.def. Reductions of active data are sums: owners and
// products of others would have to be found without blocking.

#include "mpi/NonblockingCollective.h"

#include "mpi/Outbox.h"
#include "mpi/Refuse.h"
#include "mpi/RequestTable.h"

#include <climits>
#include <memory>

using namespace contraflow::mpi;
using Pattern = NonblockingCollective::Pattern;
using Role = cf_mpi_record::Role;

namespace {

struct Call {
  const char *Name;
  Pattern How;
  Buffer Given; ///< a broadcast: the one buffer
  Buffer Got;
  MPI_Op Op;
  int Root;
  MPI_Comm Comm;
};

/// False: nothing here carries a derivative, on any rank.
bool describe(NonblockingCollective &C, const Call &A) {
  const Buffer &Anywhere = A.Given.Primal == MPI_IN_PLACE ? A.Got : A.Given;
  const Layout &L = layoutOf(Anywhere.Type);
  const std::int64_t Leaves = Anywhere.Count * L.Leaves;
  if (Leaves == 0)
    return false;
  if (A.How != Pattern::Bcast && A.Op != MPI_SUM) {
    if (A.Given.Shadow || A.Got.Shadow)
      refuse(Refusal::Operator, A.Name);
    return false; // a rank for which it is active refuses
  }
  if (Leaves > INT_MAX)
    refuse(Refusal::TooLarge, A.Name);
  C.How = A.How;
  C.Root = A.Root;
  C.Count = static_cast<int>(Leaves);
  C.Leaves = L.Widest;
  C.Comm = &Communicator::collective(A.Comm, A.Name);
  const bool IsRoot = C.Comm->rank() == A.Root;
  if (A.How != Pattern::Bcast || IsRoot)
    C.Input = viewOf(Anywhere);
  if (A.How == Pattern::Allreduce || (A.How == Pattern::Reduce) == IsRoot)
    C.Result = viewOf(A.How == Pattern::Bcast ? A.Given : A.Got);
  return true;
}

template <class Action> int tangentOf(const Call &A, MPI_Request *Request, Action Primal) {
  auto C = std::make_unique<NonblockingCollective>();
  const bool Active = describe(*C, A);
  const int Code = Primal();
  if (Code != MPI_SUCCESS || !Active)
    return Code;
  C->Kind = Role::TangentCollective;
  startTangent(*C);
  if (C->Comm->size() == 1) // complete at once, so its handle may not be its own
    finishTangent(*C);
  else
    RequestTable::get().put(*Request, C.release());
  return Code;
}

template <class Action>
int augment(const Call &A, MPI_Request *Request, cf_tape *Tape, cf_mpi_record **Record,
            Action Primal) {
  NonblockingCollective Found;
  *Record = nullptr;
  const bool Active = describe(Found, A);
  const int Code = Primal();
  if (Code != MPI_SUCCESS || !Active)
    return Code;
  auto *C = record<NonblockingCollective>(Tape);
  *C = Found;
  C->Kind = Role::Collective;
  C->Comm->open().push_back(C);
  RequestTable::get().put(*Request, C);
  *Record = C;
  return Code;
}

void reverse(cf_mpi_record *Record) {
  if (Record)
    closeAdjoint(static_cast<NonblockingCollective &>(*Record));
}

} // namespace

int cf_v1_mpi_ibarrier_tangent(MPI_Comm comm, MPI_Request *request) {
  return PMPI_Ibarrier(comm, request);
}

int cf_v1_mpi_ibarrier_augment(MPI_Comm comm, MPI_Request *request, cf_tape *tape,
                               cf_mpi_record **record) {
  auto *C = contraflow::mpi::record<NonblockingCollective>(tape);
  *record = C;
  C->Kind = Role::Collective;
  C->Comm = &Communicator::collective(comm, "MPI_Ibarrier");
  const int Code = PMPI_Ibarrier(comm, request);
  C->Comm->open().push_back(C);
  if (Code == MPI_SUCCESS)
    RequestTable::get().put(*request, C);
  return Code;
}

void cf_v1_mpi_ibarrier_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_ibcast_tangent(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                             MPI_Request *request, void *buf_shadow) {
  const Buffer All = {buf, buf_shadow, count, type};
  return tangentOf({"MPI_Ibcast", Pattern::Bcast, All, All, MPI_OP_NULL, root, comm}, request,
                   [&] { return PMPI_Ibcast(buf, count, type, root, comm, request); });
}

int cf_v1_mpi_ibcast_augment(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                             MPI_Request *request, void *buf_shadow, cf_tape *tape,
                             cf_mpi_record **record) {
  const Buffer All = {buf, buf_shadow, count, type};
  return augment({"MPI_Ibcast", Pattern::Bcast, All, All, MPI_OP_NULL, root, comm}, request, tape,
                 record, [&] { return PMPI_Ibcast(buf, count, type, root, comm, request); });
}

void cf_v1_mpi_ibcast_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_ireduce_tangent(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                              MPI_Op op, int root, MPI_Comm comm, MPI_Request *request,
                              void *sendbuf_shadow, void *recvbuf_shadow) {
  const Buffer Given = {sendbuf, sendbuf_shadow, count, type};
  const Buffer Got = {recvbuf, recvbuf_shadow, count, type};
  return tangentOf({"MPI_Ireduce", Pattern::Reduce, Given, Got, op, root, comm}, request, [&] {
    return PMPI_Ireduce(sendbuf, recvbuf, count, type, op, root, comm, request);
  });
}

int cf_v1_mpi_ireduce_augment(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                              MPI_Op op, int root, MPI_Comm comm, MPI_Request *request,
                              void *sendbuf_shadow, void *recvbuf_shadow, cf_tape *tape,
                              cf_mpi_record **record) {
  const Buffer Given = {sendbuf, sendbuf_shadow, count, type};
  const Buffer Got = {recvbuf, recvbuf_shadow, count, type};
  return augment(
      {"MPI_Ireduce", Pattern::Reduce, Given, Got, op, root, comm}, request, tape, record,
      [&] { return PMPI_Ireduce(sendbuf, recvbuf, count, type, op, root, comm, request); });
}

void cf_v1_mpi_ireduce_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_iallreduce_tangent(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                 MPI_Op op, MPI_Comm comm, MPI_Request *request,
                                 void *sendbuf_shadow, void *recvbuf_shadow) {
  const Buffer Given = {sendbuf, sendbuf_shadow, count, type};
  const Buffer Got = {recvbuf, recvbuf_shadow, count, type};
  return tangentOf({"MPI_Iallreduce", Pattern::Allreduce, Given, Got, op, 0, comm}, request, [&] {
    return PMPI_Iallreduce(sendbuf, recvbuf, count, type, op, comm, request);
  });
}

int cf_v1_mpi_iallreduce_augment(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                 MPI_Op op, MPI_Comm comm, MPI_Request *request,
                                 void *sendbuf_shadow, void *recvbuf_shadow, cf_tape *tape,
                                 cf_mpi_record **record) {
  const Buffer Given = {sendbuf, sendbuf_shadow, count, type};
  const Buffer Got = {recvbuf, recvbuf_shadow, count, type};
  return augment({"MPI_Iallreduce", Pattern::Allreduce, Given, Got, op, 0, comm}, request, tape,
                 record,
                 [&] { return PMPI_Iallreduce(sendbuf, recvbuf, count, type, op, comm, request); });
}

void cf_v1_mpi_iallreduce_adjoint(cf_mpi_record *record) { reverse(record); }
