// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic in code that may change the rounding mode; see Constrained.cpp.

#pragma once

namespace llvm {
class CallInst;
} // namespace llvm

namespace contraflow {

/// Replaces a constrained operation by the plain one; false if the call is none.
bool relaxArithmetic(llvm::CallInst &Call);

} // namespace contraflow
