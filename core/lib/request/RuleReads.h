// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a registered reverse function reads of its primal's memory, which may have changed when it
// runs.

#pragma once

namespace llvm {
class Argument;
} // namespace llvm

namespace contraflow {

/// True if the function may load floating-point numbers that a parameter leads to.
bool readsNumbers(const llvm::Argument &A);

} // namespace contraflow
