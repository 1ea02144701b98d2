// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By how much may a computed distance differ from another one? An index of bytes need not go
// anywhere: the optimiser writes p + 40 * i as bytes, and a std::vector of structures that grows
// adds (position - begin) to its new memory.
//
//   %d = mul i64 %i, 40                                    multiples of 40
//   %d = select i1 %c, i64 80, i64 120                     multiples of 40
//   %d = or disjoint i64 (shl %i, 4), 8                    8, and multiples of 16
//   %d = sub i64 (ptrtoint %end), (ptrtoint %begin)        what two pointers may differ by
//   %d = sub i64 (or (ptrtoint %p), 1), (ptrtoint %p)      0: a flag leads nowhere

#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace contraflow {

/// The distance from one address to another, pointers or integers, is part of an index. It has been
/// multiplied and divided exactly:
///
///   v[it - items.begin()]     (%it - %begin) / 24, times 8
struct PointerDifference {
  const llvm::Value *To, *From;
  uint64_t Factor = 1, Divisor = 1;
  bool Wraps = false; ///< an overflow leaves of a factor only its powers of two

  /// What this part of the index is a multiple of, if the distance itself is one of Distance.
  int64_t multipleOf(int64_t Distance) const;
};

/// An integer is startOf() plus Multiple times some integer (0: it is a constant) plus multiples of
/// the differences.
struct Stride {
  uint64_t Multiple = 1;
  llvm::SmallVector<PointerDifference, 1> Differences;
  bool IsDifference = false; ///< it is the one difference and nothing else
};

/// The operand of which I sets or clears no more than Most low bits: an address. Or null.
llvm::Value *withoutFlags(const llvm::Instruction &I, unsigned Most);

Stride strideOf(const llvm::Value *Index);

/// True if nothing but null, Other, what has been kept in memory, and steps from there, make
/// Address.
bool isNullOr(const llvm::Value &Address, const llvm::Value &Other);

/// A value that an index has at some time, if it begins with a constant; else 0. It differs from
/// the others by multiples of the stride.
int64_t startOf(const llvm::Value *Index);

} // namespace contraflow
