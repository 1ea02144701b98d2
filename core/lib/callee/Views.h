// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of callee/Views.def.

#pragma once

#include <optional>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace contraflow {

enum class ViewAction {
  Allocate,
  Data,
  Retain,
  Release,
  Room,
  Thread,
  Other,
  Scratch,
  Meeting,
  Parting,
  Team,
  Alone
};

std::optional<ViewAction> viewAction(const llvm::Function &F);
/// The function that hands out the memory of a record; null if the module has none.
llvm::Function *recordData(const llvm::Module &M);

} // namespace contraflow
