// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic windows of abi_mpi.def. What is accessed is given by an address of the target, whose
// shadow only the target knows. So every rank keeps a table of what it has attached in a window of
// its own, and who accesses looks there:
//
//   MPI_Win_attach(w, p, n)        p-bar is attached to the shadow window; (p, n, p-bar) is entered
//   MPI_Put(..., address, ..., w)  table of the target -> address of the shadow, which is recorded
//   MPI_Win_detach(w, p)           the row is hidden; in reverse it comes back
//
// The shadow stays attached until the attachment is reversed (in a tangent: until it is detached).

#include "mpi/Refuse.h"
#include "mpi/Windows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace contraflow::mpi {
namespace {

constexpr int Most = 256;

} // namespace

Attachments::Attachments(MPI_Comm Comm) {
  constexpr MPI_Aint Bytes = Most * MPI_Aint{sizeof(Row)};
  PMPI_Win_allocate(Bytes, 1, MPI_INFO_NULL, Comm, &Rows, &Table);
  std::memset(static_cast<void *>(Rows), 0, static_cast<std::size_t>(Bytes));
  PMPI_Win_lock_all(MPI_MODE_NOCHECK, Table);
}

Attachments::~Attachments() {
  PMPI_Win_unlock_all(Table);
  PMPI_Win_free(&Table);
}

int Attachments::add(const void *Base, MPI_Aint Size, void *Shadow) {
  Row *Free = std::find_if(Rows, Rows + Most, [](const Row &R) { return !R.Taken; });
  if (Free == Rows + Most)
    refuse(Refusal::TooManyAttached, std::to_string(Most));
  MPI_Aint Here = 0, There = 0;
  PMPI_Get_address(Base, &Here);
  PMPI_Get_address(Shadow, &There);
  *Free = {Here, Size, There, 0, true, false};
  PMPI_Win_sync(Table);
  return static_cast<int>(Free - Rows);
}

int Attachments::find(const void *Base) const {
  MPI_Aint Here = 0;
  PMPI_Get_address(Base, &Here);
  const Row *Found = std::find_if(
      Rows, Rows + Most, [Here](const Row &R) { return R.Taken && !R.Hidden && R.Base == Here; });
  return Found == Rows + Most ? -1 : static_cast<int>(Found - Rows);
}

void Attachments::setInbox(int Place, MPI_Aint Start) {
  Rows[Place].Inbox = Start;
  PMPI_Win_sync(Table);
}

void Attachments::hide(int Place) {
  Rows[Place].Hidden = true;
  PMPI_Win_sync(Table);
}

void Attachments::show(int Place) {
  Rows[Place].Hidden = false;
  PMPI_Win_sync(Table);
}

void Attachments::remove(int Place) {
  Rows[Place] = {};
  PMPI_Win_sync(Table);
}

MPI_Aint Attachments::locate(int Rank, MPI_Aint Address, Inbox::Place &In) const {
  std::array<Row, Most> There;
  constexpr int Bytes = Most * static_cast<int>(sizeof(Row));
  PMPI_Get(There.data(), Bytes, MPI_BYTE, Rank, 0, Bytes, MPI_BYTE, Table);
  PMPI_Win_flush(Rank, Table);
  for (const Row &R : There)
    if (R.Taken && !R.Hidden && R.Base <= Address && Address < R.Base + R.Size) {
      In = Inbox::placeOf(R.Inbox, R.Shadow, R.Size, Address - R.Base);
      return R.Shadow + (Address - R.Base);
    }
  refuse(Refusal::NotAttached, "an access");
}

int Window::attach(const void *Base, MPI_Aint Size, void *Memory) {
  Piece P;
  P.Shadow = Memory;
  if (!Memory) {
    P.Own = std::make_unique<std::byte[]>(static_cast<std::size_t>(Size));
    P.Shadow = P.Own.get();
  }
  const bool There = std::any_of(Pieces.begin(), Pieces.end(),
                                 [&](const auto &Each) { return Each.second.Shadow == P.Shadow; });
  if (!There && PMPI_Win_attach(Shadow, P.Shadow, Size) != MPI_SUCCESS)
    refuse(Refusal::TooManyAttached, std::to_string(Pieces.size()));
  const int Place = Attached->add(Base, Size, P.Shadow);
  if (Received) {
    P.Inbox = Received->attach(P.Shadow, Size);
    Attached->setInbox(Place, P.Inbox);
    occupy(Place, Memory, Size);
  }
  Pieces[Place] = std::move(P);
  return Place;
}

