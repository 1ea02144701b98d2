// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// p = malloc(n).  Forward: a zeroed shadow is allocated with it.  Reverse: both are freed, if the
// primal freed p.
// posix_memalign(&p, a, n) becomes p = aligned_alloc(a, n), rounded up, before anything else.
// Rust's realloc, which is told the old size, becomes an allocation, a copy and a free.
// free(p).        Forward: put off, since the reverse sweep may still read p and writes its shadow.
// give_back(p, n), of the program: the same, with what it is told.
// q = realloc(p, n).  Forward: an allocation, a copy, and a free that is put off. Reverse: the
//                     adjoint of the copy, and q is freed as after malloc.

#include "Fields.h"
#include "Memory.h"
#include "callee/Rust.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"
#include "support/OwnBlock.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <cerrno>

using namespace llvm;

namespace contraflow {

Value *sizeInBytes(IRBuilderBase &B, CallBase &Call, const CalleeInfo &Info) {
  Value *Size = B.CreateZExtOrTrunc(Call.getArgOperand(Info.SizeArg), B.getInt64Ty());
  if (Info.CountArg >= 0)
    Size =
        B.CreateMul(Size, B.CreateZExtOrTrunc(Call.getArgOperand(Info.CountArg), B.getInt64Ty()));
  return Size;
}

bool isOfKind(const CallBase &Call, CalleeKind Kind) {
  CalleeInfo Info = lookupCallee(Call);
  if (Info.Kind != Kind)
    return false;
  if (Kind == CalleeKind::Free)
    return Call.arg_size() > (Info.FreeKind == FreeSized ? 2u : 0u) &&
           Call.getArgOperand(0)->getType()->isPointerTy();
  auto IsInteger = [&](int Arg) {
    return Arg < int(Call.arg_size()) && Call.getArgOperand(Arg)->getType()->isIntegerTy();
  };
  return Call.getType()->isPointerTy() && IsInteger(Info.SizeArg) &&
         (Info.CountArg < 0 || IsInteger(Info.CountArg));
}

namespace {

/// The end of an object and its shadow in the reverse sweep, or the beginning of its life after it.
void reverseAllocation(SweepBuilder &B, const Value *Object, ArrayRef<Value *> Places,
                       Value *Bytes) {
  if (Value *Owner = B.owner(Object))
    B.runtime("alloc_reverse_kept", B.ir().getVoidTy(), {Places[0], Places[1], Bytes, Owner});
  else
    B.runtime("alloc_reverse", B.ir().getVoidTy(), Places);
}

/// A function of the program that gives back, and is told up to two integers, in the form that the
/// runtime calls.
Function *givesBack(const CallBase &Call) {
  Function *Give = Call.getCalledFunction();
  Module *M = Give->getParent();
  const std::string Name = ("cf.gives_back." + Give->getName()).str();
  if (Function *Known = M->getFunction(Name))
    return Known;
  LLVMContext &C = M->getContext();
  Type *Integer = Type::getInt64Ty(C);
  auto *Form = FunctionType::get(Type::getVoidTy(C),
                                 {Call.getArgOperand(0)->getType(), Integer, Integer}, false);
  auto *F = Function::Create(Form, GlobalValue::InternalLinkage, Name, M);
  IRBuilder<> B(BasicBlock::Create(C, "", F));
  SmallVector<Value *, 3> Operands{F->getArg(0)};
  for (unsigned I = 1; I < Call.arg_size(); ++I)
    Operands.push_back(B.CreateTrunc(F->getArg(I), Call.getArgOperand(I)->getType()));
  CallInst *Inner = B.CreateCall(Give, Operands);
  Inner->setCallingConv(Call.getCallingConv());
  for (unsigned I = 1; I < Call.arg_size(); ++I) // what holds at each call
    for (Attribute::AttrKind Wide : {Attribute::ZExt, Attribute::SExt})
      if (Give->hasParamAttribute(I, Wide))
        Inner->addParamAttr(I, Wide);
  B.CreateRetVoid();
  return F;
}

CallInst *putOffWithOperands(SweepBuilder &B, const CallBase &Call, Value *Object, Value *Shadow) {
  IRBuilderBase &IR = B.ir();
  SmallVector<Value *, 2> Told(2, IR.getInt64(0));
  for (unsigned I = 1; I < Call.arg_size(); ++I)
    Told[I - 1] = IR.CreateZExt(Call.getArgOperand(I), IR.getInt64Ty());
  return B.runtime("free_deferred_sized", IR.getVoidTy(),
                   {Object, Shadow, givesBack(Call), Told[0], Told[1]});
}

/// posix_memalign, declared as the library has it.
bool storesFresh(const CallBase &Call) {
  return lookupCallee(Call).Kind == CalleeKind::AllocateInto && Call.arg_size() == 3 &&
         Call.getType()->isIntegerTy(32) && Call.getArgOperand(0)->getType()->isPointerTy() &&
         Call.getArgOperand(1)->getType() == Call.getArgOperand(2)->getType();
}

/// Rust's realloc.
bool resizesSized(const CallBase &Call) {
  return lookupCallee(Call).Kind == CalleeKind::ReallocateSized && Call.arg_size() == 4 &&
         Call.getType()->isPointerTy();
}

/// q = allocate(new size); *q = *p; give back p.
void splitReallocation(CallInst &Call) {
  IRBuilder<> B(&Call);
  Function &F = *Call.getCalledFunction();
  Value *Object = Call.getArgOperand(0), *Size = Call.getArgOperand(1);
  Value *Alignment = Call.getArgOperand(2), *NewSize = Call.getArgOperand(3);
  Type *Integer = Size->getType(), *Pointer = B.getPtrTy();
  auto *Allocator = FunctionType::get(Pointer, {Integer, Integer}, false);
  auto *Deallocator = FunctionType::get(B.getVoidTy(), {Pointer, Integer, Integer}, false);
  CallInst *Fresh = B.CreateCall(allocatorOf(F, "alloc", Allocator), {NewSize, Alignment});
  Fresh->addRetAttr(Attribute::NoAlias);
  Value *Kept = B.CreateBinaryIntrinsic(Intrinsic::umin, Size, NewSize);
  Kept = B.CreateSelect(B.CreateIsNull(Fresh), ConstantInt::get(Integer, 0), Kept);
  B.CreateMemCpy(Fresh, MaybeAlign(), Object, MaybeAlign(), Kept);
  B.CreateCall(allocatorOf(F, "dealloc", Deallocator), {Object, Size, Alignment});
  Call.replaceAllUsesWith(Fresh);
  Call.eraseFromParent();
}

/// The same without a pointer to a pointer.
void returnFresh(CallInst &Call) {
  IRBuilder<> B(&Call);
  Value *Alignment = Call.getArgOperand(1), *Size = Call.getArgOperand(2);
  FunctionCallee Allocate = Call.getModule()->getOrInsertFunction(
      "aligned_alloc", B.getPtrTy(), Alignment->getType(), Size->getType());
  // aligned_alloc wants a multiple of the alignment.
  Value *Last = B.CreateSub(Alignment, ConstantInt::get(Alignment->getType(), 1));
  Value *Rounded = B.CreateAnd(B.CreateAdd(Size, Last), B.CreateNot(Last));
  CallInst *Fresh = B.CreateCall(Allocate, {Alignment, Rounded});
  Fresh->addRetAttr(Attribute::NoAlias);
  B.CreateStore(Fresh, Call.getArgOperand(0));
  Value *Failure = B.getInt32(ENOMEM);
  Call.replaceAllUsesWith(B.CreateSelect(B.CreateIsNull(Fresh), Failure, B.getInt32(0)));
  Call.eraseFromParent();
}

class AllocateHandler : public ConstructHandler {
public:
  void canonicalise(Function &F) const override {
    SmallVector<CallInst *, 4> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && (storesFresh(*Call) || resizesSized(*Call)))
        Calls.push_back(Call);
    for (CallInst *Call : Calls)
      storesFresh(*Call) ? returnFresh(*Call) : splitReallocation(*Call);
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
    CalleeInfo Info = lookupCallee(Call);
    if (Value *Owner = B.owner(&Call)) {
      Value *Bytes = sizeInBytes(B.ir(), Call, Info);
      Value *Shadow = B.runtime("shadow_alloc", B.ir().getPtrTy(), {&Call, Bytes});
      B.runtime("keep_shadow", B.ir().getVoidTy(), {&Call, Shadow, Bytes, Owner});
      B.setShadow(&Call, Shadow);
      return Error::success();
    }
    auto *Twin = cast<CallBase>(Call.clone());
    B.ir().Insert(Twin, "shadow");
    if (!Info.Zeroed)
      B.ir().CreateMemSet(Twin, B.ir().getInt8(0), sizeInBytes(B.ir(), Call, Info), MaybeAlign());
    B.setShadow(&Call, Twin);
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    CallBase &Call = *Site.Anchor;
    if (!B.shadow(&Call)) {
      if (isOwnBlock(&Call) || endsInReverse(Call))
        Site.Recorded = {&Call, ConstantPointerNull::get(B.ir().getPtrTy())};
      return Error::success();
    }
    B.ir().SetInsertPoint(Call.getNextNode());
    Value *Bytes = sizeInBytes(B.ir(), Call, lookupCallee(Call));
    Value *Shadow = B.runtime("shadow_alloc", B.ir().getPtrTy(), {&Call, Bytes});
    cast<CallBase>(Shadow)->addRetAttr(Attribute::NoAlias);
    B.setShadow(&Call, Shadow);
    Site.Recorded = {&Call, Shadow};
    Site.OnlyOwn = !B.owner(&Call);
    if (B.owner(&Call) || isCleared(B, Call))
      Site.Recorded.push_back(Bytes);
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override {
    if (Recalled.empty())
      return Error::success();
    if (isCleared(B, *Site.Anchor)) {
      const MemoryLayout Layout = B.layout(Site.Anchor);
      callFields(B, "alloc_reverse_cleared", {Recalled[1], Recalled[2]}, Layout,
                 activeFields(Layout));
    }
    reverseAllocation(B, Site.Anchor, Recalled.take_front(2), Recalled.back());
    return Error::success();
  }

private:
  /// What is asked of the zeros that calloc gives is not left to another reverse sweep; where it
  /// cannot be cleared, there is no other one.
  static bool isCleared(SweepBuilder &B, CallBase &Call) {
    return lookupCallee(Call).Zeroed && B.activeMemory(&Call) &&
           canBeCleared(B.layout(&Call), Call);
  }
};

class FreeHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return calleesOfKind(CalleeKind::Free); }
  bool claims(const CallBase &Call) const override { return isOfKind(Call, CalleeKind::Free); }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool hasReverse(const CallBase &) const override { return false; }
  bool severalDirections() const override { return true; }
  bool knowsOwnShadows(const CallBase &) const override { return true; }
  /// The shadow that is freed, too; of constant memory, none.
  static Value *ownedShadow(SweepBuilder &B, Value *Pointer) {
    Value *Shadow = B.shadow(Pointer), *Own = Shadow ? B.isOwnShadow(Pointer) : nullptr;
    return Own ? B.ir().CreateSelect(Own, ConstantPointerNull::get(B.ir().getPtrTy()), Shadow)
               : Shadow;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    Value *Shadow = ownedShadow(B, Call.getArgOperand(0));
    if (!Shadow || isa<Constant>(Shadow))
      return Error::success();
    if (Value *Owner = B.owner(Call.getArgOperand(0))) {
      B.runtime("free_kept_of", B.ir().getVoidTy(),
                {Call.getArgOperand(0), Shadow, getUnderlyingObject(Owner),
                 B.ir().getInt32(B.directions())});
      return Error::success();
    }
    auto *Twin = cast<CallBase>(Call.clone());
    Twin->setArgOperand(0, Shadow);
    B.ir().Insert(Twin);
    return Error::success();
  }
  static CallInst *putOff(SweepBuilder &B, const CallBase &Call, Value *Object, Value *Shadow) {
    Type *Void = B.ir().getVoidTy();
    const int How = lookupCallee(Call).FreeKind;
    if (How == FreeByUser && Call.arg_size() > 1)
      return putOffWithOperands(B, Call, Object, Shadow);
    if (How == FreeByUser)
      return B.runtime("free_deferred_by", Void, {Object, Shadow, Call.getCalledOperand()});
    if (How == FreeSized)
      return B.runtime(
          "free_deferred_sized", Void,
          {Object, Shadow, Call.getCalledOperand(), Call.getArgOperand(1), Call.getArgOperand(2)});
    return B.runtime("free_deferred", Void, {Object, Shadow, B.ir().getInt32(How)});
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Value *Shadow = ownedShadow(B, Site.Operands[0]);
    const bool Spares = sparesOthers(*Site.Anchor);
    if (!Shadow && (isOwnBlock(Site.Operands[0]) || isFreedLater(*Site.Anchor) || Spares)) {
      Shadow = ConstantPointerNull::get(B.ir().getPtrTy());
      B.tape(); // its end is the end of the call
    }
    if (!Shadow)
      return Error::success();
    if (Spares)
      B.tape();
    Site.Anchor = putOff(B, *Site.Anchor, Site.Operands[0], Shadow);
    if (Spares)
      B.runtime("free_spared", B.ir().getVoidTy(), {Site.Operands[0]});
    return Error::success();
  }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }
};

