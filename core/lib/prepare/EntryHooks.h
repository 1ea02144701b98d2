// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Takes the calls of -finstrument-functions out of a copy that is differentiated: what they are
/// given, the address of every function, would be a candidate for every indirect call.
void dropEntryHooks(llvm::Function &F);

} // namespace contraflow
