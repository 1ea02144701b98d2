// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread-local variables whose addresses no code of a derivative hands on. Only the thread itself
// adds to the shadow of one, so its updates are plain:
//
//   static double work[5];                      // threadprivate
//   for (...) { work[i] = ...; y += work[j]; }  // work.shadow[j] += y-bar, without atomics
//
// Others may reach a variable whose address is captured: by copyin, in a shared pointer, in a
// table. Code that has no part in the derivative may know the variable, but not its shadow.

#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
class GlobalVariable;
class Module;
class Value;
} // namespace llvm

namespace contraflow {

/// Marks the variables whose addresses stay in the functions, while these are whole. What one
/// derivative of the module hands on is marked for none.
void markOwnVariables(llvm::Module &M, llvm::ArrayRef<llvm::Function *> Functions);

/// What is true of the variable is true of its shadow.
void handOnMark(const llvm::GlobalVariable &From, llvm::GlobalVariable &Shadow);

/// True of a marked variable or shadow, which is what addresses within it lead to.
bool isOwnVariable(const llvm::Value &Object);

} // namespace contraflow
