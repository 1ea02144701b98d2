// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// p = malloc(n).  Forward: a zeroed shadow is allocated with it.  Reverse: both are freed, if the
// primal freed p.
// free(p).        Forward: put off, since the reverse sweep may still read p and writes its shadow.
// q = realloc(p, n).  Forward: an allocation, a copy, and a free that is put off. Reverse: the
//                     adjoint of the copy, and q is freed as after malloc.
// e = posix_memalign(&p, a, n).  Before anything else: p = aligned_alloc(a, n); e = p ? 0 : ENOMEM.

#include "Fields.h"
#include "Memory.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

Value *sizeInBytes(IRBuilder<> &B, CallBase &Call, const CalleeInfo &Info) {
  Value *Size = B.CreateZExtOrTrunc(Call.getArgOperand(Info.SizeArg), B.getInt64Ty());
  if (Info.CountArg >= 0)
    Size =
        B.CreateMul(Size, B.CreateZExtOrTrunc(Call.getArgOperand(Info.CountArg), B.getInt64Ty()));
  return Size;
}

/// A function of the library, declared as the library has it.
bool isOfKind(const CallBase &Call, CalleeKind Kind) {
  CalleeInfo Info = lookupCallee(Call);
  if (Info.Kind != Kind)
    return false;
  if (Kind == CalleeKind::Free)
    return Call.arg_size() > 0 && Call.getArgOperand(0)->getType()->isPointerTy();
  auto IsInteger = [&](int Arg) {
    return Arg < int(Call.arg_size()) && Call.getArgOperand(Arg)->getType()->isIntegerTy();
  };
  return Call.getType()->isPointerTy() && IsInteger(Info.SizeArg) &&
         (Info.CountArg < 0 || IsInteger(Info.CountArg));
}

/// The call as one that returns the memory.
void returnMemory(CallInst &Call, const CalleeInfo &Info) {
  IRBuilder<> B(&Call);
  Type *Size = B.getInt64Ty();
  FunctionCallee Allocate =
      Call.getModule()->getOrInsertFunction("aligned_alloc", B.getPtrTy(), Size, Size);
  Value *Alignment = B.CreateZExtOrTrunc(Call.getArgOperand(Info.PointerArg + 1), Size);
  Value *Bytes = B.CreateZExtOrTrunc(Call.getArgOperand(Info.SizeArg), Size);
  CallInst *Memory = B.CreateCall(Allocate, {Alignment, Bytes});
  Memory->addRetAttr(Attribute::NoAlias);
  B.CreateStore(Memory, Call.getArgOperand(Info.PointerArg));
  constexpr int OutOfMemory = 12; // ENOMEM
  Call.replaceAllUsesWith(B.CreateSelect(B.CreateIsNull(Memory),
                                         ConstantInt::get(Call.getType(), OutOfMemory),
                                         ConstantInt::get(Call.getType(), 0)));
  Call.eraseFromParent();
}

class AllocateHandler : public ConstructHandler {
public:
  void canonicalise(Function &F) const override {
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (const CalleeInfo Info = lookupCallee(*Call);
            Info.Kind == CalleeKind::AllocateAt && Call->arg_size() == 3 &&
            Call->getType()->isIntegerTy() &&
            Call->getArgOperand(Info.PointerArg)->getType()->isPointerTy() &&
            Call->getArgOperand(Info.SizeArg)->getType()->isIntegerTy())
          returnMemory(*Call, Info);
  }
  SmallVector<StringRef, 0> callees() const override { return calleesOfKind(CalleeKind::Allocate); }
  bool claims(const CallBase &Call) const override { return isOfKind(Call, CalleeKind::Allocate); }
  bool severalDirections() const override { return true; }
  CallFacts facts(const CallBase &) const override {
    CallFacts Facts;
    Facts.FreshResult = true;
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (!B.shadow(&Call))
      return Error::success();
    B.ir().SetInsertPoint(Call.getNextNode());
    auto *Twin = cast<CallBase>(Call.clone());
    B.ir().Insert(Twin, "shadow");
    CalleeInfo Info = lookupCallee(Call);
    if (!Info.Zeroed)
      B.ir().CreateMemSet(Twin, B.ir().getInt8(0), sizeInBytes(B.ir(), Call, Info), MaybeAlign());
    B.setShadow(&Call, Twin);
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    CallBase &Call = *Site.Anchor;
    if (!B.shadow(&Call))
      return Error::success();
    B.ir().SetInsertPoint(Call.getNextNode());
    Value *Bytes = sizeInBytes(B.ir(), Call, lookupCallee(Call));
    Value *Shadow = B.runtime("shadow_alloc", B.ir().getPtrTy(), {&Call, Bytes});
    cast<CallBase>(Shadow)->addRetAttr(Attribute::NoAlias);
    B.setShadow(&Call, Shadow);
    Site.Recorded = {&Call, Shadow};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    if (!Recalled.empty())
      B.runtime("alloc_reverse", B.ir().getVoidTy(), {Recalled[0], Recalled[1]});
    return Error::success();
  }
};

class FreeHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return calleesOfKind(CalleeKind::Free); }
  bool claims(const CallBase &Call) const override { return isOfKind(Call, CalleeKind::Free); }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool hasReverse(const CallBase &) const override { return false; }
  bool severalDirections() const override { return true; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    Value *Shadow = B.shadow(Call.getArgOperand(0));
    if (!Shadow || isa<Constant>(Shadow))
      return Error::success();
    auto *Twin = cast<CallBase>(Call.clone());
    Twin->setArgOperand(0, Shadow);
    B.ir().Insert(Twin);
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Value *Shadow = B.shadow(Site.Operands[0]);
    if (!Shadow)
      return Error::success();
    const int How = lookupCallee(*Site.Anchor).FreeKind;
    Value *Last = B.ir().getInt32(How);
    if (How == FreeByUser)
      Last = Site.Anchor->getCalledOperand();
    Site.Anchor = B.runtime(How == FreeByUser ? "free_deferred_by" : "free_deferred",
                            B.ir().getVoidTy(), {Site.Operands[0], Shadow, Last});
    return Error::success();
  }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }
};

class ReallocateHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return calleesOfKind(CalleeKind::Reallocate);
  }
  bool claims(const CallBase &Call) const override {
    return isOfKind(Call, CalleeKind::Reallocate);
  }
  CallFacts facts(const CallBase &) const override {
    CallFacts Facts;
    Facts.Writes = {0};
    Facts.Linked.Operands = {0};
    Facts.Linked.Result = true;
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    Value *Shadow = B.shadow(Call.getArgOperand(0));
    if (!Shadow || !B.shadow(&Call))
      return Error::success();
    Value *Bytes = sizeInBytes(B.ir(), Call, lookupCallee(Call));
    B.setShadow(&Call, B.runtime("shadow_resize", B.ir().getPtrTy(), {Shadow, Bytes}));
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;
};

Error ReallocateHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  Value *Old = Site.Operands[0], *OldShadow = B.shadow(Old);
  if (!OldShadow || !B.shadow(&Call))
    return Error::success();
  auto &IR = B.ir();
  Value *Bytes = sizeInBytes(IR, Call, lookupCallee(Call));
  Value *Extent = B.runtime("realloc_extent", IR.getInt64Ty(), {Old, OldShadow, Bytes});
  CallInst *New = B.runtime("realloc_forward", IR.getPtrTy(), {Old, OldShadow, Bytes});
  CallInst *Shadow = B.runtime("shadow_alloc", IR.getPtrTy(), {New, Bytes});
  New->addRetAttr(Attribute::NoAlias);
  Shadow->addRetAttr(Attribute::NoAlias);
  MemoryLayout Layout = B.layout(Old);
  if (B.activeMemory(Old))
    if (Error E = checkLayout(Layout, Call))
      return E;
  copyPointers(B, Layout, Shadow, OldShadow, Extent);
  B.setShadow(&Call, Shadow);
  Site.Recorded = {New, Shadow, OldShadow, Extent};
  Site.Anchor = New;
  return Error::success();
}

Error ReallocateHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                                 ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  if (B.activeMemory(Site.Operands[0]))
    copyAdjoints(B, B.layout(Site.Operands[0]), Recalled[1], Recalled[2], Recalled[3],
                 B.ir().getInt32(0));
  B.runtime("alloc_reverse", B.ir().getVoidTy(), {Recalled[0], Recalled[1]});
  return Error::success();
}

} // namespace

void registerAllocationHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<AllocateHandler>());
  Registry.add(std::make_unique<FreeHandler>());
  Registry.add(std::make_unique<ReallocateHandler>());
}

} // namespace contraflow
