// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of abi_mpi.def that complete requests. Which requests completed, and what arrived,
// is known now and recorded; in reverse the completed messages are opened (PointToPoint.h) in one
// go:
//
//   MPI_Waitall(n, requests)   reverse: post the receives for all sends among them, then send back
//   r-bar of
//                              all receives
//
// A call that completes nothing leaves no record; but a pointer is kept for every call (Asking.h).
// MPI_Request_get_status that says "complete" is a completion, because what was received may be
// read from then on; the later MPI_Wait finds none.

#include "mpi/Asking.h"
#include "mpi/FileReads.h"
#include "mpi/NonblockingCollective.h"
#include "mpi/Persistent.h"
#include "mpi/PointToPoint.h"
#include "mpi/Refuse.h"
#include "mpi/RequestTable.h"
#include "mpi/Watch.h"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace contraflow::mpi;
using Role = cf_mpi_record::Role;

namespace {

/// What one call completed; that many pointers follow it on the tape.
struct Completion : cf_mpi_record {
  std::int64_t Count = 0;
  cf_mpi_record **starts() { return reinterpret_cast<cf_mpi_record **>(this + 1); }
};

/// Takes in what is known now that a request has completed; the end of records of tangents.
void complete(cf_mpi_record *R, const MPI_Status &Status) {
  if (R->Kind == Role::Collective) {
    complete(static_cast<NonblockingCollective &>(*R));
  } else if (R->Kind == Role::TangentCollective) {
    const std::unique_ptr<NonblockingCollective> C(static_cast<NonblockingCollective *>(R));
    finishTangent(*C);
  } else if (R->Kind == Role::Read || R->Kind == Role::TangentRead) {
    completeRead(R, Status);
  } else {
    complete(static_cast<Message &>(*R), Status);
  }
}

/// Its completion has a reverse.
bool isReversed(Role Kind) {
  return Kind != Role::TangentCollective && Kind != Role::Read && Kind != Role::TangentRead;
}

bool isMessage(Role Kind) {
  return Kind == Role::Send || Kind == Role::Receive || Kind == Role::TangentReceive;
}

/// Null: not the record of a tangent.
Communicator *communicatorOfTangent(cf_mpi_record &R) {
  if (R.Kind == Role::TangentReceive)
    return static_cast<Message &>(R).Comm;
  return R.Kind == Role::TangentCollective ? static_cast<NonblockingCollective &>(R).Comm : nullptr;
}

/// What one call works with. Each thread keeps it for its next call, which then allocates nothing.
struct Workspace {
  std::vector<MPI_Request> Handles;
  std::vector<cf_mpi_record *> Records;
  std::vector<cf_mpi_record *> Done;
  std::vector<std::unique_ptr<TangentMessage>> Arrived;
  std::vector<MPI_Status> Statuses;
};

thread_local Workspace Idle;

/// The requests of one call. Their records are taken out of the table before the primal call,
/// because a handle may be in use again as soon as that has completed it; those that stay active
/// are put back.
class Requests {
public:
  Requests(const MPI_Request *First, int Count) : W(std::exchange(Idle, {})) {
    W.Handles.assign(First, First + Count);
    W.Records.clear();
    for (const MPI_Request Handle : W.Handles)
      W.Records.push_back(RequestTable::get().take(Handle));
    W.Done.clear();
  }
  ~Requests() {
    receiveTangents();
    for (std::size_t I = 0; I < W.Handles.size(); ++I)
      if (W.Records[I])
        RequestTable::get().put(W.Handles[I], W.Records[I]);
    for (Communicator *C : Orphans)
      Communicator::requestCompleted(C);
    Idle = std::move(W);
  }
  Requests(const Requests &) = delete;
  Requests &operator=(const Requests &) = delete;

  void completed(std::size_t I, const MPI_Status &Status) {
    cf_mpi_record *R = std::exchange(W.Records[I], nullptr);
    if (!R)
      return;
    const Role Kind = R->Kind; // a collective of a tangent is gone afterwards
    if (Communicator *C = communicatorOfTangent(*R); C && C->isOrphan())
      Orphans.insert(C);
    complete(R, Status);
    if (Kind == Role::TangentReceive)
      W.Arrived.emplace_back(static_cast<TangentMessage *>(R));
    else if (isReversed(Kind))
      W.Done.push_back(R);
  }

