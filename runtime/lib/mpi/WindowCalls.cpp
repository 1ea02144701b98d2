// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-sided communication of abi_mpi.def.
//
//                tangent              adjoint
//   Put          put o-dot            o-bar += t-bar;  t-bar = 0
//   Get          get t-dot            t-bar += o-bar;  o-bar = 0
//   sum          add o-dot            o-bar += t-bar
//   fetch + sum  fetch, add           o-bar += t-bar;  t-bar += r-bar;  r-bar = 0
//   fence        barrier              barrier
//   locks, flush nothing              nothing
//
// The window is destroyed where its creation is reversed.

#include "mpi/Absolute.h"
#include "mpi/Order.h"
#include "mpi/Outbox.h"
#include "mpi/Record.h"
#include "mpi/Refuse.h"
#include "mpi/Windows.h"

#include <cstring>
#include <map>
#include <mutex>

using namespace contraflow::mpi;

namespace {

std::mutex Lock;

std::map<MPI_Win, Window *> &windows() {
  static auto *Only = new std::map<MPI_Win, Window *>; // outlives every other static object
  return *Only;
}

Window *forget(MPI_Win Win) {
  const std::scoped_lock Guard(Lock);
  const auto Row = windows().find(Win);
  if (Row == windows().end())
    return nullptr;
  Window *W = Row->second;
  windows().erase(Row);
  return W;
}

} // namespace

Window *Window::created(MPI_Win Win, Window *W) {
  const std::scoped_lock Guard(Lock);
  windows().insert_or_assign(Win, W);
  return W;
}

cf_mpi_record *contraflow::mpi::recordOf(Window *W, cf_tape *Tape) {
  if (!W)
    return nullptr;
  auto *R = record<WindowRecord>(Tape);
  R->W = W;
  return R;
}

Window *Window::of(MPI_Win Win) {
  const std::scoped_lock Guard(Lock);
  const auto Row = windows().find(Win);
  return Row == windows().end() ? nullptr : Row->second;
}

