// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that looks at its variable arguments, for one of its calls: the arguments that this
// call passes become parameters.
//
//   sum(int n, ...) { va_start(ap); ... va_arg(ap, double) ... }        sum(3, x, y, z)
//   ->  sum(int n, double a, double b, double c) { area = {a, b, c}; ap = &area; ... }

#pragma once

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Function;
class Type;
} // namespace llvm

namespace contraflow {

/// True if F looks at its variable arguments.
bool readsVariableArguments(const llvm::Function &F);

/// Copies of lists of variable arguments (va_copy) become copies of memory, also in a function that
/// is given a list; their ends are nothing.
void copyLists(llvm::Function &F);

/// Replaces the call by one of a copy of the callee with fixed parameters; null if that is not
/// possible. The copy is for this call alone.
llvm::CallBase *fixArguments(llvm::CallBase &Call);

/// Copies for calls that stay calls: calls that pass the same types share one.
class FixedArguments {
public:
  FixedArguments() = default;
  FixedArguments(const FixedArguments &) = delete;
  FixedArguments &operator=(const FixedArguments &) = delete;
  ~FixedArguments();
  /// True if F is such a copy.
  bool made(const llvm::Function &F) const;
  /// The call that takes the place of this one; null if that is not possible.
  llvm::CallBase *fix(llvm::CallBase &Call);

private:
  struct Entry {
    llvm::Function *Of, *Copy;
    llvm::SmallVector<llvm::Type *, 8> Passed; ///< after each type what it points to, if by value
  };
  llvm::SmallVector<Entry, 4> Entries;
};

} // namespace contraflow
