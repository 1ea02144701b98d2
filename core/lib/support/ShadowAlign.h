// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/Support/Alignment.h"

#include <algorithm>

namespace contraflow {

/// What an access to a shadow may count on. A program may look for better aligned addresses in its
/// own heap memory; in the shadow, the same distance from the beginning leads to another one.
inline llvm::Align shadowAlign(llvm::Align OfPrimal) {
  constexpr uint64_t OfHeap = 16;
  return std::min(OfPrimal, llvm::Align(OfHeap));
}

} // namespace contraflow
