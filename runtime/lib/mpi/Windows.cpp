// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mpi/Windows.h"

#include "mpi/Merging.h"
#include "mpi/Watch.h"

#include <cstring>
#include <numeric>

namespace contraflow::mpi {

Window *Window::create(MPI_Comm Comm, void *Shadow, MPI_Aint Size, int Unit) {
  const Shadows Found = shadowsOf(Shadow);
  std::unique_ptr<Window> First;
  for (int D = directionCount(); D-- > 0;) {
    auto W = createOne(Comm, shadowIn(Found, D), Size, Unit);
    W->Next = std::move(First);
    First = std::move(W);
  }
  return completed(First.release());
}

template <class Action>
std::unique_ptr<Window> Window::allocateOne(MPI_Comm Comm, MPI_Aint Size, Action Allocate) {
  auto W = std::make_unique<Window>();
  W->Comm = &Communicator::withinGroup(Comm, "MPI_Win_allocate");
  Allocate(W->Comm->carrier(), &W->Base, &W->Shadow);
  W->Size = Size;
  if (Size > 0)
    std::memset(W->Base, 0, static_cast<std::size_t>(Size));
  PMPI_Win_lock_all(MPI_MODE_NOCHECK, W->Shadow);
  W->synchronise(); // others may access it at once
  return W;
}

template <class Action> Window *Window::allocateAll(MPI_Comm Comm, MPI_Aint Size, Action Allocate) {
  std::unique_ptr<Window> First;
  for (int D = directionCount(); D-- > 0;) {
    auto W = allocateOne(Comm, Size, Allocate);
    W->Next = std::move(First);
    First = std::move(W);
  }
  return completed(First.release());
}

Window *Window::allocate(MPI_Comm Comm, MPI_Aint Size, int Unit) {
  if (!AllocatesWindows)
    return create(Comm, nullptr, Size, Unit);
  Window *All = allocateAll(Comm, Size, [&](MPI_Comm Carrier, void *Where, MPI_Win *New) {
    PMPI_Win_allocate(Size, Unit, MPI_INFO_NULL, Carrier, Where, New);
  });
  for (Window *W = All; W; W = W->Next.get())
    W->Unit = Unit;
  return All;
}

Window *Window::allocateShared(MPI_Comm Comm, MPI_Aint Size, int Unit, MPI_Info Info) {
  Window *All = allocateAll(Comm, Size, [&](MPI_Comm Carrier, void *Where, MPI_Win *New) {
    PMPI_Win_allocate_shared(Size, Unit, Info, Carrier, Where, New);
  });
  for (Window *W = All; W; W = W->Next.get()) {
    W->Shared = true;
    W->Unit = Unit;
  }
  return All;
}

Window *Window::createDynamic(MPI_Comm Comm) {
  Window *All = allocateAll(Comm, 0, [](MPI_Comm Carrier, void *, MPI_Win *New) {
    PMPI_Win_create_dynamic(MPI_INFO_NULL, Carrier, New);
    PMPI_Win_set_errhandler(*New, MPI_ERRORS_RETURN); // libraries know limits of their own
  });
  for (Window *W = All; W; W = W->Next.get())
    W->Attached = std::make_unique<Attachments>(W->Comm->carrier());
  All->synchronise(); // others may look into the tables at once
  return All;
}

void *Window::shadowOf(int Rank) const {
  MPI_Aint Size = 0;
  int Unit = 0;
  void *Found = nullptr;
  PMPI_Win_shared_query(Shadow, Rank, &Size, &Unit, &Found);
  return Found;
}

/// All ranks number alike, because windows are made by all.
Window *Window::completed(Window *W) {
  W->Number = W->Comm->nextWindow();
  W->Adjoints = adjointCount();
  return W;
}

std::vector<int> Window::ranksOf(MPI_Group Group) const {
  int Size = 0;
  PMPI_Group_size(Group, &Size);
  std::vector<int> There(static_cast<std::size_t>(Size)), Here(There);
  std::iota(There.begin(), There.end(), 0);
  MPI_Group All = MPI_GROUP_NULL;
  PMPI_Comm_group(Comm->carrier(), &All);
  PMPI_Group_translate_ranks(Group, Size, There.data(), All, Here.data());
  PMPI_Group_free(&All);
  return Here;
}

void Window::tell(std::span<const int> Ranks, Signal What) const {
  for (const int Rank : Ranks) {
    MPI_Request Request = MPI_REQUEST_NULL;
    PMPI_Isend(nullptr, 0, MPI_BYTE, Rank, Comm->signalTag(Number, static_cast<int>(What)),
               Comm->carrier(), &Request);
    PMPI_Request_free(&Request);
  }
}

void Window::hear(std::span<const int> Ranks, Signal What) const {
  for (const int Rank : Ranks) {
    const Watch Waits(Comm->carrier(), Rank);
    PMPI_Recv(nullptr, 0, MPI_BYTE, Rank, Comm->signalTag(Number, static_cast<int>(What)),
              Comm->carrier(), MPI_STATUS_IGNORE);
  }
}

std::unique_ptr<Window> Window::createOne(MPI_Comm Comm, void *Shadow, MPI_Aint Size, int Unit) {
  auto W = std::make_unique<Window>();
  W->Comm = &Communicator::withinGroup(Comm, "MPI_Win_create");
  W->Base = Shadow;
  W->Size = Size;
  W->Unit = Unit;
  if (!Shadow) {
    W->Own = std::make_unique<std::byte[]>(static_cast<std::size_t>(Size));
    W->Base = W->Own.get();
  }
  PMPI_Win_create(W->Base, Size, Unit, MPI_INFO_NULL, W->Comm->carrier(), &W->Shadow);
  PMPI_Win_lock_all(MPI_MODE_NOCHECK, W->Shadow);
  return W;
}

void Window::destroy(Window *W) {
  const std::unique_ptr<Window> Gone(W);
  W->rest();
  for (Window *Each = W; Each; Each = Each->Next.get())
    Each->endInbox();
  for (Window *Each = W; Each; Each = Each->Next.get()) {
    PMPI_Win_unlock_all(Each->Shadow);
    PMPI_Win_free(&Each->Shadow);
  }
}

Window *Window::mergeIn(void *Memory) {
  if (Merging::expected())
    Merges = std::make_shared<Merging>(Comm->carrier(), Memory, Size, Unit);
  return this;
}

void Window::endMerging() {
  if (Merges)
    Merges->close();
}

void Window::sync() const {
  for (const Window *W = this; W; W = W->Next.get())
    PMPI_Win_sync(W->Shadow);
}

void Window::synchronise() const {
  const Watch Waits(Comm->carrier());
  sync();
  PMPI_Barrier(Comm->carrier());
  sync();
}

void Window::update(const Target &T, const std::byte *Values, MPI_Op Op) const {
  PMPI_Accumulate(Values, T.leaves(), T.element(), T.Rank, T.Displacement, T.Count, T.type(), Op,
                  Shadow);
  PMPI_Win_flush(T.Rank, Shadow);
}

void Window::exchange(const Target &T, const std::byte *Values, MPI_Op Op, std::byte *Old) const {
  PMPI_Get_accumulate(Values, T.leaves(), T.element(), Old, T.leaves(), T.element(), T.Rank,
                      T.Displacement, T.Count, T.type(), Op, Shadow);
  PMPI_Win_flush(T.Rank, Shadow);
}

} // namespace contraflow::mpi
