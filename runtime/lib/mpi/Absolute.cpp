// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of addresses. An entry lives until the call that made it is reversed, in a tangent
// until the function that made it returns: a datatype that outlives it is not found in another
// object's shadow. Objects do not overlap, so that the nearest entry below an address is of its
// object, if any is; how far it reaches is known from the compiler, or else as far as the run that
// begins there.
//
// A datatype whose places are differences of such addresses leads from the buffer's object into
// others. Its runs are looked up where the buffer puts them:
//
//   MPI_Get_address(a, &d[0]); MPI_Get_address(b, &d[1]); d[1] -= d[0]; d[0] = 0
//   MPI_Send(a, 1, type)               runs at a, a + (b - a)  ->  runs at a-bar, b-bar
//
// What is in no other object known is the buffer's own, unless another one lies between.

#include "mpi/Absolute.h"

#include "mpi/Record.h"
#include "mpi/Refuse.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace contraflow::mpi {
namespace {

struct Entry {
  std::int64_t Bytes;          ///< 0: unknown
  std::vector<char *> Shadows; ///< one for each direction, null without a shadow
  std::uint64_t Number;
  std::thread::id Tangent = {}; ///< of the thread whose tangent made it, or none
};

struct Table {
  std::mutex Lock;
  std::map<std::uintptr_t, Entry> Entries;
  std::uint64_t Last = 0;
  std::atomic<bool> Used = false; ///< something has been entered
};

Table &table() {
  static auto *Only = new Table; // outlives every other static object
  return *Only;
}

std::vector<char *> shadowsAt(void *Argument) {
  const Shadows Found = shadowsOf(Argument);
  std::vector<char *> All(static_cast<std::size_t>(directionCount()), nullptr);
  for (int D = 0; Found.First && D < directionCount(); ++D)
    All[static_cast<std::size_t>(D)] = Found.First + (Found.All ? Found.All->offset(D) : 0);
  return All;
}

/// True if the shadows of two addresses are in one object, in each direction.
bool areTogether(const std::vector<char *> &A, std::uintptr_t AtA, const std::vector<char *> &B,
                 std::uintptr_t AtB) {
  const auto Distance = static_cast<std::ptrdiff_t>(AtB - AtA);
  return std::ranges::equal(
      A, B, [&](const char *X, const char *Y) { return X && Y ? Y - X == Distance : X == Y; });
}

/// What lies within a new object and has another shadow is of an object that is no more.
void dropEarlier(Table &T, std::uintptr_t Start, std::int64_t Bytes,
                 const std::vector<char *> &Shadows) {
  const auto End = T.Entries.lower_bound(Start + static_cast<std::uintptr_t>(Bytes));
  for (auto E = T.Entries.lower_bound(Start); Bytes > 0 && E != End;)
    E = areTogether(Shadows, Start, E->second.Shadows, E->first) ? std::next(E)
                                                                 : T.Entries.erase(E);
}

std::uint64_t enter(const void *Location, std::int64_t Bytes, void *Shadow, std::thread::id By) {
  Table &T = table();
  std::vector<char *> All = shadowsAt(Shadow);
  const std::scoped_lock Guard(T.Lock);
  T.Used.store(true, std::memory_order_relaxed);
  const auto Start = reinterpret_cast<std::uintptr_t>(Location);
  dropEarlier(T, Start, Bytes, All);
  T.Entries.insert_or_assign(Start, Entry{Bytes, std::move(All), ++T.Last, By});
  return T.Last;
}

/// A part of a run that lies in one object.
struct Piece {
  const Entry *In;
  std::ptrdiff_t From; ///< bytes behind the entry's address
  Run What;            ///< its offset is not yet known
};

/// The object of a buffer that has an address of its own.
struct Home {
  std::uintptr_t Start;
  Entry Object;

  /// As far as anything is known of it.
  bool holds(std::uintptr_t At) const {
    return At >= Start && At - Start < static_cast<std::uintptr_t>(Object.Bytes);
  }
};

class Resolution {
public:
  /// Of is null for MPI_BOTTOM.
  Resolution(const Table &T, const Home *Of) : T(T), Of(Of) {}

