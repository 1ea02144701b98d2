// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a program with windows, messages and collectives without floating-point values order accesses
// to them, so they have to have mirrors as well: empty messages, and barriers. All ranks run the
// same program, so all of them know.

#pragma once

#include "mpi/Communicator.h"
#include "mpi/Record.h"
#include "mpi/Watch.h"

namespace contraflow::mpi {

/// Ranks may have waited for each other: what others have added to this rank's adjoints is fetched
/// (Inbox.h). Null in programs that the part of the runtime for windows is not linked with.
inline void (*FetchAdjoints)() = nullptr;

/// Some rank's program has windows: its communicators are this rank's as well.
inline bool WindowsExpected = false;
/// Asks all ranks, whose programs may differ, in MPI_Init.
void agreeOnWindows();

/// True in programs with windows.
inline bool ranksShareMemory() { return FetchAdjoints || WindowsExpected; }

/// At the end of every mirror that may have waited.
inline void ordered() {
  if (FetchAdjoints)
    FetchAdjoints();
}

struct OrderRecord : cf_mpi_record {
  Communicator *Comm;
};

/// True if a collective that moves nothing has a mirror nevertheless.
inline bool ordersAccesses(MPI_Comm Comm) {
  return ranksShareMemory() && !Communicator::of(Comm).isInter(); // no memory between groups
}

/// The record of a blocking collective that moves nothing, or null.
inline cf_mpi_record *orderRecord(MPI_Comm Comm, cf_tape *Tape) {
  if (!ordersAccesses(Comm))
    return nullptr;
  auto *R = record<OrderRecord>(Tape);
  R->Kind = cf_mpi_record::Role::Order;
  R->Comm = &Communicator::collective(Comm);
  return R;
}

/// True if the record was one: ranks have waited for each other.
inline bool keptOrder(const cf_mpi_record &R) {
  if (R.Kind != cf_mpi_record::Role::Order)
    return false;
  const MPI_Comm Comm = static_cast<const OrderRecord &>(R).Comm->carrier();
  const Watch Waits(Comm);
  PMPI_Barrier(Comm);
  ordered();
  return true;
}

} // namespace contraflow::mpi
