// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions are told apart by an attribute, one of each type.

#include "Smooth.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

static constexpr StringLiteral SmoothKind = "contraflow_smooth", RuggedKind = "contraflow_rugged",
                               StrayKind = "contraflow_stray";

static bool isOfKind(const Function *F, StringRef Kind) {
  return F && F->isDeclaration() && F->hasFnAttribute(Kind);
}

static CallInst *createOfKind(IRBuilderBase &B, StringRef Kind, Type *T, ArrayRef<Value *> Args) {
  Module &M = *B.GetInsertBlock()->getModule();
  SmallVector<Type *, 4> Types;
  for (Value *V : Args)
    Types.push_back(V->getType());
  auto *Wanted = FunctionType::get(T, Types, false);
  for (Function &F : M)
    if (isOfKind(&F, Kind) && F.getFunctionType() == Wanted)
      return B.CreateCall(&F, Args);
  Function *F = Function::Create(Wanted, GlobalValue::ExternalLinkage, "contraflow.digits", M);
  F->addFnAttr(Kind);
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setDoesNotFreeMemory();
  F->setNoSync();
  F->setWillReturn();
  if (Kind != StrayKind) // which counts where it is come to
    F->setSpeculatable();
  return B.CreateCall(F, Args);
}

CallInst *createSmooth(IRBuilderBase &B, Value *Line, Value *Bits) {
  return createOfKind(B, SmoothKind, Line->getType(), {Line, Bits});
}

CallInst *createStray(IRBuilderBase &B, Value *Line, Value *Bits) {
  return createOfKind(B, StrayKind, Line->getType(), {Line, Bits});
}

CallInst *createRugged(IRBuilderBase &B, ArrayRef<Value *> Sources, Value *Bits, Type *T) {
  SmallVector<Value *, 4> Args(Sources);
  Args.push_back(Bits);
  return createOfKind(B, RuggedKind, T, Args);
}

bool isSmooth(const CallBase &Call) { return isOfKind(Call.getCalledFunction(), SmoothKind); }

bool isRugged(const CallBase &Call) { return isOfKind(Call.getCalledFunction(), RuggedKind); }

bool isStray(const CallBase &Call) { return isOfKind(Call.getCalledFunction(), StrayKind); }

bool lowerSmooth(Module &M) {
  bool Any = false;
  for (Function &F : make_early_inc_range(M)) {
    if (none_of(ArrayRef({SmoothKind, RuggedKind, StrayKind}),
                [&](StringRef Kind) { return isOfKind(&F, Kind); }))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = cast<CallInst>(U);
      Value *Bits = Call->getArgOperand(Call->arg_size() - 1);
      Call->replaceAllUsesWith(IRBuilder<>(Call).CreateBitCast(Bits, Call->getType()));
      Call->eraseFromParent();
    }
    F.eraseFromParent();
    Any = true;
  }
  return Any;
}

} // namespace contraflow
