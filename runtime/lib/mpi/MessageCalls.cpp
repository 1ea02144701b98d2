// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of abi_mpi.def that start messages. All of them become nonblocking primal calls,
// because starting a message and numbering it must be one step as seen by other threads; a blocking
// call then waits.

#include "mpi/PointToPoint.h"

#include "mpi/Outbox.h"
#include "mpi/RequestTable.h"
#include "mpi/Watch.h"

using namespace contraflow::mpi;
using Role = cf_mpi_record::Role;

namespace {

using SendFunction = int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

int startPrimal(SendFunction Send, const Transfer &T, MPI_Request *Request) {
  return Send(T.Data.Primal, static_cast<int>(T.Data.Count), T.Data.Type, T.Peer, T.Tag, T.Comm,
              Request);
}

int startPrimal(const Transfer &T, MPI_Request *Request) {
  return PMPI_Irecv(const_cast<void *>(T.Data.Primal), static_cast<int>(T.Data.Count), T.Data.Type,
                    T.Peer, T.Tag, T.Comm, Request);
}

int startSend(Message &M, SendFunction Send, const Transfer &T, MPI_Request *Request) {
  if (!describe(M, Role::Send, T))
    return startPrimal(Send, T, Request);
  return M.Comm->startSend(M, [&] { return startPrimal(Send, T, Request); });
}

int startReceive(Message &M, Role Kind, const Transfer &T, MPI_Request *Request) {
  if (!describe(M, Kind, T))
    return startPrimal(T, Request);
  return M.Comm->startReceive(M, [&] { return startPrimal(T, Request); });
}

/// Waits for the primal of a blocking call.
int finish(Message &M, MPI_Request *Request, MPI_Status *Status) {
  MPI_Status Own;
  MPI_Status *Here = Status == MPI_STATUS_IGNORE ? &Own : Status;
  const int Code = watched([&] { return PMPI_Wait(Request, Here); });
  if (Code != MPI_SUCCESS)
    return Code;
  if (M.Kind != Role::None) {
    complete(M, *Here);
    receiveTangent(M);
  } else if (Status != MPI_STATUS_IGNORE) // what the standard wants to see there
    PMPI_Recv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, Status);
  return Code;
}

// Nonblocking

int augmentStart(SendFunction Send, const Transfer &T, MPI_Request *Request, cf_tape *Tape,
                 cf_mpi_record **Record) {
  auto *M = record<Message>(Tape);
  *Record = M;
  const int Code = startSend(*M, Send, T, Request);
  if (Code != MPI_SUCCESS || M->Kind == Role::None)
    return Code;
  keepOnTape(*M, Tape);
  RequestTable::get().put(*Request, M);
  return Code;
}

int tangentStart(SendFunction Send, const Transfer &T, MPI_Request *Request) {
  Message M;
  const int Code = startSend(M, Send, T, Request);
  if (Code == MPI_SUCCESS && M.Kind != Role::None)
    sendTangent(M);
  return Code;
}

// Blocking

int augmentSend(SendFunction Send, const Transfer &T, cf_tape *Tape, cf_mpi_record **Record) {
  auto *M = record<Message>(Tape);
  *Record = M;
  MPI_Request Request = MPI_REQUEST_NULL;
  const int Code = startSend(*M, Send, T, &Request);
  if (Code != MPI_SUCCESS)
    return Code;
  keepOnTape(*M, Tape);
  return finish(*M, &Request, MPI_STATUS_IGNORE);
}

int tangentSend(SendFunction Send, const Transfer &T) {
  MPI_Request Request = MPI_REQUEST_NULL;
  const int Code = tangentStart(Send, T, &Request);
  if (Code != MPI_SUCCESS)
    return Code;
  return watched([&] { return PMPI_Wait(&Request, MPI_STATUS_IGNORE); });
}

/// On a tape, or in a tangent.
int receiveNow(Message &M, cf_tape *Tape, const Transfer &T, MPI_Status *Status) {
  MPI_Request Request = MPI_REQUEST_NULL;
  const int Code = startReceive(M, Tape ? Role::Receive : Role::TangentReceive, T, &Request);
  if (Code != MPI_SUCCESS)
    return Code;
  keepOnTape(M, Tape);
  return finish(M, &Request, Status);
}

void reverseStart(cf_mpi_record *Record) {
  if (Record)
    closeAdjoint(static_cast<Message &>(*Record));
}

void reverseBlocking(cf_mpi_record *Record) {
  if (!Record)
    return;
  auto &M = static_cast<Message &>(*Record);
  openAdjoint(M);
  closeAdjoint(M);
}

// Both directions at once

struct Exchange : cf_mpi_record {
  Message Sent, Received;
};

