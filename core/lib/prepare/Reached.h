// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that the code behind a request can come to call; see Reached.cpp.

#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Constant;
class Function;
class GlobalValue;
class Value;
} // namespace llvm

namespace contraflow {

class HandlerRegistry;

class ReachedFunctions {
public:
  ReachedFunctions(llvm::Function &Primal, const HandlerRegistry &Handlers);
  /// False if nothing is known: the primal may be given functions.
  bool known() const { return Known; }
  /// True if the primal may call F, directly or through a pointer.
  bool contains(const llvm::Function &F) const { return !Known || Seen.contains(&F); }

private:
  void follow(const llvm::Function &F, const HandlerRegistry &Handlers);
  void follow(const llvm::GlobalValue &G);
  void note(const llvm::Value *V);

  bool Known;
  bool NamesWords = false;     ///< variables with integers that are as wide as addresses
  bool MakesAddresses = false; ///< of integers
  llvm::SmallPtrSet<const llvm::Value *, 32> Seen; ///< functions, variables, constants
  llvm::SmallVector<const llvm::Constant *, 16> Todo;
};

} // namespace contraflow
