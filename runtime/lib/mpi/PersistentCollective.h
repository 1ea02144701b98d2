// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Persistent collectives. What a call of MPI_Bcast_init and its relatives says is kept until
// MPI_Request_free; every start is a nonblocking collective of its own (NonblockingCollective.h):
//
//   start        reverse: what came back is awaited and added to s-bar
//   completion   reverse: r-bar is taken, cleared and handed to the mirror, which starts at once
//
// Ranks need not start their persistent collectives in the same order: they were matched when they
// were made. So each has a lane of its own (Communicator::takeLane), and its mirrors, one of which
// ends before the next one starts, wait for no others.

#pragma once

#include "mpi/MovementArguments.h"
#include "mpi/NonblockingCollective.h"
#include "mpi/Persistent.h"
#include "mpi/Reduction.h"
#include "mpi/Watch.h"

#if MPI_VERSION >= 4
#define CF_INIT(Function) PMPI_##Function##_init
#elif __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define CF_INIT(Function) PMPIX_##Function##_init
#endif
#endif
#ifndef CF_INIT
#define CF_INIT(Function) contraflow::mpi::notInLibrary
#endif

namespace contraflow::mpi {

template <class... Arguments> int notInLibrary(Arguments...) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

class PersistentCollective {
public:
  virtual ~PersistentCollective();
  PersistentCollective(const PersistentCollective &) = delete;
  PersistentCollective &operator=(const PersistentCollective &) = delete;

  virtual int startTangent(MPI_Request *Request) = 0;
  /// `Record` may become null.
  virtual int augmentStart(MPI_Request *Request, cf_tape *Tape, cf_mpi_record *&Record) = 0;

protected:
  /// All ranks of the communicator make it together.
  explicit PersistentCollective(MPI_Comm Comm);
  Communicator &communicator() const { return Comm; }
  bool ordersAccesses() const { return Orders; }
  /// The primal has been started.
  void started(std::unique_ptr<Operation> Tangent, MPI_Request Request) const;
  NonblockingCollective *started(MPI_Request Request, cf_tape *Tape) const;

private:
  Communicator &Comm;
  const std::shared_ptr<Communicator::OwnLane> Lane;
  const bool Orders;
};

std::unique_ptr<PersistentCollective> persistent(const MovementCall &C, const Side &Send,
                                                 const Side &Receive);
std::unique_ptr<PersistentCollective> persistent(const ReductionCall &C);
std::unique_ptr<PersistentCollective> persistentBarrier(MPI_Comm Comm);

/// Runs Make(), the primal call that makes `Request`.
template <class Action>
int make(std::unique_ptr<PersistentCollective> What, MPI_Request *Request, Action Make) {
  const int Code = watched(Make);
  if (Code == MPI_SUCCESS)
    keepPersistent(*Request, std::move(What));
  return Code;
}

/// What an Ibarrier between groups is: one value from everybody to everybody on the other side;
/// nobody waits for the own side.
Movement *barrierBetweenGroups(Communicator &Comm, cf_tape *Tape);

} // namespace contraflow::mpi
