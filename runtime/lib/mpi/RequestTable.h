// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which records belong to a request that the user holds: entered when the request starts, taken out
// when it completes.
//
// MPI libraries hand out one and the same request for all sends (and collectives) that are complete
// at once, so a handle may have several records. A completion takes any that its own thread
// started: it does not matter which, and a record that is not taken does no harm, because the
// reverse of a start that was not completed does both. The handle of an active receive is its own;
// if it comes again, the receive was completed where nobody told us.
//
// Open addressing with linear probing; taking out closes the gap.

#pragma once

#include "mpi/Record.h"

#include <cstddef>
#include <mpi.h>
#include <mutex>
#include <vector>

namespace contraflow::mpi {

class Communicator;

class RequestTable {
public:
  static RequestTable &get();

  void put(MPI_Request Request, cf_mpi_record *Record);
  /// Takes out a record that the calling thread may complete with `Request`; null if there is none.
  cf_mpi_record *take(MPI_Request Request);
  /// Takes out a record whose request was completed where nobody told us.
  void forget(const cf_mpi_record *Record);
  std::size_t size();
  /// True if a pending request of a tangent uses the communicator.
  bool refersTo(const Communicator &Comm);

private:
  struct Entry {
    MPI_Request Request;
    cf_mpi_record *Record = nullptr; ///< the first of a list; null: free
  };

  std::size_t slotOf(MPI_Request Request) const;
  std::size_t find(MPI_Request Request) const;
  void remove(cf_mpi_record **Link, std::size_t Slot);
  void grow();
  void free(std::size_t Hole);

  std::mutex Lock;
  std::vector<Entry> Entries; ///< a power of two of them
  std::size_t Used = 0;       ///< entries that are not free
  std::size_t Records = 0;    ///< in all lists
};

} // namespace contraflow::mpi
