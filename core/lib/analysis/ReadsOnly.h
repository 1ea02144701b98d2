// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the body of a function that has no derivative shows: whether it leaves alone what its
// arguments lead to.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// True if F, and whatever it calls, writes to variables of its own and to globals only.
bool onlyReadsArguments(const llvm::Function &F);

} // namespace contraflow
