// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of callees in another form, one of each, while functions are prepared.

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class ReturnInst;
class Type;
} // namespace llvm

namespace contraflow {

class CalleeCopies {
public:
  CalleeCopies() = default;
  CalleeCopies(const CalleeCopies &) = delete;
  CalleeCopies &operator=(const CalleeCopies &) = delete;
  /// Erases the copies, which nobody calls any more.
  ~CalleeCopies();

  /// True of one of the copies.
  bool made(const llvm::Function &F) const;

protected:
  /// Null until it is set.
  llvm::Function *&copy(llvm::Function &F) { return Copies[&F]; }
  /// F's body in a function that is called F.<suffix>, returns a Result and takes one more
  /// parameter: the address of some room. The returns of the copy are appended to Returns.
  static llvm::Function *cloneWithRoom(llvm::Function &F, llvm::Type *Result,
                                       llvm::StringRef Suffix,
                                       llvm::SmallVectorImpl<llvm::ReturnInst *> &Returns);

private:
  llvm::DenseMap<llvm::Function *, llvm::Function *> Copies;
};

} // namespace contraflow
