// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "contraflow/core/Spawned.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

Function *newBody(Module &M, FunctionType *T, const Twine &Name, const Function &Like) {
  Function *F = Function::Create(T, GlobalValue::InternalLinkage, Name, M);
  for (StringRef Key : {"target-cpu", "target-features", "tune-cpu"})
    if (Like.hasFnAttribute(Key))
      F->addFnAttr(Like.getFnAttribute(Key));
  BasicBlock::Create(M.getContext(), "entry", F);
  return F;
}

/// The parameters in front of the memory, as they are handed on.
static SmallVector<Value *, 4> leadingArgs(Function &F, size_t Count) {
  SmallVector<Value *, 4> Out;
  for (size_t I = 0; I < Count; ++I)
    Out.push_back(F.getArg(I));
  return Out;
}

Function *SpawnedEntry::augmented(Module &M, const SplitDerivative &Split) const {
  Type *Ptr = PointerType::get(M.getContext(), 0);
  SmallVector<Type *, 4> Params(Leading.begin(), Leading.end());
  Params.append(3, Ptr);
  Function *F = newBody(M, FunctionType::get(Ptr, Params, false),
                        Split.Augmented->getName() + Suffix, *Split.Augmented);
  const size_t Memory = Leading.size();
  IRBuilder<> B(&F->getEntryBlock());
  auto Args = leadingArgs(*F, Memory);
  Args.push_back(F->getArg(Memory));
  if (hasShadow(Split.HasShadow))
    Args.push_back(F->getArg(Memory + 1));
  Args.push_back(F->getArg(Memory + 2));
  Value *Result = B.CreateCall(Split.Augmented, Args);
  B.CreateRet(B.CreateExtractValue(Result, Result->getType()->getStructNumElements() - 1));
  return F;
}

Function *SpawnedEntry::tangent(Module &M, Function &Inner) const {
  Type *Ptr = PointerType::get(M.getContext(), 0);
  SmallVector<Type *, 4> Params(Leading.begin(), Leading.end());
  Params.push_back(Ptr);
  Function *F =
      newBody(M, FunctionType::get(Result, Params, false), Inner.getName() + Suffix, Inner);
  Value *Pack = F->getArg(Leading.size());
  IRBuilder<> B(&F->getEntryBlock());
  auto Args = leadingArgs(*F, Leading.size());
  for (unsigned I = 0; I < Inner.arg_size() - Leading.size(); ++I)
    Args.push_back(B.CreateLoad(Ptr, B.CreateConstGEP1_64(Ptr, Pack, I)));
  B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), Ptr), {Pack});
  B.CreateCall(&Inner, Args);
  Result->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Constant::getNullValue(Result));
  return F;
}

Value *packTangents(SweepBuilder &B, Value *Memory, bool HasShadow) {
  SmallVector<Value *, 4> Parts{Memory};
  for (unsigned D = 0; HasShadow && D < B.directions(); ++D)
    Parts.push_back(B.shadowIn(D, Memory));
  auto &IR = B.ir();
  Module &M = *IR.GetInsertBlock()->getModule();
  Type *Ptr = IR.getPtrTy();
  Value *Pack = IR.CreateCall(M.getOrInsertFunction("malloc", Ptr, IR.getInt64Ty()),
                              {IR.getInt64(sizeof(void *) * Parts.size())});
  for (unsigned I = 0; I < Parts.size(); ++I)
    IR.CreateStore(Parts[I], IR.CreateConstGEP1_64(Ptr, Pack, I));
  return Pack;
}

} // namespace contraflow
