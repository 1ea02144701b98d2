// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is combined in the memory of a window in other ways than sums. Its derivative depends on
// what was there before and on the order of the accesses, and neither does MPI tell in time. So
// these accesses are our own, one after the other, through a second window over the user's memory:
//
//   Accumulate(o, t, op)   lock; u = get t; put u op o; enter one's turn; unlock
//   tangent                under the same lock: t-dot = derivative of op at (o, u)
//   adjoint                waits for its turn: (o-bar, t-bar) from t-bar, at (o, u); next one's
//   turn

#pragma once

#include "mpi/Inbox.h"
#include "mpi/Operators.h"
#include "mpi/Windows.h"

namespace contraflow::mpi {

class Merging {
public:
  /// All ranks of Comm, for the user's memory.
  Merging(MPI_Comm Comm, void *Memory, MPI_Aint Size, int Unit);
  ~Merging() { close(); }
  Merging(const Merging &) = delete;
  Merging &operator=(const Merging &) = delete;
  /// All ranks: the memory is about to go.
  void close();
  /// There will be a reverse sweep; all ranks.
  void forReverse(MPI_Comm Comm) { Order = std::make_unique<Turns>(Comm); }
  /// Null in a tangent.
  const Turns *order() const { return Order.get(); }

  /// Nobody else merges in the memory of this rank between these.
  void begin(int Rank) const;
  void end(int Rank) const;
  void fetch(const Target &T, std::byte *Values) const;
  void store(const Target &T, const std::byte *Values) const;

  /// True if some module of some rank has asked for it.
  static bool expected();

private:
  MPI_Win Values = MPI_WIN_NULL;
  std::unique_ptr<Turns> Order;
};

/// An access of this kind: its operands as they were, `What.Bytes` each.
struct Merge {
  const Merging *Of;
  Combination What;
  std::byte *Mine, *Old;
  Section Turn; ///< in a forward sweep
};

} // namespace contraflow::mpi
