// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers for operations of the language and its library that have no rule.

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow {

/// memcpy, memmove, memset and their intrinsics; malloc, calloc, operator new; free, delete.
void registerMemoryHandlers(HandlerRegistry &Registry);
void registerAllocationHandlers(HandlerRegistry &Registry);
/// The runtime, where a derivative is differentiated again.
void registerTapeHandlers(HandlerRegistry &Registry);
/// Nodes of std::list and std::map; qsort, bsearch.
void registerLinkedHandlers(HandlerRegistry &Registry);
void registerSortingHandlers(HandlerRegistry &Registry);
/// Complex products, quotients and elementary functions.
void registerComplexHandlers(HandlerRegistry &Registry);
/// BLAS and LAPACK.
void registerBlasHandlers(HandlerRegistry &Registry);

} // namespace contraflow