  /// Of a block that begins at `Start`: all of a block is in one object.
  void add(std::uintptr_t At, std::uintptr_t Start, const Run &R) {
    Pieces.push_back(pieceAt(At, Start, R));
  }
  bool hasShadow() const {
    const auto Has = [](const Piece &P) { return P.In->Shadows.front() != nullptr; };
    const bool Any = std::ranges::any_of(Pieces, Has);
    if (Any && !std::ranges::all_of(Pieces, Has))
      refuse(Refusal::Datatype, Of ? "blocks of several objects, some without derivatives"
                                   : "MPI_BOTTOM, partly to memory without derivatives");
    return Any;
  }
  bool allAtHome() const {
    return std::ranges::all_of(Pieces, [&](const Piece &P) { return Of && P.In == &Of->Object; });
  }
  char *first() const { return shadow(Pieces.front(), 0); }
  /// One item of all pieces, relative to first().
  const Layout &layout(const Layout &Of, std::int64_t Count, std::size_t Direction) const {
    Layout New = Of;
    New.Runs.clear();
    New.Placed.clear();
    New.Starts.clear();
    for (const Piece &P : Pieces) {
      New.Runs.push_back(P.What);
      New.Runs.back().Offset = shadow(P, Direction) - first();
    }
    New.Extent = 0;
    New.Size *= Count;
    New.Leaves *= Count;
    New.LeafBytes *= Count;
    New.Dense = false;
    return intern(std::move(New));
  }

private:
  static char *shadow(const Piece &P, std::size_t Direction) {
    if (Direction >= P.In->Shadows.size())
      refuse(Refusal::Datatype, "blocks at addresses from another derivative");
    return P.In->Shadows[Direction] + P.From;
  }
  Piece pieceAt(std::uintptr_t At, std::uintptr_t Start, const Run &R) const {
    if (Of && Of->holds(At))
      return homePiece(At, R);
    const auto Next = T.Entries.upper_bound(At);
    if (Next != T.Entries.begin()) {
      const auto &[Place, E] = *std::prev(Next);
      const auto From = static_cast<std::int64_t>(At - Place);
      // Its shadow may lie where that of the buffer's object would.
      if (From == 0 || From < E.Bytes || (E.Bytes <= 0 && Place == Start))
        return Of && isHome(Place, E) ? homePiece(At, R) : Piece{&E, From, R};
    }
    if (!Of || isElsewhere(At))
      refuseAddress();
    return homePiece(At, R);
  }
  Piece homePiece(std::uintptr_t At, const Run &R) const {
    return {&Of->Object, static_cast<std::ptrdiff_t>(At - Of->Start), R};
  }
  bool isHome(std::uintptr_t Place, const Entry &E) const {
    return areTogether(Of->Object.Shadows, Of->Start, E.Shadows, Place);
  }
  /// Objects are in one piece: what is behind the end of the buffer's, or behind another one that
  /// lies between, is not in it.
  bool isElsewhere(std::uintptr_t At) const {
    if (At >= Of->Start && Of->Object.Bytes > 0)
      return true;
    const std::uintptr_t Last = std::max(At, Of->Start);
    for (auto E = T.Entries.upper_bound(std::min(At, Of->Start));
         E != T.Entries.end() && E->first < Last; ++E)
      if (!isHome(E->first, E->second))
        return true;
    return false;
  }
  [[noreturn]] void refuseAddress() const {
    refuse(Refusal::AddressUnknown,
           Of ? "the datatype leads out of its object; behind that" : "MPI_BOTTOM");
  }

  const Table &T;
  const Home *Of;
  std::vector<Piece> Pieces;
};

/// Directions that differ by their layouts, if there is a shadow; never go away.
const Directions *directionsOf(std::vector<const Layout *> Layouts) {
  static std::mutex Lock;
  static auto *All = new std::map<std::vector<const Layout *>, Directions>;
  const std::scoped_lock Guard(Lock);
  const auto [At, New] = All->try_emplace(std::move(Layouts));
  if (New)
    At->second = {static_cast<int>(At->first.size()), nullptr,
                  At->first.front() ? At->first.data() : nullptr};
  return &At->second;
}

} // namespace

