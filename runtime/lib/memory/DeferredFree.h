// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heap objects whose free the forward sweep has met. The reverse sweep still reads them, so they
// live until the reverse of their allocation:
//
//   forward:  p = malloc   ...   free(p): remembered        reverse:   ...   free p and its shadow
//
// An object that the derivative call did not allocate has no such point; it is freed when the call
// ends, and its shadow stays with the caller, who made it, or is freed with it if an earlier call
// kept it. If the call runs again, for another direction, the object stays (free_spared).

#pragma once

#include <cstdint>

namespace contraflow {

/// How the program gave the object back.
enum class FreedBy : int32_t { Free = 0, Delete = 1, DeleteArray = 2, Program = 3, Sized = 4 };

/// Objects remembered and not yet freed, in the whole process.
int64_t deferredFrees();

} // namespace contraflow
