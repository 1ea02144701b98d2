// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations with several floating results, or with vectors and scalars mixed, have no row in the
// derivative table. They are written in terms of operations that have one.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Expands all such operations of F (a clone that is being prepared); true if there was one.
bool expandCompounds(llvm::Function &F);

/// True if F hides values from the optimiser: asm("" : "+x"(v)).
bool hasBarriers(const llvm::Function &F);

} // namespace contraflow
