// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of small structures of numbers; see StructCopies.cpp.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Copies of a few floating-point numbers, as the program declares them, become loads and stores.
/// True if there was one.
bool splitStructCopies(llvm::Function &F);

} // namespace contraflow