  /// All that the call completed is known.
  void receiveTangents() {
    for (const auto &M : W.Arrived)
      receiveTangent(*M);
    W.Arrived.clear();
    for (const cf_mpi_record *R : W.Done)
      if (R->Kind == Role::Receive)
        receiveTangent(static_cast<const Message &>(*R));
  }

  /// The call looked whether this has completed. Those that wait have said so themselves.
  void looked(bool Found) const {
    const auto *Open = std::find_if(W.Records.data(), W.Records.data() + W.Records.size(),
                                    [](const cf_mpi_record *R) { return R && isMessage(R->Kind); });
    if (Open == W.Records.data() + W.Records.size())
      return contraflow::mpi::looked(Found);
    const auto &M = static_cast<const Message &>(**Open);
    contraflow::mpi::looked(Found, M.Comm->carrier(), M.Peer);
  }

  /// The statuses of the caller, or our own where the caller wants none.
  MPI_Status *statuses(MPI_Status *Theirs, int Count) {
    if (Theirs != MPI_STATUSES_IGNORE && Theirs != MPI_STATUS_IGNORE)
      return Theirs;
    W.Statuses.resize(static_cast<std::size_t>(std::max(Count, 1)));
    return W.Statuses.data();
  }

  /// The record of this call, or null.
  cf_mpi_record *record(cf_tape *Tape) const {
    if (W.Done.empty())
      return nullptr;
    const auto Count = static_cast<std::int64_t>(W.Done.size());
    auto *C = contraflow::mpi::record<Completion>(
        Tape, Count * static_cast<std::int64_t>(sizeof(cf_mpi_record *)));
    C->Count = Count;
    std::uninitialized_copy(W.Done.begin(), W.Done.end(), C->starts());
    return C;
  }

private:
  Workspace W;
  std::set<Communicator *> Orphans; ///< of completed requests
};

// Every function: the primal call, then what it completed. Each returns the primal's code.

int wait(Requests &R, MPI_Request *Request, MPI_Status *Status) {
  MPI_Status *S = R.statuses(Status, 1);
  const int Code = watched([&] { return PMPI_Wait(Request, S); });
  if (Code == MPI_SUCCESS)
    R.completed(0, S[0]);
  return Code;
}

int test(Requests &R, MPI_Request *Request, int *Flag, MPI_Status *Status) {
  MPI_Status *S = R.statuses(Status, 1);
  const int Code =
      askPatiently([&] { return PMPI_Test(Request, Flag, S); }, [&] { return *Flag != 0; });
  R.looked(Code != MPI_SUCCESS || *Flag);
  if (Code == MPI_SUCCESS && *Flag)
    R.completed(0, S[0]);
  return Code;
}

int getStatus(Requests &R, MPI_Request Request, int *Flag, MPI_Status *Status) {
  MPI_Status *S = R.statuses(Status, 1);
  const int Code = askPatiently([&] { return PMPI_Request_get_status(Request, Flag, S); },
                                [&] { return *Flag != 0; });
  R.looked(Code != MPI_SUCCESS || *Flag);
  if (Code == MPI_SUCCESS && *Flag)
    R.completed(0, S[0]);
  return Code;
}

void allCompleted(Requests &R, int Count, const MPI_Status *S) {
  for (int I = 0; I < Count; ++I)
    R.completed(static_cast<std::size_t>(I), S[I]);
}

int waitAll(Requests &R, int Count, MPI_Request *Theirs, MPI_Status *Status) {
  MPI_Status *S = R.statuses(Status, Count);
  const int Code = watched([&] { return PMPI_Waitall(Count, Theirs, S); });
  if (Code == MPI_SUCCESS)
    allCompleted(R, Count, S);
  return Code;
}

int testAll(Requests &R, int Count, MPI_Request *Theirs, int *Flag, MPI_Status *Status) {
  MPI_Status *S = R.statuses(Status, Count);
  const int Code = askPatiently([&] { return PMPI_Testall(Count, Theirs, Flag, S); },
                                [&] { return *Flag != 0; });
  R.looked(Code != MPI_SUCCESS || *Flag);
  if (Code == MPI_SUCCESS && *Flag)
    allCompleted(R, Count, S);
  return Code;
}

int waitAny(Requests &R, int Count, MPI_Request *Theirs, int *Index, MPI_Status *Status) {
  MPI_Status *S = R.statuses(Status, 1);
  const int Code = watched([&] { return PMPI_Waitany(Count, Theirs, Index, S); });
  if (Code == MPI_SUCCESS && *Index != MPI_UNDEFINED)
    R.completed(static_cast<std::size_t>(*Index), S[0]);
  return Code;
}

struct AnyTest {
  int *Index, *Flag;
};

int testAny(Requests &R, int Count, MPI_Request *Theirs, AnyTest Result, MPI_Status *Status) {
  MPI_Status *S = R.statuses(Status, 1);
  const int Code =
      askPatiently([&] { return PMPI_Testany(Count, Theirs, Result.Index, Result.Flag, S); },
                   [&] { return *Result.Flag != 0; });
  R.looked(Code != MPI_SUCCESS || *Result.Flag);
  if (Code == MPI_SUCCESS && *Result.Flag && *Result.Index != MPI_UNDEFINED)
    R.completed(static_cast<std::size_t>(*Result.Index), S[0]);
  return Code;
}

struct SomeResult {
  int *Count, *Indices;
};

void someCompleted(Requests &R, SomeResult Result, const MPI_Status *S) {
  if (*Result.Count != MPI_UNDEFINED)
    for (int I = 0; I < *Result.Count; ++I)
      R.completed(static_cast<std::size_t>(Result.Indices[I]), S[I]);
}

int waitSome(Requests &R, int Count, MPI_Request *Theirs, SomeResult Result, MPI_Status *Status) {
  MPI_Status *S = R.statuses(Status, Count);
  const int Code =
      watched([&] { return PMPI_Waitsome(Count, Theirs, Result.Count, Result.Indices, S); });
  if (Code == MPI_SUCCESS)
    someCompleted(R, Result, S);
  return Code;
}

int testSome(Requests &R, int Count, MPI_Request *Theirs, SomeResult Result, MPI_Status *Status) {
  MPI_Status *S = R.statuses(Status, Count);
  const int Code =
      askPatiently([&] { return PMPI_Testsome(Count, Theirs, Result.Count, Result.Indices, S); },
                   [&] { return *Result.Count != 0; });
  R.looked(Code != MPI_SUCCESS || *Result.Count != 0);
  if (Code == MPI_SUCCESS)
    someCompleted(R, Result, S);
  return Code;
}

void open(cf_mpi_record &R) {
  if (R.Kind == Role::Collective)
    openAdjoint(static_cast<NonblockingCollective &>(R));
  else
    openAdjoint(static_cast<Message &>(R));
}

/// Receives are posted first: what the other side sends back then finds them.
void reverse(cf_mpi_record *Record) {
  if (!Record)
    return;
  auto &C = static_cast<Completion &>(*Record);
  const std::span<cf_mpi_record *> Starts(C.starts(), static_cast<std::size_t>(C.Count));
  for (cf_mpi_record *R : Starts)
    if (R->Kind == Role::Send)
      open(*R);
  for (cf_mpi_record *R : Starts)
    if (R->Kind != Role::Send)
      open(*R);
}

} // namespace

