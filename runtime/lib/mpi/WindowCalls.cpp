// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-sided communication of abi_mpi.def.
//
//                tangent              adjoint
//   Put          put o-dot            o-bar += t-bar;  t-bar = 0
//   Get          get t-dot            t-bar += o-bar;  o-bar = 0
//   sum          add o-dot            o-bar += t-bar
//   fetch + sum  fetch, add           o-bar += t-bar;  t-bar += r-bar;  r-bar = 0
//   others       (Merging.h)
//   fence        barrier              barrier
//   locks, flush nothing              nothing
//
// The window is destroyed where its creation is reversed.

#include "mpi/Absolute.h"
#include "mpi/Merging.h"
#include "mpi/Order.h"
#include "mpi/Outbox.h"
#include "mpi/Record.h"
#include "mpi/Reduction.h"
#include "mpi/Refuse.h"
#include "mpi/Windows.h"

#include <cstring>
#include <map>
#include <mutex>
#include <vector>

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

enum class Access : std::uint8_t { Put, Get, Add, FetchAdd, Swap, Fetch, Merge };

struct AccessRecord : cf_mpi_record {
  Access How;
  Window *W;
  View Origin, Result; ///< Get, Fetch: Result only
  Target To;
  Inbox::Place In;              ///< of an adjoint
  Merge *Merged = nullptr;      ///< Access::Merge, in reverse
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
  MPI_Request *Request = nullptr;
};

void findKind(const Call &C, Access &How) {
  if (C.Op == MPI_NO_OP)
    How = Access::Fetch;
  else if (C.Op == MPI_REPLACE)
    How = C.Fetches ? Access::Swap : Access::Put;
  else if (C.Op == MPI_SUM)
    How = C.Fetches ? Access::FetchAdd : Access::Add;
  else
    How = Access::Merge;
}

/// How the operator combines the values at the target with those here.
Combination combinationOf(const AccessRecord &A, const Call &C) {
  const auto Found = combinationOf({C.Name, Reach::All, nullptr, nullptr, nullptr, nullptr, C.Count,
                                    C.Type, C.Op, 0, nullptr, MPI_COMM_NULL},
                                   *A.To.L);
  const bool Known = Found && Found->How != Combination::Kind::User && A.W->merging();
  if (!Known || C.Origin.Primal == MPI_BOTTOM || A.Origin.L->Raw)
    refuse(Refusal::Operator, C.Name);
  if (isNested() && Found->isCurved())
    refuse(Refusal::Nested, C.Name);
  return *Found;
}

bool isOfOneKind(const Layout &L) { return L.LeafBytes == L.Leaves * sizeOf(L.Widest); }

bool isOfBytes(const View &V) { return V.L && V.L->Raw; }

[[noreturn]] void refuseTarget(const Call &C) {
  refuse(Refusal::Datatype, std::string("the datatype at the target of ") + C.Name);
}

