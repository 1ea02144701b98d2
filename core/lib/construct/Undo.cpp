// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An adjoint that is to run again from the same state takes back what its forward sweep has
// written, write by write, in the reverse sweep:
//
//   *p = v, fetch_add      forward:  old = *p; *p = v                        reverse:  *p = old
//   memcpy(y, x, n)        forward:  room = reserve(n) = y[0..n); memcpy     reverse:  y = room
//
// In front of the write a call stands for this until the sweeps are emitted.

#include "Fields.h"
#include "Memory.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral ValuePrefix = "cf.undo.value.", BytesName = "cf.undo.bytes";

class UndoHandler : public ConstructHandler {
public:
  CallFacts facts(const CallBase &) const override { return {}; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
};

/// (where, what was there)
class UndoValue : public UndoHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf.undo.value.*"}; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Site.Anchor = B.ir().CreateIntrinsic(B.ir().getVoidTy(), Intrinsic::donothing, {});
    Site.Recorded = {Site.Operands[0], Site.Operands[1]};
    Site.OnlyOwn = true; // whoever shares what is written waits elsewhere
    if (Value *Shadow = shadowOfOther(B, Site.Operands[0], Site.Operands[1]->getType()))
      Site.Recorded.append(
          {Shadow, B.ir().CreateAlignedLoad(Site.Operands[1]->getType(), Shadow, Align(1))});
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    for (unsigned I = 0; I < Recalled.size(); I += 2)
      B.ir().CreateAlignedStore(Recalled[I + 1], Recalled[I], Align(1));
    return Error::success();
  }

private:
  /// The shadow of an address or an integer which is written there; null: it has none.
  static Value *shadowOfOther(SweepBuilder &B, Value *Where, Type *T) {
    const MemoryLayout Layout = B.layout(Where);
    Value *Shadow = Layout.Asked && !T->isFPOrFPVectorTy() ? B.shadow(Where) : nullptr;
    const int64_t Size =
        B.ir().GetInsertBlock()->getDataLayout().getTypeStoreSize(T).getFixedValue();
    auto MeetsFloat = [&](const MemoryLayout::Field &F) {
      return (F.Kinds & SK_AnyFloat) && F.Offset >= 0 && F.Offset < Size;
    };
    return Shadow && none_of(Layout.Fields, MeetsFloat) ? Shadow : nullptr;
  }
};

/// (where, how many bytes)
class UndoBytes : public UndoHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {BytesName}; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Value *From = Site.Operands[0], *Bytes = Site.Operands[1];
    CallInst *Room = SweepBuilder::reserve(B.ir(), B.tape(), Bytes);
    Site.Anchor = B.ir().CreateMemCpy(Room, Align(1), From, Align(1), Bytes);
    Site.Recorded = {From, Room, Bytes};
    const MemoryLayout Layout = B.layout(From);
    if (Value *Shadow = Layout.Asked ? B.shadow(From) : nullptr;
        Shadow && (allKinds(Layout) & ~SK_AnyFloat)) {
      CallInst *ShadowRoom = SweepBuilder::reserve(B.ir(), B.tape(), Bytes);
      B.ir().CreateMemCpy(ShadowRoom, Align(1), Shadow, Align(1), Bytes);
      Site.Recorded.append({Shadow, ShadowRoom});
    }
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override {
    B.ir().CreateMemCpy(Recalled[0], Align(1), Recalled[1], Align(1), Recalled[2]);
    const MemoryLayout Layout = B.layout(Site.Operands[0]);
    if (Recalled.size() > 3) {
      copyPointers(B, Layout, Recalled[3], Recalled[4], Recalled[2]);
      if (auto *Size = dyn_cast<ConstantInt>(Site.Operands[1]))
        copyIntegers(B, Layout, Recalled[3], Recalled[1], Size->getZExtValue());
    }
    B.runtime("tape_release", B.ir().getVoidTy(), {B.tape(), Recalled[1]});
    return Error::success();
  }
};

} // namespace

/// The function that stands for it: it may run any number of times.
static FunctionCallee standIn(Module &M, StringRef Name, Type *T) {
  LLVMContext &Context = M.getContext();
  FunctionCallee F =
      M.getOrInsertFunction(Name, Type::getVoidTy(Context), PointerType::getUnqual(Context), T);
  cast<Function>(F.getCallee())->setOnlyReadsMemory();
  return F;
}

/// Of what type what is written at one place is; null: it is something else.
static Type *writtenType(const Instruction &Write) {
  if (const auto *Store = dyn_cast<StoreInst>(&Write))
    return Store->getValueOperand()->getType();
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&Write))
    return Update->getType();
  const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&Write);
  return Swap ? Swap->getNewValOperand()->getType() : nullptr;
}

static Align alignOf(const Instruction &Write) {
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&Write))
    return Update->getAlign();
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&Write))
    return Swap->getAlign();
  return cast<StoreInst>(Write).getAlign();
}

/// Models put what is written atomically in an order.
bool canTakeBack(const Instruction &Write) {
  const Type *T = writtenType(Write);
  const auto *Store = dyn_cast<StoreInst>(&Write);
  if (Store && Store->isSimple())
    return true;
  return isa<MemIntrinsic>(Write) || (T && T->isIntegerTy());
}

void takeBack(Instruction &Write) {
  IRBuilder<> B(&Write);
  Module &M = *Write.getModule();
  if (auto *Memory = dyn_cast<MemIntrinsic>(&Write)) {
    FunctionCallee F = standIn(M, BytesName, B.getInt64Ty());
    B.CreateCall(F,
                 {Memory->getRawDest(), B.CreateZExtOrTrunc(Memory->getLength(), B.getInt64Ty())});
    return;
  }
  Type *T = writtenType(Write);
  Value *Where = Write.getOperand(isa<StoreInst>(Write) ? 1 : 0);
  std::string Name;
  raw_string_ostream(Name) << ValuePrefix << *T;
  LoadInst *Old = B.CreateAlignedLoad(T, Where, alignOf(Write), Write.isVolatile());
  if (Write.isAtomic())
    Old->setAtomic(AtomicOrdering::Monotonic);
  Old->setAAMetadata(Write.getAAMetadata());
  B.CreateCall(standIn(M, Name, T), {Where, Old});
}

void takeBackObject(CallBase &Call, const AllocaInst &Object) {
  IRBuilder<> B(&Call);
  FunctionCallee F = standIn(*Call.getModule(), BytesName, B.getInt64Ty());
  B.CreateCall(F, {const_cast<AllocaInst *>(&Object),
                   B.getInt64(*Object.getAllocationSize(Object.getDataLayout()))});
}

void registerUndoHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<UndoValue>());
  Registry.add(std::make_unique<UndoBytes>());
}

} // namespace contraflow