/// Floats of several kinds and integers, but no addresses. Nobody uses the old memory any more, so
/// its adjoint is zero when the reverse sweep comes here: what the new memory's holds moves there,
/// byte by byte.
bool holdsOnlyNumbers(const MemoryLayout &Layout) {
  const unsigned Kinds = allKinds(Layout);
  return (Kinds & SK_AnyFloat) && !(Kinds & (SK_Pointer | SK_Guessed));
}

/// The shadow gets a block of its own, so the object does: a program may ask whether it has moved
/// before it sets addresses that lead into it, and those of the shadow with them.
void moveAlways(SweepBuilder &B, CallBase &Call) {
  SmallVector<Value *, 3> Args(Call.args());
  CallInst *Moved =
      B.runtime(Args.size() == 2 ? "realloc_moved" : "reallocarray_moved", B.ir().getPtrTy(), Args);
  Call.setCalledFunction(Moved->getCalledFunction());
  Moved->eraseFromParent();
}

class ReallocateHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return calleesOfKind(CalleeKind::Reallocate);
  }
  bool claims(const CallBase &Call) const override {
    return isOfKind(Call, CalleeKind::Reallocate);
  }
  bool severalDirections() const override { return true; }
  bool isRepeatable(const CallBase &) const override { return true; }
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
    B.ir().SetInsertPoint(&Call);
    Value *Bytes = sizeInBytes(B.ir(), Call, lookupCallee(Call));
    Value *Owner = B.owner(&Call);
    if (Owner)
      B.runtime(
          "forget_block_of", B.ir().getVoidTy(),
          {Call.getArgOperand(0), getUnderlyingObject(Owner), B.ir().getInt32(B.directions())});
    Value *New = B.runtime("shadow_resize", B.ir().getPtrTy(), {Shadow, Bytes});
    moveAlways(B, Call);
    B.ir().SetInsertPoint(Call.getNextNode());
    if (Owner)
      B.runtime("keep_shadow", B.ir().getVoidTy(), {&Call, New, Bytes, Owner});
    B.setShadow(&Call, New);
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;

