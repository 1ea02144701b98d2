// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace contraflow {

Elements::Elements(MemoryGraph &Graph) : Graph(Graph) {
  Graph.eachCopy([&](Location From, Location To, int64_t Size) {
    for (const Location At : {From, To})
      if (At)
        Copied.push_back({At, Size});
  });
}

unsigned Elements::kindsOf(unsigned Node) {
  auto [At, New] = Kinds.try_emplace(Graph.canonical(Node), 0);
  if (New)
    At->second = Graph.kindsOf(Node);
  return At->second;
}

bool Elements::holdsOneKind(Location At) {
  const unsigned Known = At ? kindsOf(At.Node) & ~SK_Guessed : unsigned(SK_Unknown);
  return Known == SK_Double || Known == SK_Float;
}

void Elements::assume(Location At, int64_t Size) {
  if (Size < 4 || !holdsOneKind(At))
    return;
  const unsigned All = kindsOf(At.Node), Known = All & ~SK_Guessed;
  const int64_t Width = widthOfKinds(Known);
  const int64_t Other = Graph.fields(At.Node).begin()->first;
  if (Size % Width || (At.Offset - Other) % Width)
    return;
  for (int64_t Byte = 0; Byte < Size; Byte += Width) {
    const Location Element{At.Node, At.Offset + Byte};
    if (Graph.kindsAt(Element, Width) != SK_Unknown || Graph.isDeclaredOther(Element))
      continue;
    Graph.addKind(Graph.fieldCell(Element), All);
    News = true;
  }
}

void Elements::assumeCopied() {
  constexpr int64_t MostBytes = 512;
  for (auto [At, Size] : Copied)
    if (!At.Stride && Size <= MostBytes)
      assume(At, Size);
}

/// True if a member that is an integer is copied by itself, and no type is named: it may be the
/// bits of a float.
bool Elements::mayBeBits(ArrayRef<Range> Words) const {
  const auto Alone = [this](Location At, int64_t Size) {
    bool Any = false;
    if (At && !(Graph.kindsAt(At, Size) & SK_AnyFloat))
      Graph.eachDeclared(SK_Int, At, Size, [&](Location, unsigned) { Any = true; });
    return Any;
  };
  auto IsAlone = [&](const Range &R) { return Alone(R.first, R.second); };
  return any_of(Copied, IsAlone) || any_of(Words, IsAlone);
}

void Elements::noteMembers(ScalarKind Kind) {
  SmallVector<Location, 16> Found;
  for (auto [At, Size] : Copied)
    if (holdsOneKind(At))
      Graph.eachDeclared(Kind, At, Size, [&](Location Member, unsigned) {
        if (Graph.kindsAt(Member, std::max<int64_t>(widthOfKinds(Kind), 4)) == SK_Unknown)
          Found.push_back(Member);
      });
  for (const Location Member : Found)
    Graph.addKind(Graph.fieldCell(Member), Kind);
  News |= !Found.empty();
}

void Elements::noteIntegers(ArrayRef<Range> Words) {
  if (!mayBeBits(Words))
    noteMembers(SK_Int);
}

void Elements::notePointers() { noteMembers(SK_Pointer); }

} // namespace contraflow
