// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a library lends to the threads of its kernels holds nothing between kernels, so its
// shadow may be any memory that is zero. It is found by the address, which several parts of a
// kernel ask for; a derivative may still hold on to a block that has become too small, so none is
// freed.

#include "contraflow/abi.h"

#include "support/Bytes.h"
#include "support/Fail.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>

namespace {

/// Few threads reduce more, and what nobody touches costs nothing.
constexpr int64_t LeastRoom = int64_t(1) << 20;

struct Shadow {
  void *Block = nullptr;
  int64_t Bytes = 0;
};

struct Table {
  std::mutex Lock;
  std::unordered_map<void *, Shadow> Shadows;
};

Table &table() {
  static auto &T = *new Table; // never destroyed: a kernel may run at exit
  return T;
}

std::atomic<int64_t> Room = LeastRoom;

} // namespace

void cf_v1_scratch_room(int64_t bytes) {
  int64_t Known = Room.load();
  while (Known < bytes && !Room.compare_exchange_weak(Known, bytes))
    ;
}

void cf_v1_team_of_one(int32_t threads) {
  if (threads > 1)
    contraflow::fail(contraflow::ErrorId::TeamOfSeveral, std::to_string(threads));
}

void *cf_v1_scratch_shadow(void *scratch) {
  Table &T = table();
  const std::scoped_lock Guard(T.Lock);
  Shadow &S = T.Shadows[scratch];
  if (S.Bytes < Room.load()) {
    S.Bytes = Room.load();
    S.Block = std::calloc(1, static_cast<size_t>(S.Bytes));
    if (!S.Block)
      contraflow::fail(contraflow::ErrorId::OutOfMemory, "the shadow of a thread's memory",
                       contraflow::formatBytes(S.Bytes));
  }
  return S.Block;
}
