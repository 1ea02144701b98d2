// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memcpy(y, x, n).  Reverse: x-bar += y-bar, y-bar = 0, float by float, because the copy overwrote
// y. If x is constant: y-bar = 0.  memset(y, 0, n).  Reverse: y-bar = 0.
//
// Forward, pointers inside the object are copied in the shadow as well; floats are not, since the
// shadow of y may hold adjoints already.

#include "Memory.h"
#include "contraflow/core/Diag.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

unsigned allKinds(const MemoryLayout &Layout) {
  unsigned Kinds = 0;
  for (auto &F : Layout.Fields)
    Kinds |= F.Kinds;
  return Kinds;
}

bool ambiguous(unsigned Kinds) {
  unsigned Floats = Kinds & SK_AnyFloat;
  return Floats && ((Kinds & (SK_Int | SK_Pointer | SK_Guessed)) || (Floats & (Floats - 1)));
}

/// Every active field has one kind of float, and there is an active field.
Error checkLayout(const MemoryLayout &Layout, CallBase &Call) {
  bool Any = false;
  for (auto &F : Layout.Fields) {
    Any |= F.Active;
    if (F.Active && ambiguous(F.Kinds))
      return diffError(DiagId::UnknownType, Call,
                       "the object holds integers and floats at one place");
  }
  return Any ? Error::success()
             : diffError(DiagId::UnknownType, Call, "nothing is known of the object copied");
}

class MemoryOperation : public ConstructHandler {
public:
  bool severalDirections() const override { return true; }
  /// (ptr, ptr or byte, size), and not a function of the user's.
  bool claims(const CallBase &Call) const override {
    auto TypeOf = [&](unsigned I) { return Call.getArgOperand(I)->getType(); };
    return Call.getCalledFunction()->isDeclaration() && Call.arg_size() >= 3 &&
           TypeOf(0)->isPointerTy() && (TypeOf(1)->isPointerTy() || TypeOf(1)->isIntegerTy()) &&
           TypeOf(2)->isIntegerTy();
  }

protected:
  /// Emits Visit(offset) for each field of the kinds wanted, for an object of constant size.
  static Error forEachField(const MemoryLayout &Layout, CallBase &Call, unsigned Kinds,
                            function_ref<void(int64_t, unsigned)> Visit) {
    auto *Size = dyn_cast<ConstantInt>(Call.getArgOperand(2));
    int64_t Bytes = Size ? Size->getSExtValue() : 0;
    if (!Size || Bytes > 4096)
      return diffError(DiagId::UnsupportedMemory, Call,
                       "a large object with active floats and pointers is copied as bytes");
    for (auto &F : Layout.Fields) {
      if (!(F.Kinds & Kinds))
        continue;
      int64_t Step = Layout.Period ? Layout.Period : Bytes;
      for (int64_t At = F.Offset; At >= 0 && At < Bytes; At += Step)
        Visit(At, F.Kinds);
    }
    return Error::success();
  }
  /// The floats in Shadow, of Dst, become zero; pointers stay.
  static Error clearFloats(SweepBuilder &B, CallBase &Call, const MemoryLayout &Layout,
                           Value *Shadow, Value *Bytes) {
    auto &IR = B.ir();
    if (!(allKinds(Layout) & SK_Pointer)) {
      IR.CreateMemSet(Shadow, IR.getInt8(0), Bytes, MaybeAlign());
      return Error::success();
    }
    return forEachField(Layout, Call, SK_AnyFloat, [&](int64_t At, unsigned Kinds) {
      Type *T = Kinds & SK_Double ? IR.getDoubleTy() : IR.getFloatTy();
      IR.CreateAlignedStore(Constant::getNullValue(T), IR.CreatePtrAdd(Shadow, IR.getInt64(At)),
                            Align(1));
    });
  }
  static Value *bytes(SweepBuilder &B, CallBase &Call) {
    return B.ir().CreateZExtOrTrunc(Call.getArgOperand(2), B.ir().getInt64Ty());
  }
};

class CopyHandler : public MemoryOperation {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"llvm.memcpy.*", "llvm.memmove.*", "memcpy", "memmove"};
  }
  CallFacts facts(const CallBase &) const override {
    CallFacts Facts;
    Facts.Copies = {{1, 0, 2}};
    Facts.Reads = {1};
    Facts.Writes = {0};
    Facts.Flows = {{Place::memory(1), Place::memory(0)}};
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    Value *Dst = B.shadow(Call.getArgOperand(0)), *Src = B.shadow(Call.getArgOperand(1));
    if (!Dst)
      return Error::success();
    MemoryLayout Layout = B.layout(Call.getArgOperand(0));
    if (Src || (allKinds(Layout) & SK_Pointer))
      B.ir().CreateMemMove(Dst, MaybeAlign(), Src ? Src : Call.getArgOperand(1), MaybeAlign(),
                           Call.getArgOperand(2));
    return Src ? Error::success() : clearFloats(B, Call, Layout, Dst, bytes(B, Call));
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;

private:
  static Error copyPointers(SweepBuilder &B, CallBase &Call, Value *Dst, Value *Src);
  static Constant *fieldTable(Module &M, const MemoryLayout &Layout, unsigned &Count);
};

