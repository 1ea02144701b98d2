// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of functions among those of memory.

#pragma once

namespace contraflow {

/// True if the program or a library of it has instructions at Address.
bool isCode(const void *Address);

} // namespace contraflow