/// Bytes on both sides: what the compiler says of the memory here holds for the target as well.
bool describeBytes(AccessRecord &A, const Call &C) {
  View &Here = A.How == Access::Fetch ? A.Result : A.Origin;
  if (A.How != Access::Fetch && A.How != Access::Put)
    refuseTarget(C);
  if (Here.L->Inside.Count == 0)
    return false;
  const Layout *Numbers = numbersAmong(*Here.L, Here.Leaves);
  if (!Numbers || (Here.All && Here.All->Layouts))
    refuseTarget(C);
  const std::int64_t Items = Here.Leaves / Numbers->Extent;
  Here.L = Numbers;
  Here.Leaves = Items * Numbers->Leaves;
  A.To.L = Numbers;
  A.To.Count = static_cast<int>(Items);
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
  findKind(C, A.How);
  if (A.How == Access::Fetch && !C.Fetches) // accumulates nothing
    return false;
  A.To = {C.Rank, C.Displacement, C.Count, &L};
  const bool Bytes = isOfBytes(A.Origin) || isOfBytes(A.Result);
  const bool Records = L.LeafBytes != L.Size || !isOfOneKind(L);
  if (L.Raw && L.Dense && Bytes)
    return describeBytes(A, C);
  if (L.Raw || L.Opaque || (Records && (Bytes || A.How == Access::Merge)))
    refuseTarget(C);
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
  case Access::Merge: // below
    return;
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
  case Access::Merge: // below
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

View partOf(const View &V, Leaf Kind) {
  if (!V.L || V.L->Leaves == 0)
    return V;
  const Layout &Part = contraflow::mpi::partOf(*V.L, Kind);
  return {V.Base, &Part, V.Leaves / V.L->Leaves * Part.Leaves};
}

/// Calls Do with what happens in one direction to the numbers of each kind: MPI accumulates in
/// memory of one kind.
template <class Action> void eachPart(const AccessRecord &A, int D, Action Do) {
  const AccessRecord All = oneDirection(A, D);
  if (isOfOneKind(*All.To.L))
    return Do(All);
  for (const Leaf Kind : FieldKinds) {
    AccessRecord One = All;
    One.To.L = &contraflow::mpi::partOf(*All.To.L, Kind);
    One.Origin = partOf(All.Origin, Kind);
    One.Result = partOf(All.Result, Kind);
    if (One.To.L->Leaves > 0)
      Do(One);
  }
}

int directionsOf(const AccessRecord &A) {
  return A.How == Access::Fetch ? A.Result.directions() : A.Origin.directions();
}

// Merging.h

View primalOf(const Buffer &B) {
  const Layout &L = layoutOf(B.Type);
  return {static_cast<char *>(const_cast<void *>(B.Primal)), &L, B.Count * L.Leaves};
}

Packed copyOf(const std::byte *From, std::int64_t Bytes) {
  Packed Copy = packedBuffer(Bytes);
  std::memcpy(Copy.get(), From, static_cast<std::size_t>(Bytes));
  return Copy;
}

Packed zeros(std::int64_t Bytes) {
  Packed All = packedBuffer(Bytes);
  std::memset(All.get(), 0, static_cast<std::size_t>(Bytes));
  return All;
}

void mergeTangent(const Merge &M, const AccessRecord &A) {
  const Packed Dot = zeros(M.What.Bytes), OldDot = zeros(M.What.Bytes),
               New = copyOf(M.Old, M.What.Bytes);
  A.Origin.pack(Dot.get());
  A.W->exchange(A.To, Dot.get(), MPI_NO_OP, OldDot.get());
  A.Result.store(OldDot.get());
  M.What.tangent({M.Mine, Dot.get(), New.get(), OldDot.get()});
  A.W->update(A.To, OldDot.get(), MPI_REPLACE);
}

void mergeAdjoint(const Merge &M, const AccessRecord &A) {
  const Packed Seed = zeros(M.What.Bytes), Mine = zeros(M.What.Bytes), Bar = zeros(M.What.Bytes),
               Old = copyOf(M.Old, M.What.Bytes);
  A.W->exchangeAdjoint(A.To, A.In, Seed.get(), MPI_REPLACE, Bar.get());
  M.What.adjoint({M.Mine, Mine.get(), Old.get(), Bar.get()});
  A.W->addAdjoint(A.To, A.In, Bar.get());
  if (A.Result.Base) {
    A.Result.pack(Seed.get());
    A.Result.zero();
    A.W->addAdjoint(A.To, A.In, Seed.get());
  }
  A.Origin.add(Mine.get());
}

/// The access of the primal, which is our own, and Tangents() between reading and writing. There is
/// still a request that is complete.
template <class Action> int merge(Merge &M, const AccessRecord &A, const Call &C, Action Tangents) {
  M.Of = A.W->merging();
  primalOf(C.Origin).pack(M.Mine);
  if (A.W->turnsAreHeld(C.Rank))
    PMPI_Win_flush(C.Rank, C.Win); // MPI may have left the user's lock for later
  M.Of->begin(C.Rank);
  M.Of->fetch(A.To, M.Old);
  const Packed New = copyOf(M.Old, M.What.Bytes);
  M.What.primal({M.Mine, nullptr, New.get(), nullptr});
  Tangents();
  M.Of->store(A.To, New.get());
  M.Turn.W = A.W;
  M.Turn.Rank = C.Rank;
  M.Turn.Exclusive = true;
  if (M.Of->order())
    M.Of->order()->enter(M.Turn);
  M.Of->end(C.Rank);
  if (C.Fetches)
    primalOf(C.Result).store(M.Old);
  return C.Request ? PMPI_Raccumulate(C.Origin.Primal, 0, C.Type, C.Rank, C.Displacement, 0, C.Type,
                                      MPI_SUM, C.Win, C.Request)
                   : MPI_SUCCESS;
}

int mergeInTangent(const AccessRecord &A, const Call &C) {
  Merge M{nullptr, combinationOf(A, C), nullptr, nullptr, {}};
  const Packed Both = packedBuffer(2 * M.What.Bytes);
  M.Mine = Both.get();
  M.Old = M.Mine + M.What.Bytes;
  return merge(M, A, C, [&] {
    for (int D = 0; D < directionsOf(A); ++D)
      mergeTangent(M, oneDirection(A, D));
  });
}

AccessRecord *keep(const AccessRecord &Found, cf_tape *Tape);

int mergeInForwardSweep(const AccessRecord &A, const Call &C, cf_tape *Tape,
                        cf_mpi_record **Record) {
  struct Kept : cf_mpi_record {
    Merge M;
  };
  const Combination What = combinationOf(A, C);
  auto *K = record<Kept>(Tape, 2 * What.Bytes);
  K->M.What = What;
  K->M.Mine = reinterpret_cast<std::byte *>(K + 1);
  K->M.Old = K->M.Mine + What.Bytes;
  AccessRecord *All = keep(A, Tape);
  All->Merged = &K->M;
  *Record = All;
  return merge(K->M, A, C, [&] {
    if (tangentIn(A.W))
      mergeTangent(K->M, oneDirection(A, A.W->Adjoints));
  });
}

void reverseMerge(const AccessRecord &First) {
  const Merge &M = *First.Merged;
  M.Of->order()->await(M.Turn);
  First.W->sync();
  ordered();
  for (const AccessRecord *A = &First; A; A = A->Next)
    mergeAdjoint(M, *A);
  M.Of->order()->leave(M.Turn);
}

template <class Action> int tangentOf(const Call &C, Action Primal) {
  AccessRecord A;
  const bool Active = describe(A, C);
  if (Active && A.How == Access::Merge)
    return mergeInTangent(A, C);
  const int Code = Primal();
  if (Code == MPI_SUCCESS && Active)
    for (int D = 0; D < directionsOf(A); ++D)
      eachPart(A, D, tangent);
  return Code;
}

/// One record for each adjoint, and each kind of numbers.
AccessRecord *keep(const AccessRecord &Found, cf_tape *Tape) {
  AccessRecord *All = nullptr;
  for (int D = Found.W->Adjoints > 0 ? Found.W->Adjoints : 1; D-- > 0;)
    eachPart(Found, D, [&](const AccessRecord &Part) {
      auto *A = record<AccessRecord>(Tape);
      *A = Part;
      A->Next = All;
      All = A;
    });
  return All;
}

template <class Action>
int augment(const Call &C, Action Primal, cf_tape *Tape, cf_mpi_record **Record) {
  AccessRecord A;
  const bool Active = describe(A, C);
  if (Active && A.How == Access::Merge)
    return mergeInForwardSweep(A, C, Tape, Record);
  *Record = Active ? keep(A, Tape) : nullptr;
  const int Code = Primal();
  if (Code == MPI_SUCCESS && Active && tangentIn(A.W))
    eachPart(A, A.W->Adjoints, tangent);
  return Code;
}

void reverse(cf_mpi_record *Record) {
  if (auto *A = static_cast<AccessRecord *>(Record); A && A->Merged)
    return reverseMerge(*A);
  for (auto *A = static_cast<AccessRecord *>(Record); A; A = A->Next)
    adjoint(*A);
}

} // namespace

