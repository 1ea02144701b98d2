// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that are computed from a number of an array of which the program promises that it
// holds no number twice (callee/Promises.h).
//
//   x[3 * order[i] + k], k = 0 ... 2      24 * order[i] + [x, x + 24)
//
// Two such addresses are apart if the numbers come from different places of the array, and what is
// between two multiples of the scale is wider than what is added to them. So instead of the bytes
// of x, those of order are compared.

#pragma once

#include <optional>

namespace llvm {
class LoadInst;
class SCEV;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace contraflow {

struct ThroughIndex {
  llvm::LoadInst *Index = nullptr;   ///< the load of the number
  const llvm::SCEV *Rest = nullptr;  ///< what is added to the multiple
  const llvm::SCEV *Scale = nullptr; ///< a constant
  bool Signed = false;               ///< how the number is made wider
};

/// Splits an address into a multiple of a promised number and a rest.
std::optional<ThroughIndex> splitAtIndex(const llvm::SCEV *Address, llvm::ScalarEvolution &SE);

/// True if both are the same variable's value, false if they are those of two variables; unknown
/// otherwise. Only for values that are the same whenever they are asked for.
std::optional<bool> isSamePointer(const llvm::Value *A, const llvm::Value *B);

} // namespace contraflow
