// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CalleeCopies.h"
#include "support/Assignments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/Cloning.h"

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

Function *CalleeCopies::cloneWithRoom(Function &F, Type *Result, StringRef Suffix,
                                      SmallVectorImpl<ReturnInst *> &Returns) {
  LLVMContext &Context = F.getContext();
  SmallVector<Type *, 8> Params(F.getFunctionType()->params());
  Params.push_back(PointerType::getUnqual(Context));
  Function *Copy =
      Function::Create(FunctionType::get(Result, Params, /*isVarArg=*/false),
                       GlobalValue::InternalLinkage, F.getName() + "." + Suffix, F.getParent());
  ValueToValueMapTy Map;
  for (Argument &A : F.args())
    Map[&A] = Copy->getArg(A.getArgNo());
  CloneFunctionInto(Copy, &F, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  ownAssignments(*Copy);
  Copy->setAttributes(
      Copy->getAttributes().removeAttributesAtIndex(Context, AttributeList::ReturnIndex));
  Copy->removeFnAttr(Attribute::Memory);
  return Copy;
}

bool CalleeCopies::made(const Function &F) const {
  return any_of(Copies, [&](const auto &Known) { return Known.second == &F; });
}

} // namespace contraflow