namespace {

Window &windowOf(cf_mpi_record *Record) { return *static_cast<WindowRecord *>(Record)->W; }

// Accesses

enum class Access : std::uint8_t { Put, Get, Add, FetchAdd, Swap, Fetch };

struct AccessRecord : cf_mpi_record {
  Access How;
  Window *W;
  View Origin, Result; ///< Get, Fetch: Result only
  Target To;
  Inbox::Place In;              ///< of an adjoint
  AccessRecord *Next = nullptr; ///< of the next direction
};

struct Call {
  const char *Name;
  Buffer Origin, Result;
  int Rank;
  MPI_Aint Displacement;
  int Count;
  MPI_Datatype Type;
  MPI_Op Op; ///< MPI_REPLACE: MPI_Put
  bool Fetches;
  MPI_Win Win;
};

bool kindOf(const Call &C, Access &How) {
  if (C.Op == MPI_NO_OP)
    How = Access::Fetch;
  else if (C.Op == MPI_REPLACE)
    How = C.Fetches ? Access::Swap : Access::Put;
  else if (C.Op == MPI_SUM)
    How = C.Fetches ? Access::FetchAdd : Access::Add;
  else
    return false;
  return true;
}

/// False: nothing here carries a derivative.
bool describe(AccessRecord &A, const Call &C) {
  const Layout &L = layoutOf(C.Type);
  if (L.Leaves == 0 || C.Rank == MPI_PROC_NULL || C.Count == 0)
    return false;
  if (C.Op != MPI_NO_OP)
    A.Origin = messageViewOf(C.Origin, Characters::Integers);
  if (C.Fetches)
    A.Result = messageViewOf(C.Result, Characters::Integers);
  const bool HasShadow = A.Origin.Base || A.Result.Base;
  A.W = Window::of(C.Win);
  if (!A.W && HasShadow)
    refuse(Refusal::WindowUnknown, C.Name);
  if (!A.W)
    return false;
  if (!kindOf(C, A.How))
    refuse(Refusal::Operator, C.Name);
  if (A.How == Access::Fetch && !C.Fetches) // accumulates nothing
    return false;
  const bool OneKind = L.LeafBytes == L.Size && L.LeafBytes == L.Leaves * sizeOf(L.Widest);
  if (L.Raw || L.Opaque || !OneKind)
    refuse(Refusal::Datatype, std::string("the datatype at the target of ") + C.Name);
  A.To = {C.Rank, C.Displacement, C.Count, &L};
  return true;
}

std::int64_t bytesOf(const AccessRecord &A) {
  return A.How == Access::Fetch ? A.Result.bytes() : A.Origin.bytes();
}

/// Zeros: the target, which has numbers, says nothing about bytes (View.cpp).
Packed nothingFor(const AccessRecord &A) {
  Packed Data = packedBuffer(bytesOf(A));
  std::memset(Data.get(), 0, static_cast<std::size_t>(bytesOf(A)));
  return Data;
}

void tangent(const AccessRecord &A) {
  const Packed Values = packedBuffer(bytesOf(A)), Old = nothingFor(A);
  if (A.How != Access::Fetch)
    A.Origin.pack(Values.get());
  switch (A.How) {
  case Access::Put:
    return A.W->update(A.To, Values.get(), MPI_REPLACE);
  case Access::Add:
    return A.W->update(A.To, Values.get(), MPI_SUM);
  case Access::FetchAdd:
    A.W->exchange(A.To, Values.get(), MPI_SUM, Old.get());
    break;
  case Access::Swap:
    A.W->exchange(A.To, Values.get(), MPI_REPLACE, Old.get());
    break;
  case Access::Get:
  case Access::Fetch:
    A.W->exchange(A.To, Values.get(), MPI_NO_OP, Old.get());
    break;
  }
  A.Result.store(Old.get());
}

void adjoint(AccessRecord &A) {
  const Packed Seed = nothingFor(A), Old = nothingFor(A);
  A.Result.pack(Seed.get()); // of a fetch; otherwise zeros
  A.Result.zero();
  switch (A.How) {
  case Access::Put:
  case Access::Swap:
    A.W->exchangeAdjoint(A.To, A.In, Seed.get(), MPI_REPLACE, Old.get());
    break;
  case Access::Add:
    A.W->exchangeAdjoint(A.To, A.In, Seed.get(), MPI_NO_OP, Old.get());
    break;
  case Access::FetchAdd:
    A.W->exchangeAdjoint(A.To, A.In, Seed.get(), MPI_SUM, Old.get());
    break;
  case Access::Get:
  case Access::Fetch:
    A.W->addAdjoint(A.To, A.In, Seed.get());
    return;
  }
  A.Origin.add(Old.get());
}

AccessRecord oneDirection(const AccessRecord &A, int D) {
  AccessRecord One = A;
  One.W = A.W->direction(D);
  One.W->locate(One.To, One.In);
  One.Origin = A.Origin.direction(D);
  One.Result = A.Result.direction(D);
  return One;
}

int directionsOf(const AccessRecord &A) {
  return A.How == Access::Fetch ? A.Result.directions() : A.Origin.directions();
}

template <class Action> int tangentOf(const Call &C, Action Primal) {
  AccessRecord A;
  const bool Active = describe(A, C);
  const int Code = Primal();
  if (Code == MPI_SUCCESS && Active)
    for (int D = 0; D < directionsOf(A); ++D)
      tangent(oneDirection(A, D));
  return Code;
}

/// One record for each adjoint.
AccessRecord *keep(const AccessRecord &Found, cf_tape *Tape) {
  AccessRecord *All = nullptr;
  for (int D = Found.W->Adjoints > 0 ? Found.W->Adjoints : 1; D-- > 0;) {
    auto *A = record<AccessRecord>(Tape);
    *A = oneDirection(Found, D);
    A->Next = All;
    All = A;
  }
  return All;
}

template <class Action>
int augment(const Call &C, Action Primal, cf_tape *Tape, cf_mpi_record **Record) {
  AccessRecord A;
  const bool Active = describe(A, C);
  *Record = Active ? keep(A, Tape) : nullptr;
  const int Code = Primal();
  if (Code == MPI_SUCCESS && Active && tangentIn(A.W))
    tangent(oneDirection(A, A.W->Adjoints));
  return Code;
}

void reverse(cf_mpi_record *Record) {
  for (auto *A = static_cast<AccessRecord *>(Record); A; A = A->Next)
    adjoint(*A);
}

} // namespace

