// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a registration says of a function would be lost if the optimiser saw through it: of
//
//   double clip(double x) { return x; }     // with a gradient of its own
//
// nothing would be left but x. Not inlining is not enough.

#include "Registration.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace contraflow {

/// = "7": the linkage that a function had.
static constexpr StringLiteral LinkageMark = "contraflow_linkage";

static bool isRegistered(const Function &F) {
  constexpr StringLiteral Marks[] = {attr::Registered, attr::Inactive, attr::Like, attr::Allocator,
                                     attr::Deallocator};
  return any_of(Marks, [&F](StringRef Mark) { return F.hasFnAttribute(Mark); });
}

void hideRegistered(Module &M) {
  for (Function &F : M) {
    if (!isRegistered(F) || !F.hasExactDefinition() || F.hasFnAttribute(LinkageMark))
      continue;
    F.addFnAttr(LinkageMark, utostr(F.getLinkage()));
    F.setLinkage(GlobalValue::WeakAnyLinkage);
  }
}

void showRegistered(Module &M) {
  for (Function &F : M) {
    uint64_t Linkage;
    const Attribute Mark = F.getFnAttribute(LinkageMark);
    if (!Mark.isValid() || Mark.getValueAsString().getAsInteger(10, Linkage))
      continue;
    F.setLinkage(static_cast<GlobalValue::LinkageTypes>(Linkage));
    F.removeFnAttr(LinkageMark);
  }
}

void fenceRegistered(Module &M) {
  for (Function &F : M) {
    if (!isRegistered(F) || F.isDeclaration())
      continue;
    appendToCompilerUsed(M, {&F});
    if (!F.getReturnType()->isFPOrFPVectorTy())
      continue;
    for (BasicBlock &B : F)
      if (auto *Return = dyn_cast<ReturnInst>(B.getTerminator()))
        Return->setOperand(0, IRBuilder<>(Return).CreateArithmeticFence(Return->getReturnValue(),
                                                                        F.getReturnType()));
  }
}

} // namespace contraflow