void Window::detach(int Place) {
  const Piece P = std::move(Pieces.at(Place));
  Pieces.erase(Place);
  Attached->remove(Place);
  Occupied.erase(Place);
  if (Received)
    Received->detach(P.Inbox);
  const bool There = std::any_of(Pieces.begin(), Pieces.end(),
                                 [&](const auto &Each) { return Each.second.Shadow == P.Shadow; });
  if (!There)
    PMPI_Win_detach(Shadow, P.Shadow);
}

} // namespace contraflow::mpi

using namespace contraflow::mpi;

namespace {

struct AttachRecord : cf_mpi_record {
  Window *W;
  int Place;
};

cf_mpi_record *attachment(Window *W, int Place, cf_tape *Tape) {
  auto *R = record<AttachRecord>(Tape);
  R->W = W;
  R->Place = Place;
  return R;
}

/// To the windows of all directions, where the place is the same.
int attachAll(Window *W, const void *Base, MPI_Aint Size, void *Shadow) {
  const Shadows Found = shadowsOf(Shadow);
  int Place = -1;
  for (int D = 0; W; ++D, W = W->Next.get())
    Place = W->attach(Base, Size, shadowIn(Found, D));
  return Place;
}

/// The dynamic window behind the user's, or null.
Window *dynamicWindow(MPI_Win Win) {
  Window *W = Window::of(Win);
  return W && W->attached() ? W : nullptr;
}

} // namespace

int cf_v1_mpi_win_create_dynamic_tangent(MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  const int Code = PMPI_Win_create_dynamic(info, comm, win);
  if (Code == MPI_SUCCESS)
    Window::created(*win, Window::createDynamic(comm));
  return Code;
}

int cf_v1_mpi_win_create_dynamic_augment(MPI_Info info, MPI_Comm comm, MPI_Win *win, cf_tape *tape,
                                         cf_mpi_record **record) {
  const int Code = cf_v1_mpi_win_create_dynamic_tangent(info, comm, win);
  *record = Code == MPI_SUCCESS ? recordOf(Window::of(*win)->forReverse(), tape) : nullptr;
  return Code;
}

void cf_v1_mpi_win_create_dynamic_adjoint(cf_mpi_record *record) {
  if (record)
    Window::destroy(static_cast<WindowRecord *>(record)->W);
}

int cf_v1_mpi_win_attach_tangent(MPI_Win win, void *base, MPI_Aint size, void *base_shadow) {
  attachAll(dynamicWindow(win), base, size, base_shadow);
  return PMPI_Win_attach(win, base, size);
}

int cf_v1_mpi_win_attach_augment(MPI_Win win, void *base, MPI_Aint size, void *base_shadow,
                                 cf_tape *tape, cf_mpi_record **record) {
  Window *W = dynamicWindow(win);
  *record = W ? attachment(W, attachAll(W, base, size, base_shadow), tape) : nullptr;
  return PMPI_Win_attach(win, base, size);
}

void cf_v1_mpi_win_attach_adjoint(cf_mpi_record *record) {
  const auto *R = static_cast<AttachRecord *>(record);
  for (Window *W = R ? R->W : nullptr; W; W = W->Next.get())
    W->detach(R->Place);
}

int cf_v1_mpi_win_detach_tangent(MPI_Win win, const void *base) {
  for (Window *W = dynamicWindow(win); W; W = W->Next.get())
    if (const int Place = W->attached()->find(base); Place >= 0)
      W->detach(Place);
  return PMPI_Win_detach(win, base);
}

int cf_v1_mpi_win_detach_augment(MPI_Win win, const void *base, cf_tape *tape,
                                 cf_mpi_record **record) {
  Window *W = dynamicWindow(win);
  const int Place = W ? W->attached()->find(base) : -1;
  *record = nullptr;
  if (Place >= 0) {
    *record = attachment(W, Place, tape);
    for (; W; W = W->Next.get())
      W->hide(Place);
  }
  return PMPI_Win_detach(win, base);
}

void cf_v1_mpi_win_detach_adjoint(cf_mpi_record *record) {
  const auto *R = static_cast<AttachRecord *>(record);
  for (Window *W = R ? R->W : nullptr; W; W = W->Next.get())
    W->show(R->Place);
}
