// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlaceList.h"
#include "contraflow/core/Construct.h"

#include <algorithm>
#include <iterator>

using namespace llvm;

namespace contraflow {

static int64_t endOf(const Places &P) {
  return P.empty() ? 0 : P.rbegin()->first + P.rbegin()->second.Width;
}

int64_t sizeOf(const Places &P) { return P.empty() ? 0 : endOf(P) - P.begin()->first; }

Places::const_iterator placeAt(const Places &P, int64_t Offset) {
  auto Next = P.upper_bound(Offset);
  if (Next == P.begin() || Offset >= std::prev(Next)->first + std::prev(Next)->second.Width)
    return P.end();
  return std::prev(Next);
}

bool hasTwin(const Places &P, Places::const_iterator At) {
  auto Next = std::next(At);
  auto Touch = [](auto A, auto B) {
    return A->first + A->second.Width == B->first && A->second.Kind == B->second.Kind;
  };
  return (Next != P.end() && Touch(At, Next)) || (At != P.begin() && Touch(std::prev(At), At));
}

int64_t endOfFirstRun(const Places &P) {
  const LayoutPlace &First = P.begin()->second;
  int64_t End = P.begin()->first;
  for (auto [Offset, At] : P) {
    if (Offset != End || At.Kind != First.Kind || At.IsArray < First.IsArray)
      break;
    End += At.Width;
  }
  return End;
}

bool isIndexed(const Places &P, int64_t Offset, int64_t Stride) {
  auto At = placeAt(P, Offset);
  if (At == P.end())
    return false;
  const LayoutPlace &Here = At->second;
  if (Here.Kind == SK_Unknown)
    return Here.IsArray;
  return Offset == At->first && Stride % Here.Width == 0 &&
         (Here.IsArray || (Here.Kind & SK_AnyFloat) ||
          (hasTwin(P, At) && Offset < endOfFirstRun(P)));
}

bool leavesFirstRun(const Places &P, int64_t Offset, int64_t Stride) {
  auto At = placeAt(P, Offset);
  return At != P.end() && !At->second.IsArray && !(At->second.Kind & SK_AnyFloat) &&
         isIndexed(P, Offset, Stride) && Stride >= endOfFirstRun(P) - P.begin()->first;
}

int64_t lastInFront(const Places &P, int64_t Offset) {
  auto Last = placeAt(P, Offset - 1);
  return Last == P.end() || Last->second.Kind == SK_Unknown ? Offset - 1 : Last->first;
}

bool isBehind(const Places &P, int64_t Offset, int64_t Stride) {
  auto Last = placeAt(P, Offset - 1), Next = placeAt(P, Offset);
  if (Last == P.end() || (Next != P.end() && Next->first != Offset))
    return false;
  return isIndexed(P, lastInFront(P, Offset), Stride) &&
         (Next == P.end() || Next->second.Kind != Last->second.Kind ||
          (Next->second.Kind == SK_Int && !Next->second.IsArray));
}

bool isEndOnly(const Places &P, int64_t Offset, int64_t Stride) {
  auto Next = placeAt(P, Offset);
  return isBehind(P, Offset, Stride) && (Next == P.end() || !Next->second.IsArray);
}

bool isPadding(const Places &P, int64_t Offset, int64_t Stride) {
  return !P.empty() && P.begin()->first < Offset && Offset < endOf(P) &&
         placeAt(P, Offset) == P.end() && placeAt(P, Offset + Stride) == P.end();
}

bool repeats(const Places &P, int64_t Stride) {
  Places One;
  for (const auto &[Offset, Place] : P) {
    const int64_t Rest = (Offset % Stride + Stride) % Stride;
    const auto [Known, IsNew] = One.insert({Rest, Place});
    if (Rest + Place.Width > Stride || Known->second.Width != Place.Width ||
        Known->second.Kind != Place.Kind)
      return false;
  }
  return all_of(zip(One, drop_begin(One)), [](const auto &Both) {
    const auto &[Here, Next] = Both;
    return Here.first + Here.second.Width <= Next.first;
  });
}

bool areSingle(const LayoutPlace &A, const LayoutPlace &B) { return !A.IsArray && !B.IsArray; }

static bool isInteger(const LayoutPlace &P) { return P.Kind == SK_Int && !P.IsArray; }

static bool isFloatOfArray(const LayoutPlace &P) { return P.IsArray && (P.Kind & SK_AnyFloat); }

/// The first place that ends behind Offset.
static Places::iterator firstFrom(Places &P, int64_t Offset) {
  const auto At = placeAt(P, Offset);
  return At == P.end() ? P.lower_bound(Offset) : P.find(At->first);
}

/// The number of elements in the head of a list or a map, where its nodes have an array of floats.
static bool putInteger(Places &Old, int64_t Offset, const LayoutPlace &Integer) {
  const int64_t End = Offset + Integer.Width;
  const auto First = firstFrom(Old, Offset), Behind = Old.lower_bound(End);
  const auto AreFloats = [](const auto &At) { return isFloatOfArray(At.second); };
  if (!isInteger(Integer) || First == Behind || !std::all_of(First, Behind, AreFloats))
    return false;
  for (auto At = First; At != Behind; ++At) {
    At->second.OrInteger = true;
    if (Offset < At->first)
      Old.insert({Offset, {.Width = At->first - Offset, .Kind = SK_Int}});
    Offset = At->first + At->second.Width;
  }
  if (Offset < End)
    Old.insert({Offset, {.Width = End - Offset, .Kind = SK_Int}});
  return true;
}

/// The same, where the head was there before.
static bool putFloat(Places &Old, int64_t Offset, LayoutPlace Float) {
  const int64_t End = Offset + Float.Width;
  auto At = firstFrom(Old, Offset);
  const auto Behind = Old.lower_bound(End);
  const auto AreIntegers = [](const auto &At) { return isInteger(At.second); };
  if (!isFloatOfArray(Float) || At == Behind || !std::all_of(At, Behind, AreIntegers))
    return false;
  while (At != Behind) {
    const auto [Begin, Integer] = *At;
    At = Old.erase(At);
    if (Begin < Offset)
      Old.insert({Begin, {.Width = Offset - Begin, .Kind = SK_Int}});
    if (End < Begin + Integer.Width)
      Old.insert({End, {.Width = Begin + Integer.Width - End, .Kind = SK_Int}});
  }
  Float.OrInteger = true;
  Old.insert({Offset, Float});
  return true;
}

unsigned kindsOrIntegers(const Places &P) {
  unsigned Kinds = 0;
  for (const auto &[Offset, At] : P)
    Kinds |= At.OrInteger ? At.Kind : 0;
  return Kinds;
}

bool putAmong(Places &Old, int64_t Offset, LayoutPlace P) {
  if (putInteger(Old, Offset, P) || putFloat(Old, Offset, P))
    return true;
  int64_t End = Offset + P.Width;
  auto At = firstFrom(Old, Offset);
  while (At != Old.end() && At->first < End) {
    const auto [Begin, Other] = *At;
    if (!areSingle(P, Other))
      return false;
    End = std::max(End, Begin + Other.Width);
    Offset = std::min(Offset, Begin);
    P.Kind = P.Kind == SK_Int && Other.Kind == SK_Int ? SK_Int : SK_Unknown;
    P.IsStruct |= Other.IsStruct;
    At = Old.erase(At);
  }
  P.Width = End - Offset;
  Old.insert({Offset, P});
  return true;
}

} // namespace contraflow
