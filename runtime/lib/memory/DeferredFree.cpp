// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of addresses in shards, each with a lock: an object may be allocated on one thread and
// freed on another. Addresses are unique keys, since no remembered object is freed and so none is
// reused.

#include "memory/DeferredFree.h"

#include "contraflow/abi.h"

#include "memory/AddressTable.h"
#include "support/Fail.h"
#include "tape/DerivativeCall.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <malloc.h>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace contraflow {
namespace {

struct Deferred {
  void *Shadow = nullptr;
  FreedBy How = FreedBy::Free;
  Arena *Call = nullptr;                                 ///< the derivative call that met the free
  void (*GiveBack)(void *) = nullptr;                    ///< of the program
  void (*GiveSized)(void *, int64_t, int64_t) = nullptr; ///< the same
  int64_t Bytes = 0, Alignment = 0;
  bool Spared = false; ///< if the derivative call did not allocate it: it runs again
};

struct alignas(64) Shard {
  std::mutex Lock;
  AddressTable<Deferred> Objects;
};

constexpr size_t NumShards = 64; ///< six bits of the hash
std::atomic<int64_t> Outstanding = 0;

// Never destroyed: what is still remembered at exit may be freed by nobody.
std::array<Shard, NumShards> &shards() {
  static auto &S = *new std::array<Shard, NumShards>;
  return S;
}

Shard &shardOf(const void *Primal) { return shards()[hashOf(Primal) >> 58]; }

void freePrimal(void *Primal, const Deferred &Object) {
  switch (Object.How) {
  case FreedBy::Free:
    return std::free(Primal);
  case FreedBy::Delete:
    return ::operator delete(Primal);
  case FreedBy::DeleteArray:
    return ::operator delete[](Primal);
  case FreedBy::Program:
    return Object.GiveBack(Primal);
  case FreedBy::Sized:
    return Object.GiveSized(Primal, Object.Bytes, Object.Alignment);
  }
}

// Objects whose owners are counted: how often they are still to be released.
struct Release {
  void *Object;
  void *(*Give)(void *);
  Arena *Call;
};

struct Releases {
  std::mutex Lock;
  std::vector<Release> Waiting;
};

Releases &releases() {
  static auto &R = *new Releases; // never destroyed, as above
  return R;
}

void releaseAll(Arena *Call) {
  std::vector<Release> Due;
  {
    Releases &R = releases();
    const std::scoped_lock Guard(R.Lock);
    auto IsDue = [&](const Release &W) { return W.Call == Call; };
    std::copy_if(R.Waiting.begin(), R.Waiting.end(), std::back_inserter(Due), IsDue);
    std::erase_if(R.Waiting, IsDue);
  }
  for (const Release &W : Due) // code of the program's: it may come back here
    W.Give(W.Object);
}

// What the call freed but did not allocate.
void freeLeftovers(Arena *Call) {
  releaseAll(Call);
  if (deferredFrees() == 0)
    return;
  for (Shard &S : shards()) {
    std::unique_lock Guard(S.Lock);
    std::vector<std::pair<void *, Deferred>> Mine;
    S.Objects.each([&](void *Primal, const Deferred &Object) {
      if (Object.Call == Call)
        Mine.emplace_back(Primal, Object);
    });
    for (auto &[Primal, Object] : Mine)
      S.Objects.take(Primal);
    Guard.unlock();
    for (auto &[Primal, Object] : Mine) {
      if (!Object.Spared) {
        cf_v1_drop_block(Primal);
        freePrimal(Primal, Object);
      }
      Outstanding.fetch_sub(1, std::memory_order_relaxed);
    }
  }
}

void hookCallEnd() {
  static const bool Hooked = (setCallEndHook(AtCallEnd::DeferredFrees, freeLeftovers), true);
  static_cast<void>(Hooked);
}

void remember(void *Primal, const Deferred &Object) {
  if (!Primal)
    return;
  hookCallEnd();
  Shard &S = shardOf(Primal);
  const std::scoped_lock Guard(S.Lock);
  if (!S.Objects.insert(Primal, Object)) {
    char Address[32];
    std::snprintf(Address, sizeof Address, "%p", Primal);
    fail(ErrorId::FreedTwice, Address);
  }
  Outstanding.fetch_add(1, std::memory_order_relaxed);
}

bool isDeferred(void *Primal) {
  if (!Primal || deferredFrees() == 0)
    return false;
  Shard &S = shardOf(Primal);
  const std::unique_lock Guard(S.Lock);
  return S.Objects.contains(Primal);
}

// False if nobody freed the object.
bool freeIfDeferred(void *Primal, void *Shadow) {
  if (!Primal || deferredFrees() == 0)
    return false;
  Shard &S = shardOf(Primal);
  std::unique_lock Guard(S.Lock);
  const std::optional<Deferred> Object = S.Objects.take(Primal);
  Guard.unlock();
  if (!Object)
    return false;
  Outstanding.fetch_sub(1, std::memory_order_relaxed);
  freePrimal(Primal, *Object);
  if (Shadow)
    cf_v1_bytes_dropped(Shadow, static_cast<int64_t>(malloc_usable_size(Shadow)));
  std::free(Shadow);
  return true;
}

// The reverse sweep leaves all objects to the next one on the same record.
bool runsAgain() {
  const Arena *Call = currentCall();
  return Call && Call->isKept();
}

} // namespace

