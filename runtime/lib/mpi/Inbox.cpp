// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An inbox has room for the values of each kind, because a window may hold several:
//
//   for float, double, long double:   next ticket | ticket served | other inboxes | counts of
//   blocks | values
//
// Values stand as far behind a multiple of 16 bytes as in the shadow, so they lie in one page.

#include "mpi/Inbox.h"

#include "accumulate/Atomic.h"
#include "mpi/Packed.h"
#include "mpi/Refuse.h"
#include "mpi/Watch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>

namespace contraflow::mpi {
namespace {

constexpr MPI_Aint Alignment = 16, Page = 4096, Word = sizeof(std::int64_t);
constexpr MPI_Aint Next = 0, Served = Word, Others = 2 * Word, Counts = 3 * Word;
constexpr int Blocks = 61;
constexpr MPI_Aint Header = Counts + Blocks * Word;
constexpr Leaf Kinds[] = {Leaf::F32, Leaf::F64, Leaf::F80};

MPI_Aint roundUp(MPI_Aint Bytes, MPI_Aint To) { return (Bytes + To - 1) / To * To; }

/// Bytes of values that have one count.
MPI_Aint blockOf(MPI_Aint Room) { return roundUp((Room + Blocks - 1) / Blocks, Page); }

struct BlockRange {
  MPI_Aint First, Count;
};

/// The blocks that hold what an access goes to.
BlockRange blocksOf(const Target &T, const Inbox::Place &P) {
  MPI_Aint Low = T.L->Runs[0].Offset, High = Low;
  for (const Run &R : T.L->Runs) {
    Low = std::min<MPI_Aint>(Low, R.Offset);
    High = std::max<MPI_Aint>(High, R.Offset + R.Count * sizeOf(R.Kind));
  }
  const MPI_Aint Span = (T.Count - 1) * T.L->Extent;
  Low += P.At + std::min<MPI_Aint>(Span, 0);
  High += P.At + std::max<MPI_Aint>(Span, 0);
  const MPI_Aint First = Low / blockOf(P.Room);
  return {First, (High - 1) / blockOf(P.Room) - First + 1};
}

/// Refuses values that would lie in two pages, and that nobody could add to in one step.
void checkAlignment(const Target &T, const Inbox::Place &P) {
  const MPI_Aint Bytes = sizeOf(T.L->Widest);
  for (const Run &R : T.L->Runs)
    if ((P.At + R.Offset) % Bytes != 0 || (T.Count > 1 && T.L->Extent % Bytes != 0))
      refuse(Refusal::Unaligned, "the target of an access");
}

MPI_Aint bytesOf(const Inbox::Place &P) { return MPI_Aint{std::size(Kinds)} * (Header + P.Room); }

std::byte *zeros(MPI_Aint Bytes) {
  auto *Memory = static_cast<std::byte *>(std::calloc(static_cast<std::size_t>(Bytes), 1));
  if (!Memory)
    refuse(Refusal::NoInbox, std::to_string(Bytes));
  return Memory;
}

bool isZero(const std::byte *At, MPI_Aint Bytes) {
  return std::all_of(At, At + Bytes, [](std::byte B) { return B == std::byte{0}; });
}

} // namespace

Inbox::Inbox(MPI_Comm Comm, void *Shadow, const std::vector<Part> &Parts)
    : Comm(Comm), Parts(Parts) {
  PMPI_Comm_rank(Comm, &Me);
  const Part &Mine = Parts[static_cast<std::size_t>(Me)];
  Piece P{placeOf(Me, Mine.Shadow), static_cast<char *>(Shadow), {nullptr, std::free}};
  allocate(P, bytesOf(P.Here));
  Pieces.push_back(std::move(P));
  PMPI_Win_lock_all(MPI_MODE_NOCHECK, Win);
  PMPI_Win_sync(Win);
  PMPI_Barrier(Comm); // others may add at once
}

/// Memory of MPI is faster where ranks share it.
void Inbox::allocate(Piece &P, MPI_Aint Bytes) {
  if (AllocatesWindows) {
    std::byte *Memory = nullptr;
    PMPI_Win_allocate(Bytes, 1, MPI_INFO_NULL, Comm, static_cast<void *>(&Memory), &Win);
    std::memset(Memory, 0, static_cast<std::size_t>(Bytes));
    P.Memory = {Memory, [](void *) {}}; // goes with the window
    return;
  }
  P.Memory.reset(zeros(Bytes));
  PMPI_Win_create(P.Memory.get(), Bytes, 1, MPI_INFO_NULL, Comm, &Win);
}

Inbox::Inbox(MPI_Comm Comm) : Comm(Comm) {
  PMPI_Comm_rank(Comm, &Me);
  PMPI_Win_create_dynamic(MPI_INFO_NULL, Comm, &Win);
  PMPI_Win_set_errhandler(Win, MPI_ERRORS_RETURN);
  PMPI_Win_lock_all(MPI_MODE_NOCHECK, Win);
}

Inbox::~Inbox() {
  {
    const Watch Waits(Comm);
    PMPI_Barrier(Comm);
  }
  fold();
  PMPI_Win_unlock_all(Win);
  PMPI_Win_free(&Win);
}

MPI_Aint Inbox::attach(void *Shadow, MPI_Aint Size) {
  MPI_Aint There = 0, Start = 0;
  PMPI_Get_address(Shadow, &There);
  Place Here = placeOf(0, There, Size, 0);
  const MPI_Aint Bytes = bytesOf(Here);
  Piece New{Here, static_cast<char *>(Shadow), {zeros(Bytes), std::free}};
  if (PMPI_Win_attach(Win, New.Memory.get(), Bytes) != MPI_SUCCESS)
    refuse(Refusal::TooManyAttached, std::to_string(Pieces.size()));
  PMPI_Get_address(New.Memory.get(), &Start);
  New.Here.Start = Start;
  const std::scoped_lock Guard(Lock);
  Pieces.push_back(std::move(New));
  return Start;
}

void Inbox::detach(MPI_Aint Start) {
  fold();
  const std::scoped_lock Guard(Lock);
  const auto Gone = std::find_if(Pieces.begin(), Pieces.end(),
                                 [Start](const Piece &P) { return P.Here.Start == Start; });
  PMPI_Win_detach(Win, Gone->Memory.get());
  Pieces.erase(Gone);
}

Inbox::Place Inbox::placeOf(MPI_Aint Start, MPI_Aint Shadow, MPI_Aint Size, MPI_Aint Offset) {
  return {Start, roundUp(Size + Alignment, Alignment), Shadow % Alignment + Offset};
}

Inbox::Place Inbox::placeOf(int Rank, MPI_Aint Address) const {
  const Part &There = Parts[static_cast<std::size_t>(Rank)];
  return placeOf(0, There.Shadow, There.Size, Address - There.Shadow);
}

MPI_Aint Inbox::startOf(const Place &P, Leaf Kind) {
  return P.Start +
         (static_cast<MPI_Aint>(Kind) - static_cast<MPI_Aint>(Kinds[0])) * (Header + P.Room);
}

std::int64_t Inbox::word(int Rank, MPI_Aint At, std::int64_t Added) const {
  std::int64_t Old = 0;
  PMPI_Fetch_and_op(&Added, &Old, MPI_INT64_T, Rank, At, Added == 0 ? MPI_NO_OP : MPI_SUM, Win);
  PMPI_Win_flush(Rank, Win);
  return Old;
}

Inbox::Turn::Turn(const Inbox &In, int Rank, MPI_Aint Start) : In(In), Rank(Rank), Start(Start) {
  const std::int64_t Mine = In.word(Rank, Start + Next, 1);
  const Watch Waits(In.Comm, Rank);
  while (In.word(Rank, Start + Served, 0) != Mine)
    answerOthers();
}

Inbox::Turn::~Turn() { In.word(Rank, Start + Served, 1); }

void Inbox::add(const Target &T, const Place &P, const std::byte *Values) {
  checkAlignment(T, P);
  const MPI_Aint Start = startOf(P, T.L->Widest);
  PMPI_Accumulate(Values, T.leaves(), T.element(), T.Rank, Start + Header + P.At, T.Count, T.type(),
                  MPI_SUM, Win);
  PMPI_Win_flush(T.Rank, Win);
  const BlockRange B = blocksOf(T, P);
  std::array<std::int64_t, Blocks> Ones;
  Ones.fill(1);
  PMPI_Accumulate(Ones.data(), static_cast<int>(B.Count), MPI_INT64_T, T.Rank,
                  Start + Counts + B.First * Word, static_cast<int>(B.Count), MPI_INT64_T, MPI_SUM,
                  Win);
  PMPI_Win_flush(T.Rank, Win);
  if (T.Rank == Me) // nobody has to tell this rank
    fold();
}

bool Inbox::hasAny(const Target &T, const Place &P) const {
  const BlockRange B = blocksOf(T, P);
  std::array<std::int64_t, 1 + Blocks> Found = {};
  const int Count = static_cast<int>(1 + B.First + B.Count);
  PMPI_Get_accumulate(nullptr, 0, MPI_INT64_T, Found.data(), Count, MPI_INT64_T, T.Rank,
                      startOf(P, T.L->Widest) + Others, Count, MPI_INT64_T, MPI_NO_OP, Win);
  PMPI_Win_flush(T.Rank, Win);
  if (Found[0] != 0)
    refuse(Refusal::Overlap, "MPI_Put or MPI_Accumulate goes to a window");
  const auto First = Found.begin() + 1 + B.First;
  return std::any_of(First, First + B.Count, [](std::int64_t C) { return C != 0; });
}

void Inbox::addTo(std::byte *Old, const Target &T, const Place &P, MPI_Op Op) const {
  const auto Bytes = static_cast<std::size_t>(T.leaves() * sizeOf(T.L->Widest));
  const Packed Nothing = packedBuffer(static_cast<std::int64_t>(Bytes));
  const Packed Found = packedBuffer(static_cast<std::int64_t>(Bytes));
  std::memset(Nothing.get(), 0, Bytes);
  PMPI_Get_accumulate(Nothing.get(), T.leaves(), T.element(), Found.get(), T.leaves(), T.element(),
                      T.Rank, startOf(P, T.L->Widest) + Header + P.At, T.Count, T.type(),
                      Op == MPI_REPLACE ? MPI_REPLACE : MPI_NO_OP, Win);
  PMPI_Win_flush(T.Rank, Win);
  View{reinterpret_cast<char *>(Old), &layoutOf(T.element()), T.leaves()}.add(Found.get());
}

/// Others may be adding to other values of the page: what is taken is subtracted. An infinite value
/// cannot be, nor is there any sense in adding to it.
template <class Real>
void Inbox::foldPage(MPI_Aint At, int Count, MPI_Datatype Type, Real *To) const {
  std::array<Real, Page / sizeof(Real)> Found, Taken;
  PMPI_Get_accumulate(nullptr, 0, Type, Found.data(), Count, Type, Me, At, Count, Type, MPI_NO_OP,
                      Win);
  PMPI_Win_flush(Me, Win);
  for (int I = 0; I < Count; ++I)
    Taken[I] = std::isfinite(Found[I]) ? -Found[I] : Real{0};
  PMPI_Accumulate(Taken.data(), Count, Type, Me, At, Count, Type, MPI_SUM, Win);
  for (int I = 0; I < Count; ++I) {
    if (Found[I] == 0)
      continue;
    addAtomically(To[I], Found[I]);
    if (Taken[I] == 0)
      PMPI_Accumulate(&Taken[I], 1, Type, Me, At + I * MPI_Aint{sizeof(Real)}, 1, Type, MPI_REPLACE,
                      Win);
  }
  PMPI_Win_flush(Me, Win);
}

template <class Real> void Inbox::foldBlock(const Piece &From, Leaf Kind, MPI_Aint Block) const {
  const MPI_Aint Start = startOf(From.Here, Kind) + Header, Room = From.Here.Room;
  const std::byte *Values = From.Memory.get() + (Start - From.Here.Start);
  const MPI_Aint End = std::min(Room, (Block + 1) * blockOf(Room));
  for (MPI_Aint At = Block * blockOf(Room); At < End; At += Page)
    if (const MPI_Aint Bytes = std::min(Page, End - At); !isZero(Values + At, Bytes))
      foldPage(Start + At, static_cast<int>(Bytes / MPI_Aint{sizeof(Real)}), datatypeOf(Kind),
               reinterpret_cast<Real *>(From.Shadow - From.Here.At + At));
}

void Inbox::foldPiece(const Piece &From, Leaf Kind) const {
  const MPI_Aint Start = startOf(From.Here, Kind);
  const auto *Own = reinterpret_cast<const volatile std::int64_t *>(
      From.Memory.get() + (Start + Counts - From.Here.Start));
  if (std::all_of(Own, Own + Blocks, [](std::int64_t C) { return C == 0; }))
    return;
  const Turn Mine(*this, Me, Start);
  for (MPI_Aint B = 0; B < Blocks; ++B) {
    const MPI_Aint At = Start + Counts + B * Word;
    const std::int64_t Seen = word(Me, At, 0);
    if (Seen == 0)
      continue;
    if (Kind == Leaf::F32)
      foldBlock<float>(From, Kind, B);
    else if (Kind == Leaf::F64)
      foldBlock<double>(From, Kind, B);
    else
      foldBlock<long double>(From, Kind, B);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    word(Me, At, -Seen);
  }
}

void Inbox::besideAnother(int Added) const {
  for (const Piece &P : Pieces)
    for (const Leaf Kind : Kinds)
      word(Me, startOf(P.Here, Kind) + Others, Added);
}

void Inbox::fold() {
  const std::scoped_lock Guard(Lock);
  PMPI_Win_sync(Win);
  for (const Piece &P : Pieces)
    for (const Leaf Kind : Kinds)
      foldPiece(P, Kind);
}

} // namespace contraflow::mpi
