// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Characters, and integers that are made of text, on their way through registers:
//
//   c[k] = toupper(b[i])                  a load of a character  ->  a store of one
//   y = 10 * y + (b[i] - '0')             a load of a character  ->  a float
//   u = strtoul(b, 0, 16)                 an integer             ->  the bits of a float, or one in
//   memory

#pragma once

#include "LostBits.h"

namespace contraflow {

/// The loads of characters that V, an integer, is one of or is calculated from, and the calls that
/// may have read them (fgetc); or the load of a word, if V is that.
llvm::SmallVector<const llvm::Instruction *, 2> charactersIn(const llvm::Value &V);

enum class IntegerOf { Text, Character };

/// Floats that are made of V, an integer that is made of text, and those in memory that it becomes.
/// A character is followed to the floats that are made of its digit.
llvm::SmallVector<LostFlow::End, 2> floatsMadeOf(const llvm::Value &V, const MemoryGraph &Graph,
                                                 IntegerOf What);

/// Floats whose bits V, an integer, is calculated from.
llvm::SmallVector<LostFlow::End, 2> floatsBehind(const llvm::Value &V, const MemoryGraph &Graph);

} // namespace contraflow
