// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections under MPI_Win_lock of abi_mpi.def. What ranks do under an exclusive lock may depend on
// the order in which they had it, and is reversed in the reverse order:
//
//   lock; get v; v = f(v); put v; unlock      reverse: wait for one's turn; ...; next one's turn
//
// A rank's memory has a number, turn << 20 | readers: how many exclusive sections there have been,
// and how many shared ones since the last of them. The number is looked at before the lock is given
// up, because MPI need not have it before something is accessed.
//
//   exclusive      forward: n -> (turn + 1) << 20   reverse: waits for (turn + 1) << 20; puts back
//   n shared         forward: n -> n + 1              reverse: waits for its turn; n -> n - 1
//
// What shared sections read they add to at the same time in reverse, which MPI and inboxes keep
// apart (Inbox.h).

#include "mpi/Order.h"
#include "mpi/Watch.h"
#include "mpi/Windows.h"

namespace contraflow::mpi {

namespace {

constexpr int ReaderBits = 20;

std::int64_t turnOf(std::int64_t Number) { return Number >> ReaderBits; }
std::int64_t next(std::int64_t Number) { return (turnOf(Number) + 1) << ReaderBits; }

} // namespace

Turns::Turns(MPI_Comm Comm) : Comm(Comm) {
  constexpr MPI_Aint Bytes = sizeof *Own;
  if (AllocatesWindows) {
    PMPI_Win_allocate(Bytes, Bytes, MPI_INFO_NULL, Comm, static_cast<void *>(&Own), &Table);
  } else {
    PMPI_Alloc_mem(Bytes, MPI_INFO_NULL, static_cast<void *>(&Own));
    PMPI_Win_create(Own, Bytes, Bytes, MPI_INFO_NULL, Comm, &Table);
  }
  *Own = 0;
  PMPI_Win_lock_all(MPI_MODE_NOCHECK, Table);
  PMPI_Win_sync(Table);
  PMPI_Barrier(Comm); // others may look at once
}

Turns::~Turns() {
  PMPI_Win_unlock_all(Table);
  PMPI_Win_free(&Table);
  if (!AllocatesWindows)
    PMPI_Free_mem(Own);
}

std::int64_t Turns::fetch(int Rank, std::int64_t Value, MPI_Op Op) const {
  std::int64_t Old = 0;
  PMPI_Fetch_and_op(&Value, &Old, MPI_INT64_T, Rank, 0, Op, Table);
  PMPI_Win_flush(Rank, Table);
  return Old;
}

void Turns::enter(Section &S) const {
  S.Entered = true;
  if (!S.Exclusive) {
    S.Number = fetch(S.Rank, 1, MPI_SUM);
    return;
  }
  S.Number = fetch(S.Rank, 0, MPI_NO_OP); // nobody else has a lock now
  fetch(S.Rank, next(S.Number), MPI_REPLACE);
}

void Turns::await(const Section &S) const {
  const auto IsReady = [&](std::int64_t Now) {
    if (S.Exclusive)
      return Now == next(S.Number);
    return turnOf(Now) == turnOf(S.Number);
  };
  const Watch Waits(Comm, S.Rank);
  while (S.Entered && !IsReady(fetch(S.Rank, 0, MPI_NO_OP)))
    answerOthers();
}

void Turns::leave(const Section &S) const {
  if (!S.Entered)
    return;
  if (S.Exclusive)
    fetch(S.Rank, S.Number, MPI_REPLACE);
  else
    fetch(S.Rank, -1, MPI_SUM);
}

} // namespace contraflow::mpi

using namespace contraflow::mpi;

namespace {

struct SectionEnd : cf_mpi_record {
  Section *S;
};

} // namespace

int cf_v1_mpi_win_lock_tangent(int lock_type, int rank, int assert, MPI_Win win) {
  const int Code = watched([&] { return PMPI_Win_lock(lock_type, rank, assert, win); });
  if (const Window *W = Window::of(win); W && Code == MPI_SUCCESS) {
    watched([&] {
      return PMPI_Win_flush(rank, win);
    }); // waits for the lock, which MPI may leave for later
    W->sync();
  }
  return Code;
}

int cf_v1_mpi_win_lock_augment(int lock_type, int rank, int assert, MPI_Win win, cf_tape *tape,
                               cf_mpi_record **record) {
  *record = nullptr;
  Window *W = Window::of(win);
  if (W && rank != MPI_PROC_NULL) {
    auto *S = contraflow::mpi::record<Section>(tape);
    S->W = W;
    S->Rank = rank;
    S->Exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
    W->turns().Held[rank] = S;
    *record = S;
  }
  const int Code = watched([&] { return PMPI_Win_lock(lock_type, rank, assert, win); });
  if (actsIn(W) && Code == MPI_SUCCESS) {
    watched([&] { return PMPI_Win_flush(rank, win); });
    W->sync();
  }
  return Code;
}

void cf_v1_mpi_win_lock_adjoint(cf_mpi_record *record) {
  if (!record)
    return;
  const auto &S = *static_cast<Section *>(record);
  S.W->sync();
  ordered();
  S.W->turns().leave(S);
}

int cf_v1_mpi_win_unlock_tangent(int rank, MPI_Win win) {
  if (const Window *W = Window::of(win))
    W->sync();
  return PMPI_Win_unlock(rank, win);
}

int cf_v1_mpi_win_unlock_augment(int rank, MPI_Win win, cf_tape *tape, cf_mpi_record **record) {
  *record = nullptr;
  Window *W = Window::of(win);
  if (tangentIn(W))
    W->sync();
  if (W && W->turns().Held.count(rank)) {
    auto *End = contraflow::mpi::record<SectionEnd>(tape);
    End->S = W->turns().Held[rank];
    W->turns().Held.erase(rank);
    PMPI_Win_flush(rank, win); // the lock is there if it is needed
    W->turns().enter(*End->S);
    *record = End;
  }
  return PMPI_Win_unlock(rank, win);
}

void cf_v1_mpi_win_unlock_adjoint(cf_mpi_record *record) {
  if (!record)
    return;
  const Section &S = *static_cast<SectionEnd *>(record)->S;
  S.W->turns().await(S);
  S.W->sync();
  ordered();
}
