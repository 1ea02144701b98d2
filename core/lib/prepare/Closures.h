// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program asks for several derivatives of one function: for its tangent and its adjoint, for a
// result and without. What is prepared for the first of them is kept, and each works on a clone:
//
//   __enzyme_autodiff(f, ...)     prepare(f) = T, kept;  P = clone of T, nests get versions
//   __enzyme_fwddiff(f, ...)                             P' = clone of T

#pragma once

#include "Prepare.h"

#include "llvm/IR/ValueHandle.h"

#include <memory>
#include <optional>

namespace contraflow {

class ClosureTemplates {
public:
  ClosureTemplates() = default;
  ClosureTemplates(const ClosureTemplates &) = delete;
  ClosureTemplates &operator=(const ClosureTemplates &) = delete;
  ~ClosureTemplates();

  /// One more derivative of F will be made.
  void expect(const llvm::Function &F) { ++Expected[&F]; }
  bool isExpectedAgain(const llvm::Function &F) const { return Expected.lookup(&F) > 1; }

  struct Copy {
    PreparedClosure Closure;
    PreparedPairs Called;
    bool Spared;
  };
  /// Keeps what was prepared of F, and returns a clone.
  Copy keep(llvm::Function &F, Copy Prepared);
  /// Nothing if F was not prepared before.
  std::optional<Copy> instantiate(llvm::Function &F) const;
  void clear();

private:
  struct Template {
    llvm::WeakVH Original;
    std::unique_ptr<Copy> Kept;
  };
  llvm::DenseMap<const llvm::Function *, unsigned> Expected;
  llvm::DenseMap<const llvm::Function *, Template> Templates;
};

} // namespace contraflow