int cf_v1_mpi_wait_tangent(MPI_Request *request, MPI_Status *status) {
  Requests R(request, 1);
  return wait(R, request, status);
}

int cf_v1_mpi_wait_augment(MPI_Request *request, MPI_Status *status, cf_tape *tape,
                           cf_mpi_record **record) {
  Requests R(request, 1);
  const int Code = wait(R, request, status);
  *record = R.record(tape);
  return Code;
}

void cf_v1_mpi_wait_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_waitall_tangent(int count, MPI_Request *requests, MPI_Status *statuses) {
  Requests R(requests, count);
  return waitAll(R, count, requests, statuses);
}

int cf_v1_mpi_waitall_augment(int count, MPI_Request *requests, MPI_Status *statuses, cf_tape *tape,
                              cf_mpi_record **record) {
  Requests R(requests, count);
  const int Code = waitAll(R, count, requests, statuses);
  *record = R.record(tape);
  return Code;
}

void cf_v1_mpi_waitall_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_waitany_tangent(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  Requests R(requests, count);
  return waitAny(R, count, requests, index, status);
}

int cf_v1_mpi_waitany_augment(int count, MPI_Request *requests, int *index, MPI_Status *status,
                              cf_tape *tape, cf_mpi_record **record) {
  Requests R(requests, count);
  const int Code = waitAny(R, count, requests, index, status);
  *record = R.record(tape);
  return Code;
}

