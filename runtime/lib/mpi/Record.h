// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the augmented calls leave on the tape. The reverse sweep needs nothing but the record:
// shadow addresses, peers and what was really received are in it; datatypes, requests and the
// user's arrays may be gone by then.

#pragma once

#include "mpi/Abi.h"

#include <cstdint>
#include <type_traits>

struct cf_mpi_record {
  enum class Role : std::uint8_t {
    None,              ///< a side of a call that talks to MPI_PROC_NULL
    Send,              ///< a started send
    Receive,           ///< a started receive
    TangentReceive,    ///< the same in a tangent; lives on the heap until it completes
    Collective,        ///< a started collective
    TangentCollective, ///< the same in a tangent; lives on the heap until it completes
    Read,              ///< a started read from a file
    TangentRead,       ///< the same in a tangent; lives on the heap until it completes
    Order,             ///< a call that moves nothing but orders accesses to shared memory
    Other,             ///< records that no completion looks at
  };
  cf_mpi_record *NextOfRequest = nullptr; ///< these two: see RequestTable.h
  const void *Starter = nullptr;
  Role Kind = Role::Other; ///< last: what is derived goes on behind it

  /// No other active request has its handle.
  bool ownsHandle() const {
    return Kind == Role::Receive || Kind == Role::TangentReceive ||
           Kind == Role::TangentCollective || Kind == Role::Read || Kind == Role::TangentRead;
  }
};

namespace contraflow::mpi {

/// A new record of type T, with `Extra` bytes behind it.
template <class T> T *record(cf_tape *Tape, std::int64_t Extra = 0) {
  static_assert(std::is_base_of_v<cf_mpi_record, T> && std::is_trivially_destructible_v<T>);
  return new (cf_v1_tape_reserve(Tape, static_cast<std::int64_t>(sizeof(T)) + Extra)) T;
}

} // namespace contraflow::mpi