int cf_v1_mpi_win_create_tangent(void *base, MPI_Aint size, int disp_unit, MPI_Info info,
                                 MPI_Comm comm, MPI_Win *win, void *base_shadow) {
  const int Code = PMPI_Win_create(base, size, disp_unit, info, comm, win);
  if (Code == MPI_SUCCESS)
    Window::created(*win, Window::create(comm, base_shadow, size, disp_unit));
  return Code;
}

int cf_v1_mpi_win_create_augment(void *base, MPI_Aint size, int disp_unit, MPI_Info info,
                                 MPI_Comm comm, MPI_Win *win, void *base_shadow, cf_tape *tape,
                                 cf_mpi_record **record) {
  const int Code = PMPI_Win_create(base, size, disp_unit, info, comm, win);
  *record =
      Code == MPI_SUCCESS
          ? recordOf(Window::created(
                         *win, Window::create(comm, base_shadow, size, disp_unit)->forReverse()),
                     tape)
          : nullptr;
  return Code;
}

void cf_v1_mpi_win_create_adjoint(cf_mpi_record *record) {
  if (record)
    Window::destroy(&windowOf(record));
}

int cf_v1_mpi_win_allocate_tangent(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                   void *baseptr, MPI_Win *win, void *baseptr_shadow) {
  const int Code = PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, win);
  if (Code != MPI_SUCCESS)
    return Code;
  const Window *W = Window::created(*win, Window::allocate(comm, size, disp_unit));
  storeShadows(baseptr_shadow, W, [](const Window &Each) { return Each.shadow(); });
  return Code;
}

int cf_v1_mpi_win_allocate_augment(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                   void *baseptr, MPI_Win *win, void *baseptr_shadow, cf_tape *tape,
                                   cf_mpi_record **record) {
  const int Code =
      cf_v1_mpi_win_allocate_tangent(size, disp_unit, info, comm, baseptr, win, baseptr_shadow);
  *record = Code == MPI_SUCCESS ? recordOf(Window::of(*win)->forReverse(), tape) : nullptr;
  return Code;
}

void cf_v1_mpi_win_allocate_adjoint(cf_mpi_record *record) { cf_v1_mpi_win_create_adjoint(record); }

int cf_v1_mpi_win_free_tangent(MPI_Win *win) {
  Window *W = forget(*win);
  const int Code = PMPI_Win_free(win);
  if (W)
    Window::destroy(W);
  return Code;
}

int cf_v1_mpi_win_free_augment(MPI_Win *win, cf_tape *tape, cf_mpi_record **record) {
  Window *W = forget(*win);
  *record = recordOf(W, tape);
  if (W)
    W->rest();
  return PMPI_Win_free(win);
}

void cf_v1_mpi_win_free_adjoint(cf_mpi_record *record) {
  if (!record)
    return;
  windowOf(record).use();
  windowOf(record).synchronise();
  ordered();
}

// Epochs: what separates them for all ranks is a barrier in both directions.

int cf_v1_mpi_win_fence_tangent(int assert, MPI_Win win) {
  if (const Window *W = Window::of(win))
    W->synchronise();
  return watched([&] { return PMPI_Win_fence(assert, win); });
}

int cf_v1_mpi_win_fence_augment(int assert, MPI_Win win, cf_tape *tape, cf_mpi_record **record) {
  Window *W = Window::of(win);
  if (tangentIn(W))
    W->synchronise();
  *record = recordOf(W, tape);
  return watched([&] { return PMPI_Win_fence(assert, win); });
}

