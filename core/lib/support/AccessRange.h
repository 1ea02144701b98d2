// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that one access touches while a loop nest runs, if its address is affine in the loops:
//
//   for (j < m) for (i < n)  x[j * ld + i]     [x, x + 8 * ((m-1) * ld + (n-1)) + 8)
//   for (j < m) for (i < j)  x[j * ld + i]     [x, x + 8 * ((m-1) * ld + (m-2)) + 8)

#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Loop;
class SCEV;
class SCEVAddRecExpr;
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

/// The same; inner loops may also run as often as the counters of outer ones say.
std::optional<AccessRange> accessHull(llvm::ScalarEvolution &SE, llvm::Loop &Nest,
                                      llvm::Value *Pointer, uint64_t Size);

/// The same if each loop of the nest runs in some iteration of those around it.
std::optional<AccessRange> accessExtremes(llvm::ScalarEvolution &SE, llvm::Loop &Nest,
                                          llvm::Value *Pointer, uint64_t Size);

/// How an address, or a number that follows from one, goes from iteration to iteration.
struct Walk {
  const llvm::SCEVAddRecExpr *Rec;
  bool Rises;
};

/// None if it is not affine, or the direction is not known.
std::optional<Walk> walkIn(llvm::ScalarEvolution &SE, const llvm::SCEV *S, const llvm::Loop &L);

enum class Extreme { Lowest, Highest };

/// What an address, or a number that follows from one, is at most or at least while the loop runs;
/// null if that is not known.
const llvm::SCEV *extremeIn(llvm::ScalarEvolution &SE, const llvm::SCEV *S, const llvm::Loop &L,
                            Extreme Which);

/// Whether it is known, of what is used as a distance, a count or a step in bytes: these do not
/// wrap around.
bool isNonNegative(llvm::ScalarEvolution &SE, const llvm::SCEV *S);

/// The pointer that the address is computed from, if it is the same throughout Nest.
llvm::Value *accessBase(llvm::ScalarEvolution &SE, llvm::Loop &Nest, llvm::Value *Pointer);

} // namespace contraflow
