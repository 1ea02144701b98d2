// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer in a structure that a call returns has no place for its shadow, nor have the bits of a
// float one for its derivative. A function that is not inlined gives such a structure back through
// memory:
//
//   %r = call { double, ptr } @build(double %x)      ->   call void @build.out(double %x, ptr
//   %room) %p = extractvalue { double, ptr } %r, 1               %p = load ptr, ptr (%room + 8)

#pragma once

#include "CalleeCopies.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace contraflow {

class ReturnedStructures : public CalleeCopies {
public:
  /// True if the function returns a structure with pointers, or with integers that may be the bits
  /// of floats.
  static bool wantMemory(const llvm::Function &F);

  /// Replaces the call by one of a copy of its callee that takes the address of the result last.
  llvm::CallBase *throughMemory(llvm::CallBase &Call);

private:
  llvm::Function *copyOf(llvm::Function &F);
};

} // namespace contraflow
