// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that the program has put where floats may be.

#include "contraflow/abi.h"

#include <cstring>

int64_t cf_v1_text_bytes(const char *text) {
  return text ? static_cast<int64_t>(std::strlen(text)) + 1 : 0;
}
