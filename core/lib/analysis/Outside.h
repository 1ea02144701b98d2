// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code of other files may do to variables that only this file can name: it calls this file's
// functions.

#pragma once

#include "contraflow/core/Construct.h"

#include "llvm/ADT/DenseSet.h"

namespace llvm {
class CallBase;
class GlobalVariable;
class Module;
class Value;
} // namespace llvm

namespace contraflow {

/// What is done to numbers in a variable, and to those that its pointers lead to.
struct OutsideUse {
  bool Reads = false, Writes = false, ReadsBehind = false, WritesBehind = false;
};

/// The functions of a module that code of other files may come to while a primal runs.
class OutsideFunctions {
public:
  OutsideFunctions(const llvm::Function &Primal, const HandlerRegistry &Handlers);
  /// What they do to an internal variable.
  OutsideUse useOf(const llvm::GlobalVariable &Variable) const;

private:
  const HandlerRegistry &Handlers;
  llvm::DenseSet<const llvm::Function *> Functions;
};

/// Marks the functions that lead to a derivative call or to its primal, before they are inlined.
void noteLeading(llvm::Module &M, llvm::ArrayRef<llvm::CallBase *> Requests);

} // namespace contraflow
