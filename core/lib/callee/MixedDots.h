// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of BLAS that are summed in double precision; see MixedDots.cpp.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// What dsdot or sdsdot does, as a function of the module; null if F is neither.
llvm::Function *mixedDotBodyOf(const llvm::Function &F);

} // namespace contraflow
