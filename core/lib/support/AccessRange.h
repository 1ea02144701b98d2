// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that one access touches while a loop nest runs, if its address is affine in the loops:
//
//   for (j < m) for (i < n)  x[j * ld + i]     [x, x + 8 * ((m-1) * ld + (n-1)) + 8)

#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Loop;
class SCEV;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace contraflow {

struct AccessRange {
  const llvm::SCEV *Begin; ///< as 64-bit integers
  const llvm::SCEV *End;
};

/// The range of an access of Size bytes at Pointer within Nest; bounds are invariant in Nest. An
/// inner loop that does not run counts as running once.
std::optional<AccessRange> accessRange(llvm::ScalarEvolution &SE, llvm::Loop &Nest,
                                       llvm::Value *Pointer, uint64_t Size);

/// The pointer that the address is computed from, if it is the same throughout Nest.
llvm::Value *accessBase(llvm::ScalarEvolution &SE, llvm::Loop &Nest, llvm::Value *Pointer);

} // namespace contraflow
