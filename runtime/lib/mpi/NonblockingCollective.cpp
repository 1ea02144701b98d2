// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every mirror takes the packed r-bar (zeros where a rank got nothing), leaves in place what
// amounts to the rank's input, and is itself nonblocking.

#include "mpi/NonblockingCollective.h"

#include "mpi/Outbox.h"
#include "mpi/RequestTable.h"

#include <cstring>

namespace contraflow::mpi {
namespace {

using Pattern = NonblockingCollective::Pattern;

void allocate(NonblockingCollective &C, const View &From) {
  const std::int64_t Bytes = C.Count * sizeOf(C.Leaves);
  C.Packed = packedBuffer(Bytes).release();
  if (From.Leaves == 0)
    std::memset(C.Packed, 0, static_cast<std::size_t>(Bytes));
  else
    From.packAs(C.Leaves, C.Packed);
}

/// Waits and hands the buffer over.
Packed take(NonblockingCollective &C) {
  PMPI_Wait(&C.Request, MPI_STATUS_IGNORE);
  Packed Data(C.Packed);
  C.Packed = nullptr;
  return Data;
}

void start(Pattern How, NonblockingCollective &C, MPI_Comm Comm) {
  const MPI_Datatype Type = datatypeOf(C.Leaves);
  const bool IsRoot = C.Comm->rank() == C.Root;
  switch (How) {
  case Pattern::Barrier:
    PMPI_Ibarrier(Comm, &C.Request);
    break;
  case Pattern::Bcast:
    PMPI_Ibcast(C.Packed, C.Count, Type, C.Root, Comm, &C.Request);
    break;
  case Pattern::Reduce:
    PMPI_Ireduce(IsRoot ? MPI_IN_PLACE : C.Packed, IsRoot ? C.Packed : nullptr, C.Count, Type,
                 MPI_SUM, C.Root, Comm, &C.Request);
    break;
  case Pattern::Allreduce:
    PMPI_Iallreduce(MPI_IN_PLACE, C.Packed, C.Count, Type, MPI_SUM, Comm, &C.Request);
    break;
  }
}

Pattern mirrorOf(Pattern How) {
  if (How == Pattern::Bcast)
    return Pattern::Reduce;
  return How == Pattern::Reduce ? Pattern::Bcast : How;
}

/// Starts the mirrors whose turn it is.
void startMirrors(Communicator &Comm) {
  auto &Open = Comm.open();
  for (; !Open.empty() && Open.back()->Open; Open.pop_back())
    start(mirrorOf(Open.back()->How), *Open.back(), Comm.lane());
}

} // namespace

void complete(NonblockingCollective &C) { C.Completed = true; }

void openAdjoint(NonblockingCollective &C) {
  C.Open = true;
  allocate(C, C.Result);
  C.Result.zero();
  startMirrors(*C.Comm);
}

void closeAdjoint(NonblockingCollective &C) {
  if (!C.Completed)
    RequestTable::get().forget(&C);
  if (!C.Open)
    openAdjoint(C); // everything started later has been closed by now
  C.Open = false;
  const Packed Data = take(C);
  if (C.Input.Leaves > 0)
    C.Input.addAs(C.Leaves, Data.get());
}

void startTangent(NonblockingCollective &C) {
  allocate(C, C.Input);
  start(C.How, C, C.Comm->carrier());
}

void finishTangent(NonblockingCollective &C) {
  const Packed Data = take(C);
  if (C.Result.Leaves > 0)
    C.Result.storeAs(C.Leaves, Data.get());
}

} // namespace contraflow::mpi
