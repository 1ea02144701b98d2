// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivative messages that were handed to MPI and not yet taken by their receiver. Sending never
// blocks: that is why the reverse sweep cannot deadlock (docs/design/mpi-mirrors.md).

#pragma once

#include "mpi/Packed.h"
#include "mpi/Shelf.h"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <mutex>
#include <vector>

namespace contraflow::mpi {

[[noreturn]] void refuseLength(std::int64_t Bytes);
/// Packed leaves travel in units that every leaf is a multiple of; the number of units of `Bytes`.
inline int carrierCount(std::int64_t Bytes) {
  const std::int64_t Units = Bytes / static_cast<std::int64_t>(sizeof(float));
  if (Units > INT_MAX)
    refuseLength(Bytes);
  return static_cast<int>(Units);
}
inline MPI_Datatype carrierUnit() { return MPI_FLOAT; }
constexpr int NoteUnits = sizeof(Shelf::Note) / sizeof(float);

class Outbox {
public:
  static Outbox &get();

  void send(Packed Data, std::int64_t Bytes, int Dest, int Tag, MPI_Comm Comm);
  /// Of values on a shelf, which stay there until they are taken.
  void send(const Shelf::Note &Of, int Dest, int Tag, MPI_Comm Comm);
  /// Frees what has arrived.
  void progress();
  /// Waits for everything.
  void drain();
  std::size_t pending();

private:
  Outbox();
  void post(const void *Data, int Units, Packed Kept, int Dest, int Tag, MPI_Comm Comm);
  void forgetSent();

  std::mutex Lock;
  std::vector<MPI_Request> Requests;
  std::vector<Packed> Buffers; ///< in the order of Requests
  std::vector<int> Done;
};

} // namespace contraflow::mpi
