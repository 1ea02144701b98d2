// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline assembly whose meaning is known.

#pragma once

namespace llvm {
class CallInst;
} // namespace llvm

namespace contraflow {

/// Replaces the assembly by plain instructions if it is understood; see Assembly.cpp.
bool expandAssembly(llvm::CallInst &Call);

} // namespace contraflow
