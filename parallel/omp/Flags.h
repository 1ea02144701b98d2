// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads wait for with flush alone.

#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>
#include <utility>

namespace contraflow::omp {

inline constexpr llvm::StringRef Flush = "__kmpc_flush";

/// True if the call of flush is in a loop that does nothing but wait, and what it looks at is not
/// known to be integers.
bool waitsForUnknown(const llvm::CallBase &Flush);

/// The loads that end loops of F which do nothing but wait.
llvm::SmallVector<llvm::LoadInst *, 4> waitsOf(llvm::Function &F);
/// True if the instruction may write what is waited for.
bool mayBeSet(const llvm::LoadInst &Look, const llvm::Instruction &I);

/// The integers and addresses of a module that threads wait for in such loops, or look at before
/// they take a lock and behind it.
class Flags {
public:
  explicit Flags(llvm::Module &M);
  bool empty() const { return Known.empty(); }
  /// Makes all accesses in F that may be of flags volatile, which says that others look there. True
  /// if there may be any.
  bool mark(llvm::Function &F) const;

private:
  /// The variable, or null for one behind a pointer, and the type of the access.
  using Flag = std::pair<llvm::GlobalVariable *, llvm::Type *>;
  bool mayStore(const llvm::StoreInst &Store) const;

  llvm::SmallSetVector<Flag, 4> Known;
};

} // namespace contraflow::omp