void cf_v1_mpi_waitany_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_waitsome_tangent(int incount, MPI_Request *requests, int *outcount, int *indices,
                               MPI_Status *statuses) {
  Requests R(requests, incount);
  return waitSome(R, incount, requests, {outcount, indices}, statuses);
}

int cf_v1_mpi_waitsome_augment(int incount, MPI_Request *requests, int *outcount, int *indices,
                               MPI_Status *statuses, cf_tape *tape, cf_mpi_record **record) {
  Requests R(requests, incount);
  const int Code = waitSome(R, incount, requests, {outcount, indices}, statuses);
  *record = R.record(tape);
  return Code;
}

void cf_v1_mpi_waitsome_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_test_tangent(MPI_Request *request, int *flag, MPI_Status *status) {
  Requests R(request, 1);
  return test(R, request, flag, status);
}

int cf_v1_mpi_test_augment(MPI_Request *request, int *flag, MPI_Status *status, cf_tape *tape,
                           cf_mpi_record **record) {
  Requests R(request, 1);
  const int Code = test(R, request, flag, status);
  *record = R.record(tape);
  return Code;
}

void cf_v1_mpi_test_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_request_get_status_tangent(MPI_Request request, int *flag, MPI_Status *status) {
  Requests R(&request, 1);
  return getStatus(R, request, flag, status);
}

int cf_v1_mpi_request_get_status_augment(MPI_Request request, int *flag, MPI_Status *status,
                                         cf_tape *tape, cf_mpi_record **record) {
  Requests R(&request, 1);
  const int Code = getStatus(R, request, flag, status);
  *record = R.record(tape);
  return Code;
}

void cf_v1_mpi_request_get_status_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_testall_tangent(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  Requests R(requests, count);
  return testAll(R, count, requests, flag, statuses);
}

int cf_v1_mpi_testall_augment(int count, MPI_Request *requests, int *flag, MPI_Status *statuses,
                              cf_tape *tape, cf_mpi_record **record) {
  Requests R(requests, count);
  const int Code = testAll(R, count, requests, flag, statuses);
  *record = R.record(tape);
  return Code;
}

void cf_v1_mpi_testall_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_testany_tangent(int count, MPI_Request *requests, int *index, int *flag,
                              MPI_Status *status) {
  Requests R(requests, count);
  return testAny(R, count, requests, {index, flag}, status);
}

int cf_v1_mpi_testany_augment(int count, MPI_Request *requests, int *index, int *flag,
                              MPI_Status *status, cf_tape *tape, cf_mpi_record **record) {
  Requests R(requests, count);
  const int Code = testAny(R, count, requests, {index, flag}, status);
  *record = R.record(tape);
  return Code;
}

void cf_v1_mpi_testany_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_testsome_tangent(int incount, MPI_Request *requests, int *outcount, int *indices,
                               MPI_Status *statuses) {
  Requests R(requests, incount);
  return testSome(R, incount, requests, {outcount, indices}, statuses);
}

int cf_v1_mpi_testsome_augment(int incount, MPI_Request *requests, int *outcount, int *indices,
                               MPI_Status *statuses, cf_tape *tape, cf_mpi_record **record) {
  Requests R(requests, incount);
  const int Code = testSome(R, incount, requests, {outcount, indices}, statuses);
  *record = R.record(tape);
  return Code;
}

void cf_v1_mpi_testsome_adjoint(cf_mpi_record *record) { reverse(record); }

// A send that is freed while it is active: its adjoint is opened where it was started.

int cf_v1_mpi_request_free_tangent(MPI_Request *request) {
  const cf_mpi_record *Active = RequestTable::get().take(*request);
  if (Active && Active->Kind == Role::TangentReceive)
    refuse(Refusal::NotCompleted, "the receive of a message with tag " +
                                      std::to_string(static_cast<const Message *>(Active)->Tag));
  forgetPersistent(*request);
  return PMPI_Request_free(request);
}

int cf_v1_mpi_request_free_augment(MPI_Request *request, cf_tape *, cf_mpi_record **record) {
  *record = nullptr;
  RequestTable::get().take(*request);
  forgetPersistent(*request);
  return PMPI_Request_free(request);
}

void cf_v1_mpi_request_free_adjoint(cf_mpi_record *) {}