Error CopyHandler::copyPointers(SweepBuilder &B, CallBase &Call, Value *Dst, Value *Src) {
  MemoryLayout Layout = B.layout(Call.getArgOperand(0));
  if (!(allKinds(Layout) & SK_Pointer))
    return Error::success();
  if (!B.activeMemory(Call.getArgOperand(0))) {
    B.ir().CreateMemMove(Dst, MaybeAlign(), Src, MaybeAlign(), Call.getArgOperand(2));
    return Error::success();
  }
  return forEachField(Layout, Call, SK_Pointer, [&](int64_t At, unsigned) {
    auto &IR = B.ir();
    Value *Offset = IR.getInt64(At);
    Value *V = IR.CreateAlignedLoad(IR.getPtrTy(), IR.CreatePtrAdd(Src, Offset), Align(1));
    IR.CreateAlignedStore(V, IR.CreatePtrAdd(Dst, Offset), Align(1));
  });
}

Error CopyHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  Value *Dst = B.shadow(Call.getArgOperand(0)), *Src = B.shadow(Call.getArgOperand(1));
  if (!Dst)
    return Error::success();
  if (Error E = copyPointers(B, Call, Dst, Src ? Src : Call.getArgOperand(1)))
    return E;
  if (!B.activeMemory(Call.getArgOperand(0)))
    return Error::success();
  Site.Recorded = {Dst, bytes(B, Call)};
  if (Src)
    Site.Recorded.push_back(Src);
  return Error::success();
}

/// A constant array of {i64 offset, i32 kind}: the active fields of one period.
Constant *CopyHandler::fieldTable(Module &M, const MemoryLayout &Layout, unsigned &Count) {
  LLVMContext &C = M.getContext();
  auto *Field = StructType::get(C, {Type::getInt64Ty(C), Type::getInt32Ty(C)});
  SmallVector<Constant *, 8> Rows;
  for (auto &F : Layout.Fields) {
    if (!F.Active)
      continue;
    unsigned Kind = F.Kinds & SK_Float ? 0 : F.Kinds & SK_Double ? 1 : 2;
    Rows.push_back(ConstantStruct::get(Field, {ConstantInt::get(Type::getInt64Ty(C), F.Offset),
                                               ConstantInt::get(Type::getInt32Ty(C), Kind)}));
  }
  Count = Rows.size();
  auto *Table = ArrayType::get(Field, Count);
  return new GlobalVariable(M, Table, true, GlobalValue::PrivateLinkage,
                            ConstantArray::get(Table, Rows), "cf.fields");
}

Error CopyHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                           ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  MemoryLayout Layout = B.layout(Site.Operands[0]);
  if (Error E = checkLayout(Layout, *Site.Anchor))
    return E;
  auto &IR = B.ir();
  unsigned Kinds = allKinds(Layout);
  Value *Dst = Recalled[0], *Bytes = Recalled[1];
  if (Recalled.size() == 2)
    return clearFloats(B, *Site.Anchor, Layout, Dst, Bytes);
  Value *Src = Recalled[2], *Atomic = IR.getInt32(B.shared(Site.Recorded[2]));
  if (Kinds == SK_Double || Kinds == SK_Float) {
    bool Wide = Kinds == SK_Double;
    B.runtime(Wide ? "copy_adjoint_f64" : "copy_adjoint_f32", IR.getVoidTy(),
              {Dst, Src, IR.CreateLShr(Bytes, Wide ? 3 : 2), Atomic});
    return Error::success();
  }
  unsigned Count = 0;
  Module &M = *Site.Anchor->getModule();
  Constant *Table = fieldTable(M, Layout, Count);
  auto *Args = StructType::get(IR.getContext(),
                               {IR.getPtrTy(), IR.getPtrTy(), IR.getInt64Ty(), IR.getInt64Ty(),
                                IR.getPtrTy(), IR.getInt32Ty(), IR.getInt32Ty()});
  Value *Period = Layout.Period ? IR.getInt64(Layout.Period) : Bytes;
  Value *Periods =
      IR.CreateUDiv(Bytes, IR.CreateBinaryIntrinsic(Intrinsic::umax, Period, IR.getInt64(1)));
  Value *Parts[] = {Dst, Src, Periods, Period, Table, IR.getInt32(Count), Atomic};
  Function *F = IR.GetInsertBlock()->getParent();
  AllocaInst *Pack =
      IRBuilder<>(&F->getEntryBlock(), F->getEntryBlock().begin()).CreateAlloca(Args);
  for (unsigned I = 0; I < 7; ++I)
    IR.CreateStore(Parts[I], IR.CreateStructGEP(Args, Pack, I));
  B.runtime("copy_adjoint_strided", IR.getVoidTy(), {Pack});
  return Error::success();
}

class FillHandler : public MemoryOperation {
public:
  SmallVector<StringRef, 0> callees() const override { return {"llvm.memset.*", "memset"}; }
  CallFacts facts(const CallBase &) const override {
    CallFacts Facts;
    Facts.Writes = {0};
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (Value *Dst = B.shadow(Call.getArgOperand(0)))
      B.ir().CreateMemSet(Dst, B.ir().getInt8(0), Call.getArgOperand(2), MaybeAlign());
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Value *Dst = B.shadow(Site.Operands[0]);
    if (Dst && B.activeMemory(Site.Operands[0]))
      Site.Recorded = {Dst, bytes(B, *Site.Anchor)};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override {
    if (Recalled.empty())
      return Error::success();
    return clearFloats(B, *Site.Anchor, B.layout(Site.Operands[0]), Recalled[0], Recalled[1]);
  }
};

} // namespace

void registerMemoryHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<CopyHandler>());
  Registry.add(std::make_unique<FillHandler>());
}

} // namespace contraflow
