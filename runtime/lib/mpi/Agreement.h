// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether all ranks broadcast, or gather for all, the same kind of values. The mirrors of bytes are
// others than those of numbers, and integers have none, so ranks that take one message for
// different things would wait for each other for ever:
//
//   rank 0   MPI_Bcast(b, 8, MPI_BYTE, 0)        reverse: takes a block from every rank
//   others   MPI_Bcast(x, 1, MPI_DOUBLE, 0)      reverse: take part in a sum
//
// Every rank keeps a digest of what it has moved on a communicator. The ranks compare them at the
// first calls, and then ever more rarely: after 16, 32, 64 calls and so on.

#pragma once

#include <bit>
#include <cstdint>
#include <mpi.h>

namespace contraflow::mpi {

class Agreement {
public:
  enum class Kind : std::uint8_t { Nothing, Numbers, Bytes };

  /// In a call that all ranks of `Comm` make. False if they are known not to agree.
  bool holds(Kind Moved, MPI_Comm Comm) {
    constexpr std::uint64_t Factor = 1000003, First = 16;
    Digest = Digest * Factor + static_cast<std::uint64_t>(Moved) + 1;
    if (++Calls > First && !std::has_single_bit(Calls))
      return true;
    std::uint64_t Most[2] = {Digest, ~Digest};
    PMPI_Allreduce(MPI_IN_PLACE, Most, 2, MPI_UINT64_T, MPI_MAX, Comm);
    return Most[0] == ~Most[1];
  }

private:
  std::uint64_t Digest = 0, Calls = 0;
};

} // namespace contraflow::mpi
