// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halves of a word that change places.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Stores words of four bytes as such whose halves are stored the other way round.
void joinExchangedHalves(llvm::Function &F);

} // namespace contraflow