struct Items {
  const Layout *L;
  std::int64_t Count;
};

static Resolution resolve(const Table &T, const Home *Of, std::uintptr_t Start, Items What) {
  Resolution R(T, Of);
  const Layout &L = *What.L;
  const std::vector<Run> &Runs = L.Placed.empty() ? L.Runs : L.Placed;
  if (L.Dense && L.Placed.empty() && What.Count > 0) {
    R.add(Start, Start, {0, What.Count * L.Leaves, 0, L.Runs.front().Kind});
    return R;
  }
  for (std::int64_t Item = 0; Item < What.Count; ++Item) {
    const std::uintptr_t From = Start + static_cast<std::uintptr_t>(Item * L.Extent);
    for (std::size_t I = 0; I < Runs.size(); ++I) {
      Run Each = Runs[I];
      Each.Behind += Item * L.Size;
      const std::int64_t Block = L.Placed.empty() ? Each.Offset : L.Starts[I];
      R.add(From + static_cast<std::uintptr_t>(Each.Offset),
            From + static_cast<std::uintptr_t>(Block), Each);
    }
  }
  return R;
}

static View absoluteView(const Resolution &R, const Layout &L, std::int64_t Count) {
  if (L.Raw)
    refuse(Refusal::Datatype, "bytes at absolute addresses");
  if (isNested())
    refuse(Refusal::Nested, "memory at absolute addresses");
  const std::int64_t Leaves = Count * L.Leaves;
  const int Width = directionCount();
  std::vector<const Layout *> Layouts(static_cast<std::size_t>(Width), nullptr);
  if (!R.hasShadow())
    return {nullptr, &L, Leaves, Width > 1 ? directionsOf(std::move(Layouts)) : nullptr};
  const Layout &First = R.layout(L, Count, 0);
  if (Width == 1)
    return {R.first(), &First, Leaves};
  for (std::size_t D = 0; D < Layouts.size(); ++D)
    Layouts[D] = &R.layout(L, Count, D);
  return {R.first(), &First, Leaves, directionsOf(std::move(Layouts))};
}

/// The object of a buffer; what the table says of it, if that is about the same object. Nothing if
/// the table is about another one, which is no more.
static std::optional<Home> homeOf(const Table &T, const Buffer &B) {
  Home Of{reinterpret_cast<std::uintptr_t>(B.Primal), {0, shadowsAt(B.Shadow), 0}};
  const auto Next = T.Entries.upper_bound(Of.Start);
  if (Next == T.Entries.begin())
    return Of;
  const auto &[Start, E] = *std::prev(Next);
  const auto From = static_cast<std::int64_t>(Of.Start - Start);
  if (E.Bytes > 0 ? From >= E.Bytes : From != 0)
    return Of;
  if (!areTogether(E.Shadows, Start, Of.Object.Shadows, Of.Start))
    return std::nullopt;
  Of.Object.Bytes = E.Bytes > 0 ? E.Bytes - From : 0;
  return Of;
}

bool mayLeadElsewhere(const void *Primal) {
  return Primal == MPI_BOTTOM ||
         (Primal != MPI_IN_PLACE && table().Used.load(std::memory_order_relaxed));
}

enum class Where : std::uint8_t { Elsewhere, Anywhere };

/// Nothing if all is in the buffer's own object, unless that is asked for as well.
static std::optional<View> viewElsewhere(const Buffer &B, const Layout &L, std::ptrdiff_t From = 0,
                                         Where Wanted = Where::Elsewhere) {
  Table &T = table();
  if ((L.Placed.empty() && Wanted == Where::Elsewhere) || !mayLeadElsewhere(B.Primal))
    return std::nullopt;
  const std::scoped_lock Guard(T.Lock);
  const std::optional<Home> Of = homeOf(T, B);
  if (T.Entries.empty() || !Of)
    return std::nullopt;
  const Resolution R =
      resolve(T, &*Of, Of->Start + static_cast<std::uintptr_t>(From), {&L, B.Count});
  if (Wanted == Where::Elsewhere && R.allAtHome())
    return std::nullopt;
  return absoluteView(R, L, B.Count);
}

