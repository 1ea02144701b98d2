// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives for ranks of the same machine. What a message would carry is packed into memory that
// these ranks share, and the message says where it is; who receives it adds from there. That spares
// the copies into and out of MPI:
//
//   Isend(packed values)  ->  Isend(note), the values are on the shelf
//
// A rank owns its shelf; others read there, and mark what they have taken.

#pragma once

#include <cstddef>
#include <cstdint>

namespace contraflow::mpi {

class Shelf {
public:
  /// What travels in place of the values.
  struct Note {
    int Owner; ///< among the ranks of the machine
    int Units; ///< of the carrier, that the message would have
    std::int64_t Place;
  };
  /// Shorter messages carry their values.
  static std::int64_t least() { return Least; }

  /// All ranks, in MPI_Init. Without shared memory there are no shelves. CONTRAFLOW_MPI_SHELF=0:
  /// nobody wants them; another number: the least bytes.
  static void open();

  /// Room for so many bytes and a word of zeros behind them, on the shelf of this rank, if that
  /// rank of MPI_COMM_WORLD can see it; else null.
  static std::byte *room(std::int64_t Bytes, int World);
  /// Of such room. The note lives as long as the values do.
  static const Note &noteOf(std::byte *Values, int Units);

  static const std::byte *find(const Note &N);
  /// The owner may use the room again.
  static void taken(const Note &N);

private:
  static std::int64_t Least;
};

} // namespace contraflow::mpi
