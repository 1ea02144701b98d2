// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the memory graph that knows where in an object its arrays are. An index of unknown
// value, or a pointer that walks, then folds the arrays and not the object:
//
//   object   0: int   8: double [3]   32: pointer   40: double [2]   56: double
//   s->x[i]  one cell for 8, 16, 24, 40, 48 and 56
//
// The optimiser moves constants out of an index: s->y[i - 2] may read (s + 8 * i) + 24. So an
// address tells the kind of the scalar and not in which array it lies; all floats of a kind are
// one cell, and so are all elements of arrays of pointers. Whether what is accessed has the kind
// that lies there is asked at the end (isMistaken): if not, the object folds as if nothing were
// known of it.

#include "MemoryGraph.h"
#include "PlaceList.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

#include <numeric>

using namespace llvm;

namespace contraflow {

void MemoryGraph::addPlace(Node &N, int64_t Offset, const LayoutPlace &P) {
  if (N.Period && (Offset = wrap(N, Offset)) + P.Width > N.Period) {
    N.Mistaken = true;
    return;
  }
  auto Next = N.Places.lower_bound(Offset);
  if (Next != N.Places.end() && Next->first == Offset && Next->second.Width == P.Width) {
    LayoutPlace &Old = Next->second;
    const bool Differ = Old.Kind != P.Kind;
    if (Differ && Old.IsArray != P.IsArray && putAmong(N.Places, Offset, P))
      return;
    const bool Known =
        Old.Kind != SK_Unknown && P.Kind != SK_Unknown && !(Differ && areSingle(Old, P));
    N.Mistaken |= Known && Differ;
    Old.Kind = Known ? Old.Kind : unsigned(SK_Unknown);
    Old.IsArray |= P.IsArray;
    Old.IsStruct |= P.IsStruct;
    Old.IsElement |= P.IsElement;
    Old.OrInteger |= P.OrInteger;
    return;
  }
  N.Mistaken |= !putAmong(N.Places, Offset, P);
}

void MemoryGraph::addPlaces(Location At, const LayoutPlaces &L) {
  if (!At)
    return;
  At = resolve(At);
  Node &N = Nodes[At.Node];
  if (At.Stride || N.Mistaken || !Told.insert({At.Node, At.Offset, &L}).second)
    return;
  ++Changes;
  for (const auto &[Offset, P] : L)
    if (!N.Mistaken)
      addPlace(N, At.Offset + Offset, P);
  if (N.Mistaken)
    mistake(At.Node, 0);
}

void MemoryGraph::eachDeclared(unsigned Kinds, Location At, int64_t Size,
                               function_ref<void(Location, unsigned)> Visit) const {
  At = resolve(At);
  const Node &N = Nodes[At.Node];
  const bool Everywhere = Size < 0 || At.Stride || (N.Period && Size >= N.Period);
  for (const auto &[Offset, P] : N.Places) {
    const auto IsIn = [&, Begin = Offset, Width = P.Width](int64_t Shift) {
      return Begin + Shift < At.Offset + Size && At.Offset < Begin + Shift + Width;
    };
    if (!N.Mistaken && (P.Kind & Kinds) && (Everywhere || IsIn(0) || IsIn(N.Period)))
      Visit({At.Node, Offset}, P.Kind);
  }
}

bool MemoryGraph::isDeclaredOther(Location At) const {
  At = resolve(At);
  const Node &N = Nodes[At.Node];
  const auto Place = N.Mistaken ? N.Places.end() : N.Places.find(At.Offset);
  return Place != N.Places.end() && (Place->second.Kind & (SK_Int | SK_Pointer));
}

/// The size of a variable that is an array of floats or addresses, or one of them, and their kind.
static std::pair<int64_t, unsigned> asArray(const Value *Variable, const DataLayout &DL) {
  const auto *Local = dyn_cast_or_null<AllocaInst>(Variable);
  const auto *Global = dyn_cast_or_null<GlobalVariable>(Variable);
  if (!Global && (!Local || Local->isArrayAllocation()))
    return {0, SK_Unknown};
  Type *T = Global ? Global->getValueType() : Local->getAllocatedType(), *Scalar = T;
  while (auto *Array = dyn_cast<ArrayType>(Scalar))
    Scalar = Array->getElementType();
  const unsigned Kind = kindOfType(Scalar);
  return {Kind ? DL.getTypeAllocSize(T).getFixedValue() : 0, Kind};
}

void MemoryGraph::addUntypedOrigin(Location At, const Value *Variable) {
  if (!At)
    return;
  At = resolve(At);
  const auto [Size, Kind] = asArray(Variable, DL);
  Nodes[At.Node].UntypedOrigins.insert({At.Offset, Size, Kind});
}

/// The node folds, and so do its arrays with it.
void MemoryGraph::mistake(unsigned N, int64_t Stride) {
  N = canonical(N);
  Node &Old = Nodes[N];
  Stride = std::gcd(Stride, Old.Stride);
  Old.Mistaken = true;
  Old.Places.clear();
  Old.Landings.clear();
  Old.Stride = 0;
  if (Stride)
    refold(N, Stride);
}

/// An index leads from member to member: to those of other structures of one array, or the places
/// are not what was said.
void MemoryGraph::foldWhole(unsigned N, int64_t Stride) {
  if (repeats(Nodes[N].Places, Stride))
    refold(N, Stride);
  else
    mistake(N, Stride);
}

bool MemoryGraph::addLanding(Node &N, int64_t Offset, int64_t Stride) {
  int64_t &Here = N.Landings[Offset];
  const bool News = std::gcd(Here, Stride) != Here;
  Here = std::gcd(Here, Stride);
  N.Stride = std::gcd(N.Stride, Stride);
  return News;
}

void MemoryGraph::wrapPlaces(unsigned At) {
  Node &N = Nodes[At];
  const auto Origins = std::move(N.UntypedOrigins);
  N.UntypedOrigins.clear();
  for (auto [Offset, Size, Kind] : Origins)
    N.UntypedOrigins.insert({wrap(N, Offset), Size, Kind});
  const auto Landings = std::move(N.Landings);
  N.Landings.clear();
  for (auto [Offset, Stride] : Landings)
    addLanding(N, wrap(N, Offset), Stride);
  const Places Old = std::move(N.Places);
  N.Places.clear();
  for (auto [Offset, P] : Old)
    if (!N.Mistaken)
      addPlace(N, Offset, P);
  if (N.Mistaken)
    mistake(At, 0);
}

/// Two arrays of the same structures, or one and such a structure.
static int64_t commonElement(int64_t A, int64_t B, int64_t SizeOfPlaces) {
  if (A && B)
    return A == B ? A : 0;
  return SizeOfPlaces <= A + B ? A + B : 0;
}

void MemoryGraph::mergePlaces(unsigned Keep, unsigned Gone, int64_t Shift) {
  Node &K = Nodes[Keep], &G = Nodes[Gone];
  for (auto [Offset, Stride] : G.Landings)
    addLanding(K, wrap(K, Offset + Shift), Stride);
  for (auto [Offset, Size, Kind] : G.UntypedOrigins)
    K.UntypedOrigins.insert({wrap(K, Offset + Shift), Size, Kind});
  K.Stride = std::gcd(K.Stride, G.Stride);
  K.Mistaken |= G.Mistaken;
  K.Element = commonElement(K.Element, G.Element, std::max(sizeOf(K.Places), sizeOf(G.Places)));
  for (auto [Offset, P] : G.Places)
    if (!K.Mistaken)
      addPlace(K, Offset + Shift, P);
  G.Places.clear();
  if (K.Mistaken)
    mistake(Keep, 0);
}

void MemoryGraph::fold(Location At, int64_t Stride, Reach Of) {
  Stride = std::abs(Stride);
  if (!At || !Stride)
    return;
  const Fold New{At, {}, Stride, Of};
  if (Waiting || Of == Reach::Objects)
    Folds.push_back(New);
  else
    foldNow(New);
}

/// By how much two places differ that one pointer leads to.
int64_t MemoryGraph::relate(Location A, Location B) {
  if (!A || !B)
    return 0;
  A = resolve(A);
  B = resolve(B);
  if (A.Node != B.Node) {
    mergeNodes(A, B);
    return 0;
  }
  const int64_t Apart = std::abs(A.Offset - B.Offset);
  if (Apart && Waiting)
    Folds.push_back({A, B, Apart});
  else if (Apart)
    foldNow(A, B, Apart);
  return Apart;
}

/// True if a stride leads from object to object, not from place to place.
bool MemoryGraph::leavesObject(unsigned At, int64_t Stride) const {
  const Node &N = Nodes[At];
  return N.Places.empty() || Stride >= (N.Period ? N.Period : sizeOf(N.Places));
}

/// An index into a member of an array of structures may lead to that member of any of them.
void MemoryGraph::foldElements(unsigned At) {
  if (!Nodes[At].Period)
    refold(At, Nodes[At].Element);
}

void MemoryGraph::foldNow(Location At, Location Other, int64_t Stride) {
  if (leavesObject(At.Node, Stride) ||
      (!Other && leavesFirstRun(Nodes[At.Node].Places, At.Offset, Stride)))
    return refold(At.Node, Stride);
  foldElements(At.Node);
  At = resolve(At);
  Other = Other ? resolve(Other) : Other;
  Node &N = Nodes[At.Node];
  if (!Other && isPadding(N.Places, At.Offset, Stride)) {
    N.Stride = std::gcd(N.Stride, Stride); // the places are asked about, and fold by it
    HasArrays = true;
    return;
  }
  if (Patient && !Other && placeAt(N.Places, At.Offset) == N.Places.end())
    return PutOff.push_back({At, {}, Stride});
  bool Here = isIndexed(N.Places, At.Offset, Stride);
  bool There = Other && isIndexed(N.Places, Other.Offset, Stride);
  // The end of an array may be where another kind begins; nothing is accessed there that way.
  const bool IsHereEnd = There && isBehind(N.Places, At.Offset, Stride);
  const bool IsThereEnd = Here && Other && isBehind(N.Places, Other.Offset, Stride);
  if (IsHereEnd != IsThereEnd) {
    Here &= !IsHereEnd;
    There &= !IsThereEnd;
  }
  if (!(Here && (!Other || There || IsThereEnd)) && !(There && IsHereEnd))
    return foldWhole(At.Node, Stride);
  bool News = Here && addLanding(N, At.Offset, Stride);
  News |= There && addLanding(N, Other.Offset, Stride);
  Changes += News;
  HasArrays = true;
}

/// True if an index of this stride leads from structure to structure, though nobody says that the
/// object is an array of them: members of another kind lie in between.
static bool stepsOver(const Places &P, int64_t Offset, int64_t Stride) {
  const auto First = placeAt(P, Offset);
  if (First == P.end() || First->second.IsStruct)
    return false;
  return std::any_of(std::next(First), P.lower_bound(Offset + Stride), [&](const auto &At) {
    const LayoutPlace &Member = At.second;
    return !Member.IsArray && Member.Kind != First->second.Kind && Member.Kind != SK_Int;
  });
}

/// In an array of structures, each member from At to the next structure's is an array. The end of
/// an array that is kept says where the array is; whoever accesses what begins there shows it.
void MemoryGraph::foldMembersNow(Location At, int64_t Stride) {
  if (!leavesObject(At.Node, Stride) && isEndOnly(Nodes[At.Node].Places, At.Offset, Stride))
    return foldNow({At.Node, lastInFront(Nodes[At.Node].Places, At.Offset)}, {}, Stride);
  if (!leavesObject(At.Node, Stride) && stepsOver(Nodes[At.Node].Places, At.Offset, Stride))
    return foldWhole(At.Node, Stride);
  SmallVector<int64_t, 8> Members;
  const Places &P = Nodes[At.Node].Places;
  for (auto I = P.upper_bound(At.Offset); I != P.end() && I->first < At.Offset + Stride; ++I)
    if (I->second.IsStruct)
      Members.push_back(I->first - At.Offset);
  foldNow(At, {}, Stride);
  for (int64_t Member : Members) {
    At = resolve(At);
    foldNow({At.Node, wrap(Nodes[At.Node], At.Offset + Member)}, {}, Stride);
  }
}

/// True if an index of this stride leads from a member that is no array to one of another kind.
static bool leadsToOthers(const Places &P, int64_t Offset, int64_t Stride) {
  const auto First = placeAt(P, Offset);
  return First != P.end() && !First->second.IsArray && any_of(P, [&](const auto &At) {
           const LayoutPlace &Member = At.second;
           return (At.first - Offset) % Stride == 0 && Member.Kind != First->second.Kind &&
                  Member.Kind != SK_Int;
         });
}

/// A loop that moves a structure word by word comes by all of its members.
void MemoryGraph::foldWordsNow(Location At, int64_t Stride) {
  if (!leavesObject(At.Node, Stride) && leadsToOthers(Nodes[At.Node].Places, At.Offset, Stride))
    return mistake(At.Node, Stride);
  foldNow(At, {}, Stride);
}

void MemoryGraph::foldNow(const Fold &F) {
  const Location At = resolve(F.At), Other = F.Other ? resolve(F.Other) : F.Other;
  if (F.Of == Reach::Members)
    foldMembersNow(At, F.Stride);
  else if (F.Of == Reach::Words)
    foldWordsNow(At, F.Stride);
  else if (F.Of == Reach::Place)
    foldNow(At, Other, F.Stride);
  else if (leavesObject(At.Node, F.Stride))
    refold(At.Node, F.Stride);
}

void MemoryGraph::settleFolds(function_ref<void()> BeforeEach) {
  do {
    std::map<int64_t, std::vector<Fold>, std::greater<>> ByStride;
    for (const Fold &F : Folds)
      ByStride[F.Stride].push_back(F);
    Folds.clear();
    for (const auto &[Stride, Now] : ByStride) {
      BeforeEach();
      for (const Fold &F : Now)
        foldNow(F);
    }
  } while (!Folds.empty());
  BeforeEach();
}

bool MemoryGraph::foldPutOff() {
  const auto Folds = std::exchange(PutOff, {});
  Patient = false;
  for (const Fold &F : Folds)
    foldNow(F);
  Patient = true;
  return !Folds.empty();
}

/// What the fields of a place hold, beside integers.
unsigned MemoryGraph::kindsIn(const Node &N, int64_t Offset, const LayoutPlace &P) const {
  unsigned Kinds = P.Kind;
  for (auto I = N.Fields.lower_bound(Offset); I != N.Fields.end() && I->first < Offset + P.Width;
       ++I)
    Kinds |= typeOf(I->second).Kinds;
  return Kinds & (SK_AnyFloat | SK_Pointer);
}

/// One kind, where it should be, and nothing that reaches into the next place.
bool MemoryGraph::fits(int64_t Field, unsigned Kinds, int64_t Offset, const LayoutPlace &P) const {
  const unsigned Scalar = Kinds & (SK_AnyFloat | SK_Pointer);
  if (Kinds == SK_Unknown)
    return true;
  if (P.Kind == SK_Unknown && !(P.IsArray && P.IsElement)) // what it holds may be mixed
    return Field + widthOfKinds(Kinds) <= Offset + P.Width;
  if ((Scalar & (Scalar - 1)) || (Scalar && (Kinds & (SK_Int | SK_Guessed))))
    return false;
  if (P.Kind == SK_Unknown)
    return Field + widthOfKinds(Kinds) <= Offset + P.Width;
  if (P.Kind == SK_Int)
    return !Scalar;
  return Field == Offset && Kinds == P.Kind;
}

/// True of bytes in which anything lies beside anything, as in an arena.
bool MemoryGraph::isMixed(const Node &N, int64_t Offset, const LayoutPlace &P) const {
  if (P.Kind != SK_Unknown || !P.IsArray || P.IsElement)
    return false;
  const unsigned Scalars = kindsIn(N, Offset, P);
  return (Scalars & (Scalars - 1)) ||
         std::any_of(N.Fields.lower_bound(Offset), N.Fields.lower_bound(Offset + P.Width),
                     [&](const auto &Field) {
                       const unsigned Kinds = typeOf(Field.second).Kinds;
                       return (Kinds & (SK_AnyFloat | SK_Pointer)) &&
                              (Kinds & (SK_Int | SK_Guessed));
                     });
}

/// True if an object that begins there is an array of integers, for all that anybody knows. What
/// else is accessed in it is named one by one: whatever it is, its layout is that of the fields.
static bool holdsIntegers(const Places &P, const std::map<int64_t, int64_t> &Landings,
                          int64_t Offset) {
  auto IsInteger = [&](int64_t Place) {
    auto At = placeAt(P, Place);
    return At != P.end() && At->second.Kind == SK_Int && At->second.IsArray;
  };
  return IsInteger(Offset) && all_of(Landings, [&](auto At) { return IsInteger(At.first); });
}

/// True if an index may lead to a scalar of this kind. If not, an array of such scalars would show:
/// what an index finds in it would be of another kind.
static bool landsOnKind(const std::map<int64_t, int64_t> &Landings, const Places &P,
                        unsigned Kind) {
  return any_of(Landings, [&](auto Landing) {
    auto At = placeAt(P, Landing.first);
    return At == P.end() || At->second.Kind == SK_Unknown || At->second.Kind == Kind;
  });
}

/// True of numbers of its own that an array has in front of it (Headers.cpp).
static bool isInFront(const Places &P, int64_t Offset) {
  auto At = placeAt(P, Offset);
  return At != P.end() && At->second.IsElement && !At->second.IsArray;
}

/// True if an object that begins there, of which nobody says what it is, may be an array. Behind
/// the beginning of the structure, one of numbers or addresses may lie in front of anything.
static bool mayBeginArray(const Places &P, const std::map<int64_t, int64_t> &Landings,
                          int64_t Offset) {
  auto At = P.find(Offset);
  if (isInFront(P, Offset))
    return any_of(Landings, [&](auto Landing) { return isInFront(P, Landing.first); });
  const bool IsFirst = At == P.begin();
  return At == P.end() || At->second.IsArray || (!IsFirst && At->second.Kind != SK_Int) ||
         (hasTwin(P, At) && landsOnKind(Landings, P, At->second.Kind));
}

/// True if from there on nothing lies but an array of floats of one kind: one of its own, too, that
/// is passed to the same function, is what its places say.
static bool isAllArray(const Places &P, int64_t Offset) {
  const auto First = P.find(Offset);
  return First != P.end() && (First->second.Kind & SK_AnyFloat) &&
         std::all_of(First, P.end(), [&, Next = Offset](const auto &At) mutable {
           const bool Fits =
               At.first == Next && At.second.IsArray && At.second.Kind == First->second.Kind;
           Next += At.second.Width;
           return Fits;
         });
}

/// True if so many bytes from there on are scalars of this kind: a variable that is an array of
/// them, and ends there, is what its places say.
static bool areOfKind(const Places &P, int64_t Offset, int64_t Size, unsigned Kind) {
  int64_t Next = Offset;
  for (auto At = P.find(Offset); At != P.end() && Next < Offset + Size; ++At) {
    if (At->first != Next || At->second.Kind != Kind)
      return false;
    Next += At->second.Width;
  }
  return Size && Next == Offset + Size;
}

/// True if an index may lead from a scalar of one of these kinds to there.
bool MemoryGraph::isReached(const Node &N, int64_t Offset, unsigned Kinds) const {
  return any_of(N.Landings, [&](const auto &Landing) {
    const auto Place = placeAt(N.Places, Landing.first);
    return Place != N.Places.end() && (kindsIn(N, Place->first, Place->second) & Kinds) &&
           (Offset - Landing.first) % std::gcd(Landing.second, N.Period) == 0;
  });
}

/// True if an index may lead into, or start from, a member where one kind lies beside others: its
/// cells are none of the elements, and would miss what goes there.
bool MemoryGraph::reachesMixedMember(const Node &N) const {
  return any_of(N.Places, [&](const auto &At) {
    const auto &[Begin, Member] = At;
    const unsigned Kinds = kindsIn(N, Begin, Member);
    const auto First = N.Fields.lower_bound(Begin);
    const auto End = N.Fields.lower_bound(Begin + Member.Width);
    return Member.Kind == SK_Unknown && !Member.IsArray && (Kinds & (Kinds - 1)) &&
           std::any_of(First, End, [&](const auto &Field) {
             const unsigned Scalars = typeOf(Field.second).Kinds & (SK_AnyFloat | SK_Pointer);
             return isReached(N, Field.first, Scalars);
           });
  });
}

bool MemoryGraph::isMistaken(const Node &N) const {
  if (N.Places.empty() || reachesMixedMember(N))
    return true;
  if (any_of(N.UntypedOrigins, [&](const auto &Origin) {
        const auto [Offset, Size, Kind] = Origin;
        return mayBeginArray(N.Places, N.Landings, Offset) && !isAllArray(N.Places, Offset) &&
               !holdsIntegers(N.Places, N.Landings, Offset) &&
               !areOfKind(N.Places, Offset, Size, Kind);
      }))
    return true;
  const unsigned OrIntegers = kindsOrIntegers(N.Places);
  for (auto [Offset, C] : N.Fields) {
    auto At = placeAt(N.Places, Offset);
    const bool IsEnd = At == N.Places.end();
    const bool OrInteger = !IsEnd && At->first == Offset && (At->second.Kind & OrIntegers);
    const unsigned Kinds = typeOf(C).Kinds & ~(OrInteger ? SK_Int : 0u);
    const bool IsFree = IsEnd && !(Kinds & ~SK_Int); // padding
    if (!IsFree && (IsEnd || !fits(Offset, Kinds, At->first, At->second)))
      return true;
  }
  if (any_of(N.Landings, [&](auto At) { return placeAt(N.Places, At.first) == N.Places.end(); }))
    return true;
  return any_of(N.Places, [&](const auto &At) {
    const unsigned Kinds = kindsIn(N, At.first, At.second);
    return At.second.IsArray && (Kinds & (Kinds - 1)) && !isMixed(N, At.first, At.second);
  });
}

/// Where elements of this kind lie: in a place of unknown kind from the first one that is known.
SmallVector<int64_t, 16> MemoryGraph::elements(const Node &N, unsigned Kind) const {
  SmallVector<int64_t, 16> Out;
  const int64_t Run = endOfFirstRun(N.Places), Width = widthOfKinds(Kind);
  const bool FromBegin = any_of(N.Landings, [&](auto At) { return At.first < Run; });
  for (const auto &[Offset, P] : N.Places) {
    if (kindsIn(N, Offset, P) != Kind)
      continue;
    if (P.Kind == Kind && (P.IsArray || (Kind & SK_AnyFloat) || (FromBegin && Offset < Run)))
      Out.push_back(Offset);
    if (P.Kind != SK_Unknown || (!P.IsArray && !(Kind & SK_AnyFloat)))
      continue;
    int64_t First = Offset;
    for (auto I = N.Fields.lower_bound(Offset); I != N.Fields.end(); ++I)
      if (typeOf(I->second).Kinds & Kind) {
        First += (I->first - Offset) % Width;
        break;
      }
    for (; First + Width <= Offset + P.Width; First += Width)
      Out.push_back(First);
  }
  return Out;
}

/// What is known of one element of no declared kind, such as a union, holds for all that an index
/// leads to from there.
void MemoryGraph::foldUnknown(unsigned N) {
  constexpr size_t MostElements = 1024;
  const int64_t Stride = Nodes[N].Stride;
  const Places Listed = Nodes[N].Places;
  SmallVector<std::pair<int64_t, LayoutPlace>, 16> Elements;
  for (const auto &At : Listed)
    if (At.second.IsElement && At.second.Kind == SK_Unknown)
      Elements.push_back(At);
  if (Elements.size() > MostElements)
    return mistake(N, 0);
  for (const auto &[Offset, P] : Elements) {
    SmallVector<std::pair<int64_t, unsigned>, 8> Moving;
    for (auto [Field, C] : Nodes[N].Fields)
      if (Field >= Offset && Field < Offset + P.Width &&
          (typeOf(C).Kinds & (SK_AnyFloat | SK_Pointer)))
        Moving.push_back({Field - Offset, C});
    for (const auto &[Other, Q] : Elements) {
      if (Other == Offset || Q.Width != P.Width || (Other - Offset) % Stride)
        continue;
      for (auto [Within, C] : Moving) {
        const unsigned Twin = fieldCell({N, Other + Within});
        if (findCell(Twin) == findCell(C))
          continue;
        unifyCells(Twin, C);
        ++Changes;
        if (canonical(N) != N || Nodes[N].Places.empty())
          return; // it has become another one
      }
    }
  }
}

/// The cells at these places become one. False if the node has become another one by that.
bool MemoryGraph::unifyFields(unsigned N, ArrayRef<int64_t> Offsets) {
  unsigned First = ~0u;
  for (int64_t Offset : Offsets) {
    const unsigned C = fieldCell({N, Offset});
    if (First == ~0u)
      First = C;
    else if (findCell(First) != C) {
      unifyCells(First, C);
      ++Changes;
    }
    if (canonical(N) != N || Nodes[N].Places.empty())
      return false;
  }
  return true;
}

/// Kinds, and those that lie beside them in bytes where anything does.
unsigned MemoryGraph::withMixed(const Node &N, unsigned Kinds) const {
  for (bool News = true; News;) {
    const unsigned Before = Kinds;
    for (const auto &[Offset, P] : N.Places)
      if (isMixed(N, Offset, P) && (kindsIn(N, Offset, P) & Kinds))
        Kinds |= kindsIn(N, Offset, P);
    News = Kinds != Before;
  }
  return Kinds;
}

/// Where bytes lie in which anything of these kinds does. Nothing if other elements of the kinds
/// lie beside them.
std::optional<Places> MemoryGraph::bytesWith(const Node &N, unsigned Kinds) const {
  Places Out;
  for (const auto &[Offset, P] : N.Places) {
    const unsigned Here = kindsIn(N, Offset, P) & Kinds;
    const bool IsBytes = P.Kind == SK_Unknown && P.IsArray && !P.IsElement;
    if (Here && !IsBytes && (P.IsArray || (Here & SK_AnyFloat)))
      return std::nullopt;
    if (Here && IsBytes)
      Out.insert({Offset, P});
  }
  return Out;
}

/// Bytes in which anything lies fold by what all indices have in common, as an object of bytes
/// alone does; the members beside them stay apart.
void MemoryGraph::foldMixed(unsigned N, unsigned Kinds) {
  constexpr uint64_t MostElements = 32768;
  const int64_t Step = Nodes[N].Stride;
  const auto Bytes = bytesWith(Nodes[N], Kinds);
  if (!Bytes || Step % widthOfKinds(Kinds))
    return mistake(N, 0);
  auto RestOf = [Step](int64_t Offset) { return (Offset % Step + Step) % Step; };
  std::set<int64_t> Rests; // where something lies, modulo the step
  uint64_t Steps = 0;
  for (const auto &[Offset, P] : *Bytes) {
    const auto End = Nodes[N].Fields.lower_bound(Offset + P.Width);
    for (auto I = Nodes[N].Fields.lower_bound(Offset); I != End; ++I)
      Rests.insert(RestOf(I->first));
    Steps += P.Width / Step + 1;
  }
  if (Steps * Rests.size() > MostElements)
    return mistake(N, 0);
  for (int64_t Rest : Rests) {
    SmallVector<int64_t, 16> Offsets;
    for (const auto &[Offset, P] : *Bytes)
      for (int64_t At = Offset + RestOf(Rest - Offset); At < Offset + P.Width; At += Step)
        Offsets.push_back(At);
    if (!unifyFields(N, Offsets))
      return;
  }
}

/// Where an index leads from addresses to a member that is an integer at other times, their cells
/// are two, but the addresses may be the same.
void MemoryGraph::relateAddresses(unsigned N, ArrayRef<int64_t> Elements) {
  SmallVector<int64_t, 4> Members;
  for (const auto &[Offset, P] : Nodes[N].Places)
    if (P.Kind == SK_Unknown && !P.IsArray && kindsIn(Nodes[N], Offset, P) == SK_Pointer &&
        isReached(Nodes[N], Offset, SK_Pointer))
      Members.push_back(Offset);
  if (Members.empty())
    return;
  const int64_t First = Elements.empty() ? Members.front() : Elements.front();
  for (int64_t Member : Members) {
    const unsigned A = fieldCell({N, First}), B = fieldCell({N, Member});
    pointTo(A, typeOf(B).Target);
    pointTo(B, typeOf(A).Target);
    if (canonical(N) != N || Nodes[N].Places.empty())
      return; // it has become another one
  }
}

/// All elements of the kinds that an index leads to become one cell for each kind.
void MemoryGraph::foldArrays(unsigned N) {
  constexpr size_t MostElements = 4096;
  SmallSetVector<unsigned, 2> Kinds;
  for (auto [Offset, Stride] : Nodes[N].Landings) {
    auto At = placeAt(Nodes[N].Places, Offset);
    const unsigned Kind = withMixed(Nodes[N], kindsIn(Nodes[N], At->first, At->second));
    if (Kind != SK_Unknown && Stride % widthOfKinds(Kind))
      return mistake(N, 0);
    if (Kind != SK_Unknown)
      Kinds.insert(Kind);
  }
  for (unsigned Kind : Kinds) {
    const bool IsMixed = any_of(Nodes[N].Places, [&](const auto &At) {
      return (kindsIn(Nodes[N], At.first, At.second) & Kind) &&
             isMixed(Nodes[N], At.first, At.second);
    });
    if (IsMixed) {
      foldMixed(N, Kind);
    } else {
      const auto Offsets = elements(Nodes[N], Kind);
      if (Offsets.size() > MostElements)
        return mistake(N, 0);
      if (unifyFields(N, Offsets) && Kind == SK_Pointer)
        relateAddresses(N, Offsets);
    }
    if (canonical(N) != N || Nodes[N].Places.empty())
      return; // it has become another one
  }
}

bool MemoryGraph::settlePlaces() {
  const unsigned Before = Changes;
  for (unsigned N = 0; N < Nodes.size(); ++N) {
    if (Nodes[N].Parent != N || !Nodes[N].Stride)
      continue;
    foldElements(N);
    if (isMistaken(Nodes[N]))
      mistake(N, 0);
    else
      foldArrays(N);
    if (Nodes[N].Parent == N && Nodes[N].Stride)
      foldUnknown(N);
  }
  return Changes != Before;
}

std::optional<MemoryGraph::Repeated> MemoryGraph::repeatedAt(Location At) const {
  if (!At)
    return std::nullopt;
  At = resolve(At);
  const Node &N = Nodes[At.Node];
  auto P = N.Stride ? placeAt(N.Places, At.Offset) : N.Places.end();
  if (P == N.Places.end())
    return std::nullopt;
  if (isMixed(N, P->first, P->second)) {
    Repeated Out{N.Stride, {}};
    for (auto I = N.Fields.lower_bound(P->first);
         I != N.Fields.end() && I->first < P->first + std::min(N.Stride, P->second.Width); ++I)
      Out.Fields.push_back(*I);
    return Out;
  }
  auto Field = N.Fields.find(At.Offset);
  if (P->second.IsStruct || Field == N.Fields.end() ||
      !(At.Stride || (P->second.IsArray && P != N.Places.begin())))
    return std::nullopt;
  const unsigned Kinds = kindsIn(N, P->first, P->second);
  if (!Kinds && !(P->second.Kind == SK_Int && P->second.IsArray))
    return std::nullopt;
  return Repeated{Kinds ? widthOfKinds(Kinds) : P->second.Width, {*Field}};
}

} // namespace contraflow
