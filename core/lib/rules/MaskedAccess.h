// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of some lanes of a vector, and of lanes from several places; see
// MaskedAccess.cpp.

#pragma once

namespace llvm {
class CallInst;
} // namespace llvm

namespace contraflow {

/// Replaces such an access by one per lane; false if the call is none.
bool expandMaskedAccess(llvm::CallInst &Call);

} // namespace contraflow