/// On a tape, or in a tangent. Post(request) starts the primal send. That comes first: if it fails,
/// no receive may take a message.
template <class Action>
int exchange(Exchange &E, cf_tape *Tape, const Transfer &Out, const Transfer &In,
             MPI_Status *Status, Action Post) {
  MPI_Request Sending = MPI_REQUEST_NULL, Arriving = MPI_REQUEST_NULL;
  const auto Start = [&] { return Post(&Sending); };
  int Code = describe(E.Sent, Role::Send, Out) ? E.Sent.Comm->startSend(E.Sent, Start) : Start();
  if (Code != MPI_SUCCESS)
    return Code;
  Code = startReceive(E.Received, Tape ? Role::Receive : Role::TangentReceive, In, &Arriving);
  keepOnTape(E.Sent, Tape);
  if (!Tape && E.Sent.Kind != Role::None)
    sendTangent(E.Sent);
  if (Code != MPI_SUCCESS) { // what is sent is sent
    PMPI_Request_free(&Sending);
    return Code;
  }
  keepOnTape(E.Received, Tape);
  Code = finish(E.Received, &Arriving, Status);
  const int SendCode = finish(E.Sent, &Sending, MPI_STATUS_IGNORE);
  return Code == MPI_SUCCESS ? SendCode : Code;
}

int exchange(Exchange &E, cf_tape *Tape, const Transfer &Out, const Transfer &In,
             MPI_Status *Status) {
  return exchange(E, Tape, Out, In, Status,
                  [&](MPI_Request *Request) { return startPrimal(PMPI_Isend, Out, Request); });
}

/// A private copy of a message's data, for a buffer that is overwritten while it is sent.
class Copy {
public:
  Copy(const Buffer &Data, MPI_Comm Comm) {
    int Size = 0;
    PMPI_Pack_size(static_cast<int>(Data.Count), Data.Type, Comm, &Size);
    Bytes = packedBuffer(Size);
    PMPI_Pack(Data.Primal, static_cast<int>(Data.Count), Data.Type, Bytes.get(), Size, &Length,
              Comm);
  }
  const std::byte *data() const { return Bytes.get(); }
  int length() const { return Length; }

private:
  Packed Bytes;
  int Length = 0;
};

int replace(Exchange &E, cf_tape *Tape, const Transfer &Out, const Transfer &In,
            MPI_Status *Status) {
  const Copy Data(Out.Data, Out.Comm);
  return exchange(E, Tape, Out, In, Status, [&](MPI_Request *Request) {
    return PMPI_Isend(Data.data(), Data.length(), MPI_PACKED, Out.Peer, Out.Tag, Out.Comm, Request);
  });
}

void reverseExchange(cf_mpi_record *Record) {
  if (!Record)
    return;
  auto &E = static_cast<Exchange &>(*Record);
  openAdjoint(E.Sent);
  openAdjoint(E.Received);
  closeAdjoint(E.Received);
  closeAdjoint(E.Sent);
}

} // namespace

// Every send mode is its nonblocking form and, if it blocks, a wait.