int cf_v1_mpi_win_create_tangent(void *base, MPI_Aint size, int disp_unit, MPI_Info info,
                                 MPI_Comm comm, MPI_Win *win, void *base_shadow) {
  const int Code = PMPI_Win_create(base, size, disp_unit, info, comm, win);
  if (Code == MPI_SUCCESS)
    Window::created(*win, Window::create(comm, base_shadow, size, disp_unit))->mergeIn(base);
  return Code;
}

int cf_v1_mpi_win_create_augment(void *base, MPI_Aint size, int disp_unit, MPI_Info info,
                                 MPI_Comm comm, MPI_Win *win, void *base_shadow, cf_tape *tape,
                                 cf_mpi_record **record) {
  const int Code =
      cf_v1_mpi_win_create_tangent(base, size, disp_unit, info, comm, win, base_shadow);
  *record = Code == MPI_SUCCESS ? recordOf(Window::of(*win)->forReverse(), tape) : nullptr;
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
  Window *W = Window::created(*win, Window::allocate(comm, size, disp_unit));
  storeShadows(baseptr_shadow, W->mergeIn(*static_cast<void **>(baseptr)),
               [](const Window &Each) { return Each.shadow(); });
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
  if (W)
    W->endMerging();
  const int Code = PMPI_Win_free(win);
  if (W)
    Window::destroy(W);
  return Code;
}

