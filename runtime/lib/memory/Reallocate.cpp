// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// realloc as allocation, copy and free: the old object stays for the reverse sweep. The sizes of
// blocks are asked of the allocator; object and shadow may be rounded up differently, and what both
// have is at least what was asked for.

#include "contraflow/abi.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <malloc.h>

namespace {

int64_t usable(void *Block) { return static_cast<int64_t>(malloc_usable_size(Block)); }

} // namespace

void *cf_v1_realloc_forward(void *object, void *shadow, int64_t bytes) {
  if (object && bytes == 0) { // as glibc has it
    cf_v1_free_deferred(object, shadow, 0);
    return nullptr;
  }
  void *New = std::malloc(static_cast<size_t>(bytes));
  if (!New || !object)
    return New;
  std::memcpy(New, object, static_cast<size_t>(std::min(bytes, usable(object))));
  cf_v1_free_deferred(object, shadow, 0);
  return New;
}

int64_t cf_v1_realloc_extent(void *object, void *shadow, int64_t bytes) {
  if (!object || !shadow)
    return 0;
  return std::min({bytes, usable(object), usable(shadow)});
}

int64_t cf_v1_realloc_extent_within(int64_t extent, void *block) {
  return block ? std::min(extent, usable(block)) : extent;
}

void *cf_v1_realloc_moved(void *object, int64_t bytes) {
  if (!object || bytes == 0)
    return std::realloc(object, static_cast<size_t>(bytes));
  void *New = std::malloc(static_cast<size_t>(bytes));
  if (New) {
    std::memcpy(New, object, static_cast<size_t>(std::min(bytes, usable(object))));
    std::free(object);
  }
  return New;
}

void *cf_v1_reallocarray_moved(void *object, int64_t count, int64_t bytes) {
  int64_t Whole = 0;
  if (__builtin_mul_overflow(count, bytes, &Whole) || Whole < 0)
    return nullptr;
  return cf_v1_realloc_moved(object, Whole);
}

void *cf_v1_shadow_resize(void *shadow, int64_t bytes) {
  void *New = std::calloc(1, static_cast<size_t>(std::max<int64_t>(bytes, 1)));
  if (New && shadow) {
    std::memcpy(New, shadow, static_cast<size_t>(std::min(bytes, usable(shadow))));
    std::free(shadow);
  }
  return New;
}
