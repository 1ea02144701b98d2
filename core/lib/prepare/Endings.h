// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that never return, such as one whose only statement is a throw. Nothing after a call of
// one runs, so the call stays one of the user's function.

#pragma once

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace contraflow {

class Endings {
public:
  /// Marks the calls in F that never return, and ends their blocks.
  void mark(llvm::Function &F);

private:
  bool neverReturns(const llvm::CallBase &Call);
  bool neverReturns(const llvm::Function &F);

  llvm::DenseMap<const llvm::Function *, bool> Known;
  unsigned Depth = 0;
};

/// Lets F, which never returns, return after a call that does not, so that it has sweeps like any
/// other function: only once it was simplified has it become one of these. False if it does not
/// end either.
bool returnAfterEnd(llvm::Function &F);

} // namespace contraflow
