// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of memory (Layout.h) from another place on. A block of bytes may begin in the middle
// of what the compiler has described:
//
//   {double a; int n; int m;} x 4 in blocks of 24 bytes: the second one begins at n of the second
//   item fields, period 16: F64 at 0    ->    behind 24 bytes: F64 at 8

#include "mpi/Layout.h"
#include "mpi/Refuse.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace contraflow::mpi {
namespace {

/// A field, or bytes of which nothing is known; End is 0 for those that do not end.
struct Piece {
  std::int64_t Begin, End;
  std::int32_t Kind;
};

/// Moves a piece to the front; what leaves at one end of the period comes back at the other.
void addMoved(std::vector<Piece> &To, Piece P, std::int64_t Period, std::int64_t By) {
  const bool IsNumber = P.Kind != Description::Unknown;
  if (IsNumber && P.Begin < By && By < P.Begin + sizeOf(FieldKinds[P.Kind]))
    refuse(Refusal::Datatype, "MPI_BYTE in blocks that begin inside an element");
  P.Begin -= By;
  if (IsNumber) {
    if (Period > 0 && P.Begin < 0)
      P.Begin += Period;
    if (P.Begin >= 0)
      To.push_back(P);
    return;
  }
  const bool Ends = P.End > 0;
  P.End -= Ends ? By : 0;
  if (Period > 0 && P.Begin < 0)
    To.push_back({P.Begin + Period, std::min(P.End + Period, Period), P.Kind});
  if (!Ends || P.End > 0)
    To.push_back({std::max<std::int64_t>(P.Begin, 0), P.End, P.Kind});
}

/// The fields live as long as the layouts.
std::vector<cf_field> fieldsBehind(const Description &D, std::int64_t By) {
  std::vector<Piece> All;
  for (int F = 0; F < D.Count; ++F)
    if (D.Fields[F].kind != Description::UnknownEnd)
      addMoved(All, {D.Fields[F].offset, D.endOfUnknown(F), D.Fields[F].kind}, D.Period, By);
  std::ranges::sort(All, {}, &Piece::Begin);
  std::vector<cf_field> Fields;
  for (const Piece &P : All) {
    Fields.push_back({P.Begin, P.Kind});
    if (P.Kind == Description::Unknown && P.End > 0)
      Fields.push_back({P.End, Description::UnknownEnd});
  }
  return Fields;
}

/// How many fields lie in the first bytes; 0 if some of these may be parts of numbers that are not
/// known, or of several.
int fieldsIn(const Description &D, std::int64_t Bytes) {
  std::int64_t End = 0;
  for (int F = 0; F < D.Count; ++F) {
    if (D.Fields[F].offset >= Bytes)
      return F;
    if (D.Fields[F].kind >= Description::Unknown || D.Fields[F].offset < End)
      return 0;
    End = D.Fields[F].offset + sizeOf(FieldKinds[D.Fields[F].kind]);
    if (End > Bytes)
      return 0;
  }
  return D.Count;
}

} // namespace

const Layout *numbersAmong(const Layout &Bytes, std::int64_t Count) {
  const Description &D = Bytes.Inside;
  Layout Item;
  Item.Extent = Item.Size = D.Period > 0 ? D.Period : Count;
  const int Fields = fieldsIn(D, Item.Size);
  if (!Bytes.Dense || Bytes.Pieces || Fields == 0 || Count % Item.Size != 0)
    return nullptr;
  for (int F = 0; F < Fields; ++F) {
    const Leaf Kind = FieldKinds[D.Fields[F].kind];
    Item.Runs.push_back({D.Fields[F].offset, 1, D.Fields[F].offset, Kind});
    Item.LeafBytes += sizeOf(Kind);
    Item.Widest = std::max(Item.Widest, Kind);
  }
  Item.Leaves = Fields;
  Item.Dense = Fields == 1 && Item.LeafBytes == Item.Size;
  return &intern(std::move(Item));
}

const Layout &layoutBehind(const Layout &L, std::int64_t By) {
  static std::mutex Lock;
  static auto *Known = new std::map<std::pair<const Layout *, std::int64_t>, const Layout *>;
  static auto *Kept = new std::vector<std::vector<cf_field>>;
  const std::int64_t Period = L.Inside.Period;
  const std::int64_t Behind = Period > 0 ? (By % Period + Period) % Period : By;
  const std::scoped_lock Guard(Lock);
  const Layout *&Found = (*Known)[{&L, Behind}];
  if (!Found) {
    const auto &Fields = Kept->emplace_back(fieldsBehind(L.Inside, Behind));
    Layout New = L;
    New.Inside = {Fields.data(), Period, static_cast<int>(Fields.size())};
    Found = &intern(std::move(New));
  }
  return *Found;
}

} // namespace contraflow::mpi
