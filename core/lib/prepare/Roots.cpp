// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Roots.h"
#include "Prepare.h"
#include "ValueCopies.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

PreparedClosure::~PreparedClosure() {
  for (Function *F : Functions)
    F->dropAllReferences();
  for (Function *F : Functions) {
    F->replaceAllUsesWith(PoisonValue::get(F->getType()));
    F->eraseFromParent();
  }
}

/// A root that calls itself is wrapped: the root's sweeps are one function, those of a function
/// that is called are two.
Function *wrapRecursion(Function &F, PreparedClosure &Out) {
  bool Called = any_of(F.users(), [&](User *U) {
    auto *Call = dyn_cast<CallBase>(U);
    return Call && is_contained(Out.Functions, Call->getFunction());
  });
  if (!Called)
    return &F;
  Function *Root =
      Function::Create(F.getFunctionType(), F.getLinkage(), F.getName() + ".root", F.getParent());
  Root->copyAttributesFrom(&F);
  copyValueParams(F);
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "entry", Root));
  SmallVector<Value *, 8> Args(llvm::make_pointer_range(Root->args()));
  CallInst *Call = B.CreateCall(&F, Args);
  F.getReturnType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Call);
  Out.Functions.insert(Out.Functions.begin(), Root);
  return Root;
}

/// What the bodies of regions refer to, and what that refers to.
void findUsedInTeams(PreparedClosure &Out) {
  SmallVector<Function *, 8> Todo(Out.TeamBodies.begin(), Out.TeamBodies.end());
  while (!Todo.empty())
    for (Instruction &I : instructions(*Todo.pop_back_val()))
      for (Value *V : I.operands())
        if (auto *F = dyn_cast<Function>(V);
            F && is_contained(Out.Functions, F) && Out.UsedInTeams.insert(F).second)
          Todo.push_back(F);
}

/// A function that calls F and does nothing else.
Function *callerOf(Function &F) {
  Function *Caller = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage,
                                      "cf.root." + F.getName(), F.getParent());
  Caller->copyAttributesFrom(&F);
  for (StringRef Key : {attr::Inactive, attr::Like, attr::Registered})
    Caller->removeFnAttr(Key);
  Caller->setLinkage(GlobalValue::InternalLinkage);
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "entry", Caller));
  SmallVector<Value *, 8> Args(llvm::make_pointer_range(Caller->args()));
  CallInst *Call = B.CreateCall(&F, Args);
  F.getReturnType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Call);
  return Caller;
}

} // namespace contraflow
