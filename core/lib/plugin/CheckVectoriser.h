// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's vectoriser of straight-line code makes of derivatives is verified.

#pragma once

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace contraflow {

/// From now on, in every function that a vectoriser has changed.
void checkVectoriser(llvm::PassBuilder &PB);

} // namespace contraflow
