// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global variables of the library that its functions set beside their results.

#pragma once

namespace llvm {
class GlobalVariable;
} // namespace llvm

namespace contraflow {

/// signgam, which lgamma sets. A derivative need not call lgamma where the program does.
bool isSignOfGamma(const llvm::GlobalVariable &G);

} // namespace contraflow
