// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A float and an int of one structure travel as one integer, in which the float has no derivative.
// A function that is not inlined takes and returns them one by one:
//
//   %r = call i64 @step(i64 %s)      ->      %p = call { float, i32 } @step.apart(float %v, i32 %k)
//
// Caller and copy put them together again, which splitPacks takes apart where it can.

#pragma once

#include "CalleeCopies.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace contraflow {

class PackedSignatures : public CalleeCopies {
public:
  /// True if a parameter or the result is such an integer.
  static bool wantApart(const llvm::Function &F);

  /// Replaces the call by one of a copy of its callee.
  void takeApart(llvm::CallBase &Call);

private:
  llvm::Function *copyOf(llvm::Function &F);
};

} // namespace contraflow