void cf_v1_mpi_win_fence_adjoint(cf_mpi_record *record) {
  if (!record)
    return;
  windowOf(record).synchronise();
  ordered();
}

#define CF_LIST(...) __VA_ARGS__
#define CF_PASSIVE(stem, Function, Params, Args)                                                   \
  int cf_v1_mpi_##stem##_tangent Params {                                                          \
    if (const Window *W = Window::of(win))                                                         \
      W->sync();                                                                                   \
    return PMPI_##Function Args;                                                                   \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(CF_LIST Params, cf_tape *tape, cf_mpi_record **record) {          \
    Window *W = Window::of(win);                                                                   \
    if (tangentIn(W))                                                                              \
      W->sync();                                                                                   \
    *record = recordOf(W, tape);                                                                   \
    return PMPI_##Function Args;                                                                   \
  }                                                                                                \
  void cf_v1_mpi_##stem##_adjoint(cf_mpi_record *record) {                                         \
    if (!record)                                                                                   \
      return;                                                                                      \
    windowOf(record).sync();                                                                       \
    ordered();                                                                                     \
  }

CF_PASSIVE(win_lock_all, Win_lock_all, (int assert, MPI_Win win), (assert, win))
CF_PASSIVE(win_unlock_all, Win_unlock_all, (MPI_Win win), (win))
CF_PASSIVE(win_flush, Win_flush, (int rank, MPI_Win win), (rank, win))
CF_PASSIVE(win_flush_all, Win_flush_all, (MPI_Win win), (win))
CF_PASSIVE(win_flush_local, Win_flush_local, (int rank, MPI_Win win), (rank, win))
CF_PASSIVE(win_flush_local_all, Win_flush_local_all, (MPI_Win win), (win))
CF_PASSIVE(win_sync, Win_sync, (MPI_Win win), (win))

// An access: parameters, arguments, shadows, and the fields of Call that differ.

