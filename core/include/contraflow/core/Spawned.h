// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that a library is handed and runs by itself later: entry(leading..., memory). The tasks of
// OpenMP and the threads of C++ share what becomes of such an entry.

#pragma once

#include "contraflow/core/Construct.h"

#include "llvm/ADT/Twine.h"

namespace contraflow {

/// An internal function with an empty block "entry", compiled for the processor that Like is for.
llvm::Function *newBody(llvm::Module &M, llvm::FunctionType *T, const llvm::Twine &Name,
                        const llvm::Function &Like);

/// What the library expects of an entry, and what its relatives are called.
struct SpawnedEntry {
  llvm::Type *Result; ///< void, or an integer that is returned as 0
  llvm::SmallVector<llvm::Type *, 1> Leading = {};
  llvm::StringRef Suffix;

  /// (leading..., memory, shadow, tape) -> frame
  llvm::Function *augmented(llvm::Module &M, const SplitDerivative &Split) const;
  /// (leading..., {memory, tangents...}), which frees the pack.
  llvm::Function *tangent(llvm::Module &M, llvm::Function &Inner) const;
  bool hasShadow(llvm::ArrayRef<bool> HasShadow) const { return HasShadow[Leading.size()]; }
};

/// {memory, tangents...} in memory of its own, for SpawnedEntry::tangent.
llvm::Value *packTangents(SweepBuilder &B, llvm::Value *Memory, bool HasShadow);

} // namespace contraflow