protected:
  static Error resize(SweepBuilder &B, CallSite &Site, Value *Bytes);
};

Error ReallocateHandler::augment(SweepBuilder &B, CallSite &Site) const {
  Value *Bytes = sizeInBytes(B.ir(), *Site.Anchor, lookupCallee(*Site.Anchor));
  return resize(B, Site, Bytes);
}

/// Does nothing where there are no shadows, unless the object may be the caller's.
Error ReallocateHandler::resize(SweepBuilder &B, CallSite &Site, Value *Bytes) {
  CallBase &Call = *Site.Anchor;
  Value *Old = Site.Operands[0], *OldShadow = B.shadow(Old);
  const bool Spares = sparesOthers(Call);
  auto &IR = B.ir();
  if (!OldShadow || !B.shadow(&Call)) {
    if (Spares) {
      B.tape(); // its end is the end of the call
      Site.Anchor = B.runtime("realloc_forward", IR.getPtrTy(),
                              {Old, ConstantPointerNull::get(IR.getPtrTy()), Bytes});
      B.runtime("free_spared", IR.getVoidTy(), {Old});
      Site.Recorded = {Site.Anchor};
    }
    return Error::success();
  }
  Value *Extent = B.runtime("realloc_extent", IR.getInt64Ty(), {Old, OldShadow, Bytes});
  CallInst *New = B.runtime("realloc_forward", IR.getPtrTy(), {Old, OldShadow, Bytes});
  if (Spares) {
    B.tape();
    B.runtime("free_spared", IR.getVoidTy(), {Old});
  }
  CallInst *Shadow = B.runtime("shadow_alloc", IR.getPtrTy(), {New, Bytes});
  New->addRetAttr(Attribute::NoAlias);
  Shadow->addRetAttr(Attribute::NoAlias);
  MemoryLayout Layout = B.layout(Old);
  if (B.activeMemory(Old) && !holdsOnlyNumbers(Layout))
    if (Error E = checkLayout(Layout, Call))
      return E;
  copyPointers(B, Layout, Shadow, OldShadow, Extent);
  B.setShadow(&Call, Shadow);
  Site.Recorded = {New, Shadow, OldShadow, Extent, Bytes};
  Site.Anchor = New;
  return Error::success();
}

