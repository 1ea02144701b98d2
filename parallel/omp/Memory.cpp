// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of allocators. What is taken and given back in one function (private variables with an
// allocate clause) is like any other:
//
//   p = alloc(thread, bytes, allocator); ...; free(thread, p, allocator)   ->   malloc, free
//
// Otherwise the library gives it and takes it back, through functions that say no more than needed:
//
//   __kmpc_alloc(thread, bytes, allocator)     ->   omp_alloc(bytes, allocator)
//   q = omp_realloc(p, bytes, a, b)            ->   q = omp_alloc(bytes, a); the bytes of p are
//   copied;
//                                                   omp_give_back(p)
//   omp_free(p, allocator)                     ->   omp_give_back(p), in an adjoint when p's life
//   ends omp_destroy_allocator(a)                   ->   in an adjoint, at the reverse of its
//   initialisation

#include "contraflow/core/Diag.h"
#include "parallel/omp/Handlers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef Take = "__kmpc_alloc", GiveBack = "__kmpc_free";
constexpr StringRef TakeAligned = "__kmpc_aligned_alloc", UserGivesBack = "omp_free";
constexpr StringRef Resize = "omp_realloc", TakeByUser = "omp_alloc";
constexpr StringRef Initialise = "omp_init_allocator", Destroy = "omp_destroy_allocator";

CallInst *callOf(Value *V, StringRef Name) {
  auto *Call = dyn_cast<CallInst>(V);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->getName() == Name ? Call : nullptr;
}

/// (thread, [alignment,] bytes, allocator) -> ([alignment,] bytes, allocator)
void takeFromUserFunction(CallInst &Call, StringRef Name) {
  IRBuilder<> B(&Call);
  SmallVector<Value *, 3> Args(drop_begin(Call.args()));
  Args.back() = B.CreatePtrToInt(Args.back(), B.getInt64Ty());
  SmallVector<Type *, 3> Types;
  for (Value *V : Args)
    Types.push_back(V->getType());
  FunctionCallee Function = Call.getModule()->getOrInsertFunction(
      Name, FunctionType::get(B.getPtrTy(), Types, /*isVarArg=*/false));
  CallInst *Fresh = B.CreateCall(Function, Args);
  Fresh->addRetAttr(Attribute::NoAlias);
  Call.replaceAllUsesWith(Fresh);
  Call.eraseFromParent();
}

void giveBack(CallInst &Call, Value *Memory) {
  IRBuilder<> B(&Call);
  SweepBuilder::callRuntime(B, *Call.getModule(), "omp_give_back", B.getVoidTy(), {Memory});
  Call.eraseFromParent();
}

/// omp_realloc(p, bytes, allocator, allocator of p). What cannot be had leaves p as it is.
void splitResize(CallInst &Call) {
  IRBuilder<> B(&Call);
  Module &M = *Call.getModule();
  Value *Old = Call.getArgOperand(0), *Bytes = Call.getArgOperand(1);
  Value *Allocator = Call.getArgOperand(2), *None = ConstantPointerNull::get(B.getPtrTy());
  CallInst *Fresh = B.CreateCall(
      M.getOrInsertFunction(TakeByUser, B.getPtrTy(), Bytes->getType(), Allocator->getType()),
      {Bytes, Allocator});
  Fresh->addRetAttr(Attribute::NoAlias);
  Value *Kept = SweepBuilder::callRuntime(B, M, "omp_block_bytes", B.getInt64Ty(), {Old});
  Kept = B.CreateBinaryIntrinsic(Intrinsic::umin, Kept, Bytes);
  Value *Failed = B.CreateIsNull(Fresh);
  B.CreateMemCpy(Fresh, MaybeAlign(), Old, MaybeAlign(),
                 B.CreateSelect(Failed, B.getInt64(0), Kept));
  Value *Stays = B.CreateLogicalAnd(Failed, B.CreateIsNotNull(Bytes));
  SweepBuilder::callRuntime(B, M, "omp_give_back", B.getVoidTy(),
                            {B.CreateSelect(Stays, None, Old)});
  Call.replaceAllUsesWith(Fresh);
  Call.eraseFromParent();
}

bool resizes(const CallInst &Call) {
  return Call.arg_size() == 4 && Call.getType()->isPointerTy() &&
         Call.getArgOperand(1)->getType()->isIntegerTy(64);
}

void useUserFunctions(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (CallInst *Call = callOf(&I, Take))
      takeFromUserFunction(*Call, TakeByUser);
    else if (CallInst *Call = callOf(&I, TakeAligned))
      takeFromUserFunction(*Call, "omp_aligned_alloc");
    else if (CallInst *Call = callOf(&I, GiveBack))
      giveBack(*Call, Call->getArgOperand(1));
    else if (CallInst *Call = callOf(&I, UserGivesBack))
      giveBack(*Call, Call->getArgOperand(0));
    else if (CallInst *Call = callOf(&I, Resize); Call && resizes(*Call))
      splitResize(*Call);
}

/// Memory is given back after its allocator was destroyed if both wait for the reverse sweep.
class AllocatorHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {Initialise, Destroy}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool hasReverse(const CallBase &Call) const override { return !Call.getType()->isVoidTy(); }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  bool allDirections() const override { return true; }
  /// Each adjoint has an allocator of its own, until its own reverse.
  bool isRepeatable(const CallBase &) const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    if (hasReverse(*Site.Anchor))
      Site.Recorded = {Site.Anchor};
    else
      Site.Anchor = B.runtime("omp_allocator_later", B.ir().getVoidTy(), {Site.Operands[0]});
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("omp_allocator_end", B.ir().getVoidTy(), Recalled);
    return Error::success();
  }
};

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
    useUserFunctions(F);
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

void registerMemory(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<MemoryHandler>());
  Registry.add(std::make_unique<AllocatorHandler>());
}

} // namespace contraflow::omp
