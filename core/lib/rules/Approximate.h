// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that give about a reciprocal, or one of a square root.

#pragma once

namespace llvm {
class CallBase;
class CallInst;
} // namespace llvm

namespace contraflow {

/// Gives the result of such an instruction the derivative of what it approximates; true if Call is
/// one and has none yet.
bool followApproximated(llvm::CallInst &Call);

/// True if Call is one whose derivative has been given so.
bool isFollowed(const llvm::CallBase &Call);

} // namespace contraflow
