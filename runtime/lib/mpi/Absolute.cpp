// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of addresses. An entry lives until the call that made it is reversed, in a tangent
// until the function that made it returns: a datatype that outlives it is not found in another
// object's shadow. Objects do not overlap, so that the nearest entry below an address is of its
// object, if any is; how far it reaches is known from the compiler, or else as far as the run that
// begins there.

#include "mpi/Absolute.h"

#include "mpi/Record.h"
#include "mpi/Refuse.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
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

std::uint64_t enter(const void *Location, std::int64_t Bytes, void *Shadow, std::thread::id By) {
  Table &T = table();
  std::vector<char *> All = shadowsAt(Shadow);
  const std::scoped_lock Guard(T.Lock);
  T.Entries.insert_or_assign(reinterpret_cast<std::uintptr_t>(Location),
                             Entry{Bytes, std::move(All), ++T.Last, By});
  return T.Last;
}

/// A part of a run that lies in one object.
struct Piece {
  const Entry *In;
  std::ptrdiff_t From; ///< bytes behind the entry's address
  Run What;            ///< its offset is not yet known
};

class Resolution {
public:
  explicit Resolution(const Table &T) : T(T) {}

  void add(std::uintptr_t At, Run R) {
    const std::int64_t Each = sizeOf(R.Kind);
    while (R.Count > 0) {
      Piece P = pieceAt(At, R);
      Pieces.push_back(P);
      At += static_cast<std::uintptr_t>(P.What.Count * Each);
      R.Behind += P.What.Count * Each;
      R.Count -= P.What.Count;
    }
  }
  bool hasShadow() const {
    const auto Has = [](const Piece &P) { return P.In->Shadows.front() != nullptr; };
    const bool Any = std::ranges::any_of(Pieces, Has);
    if (Any && !std::ranges::all_of(Pieces, Has))
      refuse(Refusal::Datatype, "MPI_BOTTOM, partly to memory without derivatives");
    return Any;
  }
  char *first() const { return shadow(Pieces.front(), 0); }
  /// One item of all pieces, relative to first().
  const Layout &layout(const Layout &Of, std::int64_t Count, std::size_t Direction) const {
    Layout New = Of;
    New.Runs.clear();
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
      refuse(Refusal::Datatype, "MPI_BOTTOM with addresses from another derivative");
    return P.In->Shadows[Direction] + P.From;
  }
  Piece pieceAt(std::uintptr_t At, const Run &R) const {
    auto Next = T.Entries.upper_bound(At);
    if (Next == T.Entries.begin())
      refuseAddress();
    const auto &[Start, E] = *std::prev(Next);
    const std::int64_t Each = sizeOf(R.Kind);
    const auto From = static_cast<std::int64_t>(At - Start);
    std::int64_t Fits = R.Count;
    if (E.Bytes > 0)
      Fits = std::min(Fits, (E.Bytes - From) / Each);
    else if (From != 0)
      refuseAddress();
    if (Next != T.Entries.end())
      Fits = std::min(Fits, static_cast<std::int64_t>(Next->first - At) / Each);
    if (Fits <= 0)
      refuseAddress();
    Piece P{&E, From, R};
    P.What.Count = Fits;
    return P;
  }
  [[noreturn]] static void refuseAddress() { refuse(Refusal::AddressUnknown, "MPI_BOTTOM"); }

  const Table &T;
  std::vector<Piece> Pieces;
};

/// The layouts of all directions; never goes away.
const Layout *const *keep(std::vector<const Layout *> Layouts) {
  static std::mutex Lock;
  static auto *All = new std::set<std::vector<const Layout *>>;
  const std::scoped_lock Guard(Lock);
  return All->insert(std::move(Layouts)).first->data();
}

/// As long as the call lasts, which has two buffers at most.
const Directions *announce(Directions D) {
  thread_local Directions Of[2];
  thread_local unsigned Next = 0;
  Directions &Here = Of[Next++ % 2];
  Here = D;
  return &Here;
}

} // namespace

static View absoluteView(const Layout &L, std::int64_t Count) {
  if (L.Raw)
    refuse(Refusal::Datatype, "bytes at absolute addresses");
  if (isNested())
    refuse(Refusal::Nested, "memory at absolute addresses");
  Table &T = table();
  const std::scoped_lock Guard(T.Lock);
  Resolution R(T);
  for (std::int64_t Item = 0; Item < Count; ++Item)
    for (Run Each : L.Runs) {
      Each.Behind += Item * L.Size;
      R.add(static_cast<std::uintptr_t>(Item * L.Extent + Each.Offset), Each);
    }
  const std::int64_t Leaves = Count * L.Leaves;
  const int Width = directionCount();
  if (!R.hasShadow())
    return {nullptr, &L, Leaves, Width > 1 ? announce({Width, nullptr}) : nullptr};
  const Layout &First = R.layout(L, Count, 0);
  if (Width == 1)
    return {R.first(), &First, Leaves};
  std::vector<const Layout *> Layouts;
  for (int D = 0; D < Width; ++D)
    Layouts.push_back(&R.layout(L, Count, static_cast<std::size_t>(D)));
  Directions All{Width, nullptr};
  All.Layouts = keep(std::move(Layouts));
  return {R.first(), &First, Leaves, announce(All)};
}

View messageViewOf(const Buffer &B) {
  if (B.Primal != MPI_BOTTOM || B.Count <= 0 || B.Known)
    return viewOf(B);
  const Layout &L = layoutOf(B.Type);
  return L.Leaves > 0 && !L.Opaque ? absoluteView(L, B.Count) : viewOf(B);
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
