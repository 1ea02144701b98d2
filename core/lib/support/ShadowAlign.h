// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/Support/Alignment.h"

#include <algorithm>

namespace contraflow {

/// What an access to a shadow may count on. A program may look for better aligned addresses in its
/// own heap memory; in the shadow, the same distance from the beginning leads to another one. And
/// of what a task takes along the front end says more than is true.
inline llvm::Align shadowAlign(llvm::Align OfPrimal) {
  constexpr uint64_t OfNumbers = 8;
  return std::min(OfPrimal, llvm::Align(OfNumbers));
}

} // namespace contraflow
