// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that the program has put where floats may be.

#include "contraflow/abi.h"

#include <cstring>

int64_t cf_v1_text_bytes(const char *text) {
  return text ? static_cast<int64_t>(std::strlen(text)) + 1 : 0;
}

void cf_v1_repeat_bytes(void *to, const void *from, int64_t bytes, int64_t down) {
  auto *To = static_cast<char *>(to);
  const auto *From = static_cast<const char *>(from);
  for (int64_t I = 0; I < bytes; ++I) {
    const int64_t At = down ? bytes - 1 - I : I;
    To[At] = From[At];
  }
}
