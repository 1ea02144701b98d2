// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows in a reverse sweep. What others add to a rank's adjoints is kept apart from what the rank
// adds itself (Inbox.h) and fetched wherever ranks may have waited for each other. To memory that
// ranks share all of them add atomically, without MPI.
//
// What the primal has freed rests until that is reversed. If two windows have the same memory at
// one time, who takes adjoints through the one does not see what the other's inbox holds. So a
// window within another one of the same ranks uses that one's inbox, and otherwise nobody but the
// owner may take: MPI_Get is allowed, MPI_Put and MPI_Accumulate are not. In memory that ranks
// share each of them takes, so no other window may have it.

#include "mpi/Merging.h"
#include "mpi/Order.h"
#include "mpi/Refuse.h"
#include "mpi/Windows.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <mutex>

namespace contraflow::mpi {
namespace {

struct InUse {
  std::mutex Lock;
  std::vector<Window *> All;
  std::atomic<std::size_t> Count = 0; ///< of All, to be read without the lock
  static InUse &get() {
    static auto *Only = new InUse; // outlives every other static object
    return *Only;
  }
};

void fetchAdjoints() {
  InUse &Used = InUse::get();
  if (Used.Count.load(std::memory_order_acquire) == 0)
    return;
  const std::scoped_lock Guard(Used.Lock);
  for (const Window *W : Used.All)
    W->fold();
}

/// Accesses may be ordered by any message (Order.h).
[[maybe_unused]] const bool Told = (FetchAdjoints = fetchAdjoints);

} // namespace

Window *Window::forReverse() {
  Locks = std::make_unique<Turns>(Comm->carrier());
  if (Merges)
    Merges->forReverse(Comm->carrier());
  occupyAll();
  makeInboxes();
  use();
  return this;
}

void Window::makeInboxes() {
  const Window *Around = isPlain() ? around() : nullptr;
  Window *W = this;
  for (int D = std::max(Adjoints, 1); D-- > 0; W = W->Next.get()) {
    if (Attached)
      W->Received = std::make_shared<Inbox>(Comm->carrier());
    if (!isPlain())
      continue;
    int Ranks = 0;
    PMPI_Comm_size(Comm->carrier(), &Ranks);
    W->Parts.resize(static_cast<std::size_t>(Ranks));
    Inbox::Part Mine = {0, Size, Unit};
    PMPI_Get_address(W->Base, &Mine.Shadow);
    PMPI_Allgather(&Mine, 3, MPI_AINT, W->Parts.data(), 3, MPI_AINT, Comm->carrier());
    W->Received =
        Around ? Around->Received : std::make_shared<Inbox>(Comm->carrier(), W->Base, W->Parts);
    Around = Around ? Around->Next.get() : nullptr;
  }
}

/// What has arrived is moved to the shadow.
void Window::endInbox() {
  if (Received.use_count() > 1) {
    synchronise();
    Received->fold();
  }
  Received.reset();
}

namespace {

constexpr int NoNumber = -1, AnyNumber = INT_MAX;

} // namespace

/// Of the window that has all of this rank's memory.
int Window::numberAround() const {
  if (Size <= 0)
    return AnyNumber;
  if (Occupied.empty()) // memory without a shadow
    return NoNumber;
  const Extent Mine = Occupied.at(0);
  for (const Window *W : InUse::get().All)
    if (W->isPlain() && W->Comm == Comm && W->Adjoints == Adjoints && !W->Occupied.empty())
      if (const Extent Theirs = W->Occupied.at(0);
          Theirs.From <= Mine.From && Mine.End <= Theirs.End)
        return W->Number;
  return NoNumber;
}

Window *Window::around() const {
  InUse &Used = InUse::get();
  const std::scoped_lock Guard(Used.Lock);
  const int Mine = numberAround();
  int Bounds[] = {Mine, Mine == AnyNumber ? AnyNumber : -Mine};
  PMPI_Allreduce(MPI_IN_PLACE, Bounds, 2, MPI_INT, MPI_MIN, Comm->carrier());
  if (Bounds[0] == NoNumber || Bounds[0] == AnyNumber || Bounds[0] != -Bounds[1])
    return nullptr;
  const auto Found = std::find_if(Used.All.begin(), Used.All.end(), [&](const Window *W) {
    return W->Comm == Comm && W->Number == Bounds[0];
  });
  return Found == Used.All.end() ? nullptr : *Found;
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
      if (W != this && !(isPlain() && W->isPlain()) && New.From < Old.End && Old.From < New.End)
        refuse(Refusal::Overlap, "a window is created");
  Occupied[Place] = New;
}

bool Window::overlaps(const Window &Other) const {
  if (Received == Other.Received || Occupied.empty() || Other.Occupied.empty())
    return false;
  const Extent Here = Occupied.at(0), There = Other.Occupied.at(0);
  return Here.From < There.End && There.From < Here.End;
}

void Window::besides(Window &Other, int Added) {
  for (const Window *W : {this, &Other})
    for (; W && W->Received; W = W->Next.get())
      W->Received->besideAnother(Added);
}

void Window::use() {
  InUse &Used = InUse::get();
  const std::scoped_lock Guard(Used.Lock);
  for (Window *W : Used.All)
    if (isPlain() && W->isPlain() && overlaps(*W)) {
      Beside.push_back(W);
      W->Beside.push_back(this);
      besides(*W, 1);
    }
  Used.All.push_back(this);
  Used.Count = Used.All.size();
}

void Window::rest() {
  InUse &Used = InUse::get();
  const std::scoped_lock Guard(Used.Lock);
  for (Window *W : Beside) {
    std::erase(W->Beside, this);
    besides(*W, -1);
  }
  Beside.clear();
  std::erase(Used.All, this);
  Used.Count = Used.All.size();
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

MPI_Aint Window::addressOf(const Target &T) const {
  const Inbox::Part &There = Parts[static_cast<std::size_t>(T.Rank)];
  return There.Shadow + T.Displacement * There.Unit;
}

void Window::locate(Target &T, Inbox::Place &In) const {
  if (Attached)
    T.Displacement = Attached->locate(T.Rank, T.Displacement, In);
  else if (Received)
    In = Received->placeOf(T.Rank, addressOf(T));
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
