// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats whose bits are calculated with as integers on their way to another float, or to memory.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace llvm {
class BinaryOperator;
class Instruction;
class StoreInst;
class Value;
} // namespace llvm

namespace contraflow {

class MemoryGraph;
struct Location;

/// Where the bits of V, an integer or a vector of them, come from: floats, and loads of
/// integers. Exponents and signs alone do not count: they do not vary.
llvm::SmallVector<const llvm::Value *, 4> bitSources(const llvm::Value *V);

/// Where bits of floats may come from that V, one integer, is calculated from other than by
/// counting: loads, and floats.
llvm::SmallVector<const llvm::Value *, 4> changedBits(const llvm::Value *V,
                                                      const MemoryGraph &Graph);

/// True if Store sets or clears bits of a few bytes where they are: flags. If these are part of a
/// float after all, its digits are rounded, which has slope one.
bool changesFlags(const llvm::StoreInst &Store, const MemoryGraph &Graph);

/// True if bytes that are written there are digits of a float, wherever one begins: neither of its
/// exponent nor of its sign, nor one byte of any number of them. Whoever copies a float in bytes
/// has to write the others as well.
bool isAmongDigits(const MemoryGraph &Graph, Location At, int64_t Size);

/// True if I leaves nothing of the digits of floats that are as wide as its lanes.
bool dropsDigits(const llvm::BinaryOperator &I);

/// The name of the type of its own, such as bool, that the language says I accesses, if it does.
/// Chars may be part of anything.
std::optional<llvm::StringRef> typeAccessed(const llvm::Instruction &I);
/// True if that is a float.
bool accessesFloat(const llvm::Instruction &I);

/// The operand of I that is such bits if I makes floats of them, or stores a vector of them, and
/// nothing else follows them; else null.
const llvm::Value *calculatedBits(const llvm::Instruction &I, const MemoryGraph &Graph);

} // namespace contraflow
