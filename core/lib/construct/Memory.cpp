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
  /// (ptr, ptr or byte, size), and not a function of the user's.
  bool claims(const CallBase &Call) const override {
    auto TypeOf = [&](unsigned I) { return Call.getArgOperand(I)->getType(); };
    return Call.getCalledFunction()->isDeclaration() && Call.arg_size() >= 3 &&
           TypeOf(0)->isPointerTy() && (TypeOf(1)->isPointerTy() || TypeOf(1)->isIntegerTy()) &&
           TypeOf(2)->isIntegerTy();
  }

protected:
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
    if (!Src)
      clearFloats(B, Layout, Dst, bytes(B, Call));
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
  MemoryLayout Layout = B.layout(Call.getArgOperand(0));
  if (B.activeMemory(Call.getArgOperand(0)))
    if (Error E = checkLayout(Layout, Call))
      return E;
  copyPointers(B, Layout, Dst, Src ? Src : Call.getArgOperand(1), bytes(B, Call));
  if (!B.activeMemory(Call.getArgOperand(0)))
    return Error::success();
  Site.Recorded = {Dst, bytes(B, Call)};
  if (Src)
    Site.Recorded.push_back(Src);
  return Error::success();
}

Error CopyHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                           ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  MemoryLayout Layout = B.layout(Site.Operands[0]);
  if (Error E = checkLayout(Layout, *Site.Anchor))
    return E;
  auto &IR = B.ir();
  Value *Dst = Recalled[0], *Bytes = Recalled[1];
  if (Recalled.size() == 2) {
    clearFloats(B, Layout, Dst, Bytes);
    return Error::success();
  }
  copyAdjoints(B, Layout, Dst, Recalled[2], Bytes, IR.getInt32(B.shared(Site.Recorded[2])));
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
    if (!Recalled.empty())
      clearFloats(B, B.layout(Site.Operands[0]), Recalled[0], Recalled[1]);
    return Error::success();
  }
};

} // namespace

void registerMemoryHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<CopyHandler>());
  Registry.add(std::make_unique<FillHandler>());
}

} // namespace contraflow
