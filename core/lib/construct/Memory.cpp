// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memcpy(y, x, n).  Reverse: x-bar += y-bar, y-bar = 0, float by float, because the copy overwrote
// y. If x is constant: y-bar = 0.  memset(y, 0, n).  Reverse: y-bar = 0.
//
// Forward, pointers inside the object are copied in the shadow as well; floats are not, since the
// shadow of y may hold adjoints already.

#include "Memory.h"
#include "Fields.h"
#include "contraflow/core/Diag.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

class MemoryOperation : public ConstructHandler {
public:
  bool severalDirections() const override { return true; }
  bool knowsOwnShadows(const CallBase &) const override { return true; }
  /// (ptr, ptr or byte, size), and not a function of the user's.
  bool claims(const CallBase &Call) const override {
    auto TypeOf = [&](unsigned I) { return Call.getArgOperand(I)->getType(); };
    return Call.getCalledFunction()->isDeclaration() && Call.arg_size() >= 3 &&
           TypeOf(0)->isPointerTy() && (TypeOf(1)->isPointerTy() || TypeOf(1)->isIntegerTy()) &&
           TypeOf(2)->isIntegerTy();
  }

protected:
  /// What has a derivative is not copied to constant memory.
  static void refuseConstant(SweepBuilder &B, CallBase &Call, Value *SrcShadow) {
    Value *To = Call.getArgOperand(0), *From = Call.getArgOperand(1);
    if (!SrcShadow || !B.isOwnShadow(To))
      return;
    Value *Lost = To;
    if (Value *Own = B.isOwnShadow(From))
      Lost = B.ir().CreateSelect(Own, ConstantPointerNull::get(B.ir().getPtrTy()), To);
    Value *Place = B.ir().CreateGlobalString(SourcePlace::of(Call).str(), "cf.place");
    // A shadow that has not been made is as good as the constant memory itself.
    Value *Shadow = B.ir().CreateSelect(B.isOwnShadow(To), To, B.shadow(To));
    B.runtime("check_shadow", B.ir().getVoidTy(), {Lost, Shadow, Place});
  }
  /// How many bytes are copied or cleared: none if Pointer's memory is (or is not) constant.
  static Value *bytesIf(SweepBuilder &B, CallBase &Call, Value *Pointer, bool Constant) {
    Value *Own = B.isOwnShadow(Pointer), *None = B.ir().getInt64(0);
    if (!Own)
      return Constant ? None : bytes(B, Call);
    return Constant ? B.ir().CreateSelect(Own, bytes(B, Call), None)
                    : B.ir().CreateSelect(Own, None, bytes(B, Call));
  }
  /// What is copied from or to Pointer.
  static MemoryLayout layoutOfCopy(SweepBuilder &B, const Value *Pointer, const Value *Size) {
    const MemoryLayout Whole = B.layout(Pointer);
    auto *Constant = dyn_cast<ConstantInt>(Size);
    return Constant ? firstBytes(Whole, Constant->getSExtValue()) : Whole;
  }
  /// The integers of what is copied, where somebody may look for them.
  static void copyAsked(SweepBuilder &B, CallBase &Call, const MemoryLayout &Layout, Value *Dst) {
    if (auto *Size = dyn_cast<ConstantInt>(Call.getArgOperand(2)); Size && Layout.Asked)
      copyIntegers(B, Layout, Dst, Call.getArgOperand(1), Size->getZExtValue());
  }
  static Value *bytes(SweepBuilder &B, CallBase &Call) {
    return B.ir().CreateZExtOrTrunc(Call.getArgOperand(2), B.ir().getInt64Ty());
  }
};

/// A constant number lies here as itself where the addresses beside it were copied from the primal,
/// and may be copied on to where numbers vary.
MemoryLayout withAllFloats(MemoryLayout Layout) {
  for (auto &F : Layout.Fields)
    F.Active |= (F.Kinds & SK_AnyFloat) != 0;
  return Layout;
}

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
    refuseConstant(B, Call, Src);
    Value *From = Call.getArgOperand(1), *Own = Src ? B.isOwnShadow(From) : nullptr;
    Value *Bytes = bytesIf(B, Call, Call.getArgOperand(0), /*Constant=*/false);
    if (Src && !(allKinds(Layout) & (SK_AnyFloat | SK_Pointer))) // integers need no shadow
      for (Value *Shadow : {Dst, Src})
        Bytes = B.ir().CreateSelect(B.ir().CreateIsNull(Shadow), B.ir().getInt64(0), Bytes);
    if (Src)
      From = Own ? B.ir().CreateSelect(Own, From, Src) : Src;
    if (Src || (allKinds(Layout) & SK_Pointer))
      B.ir().CreateMemMove(Dst, MaybeAlign(), From, MaybeAlign(), Bytes);
    copyAsked(B, Call, Layout, Dst);
    if (!Src)
      clearFloats(B, withAllFloats(Layout), Dst, Bytes);
    else if (Own) // of constants
      clearFloats(B, withAllFloats(Layout), Dst,
                  B.ir().CreateSelect(Own, Bytes, B.ir().getInt64(0)));
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;
};

