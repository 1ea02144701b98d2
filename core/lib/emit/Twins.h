// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests that lead to the same functions mostly need the same derivatives of them. What has been
// emitted is compared, so nothing has to be known about why it is the same:
//
//   request 1:  cf.reverse.f, optimised later;  kept as it was emitted
//   request 2:  the same code again  ->  calls go to the first

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

class TwinTable {
public:
  TwinTable() = default;
  TwinTable(const TwinTable &) = delete;
  TwinTable &operator=(const TwinTable &) = delete;
  ~TwinTable() { clear(); }

  /// The function of an earlier request with the same code, as it was emitted. Null if there is
  /// none; then F is remembered.
  llvm::Function *findOrKeep(llvm::Function &F);
  /// These do no longer what was emitted: their callers need less.
  void forget(llvm::ArrayRef<llvm::Function *> Narrowed);
  /// Forgets everything: a remembered function is about to go.
  void clear();

private:
  struct Known {
    llvm::Function *Emitted; ///< a copy
    llvm::Function *Used;
  };
  llvm::DenseMap<uint64_t, llvm::SmallVector<Known, 1>> Table; ///< by hash
};

} // namespace contraflow
