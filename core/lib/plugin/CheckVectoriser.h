// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's vectoriser of straight-line code makes of derivatives is verified; code that the pass
// behind it would get wrong is kept from it.

#pragma once

namespace llvm {
class Function;
class PassBuilder;
} // namespace llvm

namespace contraflow {

/// True of what we have made, and of what asks for derivatives.
bool holdsDerivative(const llvm::Function &F);

/// From now on, in every function that they come to.
void checkVectoriser(llvm::PassBuilder &PB);

} // namespace contraflow