Error CopyHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  Value *Dst = B.shadow(Call.getArgOperand(0)), *Src = B.shadow(Call.getArgOperand(1));
  if (!Dst)
    return Error::success();
  MemoryLayout Layout = layoutOfCopy(B, Call.getArgOperand(0), Call.getArgOperand(2));
  Layout.Outside |= B.layout(Call.getArgOperand(1)).Outside;
  refuseConstant(B, Call, Src);
  const bool Moves = B.activeMemory(Call.getArgOperand(0)) && !holdsNoNumbers(Layout);
  if (Moves)
    if (Error E = Src ? checkLayout(Layout, Call) : checkCleared(Layout, Call))
      return E;
  copyPointers(B, Layout, Dst, Src ? Src : Call.getArgOperand(1), bytes(B, Call));
  copyAsked(B, Call, Layout, Dst);
  if (!Moves)
    return Error::success();
  Site.Recorded = {Dst, bytesIf(B, Call, Call.getArgOperand(0), /*Constant=*/false)};
  Site.OnlyOwn = true; // what the thread writes nobody else may read
  if (!Src)
    return Error::success();
  if (Value *Own = B.isOwnShadow(Call.getArgOperand(1))) // nothing is added to it
    Src = B.ir().CreateSelect(Own, ConstantPointerNull::get(B.ir().getPtrTy()), Src);
  Site.Recorded.push_back(Src);
  Site.OnlyOwn = !B.shared(Src);
  return Error::success();
}

Error CopyHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                           ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  MemoryLayout Layout = layoutOfCopy(B, Site.Operands[0], Site.Operands[2]);
  auto &IR = B.ir();
  Value *Dst = Recalled[0], *Bytes = Recalled[1];
  if (Recalled.size() == 2) {
    clearFloats(B, Layout, Dst, Bytes);
    return Error::success();
  }
  copyAdjoints(B, sharper(Layout, B.layout(Site.Operands[1])), Dst, Recalled[2], Bytes,
               IR.getInt32(B.shared(Site.Recorded[2])));
  return Error::success();
}

class FillHandler : public MemoryOperation {
public:
  SmallVector<StringRef, 0> callees() const override { return {"llvm.memset.*", "memset"}; }
  CallFacts facts(const CallBase &) const override {
    CallFacts Facts;
    Facts.Writes = {0};
    Facts.Cleared = {0};
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (Value *Dst = B.shadow(Call.getArgOperand(0)))
      B.ir().CreateMemSet(Dst, B.ir().getInt8(0), bytesThere(B, Call, Dst), MaybeAlign());
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Value *Dst = B.shadow(Site.Operands[0]);
    if (Dst && B.activeMemory(Site.Operands[0]))
      Site.Recorded = {Dst, bytesThere(B, *Site.Anchor, Dst)};
    Site.OnlyOwn = true;
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override {
    if (!Recalled.empty())
      clearFloats(B, B.layout(Site.Operands[0]), Recalled[0], Recalled[1]);
    return Error::success();
  }

private:
  /// Of memory that is only cleared, no shadow need have been made: it may be of integers.
  static Value *bytesThere(SweepBuilder &B, CallBase &Call, Value *Shadow) {
    Value *To = Call.getArgOperand(0), *Bytes = bytesIf(B, Call, To, /*Constant=*/false);
    if (!isGuess(B.layout(To)))
      return Bytes;
    return B.ir().CreateSelect(B.ir().CreateIsNull(Shadow), B.ir().getInt64(0), Bytes);
  }
};

} // namespace

void registerMemoryHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<CopyHandler>());
  Registry.add(std::make_unique<FillHandler>());
}

} // namespace contraflow
