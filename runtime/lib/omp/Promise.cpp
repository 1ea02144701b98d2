// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what contraflow::disjoint promises, before the loop: sorts the numbers at all places of
// the index array that the loop reads, and looks for neighbours that are equal.

#include "contraflow/abi.h"

#include "omp/Model.h"
#include "omp/Phases.h"
#include "support/Fail.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

namespace contraflow::omp {
namespace {

struct Entry {
  int64_t Number;
  int64_t Place;
};

int64_t numberAt(int64_t Place, int64_t Bytes) {
  const auto Size = static_cast<size_t>(std::llabs(Bytes));
  uint64_t Bits = 0;
  std::memcpy(&Bits, reinterpret_cast<const void *>(Place), Size);
  const unsigned Unused = 64 - 8 * static_cast<unsigned>(Size);
  if (Bytes > 0 || Unused == 0)
    return static_cast<int64_t>(Bits);
  return static_cast<int64_t>(Bits << Unused) >> Unused;
}

std::vector<Entry> sortedEntries(const cf_promise &P, int64_t Trip) {
  std::vector<int64_t> Places;
  const int64_t Size = std::llabs(P.bytes);
  for (int64_t I = 0; I < Trip; ++I)
    for (int64_t Away = 0; Away + Size <= P.places.extent; Away += Size)
      Places.push_back(P.places.base + I * P.places.stride + Away);
  std::sort(Places.begin(), Places.end());
  Places.erase(std::unique(Places.begin(), Places.end()), Places.end());
  std::vector<Entry> Out;
  for (int64_t Place : Places)
    Out.push_back({numberAt(Place, P.bytes), Place});
  std::sort(Out.begin(), Out.end(), [](const Entry &A, const Entry &B) {
    return std::tie(A.Number, A.Place) < std::tie(B.Number, B.Place);
  });
  return Out;
}

/// Everything that is added to through the index, as one footprint that stands still.
cf_footprint hullOf(const cf_promise &P, int64_t Least, int64_t Most) {
  const int64_t One = P.scale * Least, Other = P.scale * Most;
  const int64_t Low = std::min(One, Other) + P.low, High = std::max(One, Other) + P.high;
  return {Low, High - Low, 0};
}

} // namespace
} // namespace contraflow::omp

using namespace contraflow;

void cf_v1_omp_check_promise(const struct cf_promise *promise, const struct cf_footprint *groups,
                             int32_t n, int64_t trip) {
  if (omp::threadNumber() != 0)
    return;
  const std::vector<omp::Entry> All = omp::sortedEntries(*promise, trip);
  if (All.empty())
    return;
  auto Twice = std::adjacent_find(
      All.begin(), All.end(), [](const auto &A, const auto &B) { return A.Number == B.Number; });
  if (Twice != All.end())
    fail(ErrorId::PromisedTwice, std::to_string(Twice->Number),
         std::to_string(Twice[1].Place - Twice->Place));
  const cf_footprint Hull = omp::hullOf(*promise, All.front().Number, All.back().Number);
  for (int32_t G = 0; G < n; ++G)
    if (omp::hullsMeet(Hull, groups[G], trip))
      fail(ErrorId::PromisedApart, "array " + std::to_string(G + 1) + " of " + std::to_string(n));
}
