// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of derivatives: what an adjoint asks of the runtime, seen by the tangent of that
// adjoint.
//
//   frame = tape_reserve(tape, n)          frame' = tape_reserve(tape, n): above frame, and so
//   tape_release(tape, frame)              released together with it
//   copy_adjoint(dst, src, n)              copy_adjoint(dst', src', n): it is linear
//
// In an adjoint, an inner adjoint gets an arena of its own, so that it does not release the frames
// of the outer one with its own. If what it keeps there is active, it is refused.

#include "Memory.h"
#include "contraflow/core/Diag.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace contraflow {
namespace {

class RuntimeHandler : public ConstructHandler {
public:
  bool severalDirections() const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    bool Active = Site.Anchor->getType()->isPointerTy() && B.shadow(Site.Anchor);
    for (Value *V : Site.Operands)
      Active |= V->getType()->isPointerTy() && !isa<Constant>(V) && B.shadow(V);
    return Active ? diffError(DiagId::UnsupportedMode, *Site.Anchor,
                              "the adjoint of an adjoint that keeps values in memory; "
                              "differentiate the inner or the outer one as a tangent")
                  : Error::success();
  }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }
  bool hasReverse(const CallBase &) const override { return false; }
};

/// The same call on shadows, where there are any; null for those that are not.
void repeatOnShadows(SweepBuilder &B, CallBase &Call, ArrayRef<unsigned> Pointers) {
  bool Any = false;
  auto *Twin = cast<CallBase>(Call.clone());
  for (unsigned I : Pointers) {
    Value *Shadow = B.shadow(Call.getArgOperand(I));
    Any |= Shadow && !isa<ConstantPointerNull>(Shadow);
    Twin->setArgOperand(I, Shadow ? Shadow : ConstantPointerNull::get(B.ir().getPtrTy()));
  }
  if (Any)
    B.ir().Insert(Twin);
  else
    Twin->deleteValue();
}

class FreshHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_tape_reserve", "cf_v1_shadow_alloc"};
  }
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
    B.setShadow(&Call, Twin);
    return Error::success();
  }
};

class TapeHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_tape_begin", "cf_v1_tape_end", "cf_v1_tape_release"};
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    if (Site.Operands.empty()) // begin
      Site.Anchor = B.runtime("tape_open", B.ir().getPtrTy(), {});
    else if (Site.Operands.size() == 1) // end
      Site.Anchor = B.runtime("tape_close", B.ir().getVoidTy(), {Site.Operands[0]});
    return Error::success();
  }
};

/// Both operands are memory that is changed, and the derivative moves from one to the other.
class LinearHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_copy_adjoint_f64", "cf_v1_copy_adjoint_f32", "cf_v1_add_f64", "cf_v1_add_f32"};
  }
  CallFacts facts(const CallBase &Call) const override {
    const bool Wide = Call.getCalledFunction()->getName().ends_with("64");
    CallFacts Facts;
    Facts.Flows = {{Place::memory(0), Place::memory(1)}, {Place::memory(1), Place::memory(0)}};
    Facts.Reads = Facts.Writes = {0, 1};
    for (unsigned I : {0u, 1u})
      Facts.Elements.push_back({I, Wide ? SK_Double : SK_Float});
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    const bool Adds = Call.arg_size() == 3; // add(to, from, n) takes no null
    if (!Adds || (B.shadow(Call.getArgOperand(0)) && B.shadow(Call.getArgOperand(1))))
      repeatOnShadows(B, Call, {0, 1});
    return Error::success();
  }
};

class FreedHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_free_deferred", "cf_v1_free_deferred_by", "cf_v1_alloc_reverse"};
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (!B.shadow(Call.getArgOperand(0)) && B.shadow(Call.getArgOperand(1)))
      return diffError(DiagId::UnsupportedMemory, Call,
                       "heap memory of an inner adjoint with a constant primal");
    repeatOnShadows(B, Call, {0, 1});
    return Error::success();
  }
};

/// An inner call would have to keep the shadows of its shadows.
class KeptHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_keep_shadow", "cf_v1_alloc_reverse_kept", "cf_v1_free_kept",
            "cf_v1_forget_block"};
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (!B.shadow(Call.getArgOperand(0)) && !B.shadow(Call.getArgOperand(1)))
      return Error::success();
    return diffError(DiagId::UnsupportedMode, Call,
                     "heap memory that a global variable keeps, in a derivative of a derivative");
  }
};

/// Before a call, what global variables lead to is constant.
class KeptBeginHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_kept_root", "cf_v1_kept_begin"};
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
};

} // namespace

void registerTapeHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<FreshHandler>());
  Registry.add(std::make_unique<TapeHandler>());
  Registry.add(std::make_unique<LinearHandler>());
  Registry.add(std::make_unique<FreedHandler>());
  Registry.add(std::make_unique<KeptHandler>());
  Registry.add(std::make_unique<KeptBeginHandler>());
}

} // namespace contraflow
