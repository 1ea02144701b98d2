// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Persistent requests of abi_mpi.def. Their arguments, shadows included, are kept from
// MPI_Send_init and its relatives until MPI_Request_free; every start is a message of its own
// (PointToPoint.h) with these arguments, or a collective (PersistentCollective.h).
//
//   MPI_Start   reverse: the reverse of MPI_Isend, MPI_Irecv, MPI_Ibcast, ...
//
// A request that was made where nobody told us has no shadow: starting it is refused.

#include "mpi/Persistent.h"
#include "mpi/Absolute.h"

#include "mpi/PersistentCollective.h"
#include "mpi/PointToPoint.h"
#include "mpi/Refuse.h"
#include "mpi/RequestTable.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using namespace contraflow::mpi;
using Role = cf_mpi_record::Role;

namespace {

struct Persistent {
  Role Kind;
  Transfer Arguments;
  std::shared_ptr<std::byte[]> Shadows = nullptr;             ///< what Arguments.Data.All refers to
  std::shared_ptr<PersistentCollective> Collective = nullptr; ///< then there are no arguments
};

std::mutex Lock;

std::map<MPI_Request, Persistent> &known() {
  static auto *Only = new std::map<MPI_Request, Persistent>; // outlives every other static object
  return *Only;
}

int made(int Code, MPI_Request Request, Persistent P) {
  if (Code == MPI_SUCCESS) {
    Buffer &Data = P.Arguments.Data;
    const View V = messageViewOf(Data);
    const Directions *None = nullptr;
    Data.Known = V.L;
    Data.Count = itemsOf(V, Data.Count);
    Data.Shadow = V.Base;
    Data.All = V.All;
    P.Shadows = keepDirections(Data.All, None);
    const std::scoped_lock Guard(Lock);
    known().insert_or_assign(Request, P);
  }
  return Code;
}

Persistent find(MPI_Request Request) {
  const std::scoped_lock Guard(Lock);
  const auto Row = known().find(Request);
  if (Row == known().end())
    refuse(Refusal::PersistentUnknown, "MPI_Start");
  return Row->second;
}

/// Starts the primal and fills in M.
int start(const Persistent &P, Message &M, Role Receiving, MPI_Request *Request) {
  const auto Primal = [&] { return PMPI_Start(Request); };
  if (!describe(M, P.Kind == Role::Send ? Role::Send : Receiving, P.Arguments))
    return Primal();
  return P.Kind == Role::Send ? M.Comm->startSend(M, Primal) : M.Comm->startReceive(M, Primal);
}

int startTangent(MPI_Request *Request) {
  const Persistent P = find(*Request);
  if (P.Collective)
    return P.Collective->startTangent(Request);
  auto M = std::make_unique<TangentMessage>();
  const int Code = start(P, *M, Role::TangentReceive, Request);
  if (Code != MPI_SUCCESS)
    return Code;
  if (M->Kind == Role::Send)
    sendTangent(*M);
  else if (M->Kind == Role::TangentReceive) {
    M->keep();
    M->Request = *Request;
    RequestTable::get().put(*Request, M.release());
  }
  return Code;
}

int augmentStart(MPI_Request *Request, cf_tape *Tape, cf_mpi_record *&Record) {
  const Persistent P = find(*Request);
  Record = nullptr;
  if (P.Collective)
    return P.Collective->augmentStart(Request, Tape, Record);
  auto *M = record<Message>(Tape);
  Record = M;
  const int Code = start(P, *M, Role::Receive, Request);
  if (Code != MPI_SUCCESS || M->Kind == Role::None)
    return Code;
  keepOnTape(*M, Tape);
  RequestTable::get().put(*Request, M);
  return Code;
}

void reverseStart(cf_mpi_record *Record) {
  if (!Record)
    return;
  if (Record->Kind == Role::Collective)
    closeAdjoint(static_cast<NonblockingCollective &>(*Record));
  else
    closeAdjoint(static_cast<Message &>(*Record));
}

/// The records of what MPI_Startall has started; pointers to them follow it on the tape.
struct Startall : cf_mpi_record {
  std::int64_t Count = 0;
  cf_mpi_record **starts() { return reinterpret_cast<cf_mpi_record **>(this + 1); }
};

} // namespace

