// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a registered reverse function reads of its primal's memory, which may have changed when it
// runs.

#pragma once

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Argument;
class Value;
} // namespace llvm

namespace contraflow {

/// Where the function, or what it calls, may load floating-point numbers that a parameter leads to;
/// it has a body.
llvm::SmallVector<const llvm::Value *, 8> numbersRead(const llvm::Argument &A);

} // namespace contraflow
