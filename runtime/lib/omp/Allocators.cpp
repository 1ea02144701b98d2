// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocators that the program destroys in the forward sweep, while memory of theirs waits for the
// reverse sweep to be given back.

#include "contraflow/abi.h"

#include "omp/Model.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace contraflow::omp {
namespace {

std::mutex Guard;
std::vector<int64_t> Destroyed;

} // namespace
} // namespace contraflow::omp

using namespace contraflow;

void cf_v1_omp_give_back(void *memory) { omp::giveBack(memory); }

int64_t cf_v1_omp_block_bytes(const void *memory) { return memory ? omp::blockBytes(memory) : 0; }

void cf_v1_omp_allocator_later(int64_t allocator) {
  const std::lock_guard Lock(omp::Guard);
  omp::Destroyed.push_back(allocator);
}

void cf_v1_omp_allocator_end(int64_t allocator) {
  const std::lock_guard Lock(omp::Guard);
  const auto At = std::find(omp::Destroyed.begin(), omp::Destroyed.end(), allocator);
  if (At == omp::Destroyed.end())
    return;
  omp::Destroyed.erase(At);
  omp::destroyAllocator(allocator);
}
