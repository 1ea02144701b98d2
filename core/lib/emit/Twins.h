// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests that lead to the same functions mostly need the same derivatives of them. What has been
// emitted is compared, so nothing has to be known about why it is the same:
//
//   request 1:  cf.reverse.f, optimised later;  kept as it was emitted
//   request 2:  the same code again  ->  calls go to the first
//
// Functions that call each other are the same if they are under the assumption that those they
// call are.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Functions that refer to each other.
using Cycle = llvm::SmallVector<llvm::Function *, 1>;

/// Functions, those that they refer to first.
std::vector<Cycle> cyclesOf(llvm::ArrayRef<llvm::Function *> Functions);

class TwinTable {
public:
  /// Functions of earlier requests by new ones.
  using Pairs = llvm::DenseMap<llvm::Function *, llvm::Function *>;

  TwinTable() = default;
  TwinTable(const TwinTable &) = delete;
  TwinTable &operator=(const TwinTable &) = delete;
  ~TwinTable() { clear(); }

  /// The functions of earlier requests with the same code, as it was emitted.
  Pairs find(llvm::ArrayRef<llvm::Function *> Cycle) const;
  /// F is remembered as it is.
  void keep(llvm::Function &F);
  /// These do no longer what was emitted: their callers need less.
  void forget(llvm::ArrayRef<llvm::Function *> Narrowed);
  /// Forgets everything: a remembered function is about to go.
  void clear();

private:
  struct Known {
    llvm::Function *Emitted; ///< a copy
    llvm::Function *Used;
  };
  llvm::SmallVector<const Known *, 2> candidates(const llvm::Function &F) const;

  llvm::DenseMap<uint64_t, llvm::SmallVector<Known, 1>> Table; ///< by hash
};

} // namespace contraflow
