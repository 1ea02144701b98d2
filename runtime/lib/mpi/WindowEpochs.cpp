// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Epochs between groups of ranks (post, start, complete, wait). Accesses to shadow windows need no
// epoch, but their order does: who is accessed and who accesses tell each other where it begins and
// where it ends.
//
//              tangent                    reverse
//   post       tell origins: opened       hear from origins: closed
//   start      hear from targets: opened  tell targets: closed
//   complete   tell targets: closed       hear from targets: opened
//   wait       hear from origins: closed  tell origins: opened
//
// Telling does not block. Hearing waits for what the primal may wait for, or its mirror.

#include "mpi/Asking.h"
#include "mpi/Order.h"
#include "mpi/Record.h"
#include "mpi/Watch.h"
#include "mpi/Windows.h"

#include <algorithm>

using namespace contraflow::mpi;
using Signal = Window::Signal;

namespace {

/// The ranks follow it on the tape.
struct EpochRecord : cf_mpi_record {
  Window *W;
  std::int64_t Count;
  int *ranks() { return reinterpret_cast<int *>(this + 1); }
};

cf_mpi_record *recordOf(Window *W, const std::vector<int> &Ranks, cf_tape *Tape) {
  const auto Count = static_cast<std::int64_t>(Ranks.size());
  auto *E = record<EpochRecord>(Tape, Count * static_cast<std::int64_t>(sizeof(int)));
  E->W = W;
  E->Count = Count;
  std::copy(Ranks.begin(), Ranks.end(), E->ranks());
  return E;
}

void tell(const Window &W, std::span<const int> Ranks, Signal What) {
  W.sync(); // what was done here before
  W.tell(Ranks, What);
}

void hear(const Window &W, std::span<const int> Ranks, Signal What) {
  W.hear(Ranks, What);
  W.sync(); // what the others did
}

using Mirror = void (*)(const Window &, std::span<const int>, Signal);

void reverse(cf_mpi_record *Record, Mirror How, Signal What) {
  if (!Record)
    return;
  auto &E = static_cast<EpochRecord &>(*Record);
  How(*E.W, {E.ranks(), static_cast<std::size_t>(E.Count)}, What);
  ordered();
}

} // namespace

int cf_v1_mpi_win_post_tangent(MPI_Group group, int assert, MPI_Win win) {
  if (Window *W = Window::of(win)) {
    W->Origins = W->ranksOf(group);
    tell(*W, W->Origins, Signal::Opened);
  }
  return PMPI_Win_post(group, assert, win);
}

int cf_v1_mpi_win_post_augment(MPI_Group group, int assert, MPI_Win win, cf_tape *tape,
                               cf_mpi_record **record) {
  *record = nullptr;
  if (Window *W = Window::of(win)) {
    W->Origins = W->ranksOf(group);
    if (actsIn(W))
      tell(*W, W->Origins, Signal::Opened);
    *record = recordOf(W, W->Origins, tape);
  }
  return PMPI_Win_post(group, assert, win);
}

void cf_v1_mpi_win_post_adjoint(cf_mpi_record *record) { reverse(record, hear, Signal::Closed); }

int cf_v1_mpi_win_start_tangent(MPI_Group group, int assert, MPI_Win win) {
  const int Code = watched([&] { return PMPI_Win_start(group, assert, win); });
  if (Window *W = Window::of(win); W && Code == MPI_SUCCESS) {
    W->Targets = W->ranksOf(group);
    hear(*W, W->Targets, Signal::Opened);
  }
  return Code;
}

int cf_v1_mpi_win_start_augment(MPI_Group group, int assert, MPI_Win win, cf_tape *tape,
                                cf_mpi_record **record) {
  *record = nullptr;
  Window *W = Window::of(win);
  if (W) {
    W->Targets = W->ranksOf(group);
    *record = recordOf(W, W->Targets, tape);
  }
  const int Code = watched([&] { return PMPI_Win_start(group, assert, win); });
  if (actsIn(W) && Code == MPI_SUCCESS)
    hear(*W, W->Targets, Signal::Opened);
  return Code;
}

void cf_v1_mpi_win_start_adjoint(cf_mpi_record *record) { reverse(record, tell, Signal::Closed); }

int cf_v1_mpi_win_complete_tangent(MPI_Win win) {
  if (const Window *W = Window::of(win))
    tell(*W, W->Targets, Signal::Closed);
  return watched([&] { return PMPI_Win_complete(win); });
}

int cf_v1_mpi_win_complete_augment(MPI_Win win, cf_tape *tape, cf_mpi_record **record) {
  Window *W = Window::of(win);
  *record = W ? recordOf(W, W->Targets, tape) : nullptr;
  if (actsIn(W))
    tell(*W, W->Targets, Signal::Closed);
  return watched([&] { return PMPI_Win_complete(win); });
}

void cf_v1_mpi_win_complete_adjoint(cf_mpi_record *record) {
  reverse(record, hear, Signal::Opened);
}

int cf_v1_mpi_win_wait_tangent(MPI_Win win) {
  const int Code = watched([&] { return PMPI_Win_wait(win); });
  if (const Window *W = Window::of(win); W && Code == MPI_SUCCESS)
    hear(*W, W->Origins, Signal::Closed);
  return Code;
}

int cf_v1_mpi_win_wait_augment(MPI_Win win, cf_tape *tape, cf_mpi_record **record) {
  Window *W = Window::of(win);
  *record = W ? recordOf(W, W->Origins, tape) : nullptr;
  const int Code = watched([&] { return PMPI_Win_wait(win); });
  if (actsIn(W) && Code == MPI_SUCCESS)
    hear(*W, W->Origins, Signal::Closed);
  return Code;
}

void cf_v1_mpi_win_wait_adjoint(cf_mpi_record *record) { reverse(record, tell, Signal::Opened); }

int cf_v1_mpi_win_test_tangent(MPI_Win win, int *flag) {
  const int Code =
      askPatiently([&] { return PMPI_Win_test(win, flag); }, [&] { return *flag != 0; });
  looked(Code != MPI_SUCCESS || *flag);
  if (const Window *W = Window::of(win); W && Code == MPI_SUCCESS && *flag)
    hear(*W, W->Origins, Signal::Closed);
  return Code;
}

int cf_v1_mpi_win_test_augment(MPI_Win win, int *flag, cf_tape *tape, cf_mpi_record **record) {
  Window *W = Window::of(win);
  const int Code =
      askPatiently([&] { return PMPI_Win_test(win, flag); }, [&] { return *flag != 0; });
  looked(Code != MPI_SUCCESS || *flag);
  const bool Over = W && Code == MPI_SUCCESS && *flag;
  *record = Over ? recordOf(W, W->Origins, tape) : nullptr;
  if (Over && actsIn(W))
    hear(*W, W->Origins, Signal::Closed);
  return Code;
}

void cf_v1_mpi_win_test_adjoint(cf_mpi_record *record) { reverse(record, tell, Signal::Opened); }
