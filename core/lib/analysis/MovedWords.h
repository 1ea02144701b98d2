// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that are moved as addresses and may be numbers; see MovedWords.cpp.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"

namespace llvm {
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace contraflow {

class MemoryGraph;

/// Addresses, and words on the way to them, that are made of words which are only moved.
llvm::DenseSet<const llvm::Value *> findMovedAddresses(llvm::ArrayRef<llvm::Function *> Closure);

/// Numbers at one end of a move of addresses may be at the other end. True if that is news.
bool spreadMovedNumbers(MemoryGraph &Graph, llvm::ArrayRef<llvm::Function *> Closure);

/// True for the exclusive or of two words that are moved, and nothing else, before and after it: of
/// two addresses, one gives the other back. A hash is calculated with.
bool joinsAddresses(const llvm::Instruction &I);

/// A word that is an address at one time and a float at another is moved as an integer: nothing
/// else lies in it, so all of it is moved, as a double is. True if that is news.
bool spreadMovedFloats(MemoryGraph &Graph, llvm::ArrayRef<llvm::Function *> Closure);

} // namespace contraflow
