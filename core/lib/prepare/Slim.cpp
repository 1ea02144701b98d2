// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   define i32 @min(ptr %a, ptr %b) optnone          define i32 @min(ptr %a, ptr %b)
//     %a.addr = alloca ptr ; store, load       ->      %x = load i32, ptr %a
//     ...                                              ...
//
// Once per callee, not once per call.

#include "Slim.h"
#include "DigitSums.h"
#include "support/Assignments.h"

#include "llvm/IR/Function.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {

Function &SlimCallees::of(Function &F) {
  if (!F.hasOptNone() || F.isVarArg() || F.isPresplitCoroutine())
    return F;
  Function *&Copy = Copies[&F];
  if (Copy)
    return *Copy;
  ValueToValueMapTy Map;
  Copy = CloneFunction(&F, Map);
  ownAssignments(*Copy);
  markFloatLoads(*Copy);
  Copy->setName("cf.slim." + F.getName());
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setComdat(nullptr);
  Copy->removeFnAttr(Attribute::OptimizeNone);
  FAM.clear(*Copy, Copy->getName()); // a function that is gone may have been at this address
  FunctionPassManager Passes;
  Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  Passes.addPass(EarlyCSEPass());
  Passes.addPass(InstCombinePass());
  Passes.addPass(SimplifyCFGPass());
  Passes.run(*Copy, FAM);
  FAM.clear(*Copy, Copy->getName());
  return *Copy;
}

SlimCallees::~SlimCallees() {
  for (auto [F, Copy] : Copies)
    Copy->eraseFromParent();
}

} // namespace contraflow
