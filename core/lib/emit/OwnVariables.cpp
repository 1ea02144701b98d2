// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks who may know the address of a thread-local variable. The answer is an attribute of it: a
// shadow is made when the functions are being taken apart, and asks no more.

#include "OwnVariables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

constexpr StringLiteral Mark = "contraflow-own", Own = "yes", HandedOn = "no";

/// Blocks that are solved where they lie are used in hundreds of places once loops are unrolled.
constexpr unsigned MostUses = 100000;

static bool staysWithThread(const GlobalVariable &G, ArrayRef<Function *> Functions) {
  return all_of(G.users(), [&](const User *U) {
    auto *I = dyn_cast<Instruction>(U);
    if (!I)
      return false;
    if (!I->getParent() || !is_contained(Functions, I->getFunction()))
      return true;
    auto *Address = dyn_cast<IntrinsicInst>(I);
    return Address && Address->getIntrinsicID() == Intrinsic::threadlocal_address &&
           !PointerMayBeCaptured(Address, /*ReturnCaptures=*/true, MostUses);
  });
}

static StringRef markOf(const GlobalVariable &G) {
  return G.hasAttribute(Mark) ? G.getAttribute(Mark).getValueAsString() : "";
}

void markOwnVariables(Module &M, ArrayRef<Function *> Functions) {
  for (GlobalVariable &G : M.globals())
    if (G.isThreadLocal() && markOf(G) != HandedOn)
      G.addAttribute(Mark, staysWithThread(G, Functions) ? Own : HandedOn);
}

void handOnMark(const GlobalVariable &From, GlobalVariable &Shadow) {
  if (isOwnVariable(From))
    Shadow.addAttribute(Mark, Own);
}

bool isOwnVariable(const Value &Object) {
  auto *G = dyn_cast<GlobalVariable>(&Object);
  return G && markOf(*G) == Own;
}

} // namespace contraflow
