// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that are calculated with as integers and lead nowhere.

#pragma once

namespace llvm {
class Instruction;
} // namespace llvm

namespace contraflow {

/// True if the integer I, and what is calculated from it, is only compared and reported: nothing
/// asks for its shadow.
bool isOnlyCompared(const llvm::Instruction &I);

} // namespace contraflow