int64_t deferredFrees() { return Outstanding.load(std::memory_order_relaxed); }

} // namespace contraflow

using namespace contraflow;

void cf_v1_free_deferred(void *primal, void *shadow, int32_t how) {
  remember(primal, {shadow, static_cast<FreedBy>(how), currentCall()});
}

void cf_v1_free_deferred_by(void *primal, void *shadow, void (*give_back)(void *)) {
  remember(primal, {shadow, FreedBy::Program, currentCall(), give_back});
}

void cf_v1_free_deferred_sized(void *primal, void *shadow,
                               void (*give_back)(void *, int64_t, int64_t), int64_t bytes,
                               int64_t alignment) {
  remember(primal, {shadow, FreedBy::Sized, currentCall(), nullptr, give_back, bytes, alignment});
}

void cf_v1_free_spared(void *primal) {
  if (!primal)
    return;
  Shard &S = shardOf(primal);
  const std::scoped_lock Guard(S.Lock);
  std::optional<Deferred> Object = S.Objects.take(primal);
  if (!Object)
    return;
  Object->Spared = true;
  S.Objects.insert(primal, *Object);
}

void cf_v1_alloc_reverse(void *primal, void *shadow) {
  if (!runsAgain())
    freeIfDeferred(primal, shadow);
}

void cf_v1_alloc_reverse_cleared(void *shadow, int64_t bytes, int64_t period,
                                 const struct cf_field *fields, int32_t count) {
  if (shadow && runsAgain())
    cf_v1_copy_fields_adjoint(shadow, nullptr, bytes, 0, period, fields, count);
}

void cf_v1_alloc_reverse_beside(void *primal, void *beside) {
  if (!runsAgain() && isDeferred(primal))
    std::free(beside);
}

void cf_v1_alloc_reverse_kept(void *primal, void *shadow, int64_t bytes, const void *owner) {
  if (runsAgain() ? !isDeferred(primal) : !freeIfDeferred(primal, shadow))
    cf_v1_keep_shadow(primal, shadow, bytes, owner);
}

void *cf_v1_release_deferred(void *object, void *shadow, void *(*release)(void *)) {
  hookCallEnd();
  Releases &R = releases();
  const std::scoped_lock Guard(R.Lock);
  R.Waiting.push_back({object, release, currentCall()});
  if (shadow && shadow != object)
    R.Waiting.push_back({shadow, release, currentCall()});
  return object;
}

void cf_v1_count_beside(void *object, void *shadow, void *(*count)(void *)) {
  if (shadow != object)
    count(shadow);
}