#define CF_BLOCKING_SEND(stem, Start)                                                              \
  int cf_v1_mpi_##stem##_tangent(const void *buf, int count, MPI_Datatype type, int dest, int tag, \
                                 MPI_Comm comm, void *buf_shadow) {                                \
    return tangentSend(Start, Transfer{{buf, buf_shadow, count, type}, dest, tag, comm});          \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(const void *buf, int count, MPI_Datatype type, int dest, int tag, \
                                 MPI_Comm comm, void *buf_shadow, cf_tape *tape,                   \
                                 cf_mpi_record **record) {                                         \
    return augmentSend(Start, Transfer{{buf, buf_shadow, count, type}, dest, tag, comm}, tape,     \
                       record);                                                                    \
  }                                                                                                \
  void cf_v1_mpi_##stem##_adjoint(cf_mpi_record *record) { reverseBlocking(record); }

CF_BLOCKING_SEND(send, PMPI_Isend)
CF_BLOCKING_SEND(ssend, PMPI_Issend)
CF_BLOCKING_SEND(rsend, PMPI_Irsend)
CF_BLOCKING_SEND(bsend, PMPI_Ibsend)

#define CF_NONBLOCKING_SEND(stem, Start)                                                           \
  int cf_v1_mpi_##stem##_tangent(const void *buf, int count, MPI_Datatype type, int dest, int tag, \
                                 MPI_Comm comm, MPI_Request *request, void *buf_shadow) {          \
    return tangentStart(Start, Transfer{{buf, buf_shadow, count, type}, dest, tag, comm},          \
                        request);                                                                  \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(const void *buf, int count, MPI_Datatype type, int dest, int tag, \
                                 MPI_Comm comm, MPI_Request *request, void *buf_shadow,            \
                                 cf_tape *tape, cf_mpi_record **record) {                          \
    return augmentStart(Start, Transfer{{buf, buf_shadow, count, type}, dest, tag, comm}, request, \
                        tape, record);                                                             \
  }                                                                                                \
  void cf_v1_mpi_##stem##_adjoint(cf_mpi_record *record) { reverseStart(record); }

CF_NONBLOCKING_SEND(isend, PMPI_Isend)
CF_NONBLOCKING_SEND(issend, PMPI_Issend)
CF_NONBLOCKING_SEND(irsend, PMPI_Irsend)
CF_NONBLOCKING_SEND(ibsend, PMPI_Ibsend)

int cf_v1_mpi_recv_tangent(void *buf, int count, MPI_Datatype type, int source, int tag,
                           MPI_Comm comm, MPI_Status *status, void *buf_shadow) {
  Message M;
  return receiveNow(M, nullptr, Transfer{{buf, buf_shadow, count, type}, source, tag, comm},
                    status);
}

int cf_v1_mpi_recv_augment(void *buf, int count, MPI_Datatype type, int source, int tag,
                           MPI_Comm comm, MPI_Status *status, void *buf_shadow, cf_tape *tape,
                           cf_mpi_record **record) {
  auto *M = contraflow::mpi::record<Message>(tape);
  *record = M;
  return receiveNow(*M, tape, Transfer{{buf, buf_shadow, count, type}, source, tag, comm}, status);
}

void cf_v1_mpi_recv_adjoint(cf_mpi_record *record) { reverseBlocking(record); }

int cf_v1_mpi_irecv_tangent(void *buf, int count, MPI_Datatype type, int source, int tag,
                            MPI_Comm comm, MPI_Request *request, void *buf_shadow) {
  auto M = std::make_unique<TangentMessage>();
  const int Code =
      startReceive(*M, Role::TangentReceive,
                   Transfer{{buf, buf_shadow, count, type}, source, tag, comm}, request);
  M->keep();
  M->Request = *request;
  if (Code == MPI_SUCCESS && M->Kind != Role::None)
    RequestTable::get().put(*request, M.release());
  return Code;
}

int cf_v1_mpi_irecv_augment(void *buf, int count, MPI_Datatype type, int source, int tag,
                            MPI_Comm comm, MPI_Request *request, void *buf_shadow, cf_tape *tape,
                            cf_mpi_record **record) {
  auto *M = contraflow::mpi::record<Message>(tape);
  *record = M;
  const int Code = startReceive(
      *M, Role::Receive, Transfer{{buf, buf_shadow, count, type}, source, tag, comm}, request);
  keepOnTape(*M, tape);
  if (Code == MPI_SUCCESS && M->Kind != Role::None)
    RequestTable::get().put(*request, M);
  return Code;
}

void cf_v1_mpi_irecv_adjoint(cf_mpi_record *record) { reverseStart(record); }

int cf_v1_mpi_sendrecv_tangent(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                               int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                               int source, int recvtag, MPI_Comm comm, MPI_Status *status,
                               void *sendbuf_shadow, void *recvbuf_shadow) {
  Exchange E;
  return exchange(
      E, nullptr, Transfer{{sendbuf, sendbuf_shadow, sendcount, sendtype}, dest, sendtag, comm},
      Transfer{{recvbuf, recvbuf_shadow, recvcount, recvtype}, source, recvtag, comm}, status);
}

int cf_v1_mpi_sendrecv_augment(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                               int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                               int source, int recvtag, MPI_Comm comm, MPI_Status *status,
                               void *sendbuf_shadow, void *recvbuf_shadow, cf_tape *tape,
                               cf_mpi_record **record) {
  auto *E = contraflow::mpi::record<Exchange>(tape);
  *record = E;
  return exchange(
      *E, tape, Transfer{{sendbuf, sendbuf_shadow, sendcount, sendtype}, dest, sendtag, comm},
      Transfer{{recvbuf, recvbuf_shadow, recvcount, recvtype}, source, recvtag, comm}, status);
}

void cf_v1_mpi_sendrecv_adjoint(cf_mpi_record *record) { reverseExchange(record); }

int cf_v1_mpi_sendrecv_replace_tangent(void *buf, int count, MPI_Datatype type, int dest,
                                       int sendtag, int source, int recvtag, MPI_Comm comm,
                                       MPI_Status *status, void *buf_shadow) {
  Exchange E;
  const Buffer Data = {buf, buf_shadow, count, type};
  return replace(E, nullptr, Transfer{Data, dest, sendtag, comm},
                 Transfer{Data, source, recvtag, comm}, status);
}

int cf_v1_mpi_sendrecv_replace_augment(void *buf, int count, MPI_Datatype type, int dest,
                                       int sendtag, int source, int recvtag, MPI_Comm comm,
                                       MPI_Status *status, void *buf_shadow, cf_tape *tape,
                                       cf_mpi_record **record) {
  auto *E = contraflow::mpi::record<Exchange>(tape);
  *record = E;
  const Buffer Data = {buf, buf_shadow, count, type};
  return replace(*E, tape, Transfer{Data, dest, sendtag, comm},
                 Transfer{Data, source, recvtag, comm}, status);
}

void cf_v1_mpi_sendrecv_replace_adjoint(cf_mpi_record *record) { reverseExchange(record); }
