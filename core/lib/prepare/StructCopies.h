// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of small structures of numbers; see StructCopies.cpp.

#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace llvm {
class Function;
class MDNode;
class MemTransferInst;
class Module;
class Type;
} // namespace llvm

namespace contraflow {

/// Copies of a few floating-point numbers, as the program declares them, become loads and stores.
/// True if there was one.
bool splitStructCopies(llvm::Function &F);

/// The same before anything is optimised, where a float is among what is copied.
void splitWordCopies(llvm::Module &M);

struct CopiedNumber {
  uint64_t Offset;
  llvm::Type *T;
  llvm::MDNode *Tag; ///< for alias analysis; may be null
};

/// All are loaded, then all stored; the copy is deleted.
void copyByNumbers(llvm::MemTransferInst &Copy, llvm::ArrayRef<CopiedNumber> Numbers);

} // namespace contraflow
