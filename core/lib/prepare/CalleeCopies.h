// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of callees in another form, one of each, while functions are prepared.

#pragma once

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class Function;
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

private:
  llvm::DenseMap<llvm::Function *, llvm::Function *> Copies;
};

} // namespace contraflow
