// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private variables with an allocate clause: their memory is taken and given back in one function.
//
//   p = alloc(thread, bytes, allocator); ...; free(thread, p, allocator)   ->   malloc, free
//
// The other memory that the library hands out holds the dependences of tasks; it runs forwards.

#include "contraflow/core/Diag.h"
#include "parallel/omp/Handlers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef Take = "__kmpc_alloc", GiveBack = "__kmpc_free";

CallInst *callOf(Value *V, StringRef Name) {
  auto *Call = dyn_cast<CallInst>(V);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->getName() == Name ? Call : nullptr;
}

class MemoryHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {Take, GiveBack}; }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    Facts.FreshResult = !Call.getType()->isVoidTy();
    return Facts;
  }
  void canonicalise(Function &F) const override {
    MapVector<CallInst *, SmallVector<CallInst *, 2>> GivenBack;
    for (Instruction &I : instructions(F))
      if (CallInst *Free = callOf(&I, GiveBack))
        if (CallInst *Alloc = callOf(Free->getArgOperand(1), Take))
          GivenBack[Alloc].push_back(Free);
    Module &M = *F.getParent();
    for (auto &[Alloc, Frees] : GivenBack) {
      IRBuilder<> B(Alloc);
      FunctionCallee Malloc = M.getOrInsertFunction("malloc", B.getPtrTy(), B.getInt64Ty());
      Alloc->replaceAllUsesWith(B.CreateCall(Malloc, {Alloc->getArgOperand(1)}));
      Alloc->eraseFromParent();
      for (CallInst *Free : Frees) {
        B.SetInsertPoint(Free);
        B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()),
                     {Free->getArgOperand(1)});
        Free->eraseFromParent();
      }
    }
  }
  bool hasReverse(const CallBase &) const override { return false; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override { return check(B, Call); }
  Error augment(SweepBuilder &B, CallSite &Site) const override { return check(B, *Site.Anchor); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  static Error check(SweepBuilder &B, CallBase &Call) {
    Value *Memory = Call.getType()->isVoidTy() ? Call.getArgOperand(1) : &Call;
    if (!B.activeMemory(Memory))
      return Error::success();
    return diffError(DiagId::UnsupportedOpenMP, Call,
                     "memory of an allocator that is given back elsewhere");
  }
};

} // namespace

void registerMemory(HandlerRegistry &Registry) { Registry.add(std::make_unique<MemoryHandler>()); }

} // namespace contraflow::omp