static View absoluteViewOf(const Buffer &B, const Layout &L, std::ptrdiff_t From = 0) {
  Table &T = table();
  const std::scoped_lock Guard(T.Lock);
  const auto Start = static_cast<std::uintptr_t>(From);
  return absoluteView(resolve(T, nullptr, Start, {&L, B.Count}), L, B.Count);
}

/// Nothing as well where nothing moves.
static std::optional<View> blockView(const Block &B, Where Wanted) {
  const Layout &L = layoutOf(B.Of.Type, Characters::Moved);
  if (B.Of.Count <= 0 || L.Leaves == 0 || L.Opaque)
    return std::nullopt;
  return B.Of.Primal == MPI_BOTTOM ? absoluteViewOf(B.Of, L, B.From)
                                   : viewElsewhere(B.Of, L, B.From, Wanted);
}

std::vector<View> blockViewsOf(const std::vector<Block> &All) {
  const auto IsElsewhere = [](const Block &B) {
    return blockView(B, Where::Elsewhere).has_value();
  };
  std::vector<View> Views;
  if (std::ranges::any_of(All, IsElsewhere))
    for (const Block &B : All)
      Views.push_back(blockView(B, Where::Anywhere).value_or(B.Here));
  return Views;
}

View ownViewOf(const Buffer &B, const char *Function) {
  if (B.Count > 0 && !B.Known && B.Primal != MPI_BOTTOM && viewElsewhere(B, layoutOf(B.Type)))
    refuse(Refusal::Datatype, std::string("blocks of several objects in ") + Function);
  return viewOf(B);
}

View messageViewOf(const Buffer &B, Characters What) {
  const bool Absolute = B.Primal == MPI_BOTTOM;
  if (B.Count <= 0 || B.Known || !(Absolute || table().Used.load(std::memory_order_relaxed)))
    return viewOf(B, What);
  const Layout &L = layoutOf(B.Type, What);
  if (L.Leaves == 0 || L.Opaque)
    return viewOf(B, What);
  if (!Absolute) {
    const std::optional<View> Elsewhere = viewElsewhere(B, L);
    return Elsewhere ? *Elsewhere : viewOf(B, What);
  }
  return absoluteViewOf(B, L);
}

} // namespace contraflow::mpi

using namespace contraflow::mpi;

namespace {

struct AddressRecord : cf_mpi_record {
  const void *Location;
  std::uint64_t Number;
};

} // namespace

int cf_v1_mpi_get_address_tangent(const void *location, MPI_Aint *address, std::int64_t bytes,
                                  void *location_shadow) {
  enter(location, bytes, location_shadow, std::this_thread::get_id());
  return PMPI_Get_address(location, address);
}

int cf_v1_mpi_get_address_augment(const void *location, MPI_Aint *address, std::int64_t bytes,
                                  void *location_shadow, cf_tape *tape, cf_mpi_record **record) {
  auto *R = contraflow::mpi::record<AddressRecord>(tape);
  R->Location = location;
  R->Number = enter(location, bytes, location_shadow, {});
  *record = R;
  return PMPI_Get_address(location, address);
}

void cf_v1_mpi_get_address_adjoint(cf_mpi_record *record) {
  if (!record)
    return;
  const auto *R = static_cast<const AddressRecord *>(record);
  Table &T = table();
  const std::scoped_lock Guard(T.Lock);
  const auto Found = T.Entries.find(reinterpret_cast<std::uintptr_t>(R->Location));
  if (Found != T.Entries.end() && Found->second.Number == R->Number)
    T.Entries.erase(Found);
}

void cf_v1_mpi_addresses_forget() {
  Table &T = table();
  const std::scoped_lock Guard(T.Lock);
  std::erase_if(T.Entries,
                [](const auto &E) { return E.second.Tangent == std::this_thread::get_id(); });
}
