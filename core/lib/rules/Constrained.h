// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for which somebody may look at the rounding mode or at the exception flags
// (-frounding-math, -ftrapping-math, #pragma STDC FENV_ACCESS ON).

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Makes plain operations of constrained ones in F, a clone that is being prepared.
void relaxConstrained(llvm::Function &F);

} // namespace contraflow
