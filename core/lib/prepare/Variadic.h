// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that looks at its variable arguments, for one of its calls: the arguments that this
// call passes become parameters.
//
//   sum(int n, ...) { va_start(ap); ... va_arg(ap, double) ... }        sum(3, x, y, z)
//   ->  sum(int n, double a, double b, double c) { area = {a, b, c}; ap = &area; ... }

#pragma once

#include "CalleeCopies.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace contraflow {

/// True if F looks at its variable arguments.
bool readsVariableArguments(const llvm::Function &F);

/// Replaces the call by one of a copy of the callee with fixed parameters; null if that is not
/// possible. The copy is for this call alone.
llvm::CallBase *fixArguments(llvm::CallBase &Call);

/// Variadic functions that do not look at their variable arguments and stay calls: the library has
/// such lambdas. What is passed to nobody is left out.
class UnreadArguments : public CalleeCopies {
public:
  static bool wantDropped(const llvm::Function &F) {
    return F.isVarArg() && !readsVariableArguments(F);
  }

  /// Replaces the call by one of a copy of its callee without variable arguments.
  llvm::CallBase *drop(llvm::CallBase &Call);

private:
  llvm::Function *copyOf(llvm::Function &F);
};

} // namespace contraflow
