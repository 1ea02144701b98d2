// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows in a reverse sweep. What others add to a rank's adjoints is kept apart from what the rank
// adds itself (Inbox.h) and fetched wherever ranks may have waited for each other. To memory that
// ranks share all of them add atomically, without MPI.
//
// What the primal has freed rests until that is reversed. Two windows must not have the same memory
// at one time: who takes adjoints through the one would not see what the other's inbox holds.

#include "mpi/Order.h"
#include "mpi/Refuse.h"
#include "mpi/Windows.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace contraflow::mpi {
namespace {

struct InUse {
  std::mutex Lock;
  std::vector<Window *> All;
  static InUse &get() {
    static auto *Only = new InUse; // outlives every other static object
    return *Only;
  }
};

void fetchAdjoints() {
  InUse &Used = InUse::get();
  const std::scoped_lock Guard(Used.Lock);
  for (const Window *W : Used.All)
    W->fold();
}

/// Accesses may be ordered by any message (Order.h).
[[maybe_unused]] const bool Told = (FetchAdjoints = fetchAdjoints);

} // namespace

Window *Window::forReverse() {
  Locks = std::make_unique<Turns>(Comm->carrier());
  Window *W = this;
  for (int D = std::max(Adjoints, 1); D-- > 0; W = W->Next.get()) {
    if (Attached)
      W->Received = std::make_unique<Inbox>(Comm->carrier());
    else if (!Shared)
      W->Received = std::make_unique<Inbox>(Comm->carrier(), W->Base, Size, Unit);
  }
  occupyAll();
  use();
  return this;
}

void Window::occupyAll() {
  if (!Shared) {
    if (!Attached && !Own)
      occupy(0, Base, Size);
    return;
  }
  int Ranks = 0;
  PMPI_Comm_size(Comm->carrier(), &Ranks);
  for (int Rank = 0; Rank < Ranks; ++Rank) {
    MPI_Aint Bytes = 0;
    int Units = 0;
    void *From = nullptr;
    PMPI_Win_shared_query(Shadow, Rank, &Bytes, &Units, &From);
    occupy(Rank, From, Bytes);
  }
}

/// Of one's own windows MPI allows no overlap.
void Window::occupy(int Place, const void *From, MPI_Aint Bytes) {
  if (!From || Bytes <= 0)
    return;
  const auto *First = static_cast<const char *>(From);
  const Extent New = {First, First + Bytes};
  InUse &Used = InUse::get();
  const std::scoped_lock Guard(Used.Lock);
  for (const Window *W : Used.All)
    for (const auto &[At, Old] : W->Occupied)
      if (W != this && New.From < Old.End && Old.From < New.End)
        refuse(Refusal::Overlap, "a window is created");
  Occupied[Place] = New;
}

void Window::use() {
  InUse &Used = InUse::get();
  const std::scoped_lock Guard(Used.Lock);
  Used.All.push_back(this);
}

void Window::rest() {
  InUse &Used = InUse::get();
  const std::scoped_lock Guard(Used.Lock);
  std::erase(Used.All, this);
}

void Window::fold() const {
  for (const Window *W = this; W; W = W->Next.get())
    if (W->Received)
      W->Received->fold();
}

void Window::hide(int Place) {
  Attached->hide(Place);
  Occupied.erase(Place);
}

void Window::show(int Place) { Attached->show(Place); }

void Window::locate(Target &T, Inbox::Place &In) const {
  if (Attached)
    T.Displacement = Attached->locate(T.Rank, T.Displacement, In);
  else if (Received)
    In = Received->placeOf(T.Rank, T.Displacement);
}

View Window::sharedView(const Target &T) const {
  MPI_Aint Bytes = 0;
  int Units = 0;
  void *From = nullptr;
  PMPI_Win_shared_query(Shadow, T.Rank, &Bytes, &Units, &From);
  return {static_cast<char *>(From) + T.Displacement * Units, T.L, T.leaves()};
}

void Window::addAdjoint(const Target &T, const Inbox::Place &In, const std::byte *Values) const {
  if (!Shared)
    return Received->add(T, In, Values);
  sharedView(T).addAtomically(Values);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Window::exchangeAdjoint(const Target &T, const Inbox::Place &In, const std::byte *Values,
                             MPI_Op Op, std::byte *Old) const {
  if (!Shared)
    return Received->fetch(T, In, Op, Old, [&] { exchange(T, Values, Op, Old); });
  const View Here = sharedView(T);
  Here.pack(Old);
  if (Op == MPI_REPLACE)
    Here.store(Values);
  else if (Op == MPI_SUM)
    Here.addAtomically(Values);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

} // namespace contraflow::mpi
