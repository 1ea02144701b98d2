// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI_Mprobe and MPI_Mrecv of abi_mpi.def. A message is matched, and so gets its number, by the
// probe; the receive only fetches it. The record is the probe's, so that in reverse it is there
// until the receive has been reversed.
//
//   MPI_Mrecv   reverse: the reverse of MPI_Recv          MPI_Imrecv   reverse: that of MPI_Irecv
//   MPI_Mprobe  reverse: nothing

#include "mpi/Absolute.h"
#include "mpi/Asking.h"
#include "mpi/PointToPoint.h"
#include "mpi/Refuse.h"
#include "mpi/RequestTable.h"
#include "mpi/Watch.h"

#include <map>
#include <memory>
#include <mutex>

using namespace contraflow::mpi;
using Role = cf_mpi_record::Role;

namespace {

std::mutex Lock;

/// Messages that have been matched and not yet received.
std::map<MPI_Message, Message *> &matched() {
  static auto *Only = new std::map<MPI_Message, Message *>; // outlives every other static object
  return *Only;
}

void remember(MPI_Message Handle, Message *M) {
  const std::scoped_lock Guard(Lock);
  matched().insert_or_assign(Handle, M);
}

Message *take(MPI_Message Handle, const char *Function) {
  const std::scoped_lock Guard(Lock);
  const auto Row = matched().find(Handle);
  if (Row == matched().end())
    refuse(Refusal::MessageUnknown, Function);
  Message *M = Row->second;
  matched().erase(Row);
  return M;
}

struct Probe {
  int Source, Tag;
  MPI_Comm Comm;
  MPI_Message *Handle;
  MPI_Status *Status;
};

/// One look; Make() gives the record of a message that was found.
template <class Action> int probe(const Probe &P, int *Flag, Action Make) {
  MPI_Status Own;
  MPI_Status *Status = P.Status == MPI_STATUS_IGNORE ? &Own : P.Status;
  Communicator &Comm = Communicator::of(P.Comm);
  // Matching and numbering are one step, as for receives.
  const std::scoped_lock Guard(Comm.lock());
  const int Code = PMPI_Improbe(P.Source, P.Tag, P.Comm, Flag, P.Handle, Status);
  if (Code != MPI_SUCCESS || !*Flag || *P.Handle == MPI_MESSAGE_NO_PROC)
    return Code;
  Message *M = Make();
  M->Comm = &Comm;
  M->Peer = Status->MPI_SOURCE;
  M->Tag = Status->MPI_TAG;
  Comm.matched(*M);
  remember(*P.Handle, M);
  return Code;
}

Message *onHeap() { return new TangentMessage; }

int untilFound(const Probe &P, Message *(*Make)(cf_tape *), cf_tape *Tape) {
  int Flag = 0, Code = MPI_SUCCESS;
  const Watch Waits(Communicator::of(P.Comm).carrier(), P.Source);
  while (!Flag && Code == MPI_SUCCESS)
    Code = probe(P, &Flag, [&] { return Make(Tape); });
  return Code;
}

/// Fills in what the receive knows. Null: from MPI_PROC_NULL.
Message *receiver(Role Kind, const Buffer &Data, MPI_Message Handle, const char *Function) {
  if (Handle == MPI_MESSAGE_NO_PROC)
    return nullptr;
  Message *M = take(Handle, Function);
  M->Kind = Kind;
  M->Shadow = messageViewOf(Data);
  describeUnseen(*M, Data);
  return M;
}

int receive(Message *M, const Buffer &Data, MPI_Message *Handle, MPI_Status *Status) {
  MPI_Status Own;
  MPI_Status *Here = Status == MPI_STATUS_IGNORE ? &Own : Status;
  const int Code = watched([&] {
    return PMPI_Mrecv(const_cast<void *>(Data.Primal), static_cast<int>(Data.Count), Data.Type,
                      Handle, Here);
  });
  if (Code == MPI_SUCCESS && M) {
    complete(*M, *Here);
    receiveTangent(*M);
  }
  return Code;
}

int start(Message *M, const Buffer &Data, MPI_Message *Handle, MPI_Request *Request) {
  const int Code = PMPI_Imrecv(const_cast<void *>(Data.Primal), static_cast<int>(Data.Count),
                               Data.Type, Handle, Request);
  if (Code == MPI_SUCCESS && M)
    RequestTable::get().put(*Request, M);
  return Code;
}

} // namespace

int cf_v1_mpi_mprobe_tangent(int source, int tag, MPI_Comm comm, MPI_Message *message,
                             MPI_Status *status) {
  return untilFound(
      {source, tag, comm, message, status}, [](cf_tape *) { return onHeap(); }, nullptr);
}

