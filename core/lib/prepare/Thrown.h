// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function that is not inlined throws to a handler of its caller comes back through memory;
// see Thrown.cpp.

#pragma once

#include "CalleeCopies.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class AllocaInst;
class CallBase;
class Function;
class InvokeInst;
} // namespace llvm

namespace contraflow {

class ThrownResults : public CalleeCopies {
public:
  /// Replaces calls that stay calls, and whose exceptions P catches, by calls of copies that return
  /// their exceptions.
  void bringBack(llvm::Function &P, llvm::function_ref<bool(const llvm::CallBase &)> StaysCall);

private:
  void bringBack(llvm::InvokeInst &Invoke, llvm::AllocaInst &Room);
  llvm::Function *copyOf(llvm::Function &F);
};

} // namespace contraflow
