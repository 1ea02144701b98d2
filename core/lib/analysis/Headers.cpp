// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays behind a few numbers of their own in one allocation, which no type describes:
//
//   size_t *h = malloc(2 * sizeof(size_t) + n * sizeof(double));     h[0]: count   h[1]: capacity
//   double *v = (double *)(h + 2);                                   v[i]
//
// Every index starts at or behind v, so what is accessed in front of it by itself is not in the
// array. Before anything folds, the object gets the places that a structure with these members and
// an array without a length would have. Where they turn out to be wrong, the object folds as any
// other one does (Places.cpp).

#include "MemoryGraph.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <numeric>

using namespace llvm;

namespace contraflow {

namespace {
struct Array {
  int64_t Begin = 0, Stride = 0;
  bool IsOne = false;                        ///< it looks like such an array
  std::map<int64_t, unsigned> Elements = {}; ///< kinds, by the distance from the beginning of one
  LayoutPlaces Header = {};
  bool add(int64_t Offset, unsigned Kinds);
  void share(const Array &Other, int64_t Shift);
  bool close();
  LayoutPlaces places() const;
};
} // namespace

/// A float or a pointer and nothing else.
static bool isScalar(unsigned Kinds) {
  return Kinds && (Kinds & (Kinds - 1)) == 0 && (Kinds & (SK_AnyFloat | SK_Pointer));
}

/// False if what lies there is not what lies in such an array.
bool Array::add(int64_t Offset, unsigned Kinds) {
  if (Offset >= Begin) {
    unsigned &Here = Elements[(Offset - Begin) % Stride];
    Here |= Kinds;
    return !(Here & ~SK_Int) || isScalar(Here);
  }
  Header[Offset] = {Begin - Offset, Kinds == SK_Pointer ? unsigned(SK_Pointer) : unsigned(SK_Int)};
  Header[Offset].IsElement = true; // and in no array: in front of one
  return !(Kinds & ~SK_Int) || Kinds == SK_Pointer;
}

/// What lies in front of the array that was copied as a whole, so far from here.
void Array::share(const Array &Other, int64_t Shift) {
  if (IsOne && Other.IsOne && Begin == Other.Begin + Shift && Stride == Other.Stride)
    for (auto [Offset, P] : Other.Header)
      Header.insert({Offset + Shift, P});
}

/// True if an integer in front is where a float would be in an element: what folds mixes them.
bool Array::close() {
  constexpr size_t MostMembers = 64; // of an element
  bool IsMixed = false;
  int64_t End = Begin;
  for (auto &[Offset, P] : reverse(Header)) {
    P.Width = P.Kind == SK_Pointer ? widthOfKinds(P.Kind) : End - Offset;
    End = Offset;
    auto There = Elements.find(((Offset - Begin) % Stride + Stride) % Stride);
    IsMixed |= There != Elements.end() && (There->second & SK_AnyFloat) && P.Kind == SK_Int;
  }
  return IsMixed && Elements.size() <= MostMembers;
}

/// How wide an integer is, nobody says.
static int64_t widthIn(unsigned Kind, int64_t Room) {
  constexpr int64_t Word = 8;
  return Kind & ~SK_Int ? widthOfKinds(Kind)
                        : std::min<int64_t>(llvm::bit_floor<uint64_t>(Room), Word);
}

LayoutPlaces Array::places() const {
  constexpr int64_t MostElements = 128; // that a constant leads to
  LayoutPlaces Out = Header;
  const bool IsStruct = Elements.size() > 1;
  for (auto I = Elements.begin(); I != Elements.end(); ++I) {
    const auto Next = std::next(I);
    const int64_t Room = (Next == Elements.end() ? Stride : Next->first) - I->first;
    const unsigned Kind = I->second ? I->second : unsigned(SK_Int);
    const int64_t Width = widthIn(Kind, Room);
    for (int64_t N = 0; Width <= Room && N < MostElements; ++N)
      Out[Begin + N * Stride + I->first] = {Width, Kind, /*IsArray=*/true, IsStruct,
                                            /*IsElement=*/true};
  }
  return Out;
}

void MemoryGraph::inferHeaders() {
  MapVector<unsigned, Array> Arrays;
  for (const Fold &F : Folds)
    for (Location At : {F.At, F.Other})
      if (At) {
        At = resolve(At);
        Array &A = Arrays.insert({At.Node, {At.Offset, F.Stride}}).first->second;
        A.Begin = std::min(A.Begin, At.Offset);
        A.Stride = std::gcd(A.Stride, F.Stride);
      }
  for (auto &[At, A] : Arrays) {
    const Node &N = Nodes[At];
    A.IsOne = !N.Period && !N.Mistaken && N.Places.empty() && all_of(N.Fields, [&](auto &Field) {
      return A.add(Field.first, typeOf(Field.second).Kinds);
    });
  }
  eachCopy([&](Location From, Location To, int64_t) {
    auto A = Arrays.find(From.Node), B = Arrays.find(To.Node);
    if (A == Arrays.end() || B == Arrays.end())
      return;
    A->second.share(B->second, From.Offset - To.Offset);
    B->second.share(A->second, To.Offset - From.Offset);
  });
  for (auto &[At, A] : Arrays)
    if (A.IsOne && A.close())
      Nodes[At].Places = A.places();
}

} // namespace contraflow
