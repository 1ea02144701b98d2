// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "callee/Views.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

struct ViewFunction {
  ViewAction Action;
  StringRef Prefix, Word;
};

constexpr ViewFunction ViewFunctions[] = {
#define CF_VIEW(Action, Prefix, Word) {ViewAction::Action, Prefix, Word},
#define CF_SCRATCH(Action, Prefix) {ViewAction::Action, Prefix, ""},
#define CF_MEETING(Action, Prefix) {ViewAction::Action, Prefix, ""},
#include "Views.def"
};

} // namespace

std::optional<ViewAction> viewAction(const Function &F) {
  for (const ViewFunction &Known : ViewFunctions)
    if (F.getName().starts_with(Known.Prefix) && F.getName().contains(Known.Word))
      return Known.Action;
  return std::nullopt;
}

Function *recordData(const Module &M) {
  for (const ViewFunction &Known : ViewFunctions)
    if (Known.Action == ViewAction::Data)
      return M.getFunction(Known.Prefix);
  return nullptr;
}

} // namespace contraflow