/// Another reverse sweep may follow: it starts with zeros.
void moveBytes(IRBuilderBase &IR, ArrayRef<Value *> Recorded) {
  Value *New = Recorded[1], *Old = Recorded[2], *Extent = Recorded[3];
  IR.CreateMemCpy(Old, MaybeAlign(), New, MaybeAlign(), Extent);
  IR.CreateMemSet(New, IR.getInt8(0), Extent, MaybeAlign());
}

Error ReallocateHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                                 ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  if (Recalled.size() == 1) {
    B.runtime("alloc_reverse", B.ir().getVoidTy(),
              {Recalled[0], ConstantPointerNull::get(B.ir().getPtrTy())});
    return Error::success();
  }
  MemoryLayout Layout = B.layout(Site.Operands[0]);
  if (B.activeMemory(Site.Operands[0]) && holdsOnlyNumbers(Layout) && !liesAnywhere(Layout))
    moveBytes(B.ir(), Recalled);
  else if (B.activeMemory(Site.Operands[0]))
    copyAdjoints(B, Layout, Recalled[1], Recalled[2], Recalled[3], B.ir().getInt32(0));
  reverseAllocation(B, Site.Operands[0], Recalled.take_front(2), Recalled[4]);
  return Error::success();
}

/// What an inner derivative makes of realloc: the object of its adjoint, the shadow of its tangent.
///
///   realloc_forward(p, p', n)     the outer adjoint puts off the end of p' as well
///   shadow_resize(p', n)          is zero where it has grown
class NestedReallocateHandler : public ReallocateHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {Object, "cf_v1_shadow_resize"}; }
  bool claims(const CallBase &) const override { return true; }
  bool isRepeatable(const CallBase &) const override { return false; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (!B.shadow(&Call))
      return Error::success();
    auto *Twin = cast<CallBase>(Call.clone());
    for (Use &V : Twin->args())
      if (V->getType()->isPointerTy() && !isa<Constant>(V))
        if (Value *Shadow = B.shadow(V))
          V.set(Shadow);
    B.setShadow(&Call, B.ir().Insert(Twin, "shadow"));
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    auto &IR = B.ir();
    CallBase &Call = *Site.Anchor;
    const bool OfObject = Call.getCalledFunction()->getName() == Object;
    Value *Bytes = Site.Operands.back(), *Kept = nullptr;
    if (!OfObject) {
      Bytes = IR.CreateBinaryIntrinsic(Intrinsic::smax, Bytes, IR.getInt64(1));
      Kept =
          B.runtime("realloc_extent", IR.getInt64Ty(), {Site.Operands[0], Site.Operands[0], Bytes});
    }
    if (Error E = resize(B, Site, Bytes))
      return E;
    if (Site.Recorded.empty())
      return Error::success();
    if (OfObject) {
      Value *Shadow = B.shadow(Site.Operands[1]);
      B.runtime("free_deferred", IR.getVoidTy(),
                {Site.Operands[1], Shadow ? Shadow : ConstantPointerNull::get(IR.getPtrTy()),
                 IR.getInt32(0)});
    } else {
      IR.CreateMemSet(IR.CreatePtrAdd(Site.Anchor, Kept), IR.getInt8(0), IR.CreateSub(Bytes, Kept),
                      MaybeAlign());
    }
    return Error::success();
  }

private:
  static constexpr StringLiteral Object = "cf_v1_realloc_forward";
};

} // namespace

void registerAllocationHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<AllocateHandler>());
  Registry.add(std::make_unique<FreeHandler>());
  Registry.add(std::make_unique<ReallocateHandler>());
  Registry.add(std::make_unique<NestedReallocateHandler>());
}

} // namespace contraflow
