// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One message, as its sender or its receiver recorded it.

#pragma once

#include "mpi/Layout.h"
#include "mpi/Record.h"
#include "mpi/Relayed.h"

#include <memory>

namespace contraflow::mpi {

class Communicator;

struct Message : cf_mpi_record {
  bool Numbered = false;  ///< Number says which message of its channel this is
  bool Completed = false; ///< a receive: Shadow.Leaves, Peer and Tag are what really arrived
  bool Open = false;      ///< its adjoint is on the way: Request, Packed
  PassedOn PassesOn = PassedOn::No; ///< a send from memory without a shadow
  int Peer = MPI_PROC_NULL;
  int Tag = 0;
  View Shadow;
  Communicator *Comm = nullptr;
  std::uint64_t Number = 0;
  std::byte *Packed =
      nullptr; ///< what an open send gets back; a receive without a shadow: where it is
  MPI_Request Request = MPI_REQUEST_NULL;
};
static_assert(sizeof(Message) <= 96);

/// A message of a tangent outlives the call that starts it.
struct TangentMessage : Message {
  std::unique_ptr<std::byte[]> Kept;
  /// The shadow's directions are kept from now on.
  void keep() {
    const Directions *None = nullptr;
    Kept = keepDirections(Shadow.All, None);
  }
};

} // namespace contraflow::mpi
