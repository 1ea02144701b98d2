// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Calls in F of functions whose type shows that they cannot be meant end the program if they are
/// reached. True if there was one.
bool endMismatches(llvm::Function &F);

} // namespace contraflow
