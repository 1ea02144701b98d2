// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mpi/PackedPieces.h"
#include "tape/DerivativeCall.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

namespace contraflow::mpi {
namespace {

struct Noted {
  const char *End;
  std::size_t Hash; ///< of the primal bytes
  const Layout *L;
  std::int64_t Leaves;
};
using Places = std::map<const char *, Noted>;

std::mutex Lock;

std::map<const Arena *, Places> &calls() {
  static auto *All = new std::map<const Arena *, Places>; // outlives every other static object
  return *All;
}

void forgetCall(Arena *Root) {
  const std::scoped_lock Guard(Lock);
  calls().erase(Root);
}

std::size_t hashOf(const char *From, std::int64_t Bytes) {
  return std::hash<std::string_view>{}({From, static_cast<std::size_t>(Bytes)});
}

/// The first that ends behind `At`.
Places::iterator firstBehind(Places &Known, const char *At) {
  auto I = Known.upper_bound(At);
  if (I != Known.begin() && std::prev(I)->second.End > At)
    --I;
  return I;
}

/// Messages of one shape share what is said of them.
const PackedPieces *keep(PackedPieces &&New) {
  static auto *Kept = new std::vector<std::unique_ptr<const PackedPieces>>;
  for (const auto &Known : *Kept)
    if (Known->All == New.All)
      return Known.get();
  return Kept->emplace_back(std::make_unique<const PackedPieces>(std::move(New))).get();
}

} // namespace

void notePacked(const View &To, const void *Primal, std::int64_t Bytes) {
  static const bool Hooked = (setCallEndHook(AtCallEnd::PackedPieces, forgetCall), true);
  static_cast<void>(Hooked);
  if (!To.Base || To.L->Raw || Bytes <= 0)
    return;
  const std::scoped_lock Guard(Lock);
  Places &Known = calls()[currentCall()];
  const char *End = To.Base + Bytes;
  for (auto I = firstBehind(Known, To.Base); I != Known.end() && I->first < End;)
    I = Known.erase(I);
  if (To.Leaves > 0)
    Known[To.Base] = {End, hashOf(static_cast<const char *>(Primal), Bytes), To.L, To.Leaves};
}

const PackedPieces *packedIn(const char *Shadow, const void *Primal, std::int64_t Bytes) {
  const std::scoped_lock Guard(Lock);
  const auto Call = calls().find(currentCall());
  if (Call == calls().end())
    return nullptr;
  PackedPieces Found;
  for (auto I = firstBehind(Call->second, Shadow);
       I != Call->second.end() && I->second.End <= Shadow + Bytes; ++I) {
    const std::int64_t Begin = I->first - Shadow, End = I->second.End - Shadow;
    if (Begin >= 0 &&
        hashOf(static_cast<const char *>(Primal) + Begin, End - Begin) == I->second.Hash)
      Found.All.push_back({Begin, End, I->second.L, I->second.Leaves});
  }
  return Found.All.empty() ? nullptr : keep(std::move(Found));
}

} // namespace contraflow::mpi
