// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of mirrors, whatever they are; the mirrors themselves are operations (Operation.h).

#include "mpi/NonblockingCollective.h"

#include "mpi/MovementArguments.h"
#include "mpi/Order.h"
#include "mpi/Refuse.h"
#include "mpi/RequestTable.h"
#include "mpi/Watch.h"

#include <utility>

namespace contraflow::mpi {
namespace {

class Barrier : public Operation {
public:
  void start(MPI_Comm Comm) override { PMPI_Ibarrier(Comm, request()); }

protected:
  void deliver() override {}
};

MPI_Comm laneOf(const NonblockingCollective &C) {
  return C.Lane != MPI_COMM_NULL ? C.Lane : C.Comm->lane();
}

std::unique_ptr<Operation> mirrorOf(const NonblockingCollective &C) {
  if (C.Moved)
    return adjointOperation(*C.Moved);
  return C.Reduced ? adjointOperation(*C.Reduced) : std::make_unique<Barrier>();
}

/// Starts the mirrors whose turn it is.
void startMirrors(Communicator &Comm) {
  auto &Open = Comm.open();
  for (; !Open.empty() && Open.back()->Open; Open.pop_back())
    Open.back()->Derivative->start(Comm.lane());
}

void finish(const NonblockingCollective &C, Operation *&Which) {
  const std::unique_ptr<Operation> Ends(std::exchange(Which, nullptr));
  const Watch Waits(laneOf(C));
  Ends->finish();
}

/// Of the primal buffers; null: nobody asks for it.
std::unique_ptr<Operation> tangentBeside(const NonblockingCollective &C) {
  if (C.Moved) {
    const Directions *All = C.Moved->Given.All ? C.Moved->Given.All : C.Moved->Got.All;
    return hasBoth(All) ? tangentOperation(oneDirection(*C.Moved, All->Adjoints)) : nullptr;
  }
  const Directions *All = C.Reduced ? C.Reduced->Input.All : nullptr;
  return hasBoth(All) ? tangentOperation(oneDirection(*C.Reduced, All->Adjoints)) : nullptr;
}

int queryCompleted(void *, MPI_Status *Status) {
  PMPI_Status_set_elements(Status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(Status, 0);
  Status->MPI_SOURCE = MPI_UNDEFINED;
  Status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int freeNothing(void *) { return MPI_SUCCESS; }
int cancelNothing(void *, int) { return MPI_SUCCESS; }

} // namespace

void ownHandle(MPI_Request *Request) {
  int Done = 0;
  PMPI_Request_get_status(*Request, &Done, MPI_STATUS_IGNORE);
  if (!Done)
    return;
  PMPI_Wait(Request, MPI_STATUS_IGNORE);
  PMPI_Grequest_start(queryCompleted, freeNothing, cancelNothing, nullptr, Request);
  PMPI_Grequest_complete(*Request);
}

void complete(NonblockingCollective &C) {
  C.Completed = true;
  if (C.Moved)
    noteUnseenWords(*C.Moved);
  if (C.Beside)
    finish(C, C.Beside);
}

void openAdjoint(NonblockingCollective &C) {
  C.Open = true;
  C.Derivative = mirrorOf(C).release();
  if (C.Lane != MPI_COMM_NULL)
    C.Derivative->start(C.Lane);
  else
    startMirrors(*C.Comm);
}

void closeAdjoint(NonblockingCollective &C) {
  if (C.Beside) // what it brings would come too late
    refuse(Refusal::NotCompleted, "a nonblocking collective");
  if (!C.Completed)
    RequestTable::get().forget(&C);
  if (!C.Open)
    openAdjoint(C); // everything started later has been closed by now
  C.Open = false;
  finish(C, C.Derivative);
  ordered();
}

void startTangent(NonblockingCollective &C, std::unique_ptr<Operation> Tangent) {
  C.Derivative = Tangent.release();
  C.Derivative->start(laneOf(C));
}

void finishTangent(NonblockingCollective &C) { finish(C, C.Derivative); }

void startBeside(NonblockingCollective &C) {
  if (std::unique_ptr<Operation> Tangent = tangentBeside(C)) {
    C.Beside = Tangent.release();
    C.Beside->start(laneOf(C));
  }
}

} // namespace contraflow::mpi
