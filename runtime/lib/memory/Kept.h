// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadows of heap objects that a derivative call leaves in global variables:
//
//   static std::vector<double> Work;     call 1: allocates Work and its shadow, both stay
//                                        call 2: the adjoints that call 1 left are no longer asked
//                                        for
//
// They belong to an owner, a derivative function's mark in memory, whose next call clears them.

#pragma once

namespace contraflow {

/// True if the shadow was kept. It no longer is.
bool forgetKept(void *Shadow);

} // namespace contraflow