int cf_v1_mpi_mprobe_augment(int source, int tag, MPI_Comm comm, MPI_Message *message,
                             MPI_Status *status, cf_tape *tape, cf_mpi_record **record) {
  *record = nullptr;
  return untilFound(
      {source, tag, comm, message, status},
      [](cf_tape *Tape) { return contraflow::mpi::record<Message>(Tape); }, tape);
}

void cf_v1_mpi_mprobe_adjoint(cf_mpi_record *) {}

int cf_v1_mpi_improbe_tangent(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                              MPI_Status *status) {
  const int Code =
      askPatiently([&] { return probe({source, tag, comm, message, status}, flag, onHeap); },
                   [&] { return *flag != 0; });
  looked(Code != MPI_SUCCESS || *flag, comm, source);
  return Code;
}

int cf_v1_mpi_improbe_augment(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                              MPI_Status *status, cf_tape *tape, cf_mpi_record **record) {
  *record = nullptr;
  const auto Make = [&] { return contraflow::mpi::record<Message>(tape); };
  const int Code =
      askPatiently([&] { return probe({source, tag, comm, message, status}, flag, Make); },
                   [&] { return *flag != 0; });
  looked(Code != MPI_SUCCESS || *flag, comm, source);
  return Code;
}

void cf_v1_mpi_improbe_adjoint(cf_mpi_record *) {}

int cf_v1_mpi_mrecv_tangent(void *buf, int count, MPI_Datatype type, MPI_Message *message,
                            MPI_Status *status, void *buf_shadow) {
  const Buffer Data = {buf, buf_shadow, count, type};
  const std::unique_ptr<TangentMessage> M(
      static_cast<TangentMessage *>(receiver(Role::TangentReceive, Data, *message, "MPI_Mrecv")));
  return receive(M.get(), Data, message, status);
}

int cf_v1_mpi_mrecv_augment(void *buf, int count, MPI_Datatype type, MPI_Message *message,
                            MPI_Status *status, void *buf_shadow, cf_tape *tape,
                            cf_mpi_record **record) {
  const Buffer Data = {buf, buf_shadow, count, type};
  Message *M = receiver(Role::Receive, Data, *message, "MPI_Mrecv");
  if (M)
    keepOnTape(*M, tape);
  *record = M;
  return receive(M, Data, message, status);
}

void cf_v1_mpi_mrecv_adjoint(cf_mpi_record *record) {
  if (!record)
    return;
  auto &M = static_cast<Message &>(*record);
  openAdjoint(M);
  closeAdjoint(M);
}

int cf_v1_mpi_imrecv_tangent(void *buf, int count, MPI_Datatype type, MPI_Message *message,
                             MPI_Request *request, void *buf_shadow) {
  const Buffer Data = {buf, buf_shadow, count, type};
  Message *M = receiver(Role::TangentReceive, Data, *message, "MPI_Imrecv");
  if (M)
    static_cast<TangentMessage *>(M)->keep();
  return start(M, Data, message, request);
}

int cf_v1_mpi_imrecv_augment(void *buf, int count, MPI_Datatype type, MPI_Message *message,
                             MPI_Request *request, void *buf_shadow, cf_tape *tape,
                             cf_mpi_record **record) {
  const Buffer Data = {buf, buf_shadow, count, type};
  Message *M = receiver(Role::Receive, Data, *message, "MPI_Imrecv");
  if (M)
    keepOnTape(*M, tape);
  *record = M;
  return start(M, Data, message, request);
}

void cf_v1_mpi_imrecv_adjoint(cf_mpi_record *record) {
  if (record)
    closeAdjoint(static_cast<Message &>(*record));
}

// A probe that matches nothing only waits; what it decides is in the record of the receive.

static int probed(int Source, int Tag, MPI_Comm Comm, MPI_Status *Status) {
  const Watch Waits(Communicator::of(Comm).carrier(), Source);
  return PMPI_Probe(Source, Tag, Comm, Status);
}

int cf_v1_mpi_probe_tangent(int source, int tag, MPI_Comm comm, MPI_Status *status) {
  return probed(source, tag, comm, status);
}

int cf_v1_mpi_probe_augment(int source, int tag, MPI_Comm comm, MPI_Status *status, cf_tape *,
                            cf_mpi_record **record) {
  *record = nullptr;
  return probed(source, tag, comm, status);
}

void cf_v1_mpi_probe_adjoint(cf_mpi_record *) {}
