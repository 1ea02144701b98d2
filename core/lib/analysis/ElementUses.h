// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done with an address of which nobody says what it leads to.

#pragma once

#include "Layouts.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <compare>

namespace llvm {
class Function;
class Use;
class Value;
} // namespace llvm

namespace contraflow {

class ElementUses {
public:
  ElementUses(const llvm::SmallPtrSetImpl<const llvm::Function *> &Closure, LayoutReader &Layouts,
              const LayoutPlaces &Places);
  /// True if all that is seen to be done with Pointer is what one does with an array of the
  /// structure: no index leads from its beginning to what is no member of one.
  bool areOf(const llvm::Value &Pointer) const;

private:
  /// An address at the beginning of a structure, or one that a shorter step has led to.
  struct Reached {
    const llvm::Value *At;
    bool IsShort;
    auto operator<=>(const Reached &) const = default;
  };
  bool isOfElements(const llvm::Value &Index, int64_t Scale) const;
  bool isMember(const llvm::Instruction &Access) const;
  std::optional<bool> followStep(const llvm::Use &U, bool IsShort) const;
  bool followReturn(const llvm::Function &F, bool IsShort,
                    llvm::SmallVectorImpl<Reached> &Todo) const;
  bool follow(const llvm::Use &U, bool IsShort, llvm::SmallVectorImpl<Reached> &Todo) const;

  const llvm::SmallPtrSetImpl<const llvm::Function *> &Closure;
  LayoutReader &Layouts;
  const LayoutPlaces &Places;
  int64_t Size;
};

} // namespace contraflow
