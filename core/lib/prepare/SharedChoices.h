// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many calls that may lead to the same many functions choose in one place; see SharedChoices.cpp.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <utility>
#include <vector>

namespace llvm {
class CallBase;
class Function;
class FunctionType;
} // namespace llvm

namespace contraflow {

class SharedChoices {
public:
  SharedChoices() = default;
  SharedChoices(const SharedChoices &) = delete;
  SharedChoices &operator=(const SharedChoices &) = delete;
  /// Erases the functions that choose, which nobody calls any more.
  ~SharedChoices();

  /// Replaces an indirect call by one of the function that chooses among Callees, which is
  /// returned; null as long as few calls have to choose among them.
  llvm::CallBase *share(llvm::CallBase &Call, llvm::ArrayRef<llvm::Function *> Callees);
  /// Makes calls in P direct whose callee is known by now. True if there was one.
  bool reopen(llvm::Function &P) const;
  /// True if P calls a function that chooses.
  bool calledBy(const llvm::Function &P) const;
  /// True of a function that chooses.
  bool made(const llvm::Function &F) const { return Made.contains(&F); }

private:
  struct Choice {
    unsigned Calls = 0;
    llvm::Function *Chooser = nullptr;
  };
  using Key = std::pair<llvm::FunctionType *, std::vector<llvm::Function *>>;

  std::map<Key, Choice> Choices;
  llvm::SmallPtrSet<const llvm::Function *, 4> Made;
};

} // namespace contraflow
