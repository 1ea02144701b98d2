// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadows of heap objects. Compiled code may rely on the alignment of an object (posix_memalign, an
// aligned new) when it works on the shadow, so a shadow is aligned as its object happens to be, up
// to a page. Whoever ends up holding a shadow may free() it.

#include "contraflow/abi.h"

#include "support/Bytes.h"
#include "support/Fail.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <malloc.h>

namespace {

constexpr size_t MallocAlignment = alignof(std::max_align_t);
constexpr size_t MostAlignment = 4096;

size_t alignmentOf(const void *Object) {
  const auto Address = reinterpret_cast<uintptr_t>(Object);
  return std::min<size_t>(Address & -Address, MostAlignment);
}

// Apart: it is more than what checked builds (-D_FORTIFY_SOURCE) know of a block that they see
// made.
[[gnu::noinline]] void clearBlock(void *Block) { std::memset(Block, 0, malloc_usable_size(Block)); }

// calloc leaves fresh pages untouched: they are placed near the thread that first adds to them.
// What a block has beyond its size is zero as well: realloc moves it (Reallocate.cpp).
void *allocateZeroed(size_t Bytes, size_t Alignment) {
  if (Alignment <= MallocAlignment)
    return std::calloc(1, Bytes);
  void *Shadow = std::aligned_alloc(Alignment, (Bytes + Alignment - 1) & -Alignment);
  if (Shadow)
    clearBlock(Shadow);
  return Shadow;
}

} // namespace

void *cf_v1_shadow_alloc(void *primal, int64_t bytes) {
  using namespace contraflow;
  if (!primal)
    return nullptr;
  const auto Size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  void *Shadow = allocateZeroed(Size, alignmentOf(primal));
  if (!Shadow)
    fail(ErrorId::OutOfMemory, "the shadow of an object", formatBytes(bytes));
  return Shadow;
}
