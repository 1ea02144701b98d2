// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two doubles that are loaded as one integer, of which words are taken, become two loads; so do a
// number and an address that are loaded as two numbers.

#pragma once

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace contraflow {

/// True if something changed.
bool splitWideLoads(llvm::Function &F);

/// What still stores or uses an address that has been in a vector, where it has no shadow; null if
/// nothing does.
const llvm::Instruction *findAddressInVector(llvm::Function &F);

} // namespace contraflow