int cf_v1_mpi_win_free_augment(MPI_Win *win, cf_tape *tape, cf_mpi_record **record) {
  Window *W = forget(*win);
  *record = recordOf(W, tape);
  if (W) {
    W->rest();
    W->endMerging();
  }
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
  if (actsIn(W))
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

#define CF_ACCESS(stem, Function, Params, Args, Shadows, Origin, Result, Operator, Fetches,        \
                  Request)                                                                         \
  int cf_v1_mpi_##stem##_tangent(CF_LIST Params, CF_LIST Shadows) {                                \
    return tangentOf({"MPI_" #Function, Buffer Origin, Buffer Result, target_rank, target_disp,    \
                      target_count, target_datatype, Operator, Fetches, win, Request},             \
                     [&] { return PMPI_##Function Args; });                                        \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(CF_LIST Params, CF_LIST Shadows, cf_tape *tape,                   \
                                 cf_mpi_record **record) {                                         \
    return augment(                                                                                \
        {"MPI_" #Function, Buffer Origin, Buffer Result, target_rank, target_disp, target_count,   \
         target_datatype, Operator, Fetches, win, Request},                                        \
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
          CF_ORIGIN, CF_NONE, MPI_REPLACE, false, nullptr)
CF_ACCESS(get, Get, (CF_FROM, MPI_Win win), (CF_ARGUMENTS, win), (void *origin_addr_shadow),
          CF_NONE, CF_ORIGIN, MPI_NO_OP, true, nullptr)
CF_ACCESS(accumulate, Accumulate, (CF_TO, MPI_Op op, MPI_Win win), (CF_ARGUMENTS, op, win),
          (void *origin_addr_shadow), CF_ORIGIN, CF_NONE, op, false, nullptr)
CF_ACCESS(rput, Rput, (CF_TO, MPI_Win win, MPI_Request *request), (CF_ARGUMENTS, win, request),
          (void *origin_addr_shadow), CF_ORIGIN, CF_NONE, MPI_REPLACE, false, request)
CF_ACCESS(rget, Rget, (CF_FROM, MPI_Win win, MPI_Request *request), (CF_ARGUMENTS, win, request),
          (void *origin_addr_shadow), CF_NONE, CF_ORIGIN, MPI_NO_OP, true, request)
CF_ACCESS(raccumulate, Raccumulate, (CF_TO, MPI_Op op, MPI_Win win, MPI_Request *request),
          (CF_ARGUMENTS, op, win, request), (void *origin_addr_shadow), CF_ORIGIN, CF_NONE, op,
          false, request)
CF_ACCESS(get_accumulate, Get_accumulate,
          (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
           void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
           MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
           MPI_Win win),
          (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
           target_rank, target_disp, target_count, target_datatype, op, win),
          (void *origin_addr_shadow, void *result_addr_shadow), CF_ORIGIN, CF_RESULT, op, true,
          nullptr)

CF_ACCESS(rget_accumulate, Rget_accumulate,
          (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
           void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
           MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
           MPI_Win win, MPI_Request *request),
          (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
           target_rank, target_disp, target_count, target_datatype, op, win, request),
          (void *origin_addr_shadow, void *result_addr_shadow), CF_ORIGIN, CF_RESULT, op, true,
          request)

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
