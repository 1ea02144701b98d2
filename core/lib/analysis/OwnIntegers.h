// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that nobody has made of a float, in memory that the graph cannot tell from that of
// floats; see OwnIntegers.cpp.

#pragma once

#include "MemoryGraph.h"

#include "llvm/ADT/BitVector.h"

namespace llvm {
class Argument;
class CallBase;
} // namespace llvm

namespace contraflow {

class OwnIntegers {
public:
  OwnIntegers(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph);
  /// True if V is made of constants, of what is counted, and of members that are declared as
  /// integers: no part of a float, wherever it has been in between.
  bool isOwn(const llvm::Value *V) const;

private:
  bool handsOver(const llvm::Argument &A, llvm::SmallVectorImpl<const llvm::Value *> &Out) const;
  bool taint(Location At, int64_t Size);
  bool taintByCall(const llvm::CallBase &Call);
  bool spread();

  llvm::ArrayRef<llvm::Function *> Closure;
  const MemoryGraph &G;
  llvm::BitVector Others; ///< cells that other things than own integers have been stored in
};

} // namespace contraflow
