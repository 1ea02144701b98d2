// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CalleeCopies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace contraflow {

CalleeCopies::~CalleeCopies() {
  for (auto [F, Copy] : Copies)
    Copy->dropAllReferences();
  for (auto [F, Copy] : Copies) {
    Copy->replaceAllUsesWith(PoisonValue::get(Copy->getType()));
    Copy->eraseFromParent();
  }
}

bool CalleeCopies::made(const Function &F) const {
  return any_of(Copies, [&](const auto &Known) { return Known.second == &F; });
}

} // namespace contraflow
