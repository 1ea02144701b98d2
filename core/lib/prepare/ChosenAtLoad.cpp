// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions of a function for several processors (target_clones) are functions of their own, and so
// is what returns the address of one of them. The dynamic linker calls that once; we call it where
// the function is called, and inline it there: the callee is one of a few that are known.
//
//   @f = ifunc double (double), ptr @f.resolver
//   ->
//   define internal double @cf.chosen.f(double %x) { %f = call ptr @f.resolver() ; ... call %f(%x)
//   }

#include "ChosenAtLoad.h"

#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

/// How arguments are passed, as one of the versions says.
static AttributeList conventionOf(Function &Resolver, FunctionType *Type) {
  for (Instruction &I : instructions(Resolver))
    for (Value *Op : I.operands())
      if (auto *Version = dyn_cast<Function>(Op); Version && Version->getFunctionType() == Type) {
        const AttributeList All = Version->getAttributes();
        SmallVector<AttributeSet, 8> Parameters;
        for (unsigned N = 0; N < Type->getNumParams(); ++N)
          Parameters.push_back(All.getParamAttrs(N));
        return AttributeList::get(Type->getContext(), {}, All.getRetAttrs(), Parameters);
      }
  return {};
}

Function *chosenAtLoad(Constant &V) {
  auto *Chosen = dyn_cast<GlobalIFunc>(V.stripPointerCastsAndAliases());
  Function *Resolver = Chosen ? Chosen->getResolverFunction() : nullptr;
  auto *Type = Chosen ? dyn_cast<FunctionType>(Chosen->getValueType()) : nullptr;
  if (!Resolver || Resolver->isDeclaration() || !Resolver->arg_empty() || !Type || Type->isVarArg())
    return nullptr;
  Module &M = *Chosen->getParent();
  const std::string Name = ("cf.chosen." + Chosen->getName()).str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  Function *F = Function::Create(Type, GlobalValue::InternalLinkage, Name, M);
  F->setAttributes(conventionOf(*Resolver, Type));
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", F));
  SmallVector<Value *, 8> Args;
  for (Argument &A : F->args())
    Args.push_back(&A);
  CallInst *Call = B.CreateCall(Type, B.CreateCall(Resolver->getFunctionType(), Resolver), Args);
  Call->setAttributes(F->getAttributes());
  if (Type->getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  return F;
}

} // namespace contraflow