#define CF_ACCESS(stem, Function, Params, Args, Shadows, Origin, Result, Operator, Fetches)        \
  int cf_v1_mpi_##stem##_tangent(CF_LIST Params, CF_LIST Shadows) {                                \
    return tangentOf({"MPI_" #Function, Buffer Origin, Buffer Result, target_rank, target_disp,    \
                      target_count, target_datatype, Operator, Fetches, win},                      \
                     [&] { return PMPI_##Function Args; });                                        \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(CF_LIST Params, CF_LIST Shadows, cf_tape *tape,                   \
                                 cf_mpi_record **record) {                                         \
    return augment(                                                                                \
        {"MPI_" #Function, Buffer Origin, Buffer Result, target_rank, target_disp, target_count,   \
         target_datatype, Operator, Fetches, win},                                                 \
        [&] { return PMPI_##Function Args; }, tape, record);                                       \
  }                                                                                                \
  void cf_v1_mpi_##stem##_adjoint(cf_mpi_record *record) { reverse(record); }

#define CF_TO                                                                                      \
  const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,        \
      MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype
#define CF_FROM                                                                                    \
  void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,              \
      MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype
#define CF_ARGUMENTS                                                                               \
  origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,              \
      target_datatype
#define CF_ORIGIN {origin_addr, origin_addr_shadow, origin_count, origin_datatype}
#define CF_NONE {nullptr, nullptr, 0, MPI_DATATYPE_NULL}
#define CF_RESULT {result_addr, result_addr_shadow, result_count, result_datatype}

CF_ACCESS(put, Put, (CF_TO, MPI_Win win), (CF_ARGUMENTS, win), (void *origin_addr_shadow),
          CF_ORIGIN, CF_NONE, MPI_REPLACE, false)
CF_ACCESS(get, Get, (CF_FROM, MPI_Win win), (CF_ARGUMENTS, win), (void *origin_addr_shadow),
          CF_NONE, CF_ORIGIN, MPI_NO_OP, true)
CF_ACCESS(accumulate, Accumulate, (CF_TO, MPI_Op op, MPI_Win win), (CF_ARGUMENTS, op, win),
          (void *origin_addr_shadow), CF_ORIGIN, CF_NONE, op, false)
CF_ACCESS(rput, Rput, (CF_TO, MPI_Win win, MPI_Request *request), (CF_ARGUMENTS, win, request),
          (void *origin_addr_shadow), CF_ORIGIN, CF_NONE, MPI_REPLACE, false)
CF_ACCESS(rget, Rget, (CF_FROM, MPI_Win win, MPI_Request *request), (CF_ARGUMENTS, win, request),
          (void *origin_addr_shadow), CF_NONE, CF_ORIGIN, MPI_NO_OP, true)
CF_ACCESS(raccumulate, Raccumulate, (CF_TO, MPI_Op op, MPI_Win win, MPI_Request *request),
          (CF_ARGUMENTS, op, win, request), (void *origin_addr_shadow), CF_ORIGIN, CF_NONE, op,
          false)
CF_ACCESS(get_accumulate, Get_accumulate,
          (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
           void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
           MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
           MPI_Win win),
          (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
           target_rank, target_disp, target_count, target_datatype, op, win),
          (void *origin_addr_shadow, void *result_addr_shadow), CF_ORIGIN, CF_RESULT, op, true)

CF_ACCESS(rget_accumulate, Rget_accumulate,
          (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
           void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
           MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
           MPI_Win win, MPI_Request *request),
          (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
           target_rank, target_disp, target_count, target_datatype, op, win, request),
          (void *origin_addr_shadow, void *result_addr_shadow), CF_ORIGIN, CF_RESULT, op, true)

int cf_v1_mpi_fetch_and_op_tangent(const void *origin_addr, void *result_addr, MPI_Datatype type,
                                   int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win,
                                   void *origin_addr_shadow, void *result_addr_shadow) {
  return tangentOf({"MPI_Fetch_and_op",
                    {origin_addr, origin_addr_shadow, 1, type},
                    {result_addr, result_addr_shadow, 1, type},
                    target_rank,
                    target_disp,
                    1,
                    type,
                    op,
                    true,
                    win},
                   [&] {
                     return PMPI_Fetch_and_op(origin_addr, result_addr, type, target_rank,
                                              target_disp, op, win);
                   });
}

int cf_v1_mpi_fetch_and_op_augment(const void *origin_addr, void *result_addr, MPI_Datatype type,
                                   int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win,
                                   void *origin_addr_shadow, void *result_addr_shadow,
                                   cf_tape *tape, cf_mpi_record **record) {
  return augment(
      {"MPI_Fetch_and_op",
       {origin_addr, origin_addr_shadow, 1, type},
       {result_addr, result_addr_shadow, 1, type},
       target_rank,
       target_disp,
       1,
       type,
       op,
       true,
       win},
      [&] {
        return PMPI_Fetch_and_op(origin_addr, result_addr, type, target_rank, target_disp, op, win);
      },
      tape, record);
}

void cf_v1_mpi_fetch_and_op_adjoint(cf_mpi_record *record) { reverse(record); }

// Integers are compared and swapped: the compiler refuses active floats that take part as bits.

int cf_v1_mpi_compare_and_swap_tangent(const void *origin_addr, const void *compare_addr,
                                       void *result_addr, MPI_Datatype type, int target_rank,
                                       MPI_Aint target_disp, MPI_Win win, void *, void *, void *) {
  return PMPI_Compare_and_swap(origin_addr, compare_addr, result_addr, type, target_rank,
                               target_disp, win);
}

int cf_v1_mpi_compare_and_swap_augment(const void *origin_addr, const void *compare_addr,
                                       void *result_addr, MPI_Datatype type, int target_rank,
                                       MPI_Aint target_disp, MPI_Win win, void *, void *, void *,
                                       cf_tape *, cf_mpi_record **record) {
  *record = nullptr;
  return PMPI_Compare_and_swap(origin_addr, compare_addr, result_addr, type, target_rank,
                               target_disp, win);
}

void cf_v1_mpi_compare_and_swap_adjoint(cf_mpi_record *) {}
