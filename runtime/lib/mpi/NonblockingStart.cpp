// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mpi/NonblockingStart.h"

#include "mpi/RequestTable.h"

#include <utility>

namespace contraflow::mpi {

void startedTangent(Communicator &Comm, std::unique_ptr<Operation> Tangent, MPI_Request *Request) {
  auto C = std::make_unique<NonblockingCollective>();
  C->Kind = cf_mpi_record::Role::TangentCollective;
  C->Comm = &Comm;
  startTangent(*C, std::move(Tangent));
  ownHandle(Request);
  RequestTable::get().put(*Request, C.release());
}

NonblockingCollective *started(Communicator &Comm, MPI_Request *Request, cf_tape *Tape) {
  auto *C = record<NonblockingCollective>(Tape);
  C->Kind = cf_mpi_record::Role::Collective;
  C->Comm = &Comm;
  Comm.open().push_back(C);
  ownHandle(Request);
  RequestTable::get().put(*Request, C);
  return C;
}

} // namespace contraflow::mpi
