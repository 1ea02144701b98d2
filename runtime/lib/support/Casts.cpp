// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dynamic_cast in differentiated code, whose distances the compiler knows from the classes it has
// seen. The language's own function finds the base.

#include "contraflow/abi.h"
#include "support/Fail.h"

#include <algorithm>
#include <cstddef>
#include <limits>

/// The language's; a program in C has none, and nobody asks.
extern "C" void *cf_dynamic_cast(const void *object, const void *from, const void *to,
                                 std::ptrdiff_t hint) __asm__("__dynamic_cast")
    __attribute__((weak));

int64_t cf_v1_base_distance(const void *object, const void *from, const void *to, int64_t hint,
                            const int64_t *known, int64_t count, const char *place) {
  const auto *Found = static_cast<const char *>(cf_dynamic_cast(object, from, to, hint));
  if (!Found)
    return std::numeric_limits<int64_t>::min();
  const int64_t Distance = Found - static_cast<const char *>(object);
  if (std::find(known, known + count, Distance) == known + count)
    contraflow::fail(contraflow::ErrorId::UnknownBase, place);
  return Distance;
}