void contraflow::mpi::keepPersistent(MPI_Request Request,
                                     std::unique_ptr<PersistentCollective> What) {
  forgetPersistent(Request); // freed where nobody told us
  Persistent P = {Role::Collective, {}};
  P.Collective = std::move(What);
  const std::scoped_lock Guard(Lock);
  known().emplace(Request, P);
}

void contraflow::mpi::forgetPersistent(MPI_Request Request) {
  decltype(known().extract(Request)) Gone; // its end may communicate
  const std::scoped_lock Guard(Lock);
  Gone = known().extract(Request);
}

#define CF_SEND_INIT(stem, Function)                                                               \
  int cf_v1_mpi_##stem##_tangent(const void *buf, int count, MPI_Datatype type, int dest, int tag, \
                                 MPI_Comm comm, MPI_Request *request, void *buf_shadow) {          \
    const int Code = PMPI_##Function(buf, count, type, dest, tag, comm, request);                  \
    return made(Code, *request, {Role::Send, {{buf, buf_shadow, count, type}, dest, tag, comm}});  \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(const void *buf, int count, MPI_Datatype type, int dest, int tag, \
                                 MPI_Comm comm, MPI_Request *request, void *buf_shadow, cf_tape *, \
                                 cf_mpi_record **record) {                                         \
    *record = nullptr;                                                                             \
    return cf_v1_mpi_##stem##_tangent(buf, count, type, dest, tag, comm, request, buf_shadow);     \
  }                                                                                                \
  void cf_v1_mpi_##stem##_adjoint(cf_mpi_record *) {}

CF_SEND_INIT(send_init, Send_init)
CF_SEND_INIT(ssend_init, Ssend_init)
CF_SEND_INIT(rsend_init, Rsend_init)
CF_SEND_INIT(bsend_init, Bsend_init)

int cf_v1_mpi_recv_init_tangent(void *buf, int count, MPI_Datatype type, int source, int tag,
                                MPI_Comm comm, MPI_Request *request, void *buf_shadow) {
  const int Code = PMPI_Recv_init(buf, count, type, source, tag, comm, request);
  return made(Code, *request, {Role::Receive, {{buf, buf_shadow, count, type}, source, tag, comm}});
}

int cf_v1_mpi_recv_init_augment(void *buf, int count, MPI_Datatype type, int source, int tag,
                                MPI_Comm comm, MPI_Request *request, void *buf_shadow, cf_tape *,
                                cf_mpi_record **record) {
  *record = nullptr;
  return cf_v1_mpi_recv_init_tangent(buf, count, type, source, tag, comm, request, buf_shadow);
}

void cf_v1_mpi_recv_init_adjoint(cf_mpi_record *) {}

int cf_v1_mpi_start_tangent(MPI_Request *request) { return startTangent(request); }

int cf_v1_mpi_start_augment(MPI_Request *request, cf_tape *tape, cf_mpi_record **record) {
  return augmentStart(request, tape, *record);
}

void cf_v1_mpi_start_adjoint(cf_mpi_record *record) { reverseStart(record); }

int cf_v1_mpi_startall_tangent(int count, MPI_Request *requests) {
  int Code = MPI_SUCCESS;
  for (int I = 0; I < count && Code == MPI_SUCCESS; ++I)
    Code = startTangent(&requests[I]);
  return Code;
}

int cf_v1_mpi_startall_augment(int count, MPI_Request *requests, cf_tape *tape,
                               cf_mpi_record **record) {
  auto *S = contraflow::mpi::record<Startall>(tape, count * std::int64_t{sizeof(cf_mpi_record *)});
  std::uninitialized_fill_n(S->starts(), count, nullptr);
  S->Count = count;
  *record = S;
  int Code = MPI_SUCCESS;
  for (int I = 0; I < count && Code == MPI_SUCCESS; ++I)
    Code = augmentStart(&requests[I], tape, S->starts()[I]);
  return Code;
}

void cf_v1_mpi_startall_adjoint(cf_mpi_record *record) {
  if (!record)
    return;
  auto &S = static_cast<Startall &>(*record);
  for (std::int64_t I = S.Count; I-- > 0;)
    reverseStart(S.starts()[I]);
}
