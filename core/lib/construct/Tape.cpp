// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of derivatives: what an adjoint asks of the runtime, seen by the derivative of that
// adjoint. Its tangent:
//
//   frame = tape_reserve(tape, n)          frame' = tape_reserve(tape, n): above frame, and so
//   tape_release(tape, frame)              released together with it
//   copy_adjoint(dst, src, n)              copy_adjoint(dst', src', n): it is linear
//
// Its adjoint: the inner adjoint gets an arena of its own, on which nothing is released before the
// reverse of where it began. A frame is then an object like any other that is allocated, and so is
// what the inner adjoint would free: that waits for the reverse of its allocation.
//
//   forward:  tape = open(); frame = reserve(tape, n); frame' = reserve(tape, n) = 0; pause(tape)
//   reverse:  resume(tape); release all; close(tape)
//   copy_adjoint(dst, src, n), that is src += dst, dst = 0:      reverse: dst' = src'

#include "Fields.h"
#include "Memory.h"
#include "contraflow/core/Diag.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace contraflow {

struct LinearCall {
  StringRef Name;
  LinearMove Move;
};
static const LinearCall LinearCalls[] = {
    {"cf_v1_copy_adjoint_f64", {LinearMove::CopyAdjoint, true}},
    {"cf_v1_copy_adjoint_f32", {LinearMove::CopyAdjoint, false}},
    {"cf_v1_add_f64", {LinearMove::Add, true}},
    {"cf_v1_add_f32", {LinearMove::Add, false}}};

LinearMove linearMove(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  const auto *Known =
      find_if(LinearCalls, [&](const LinearCall &C) { return F && C.Name == F->getName(); });
  return Known == std::end(LinearCalls) ? LinearMove() : Known->Move;
}

static constexpr StringLiteral Reserve = "cf_v1_tape_reserve";
static constexpr StringLiteral TapeFunctions = "cf_v1_tape_";

bool isOnTape(const Value *V) {
  auto *Call = dyn_cast<CallBase>(getUnderlyingObject(V));
  return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == Reserve;
}

bool usesTape(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->getName().starts_with(TapeFunctions);
  });
}

namespace {

class RuntimeHandler : public ConstructHandler {
public:
  CallFacts facts(const CallBase &) const override { return {}; }
  bool severalDirections() const override { return true; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
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

class FrameHandler : public FreshHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {Reserve}; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    if (!B.shadow(Site.Anchor))
      return Error::success();
    B.ir().SetInsertPoint(Site.Anchor->getNextNode());
    CallInst *Shadow = SweepBuilder::reserve(B.ir(), Site.Operands[0], Site.Operands[1]);
    B.ir().CreateMemSet(Shadow, B.ir().getInt8(0), Site.Operands[1], Align(16));
    B.setShadow(Site.Anchor, Shadow);
    return Error::success();
  }
};

/// The shadow of a heap object is one itself.
class ShadowHandler : public FreshHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_shadow_alloc"}; }
  bool hasReverse(const CallBase &) const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    if (!B.shadow(Site.Anchor))
      return Error::success();
    B.ir().SetInsertPoint(Site.Anchor->getNextNode());
    CallInst *Shadow =
        B.runtime("shadow_alloc", B.ir().getPtrTy(), {Site.Anchor, Site.Operands[1]});
    Shadow->addRetAttr(Attribute::NoAlias);
    B.setShadow(Site.Anchor, Shadow);
    Site.Recorded = {Site.Anchor, Shadow};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    if (!Recalled.empty())
      B.runtime("alloc_reverse", B.ir().getVoidTy(), {Recalled[0], Recalled[1]});
    return Error::success();
  }
};

class BeginHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_tape_begin", "cf_v1_tape_open"};
  }
  bool hasReverse(const CallBase &) const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Site.Anchor = B.runtime("tape_open", B.ir().getPtrTy(), {});
    Site.Recorded = {Site.Anchor,
                     SweepBuilder::reserve(B.ir(), Site.Anchor, B.ir().getInt64(MarkBytes))};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("tape_resume", B.ir().getVoidTy(), {Recalled[0]});
    B.runtime("tape_release", B.ir().getVoidTy(), {Recalled[0], Recalled[1]});
    B.runtime("tape_close", B.ir().getVoidTy(), {Recalled[0]});
    return Error::success();
  }

private:
  static constexpr int64_t MarkBytes = 16;
};

class EndHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_tape_end", "cf_v1_tape_close"};
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Site.Anchor = B.runtime("tape_pause", B.ir().getVoidTy(), {Site.Operands[0]});
    return Error::success();
  }
};

class ReleaseHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_tape_release"}; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    B.replaceCall(*Site.Anchor, nullptr);
    return Error::success();
  }
};

/// The thread works for a tape, or no longer; addresses are compared.
class PlainHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_tape_pause", "cf_v1_tape_resume", "cf_v1_check_global", "cf_v1_check_shadow",
            "cf_v1_check_number"};
  }
};

/// What is looked at in a derivative is looked at in the derivative of that as well.
class DigitsHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_check_digits"}; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    B.ir().SetInsertPoint(Call.getNextNode());
    if (B.activeValue(Call.getArgOperand(0)))
      B.runtime("check_digits", B.ir().getVoidTy(),
                {B.tangent(Call.getArgOperand(0)), Call.getArgOperand(1)});
    return Error::success();
  }
};

/// What is copied of an object and its shadow is copied of their shadows as well, which the
/// allocator may have rounded up less.
class ExtentHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_realloc_extent", "cf_v1_realloc_extent_within"};
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    B.ir().SetInsertPoint(Call.getNextNode());
    SmallPtrSet<const Instruction *, 2> Within;
    Value *Extent = &Call;
    for (Value *V : Call.args())
      if (V->getType()->isPointerTy())
        if (Value *Shadow = B.shadow(V))
          Within.insert(cast<Instruction>(Extent = within(B, Extent, Shadow)));
    Call.replaceUsesWithIf(
        Extent, [&](const Use &U) { return !Within.contains(cast<Instruction>(U.getUser())); });
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    for (Value *V : Site.Operands)
      if (V->getType()->isPointerTy())
        if (Value *Shadow = B.shadow(V)) {
          B.ir().SetInsertPoint(Site.Anchor->getNextNode());
          CallInst *Extent = within(B, Site.Anchor, Shadow);
          Site.Anchor->replaceUsesWithIf(Extent,
                                         [&](const Use &U) { return U.getUser() != Extent; });
        }
    return Error::success();
  }

private:
  static CallInst *within(SweepBuilder &B, Value *Extent, Value *Shadow) {
    return B.runtime("realloc_extent_within", Extent->getType(), {Extent, Shadow});
  }
};

/// Both operands are memory that is changed, and the derivative moves from one to the other.
class LinearHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    auto Names = map_range(LinearCalls, [](const LinearCall &C) { return C.Name; });
    return SmallVector<StringRef, 0>(Names.begin(), Names.end());
  }
  CallFacts facts(const CallBase &Call) const override {
    const bool Wide = linearMove(Call).Wide;
    CallFacts Facts;
    Facts.Flows = {{Place::memory(0), Place::memory(1)}, {Place::memory(1), Place::memory(0)}};
    Facts.Reads = Facts.Writes = {0, 1};
    for (unsigned I : {0u, 1u})
      Facts.Elements.push_back({I, Wide ? SK_Double : SK_Float});
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    const bool Adds = linearMove(Call).Kind == LinearMove::Add; // takes no null
    if (!Adds || (B.shadow(Call.getArgOperand(0)) && B.shadow(Call.getArgOperand(1))))
      repeatOnShadows(B, Call, {0, 1});
    return Error::success();
  }
  bool hasReverse(const CallBase &) const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Value *First = B.shadow(Site.Operands[0]), *Second = B.shadow(Site.Operands[1]);
    Value *Null = ConstantPointerNull::get(B.ir().getPtrTy());
    if (First || Second)
      Site.Recorded = {First ? First : Null, Second ? Second : Null, Site.Operands[2]};
    return Error::success();
  }
  /// add(to, from): from' += to'. copy_adjoint(dst, src): dst' = src', in the order of memmove.
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override {
    if (Recalled.empty())
      return Error::success();
    const bool Adds = linearMove(*Site.Anchor).Kind == LinearMove::Add;
    const bool Wide = linearMove(*Site.Anchor).Wide;
    if (!Adds) {
      Value *Bytes = B.ir().CreateMul(Recalled[2], B.ir().getInt64(Wide ? 8 : 4));
      B.runtime("copy_adjoint_back", B.ir().getVoidTy(), {Recalled[0], Recalled[1], Bytes});
    } else if (!isa<Constant>(Recalled[0]) && !isa<Constant>(Recalled[1])) {
      B.runtime(Wide ? "add_f64" : "add_f32", B.ir().getVoidTy(),
                {Recalled[1], Recalled[0], Recalled[2]});
    }
    return Error::success();
  }
};

/// A number that is too wide for an atomic instruction is added to memory.
class AddedHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_add_f80"}; }
  CallFacts facts(const CallBase &) const override {
    CallFacts Facts;
    Facts.Flows = {{Place::value(1), Place::memory(0)}};
    Facts.Reads = Facts.Writes = {0};
    Facts.Elements.push_back({0, SK_LongDouble});
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (Value *Shadow = B.shadow(Call.getArgOperand(0)))
      B.runtime("add_f80", B.ir().getVoidTy(), {Shadow, B.tangent(Call.getArgOperand(1))});
    return Error::success();
  }
  bool hasReverse(const CallBase &) const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    if (Value *Shadow = B.shadow(Site.Operands[0]))
      Site.Recorded = {Shadow};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override {
    if (!Recalled.empty() && B.activeValue(Site.Operands[1]))
      B.addAdjoint(Site.Operands[1],
                   B.ir().CreateLoad(Site.Operands[1]->getType(), Recalled[0], "added"));
    return Error::success();
  }
};

/// What LinearHandler does, of objects that hold more than floats, field by field: pointers
/// forward, adjoints back.
class FieldsHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {Forward, Backward}; }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    Facts.Writes = {0};
    if (isa<ConstantPointerNull>(Call.getArgOperand(1))) // dst is cleared
      return Facts;
    Facts.Copies = {{1, 0, 2}};
    Facts.Reads = {1};
    Facts.Flows = {{Place::memory(1), Place::memory(0)}};
    if (movesPointers(Call))
      return Facts;
    Facts.Reads = Facts.Writes = {0, 1};
    Facts.Flows.push_back({Place::memory(0), Place::memory(1)});
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (movesPointers(Call))
      copyPointers(B, Call);
    else
      repeatOnShadows(B, Call, {0, 1});
    return Error::success();
  }
  bool hasReverse(const CallBase &Call) const override { return !movesPointers(Call); }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    CallBase &Call = *Site.Anchor;
    if (movesPointers(Call)) {
      copyPointers(B, Call);
    } else if (Value *Dst = B.shadow(Site.Operands[0])) {
      Value *Src = B.shadow(Site.Operands[1]);
      Value *Null = ConstantPointerNull::get(B.ir().getPtrTy());
      Site.Recorded = {Dst, Src ? Src : Null, Site.Operands[2]};
      if (looksAtAddresses(Call)) {
        B.ir().SetInsertPoint(&Call);
        Site.Recorded.push_back(B.runtime("copy_fields_keep", B.ir().getPtrTy(),
                                          {Site.Operands[0], Site.Operands[2], B.tape()}));
      }
    }
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override {
    if (Recalled.empty())
      return Error::success();
    SmallVector<Value *, 7> Args(Recalled);
    Args.append(Site.Operands.begin() + FirstOfTable, Site.Operands.end()); // constants
    const bool Kept = Recalled.size() > Places;
    B.runtime(Kept ? "copy_fields_back_kept" : "copy_fields_back", B.ir().getVoidTy(), Args);
    if (Kept)
      B.runtime("tape_release", B.ir().getVoidTy(), {B.tape(), Recalled[Places]});
    return Error::success();
  }

private:
  static constexpr StringLiteral Forward = "cf_v1_copy_fields_forward";
  static constexpr StringLiteral Backward = "cf_v1_copy_fields_adjoint";
  static constexpr unsigned FirstOfTable = 4; ///< operand of the reverse: period, table, count
  static constexpr unsigned Places = 3;       ///< what is recorded of each copy: dst, src, bytes
  static bool movesPointers(const CallBase &Call) {
    return Call.getCalledFunction()->getName() == Forward;
  }
  /// True if what is moved depends on where addresses are.
  static bool looksAtAddresses(const CallBase &Call) {
    auto *Table = dyn_cast<GlobalVariable>(Call.getArgOperand(FirstOfTable + 1));
    auto *Rows = Table ? Table->getInitializer() : nullptr;
    return isa_and_nonnull<ConstantArray>(Rows) && any_of(Rows->operands(), [](const Use &Row) {
             auto *Kind = cast<ConstantInt>(cast<Constant>(Row)->getAggregateElement(1));
             return Kind->equalsInt(KindFloatOfWord) || Kind->equalsInt(KindEither) ||
                    Kind->equalsInt(KindNumberOrAddress);
           });
  }
  /// What has no shadow is its own.
  static void copyPointers(SweepBuilder &B, CallBase &Call) {
    Value *Dst = B.shadow(Call.getArgOperand(0));
    if (!Dst)
      return;
    auto *Twin = cast<CallBase>(Call.clone());
    Twin->setArgOperand(0, Dst);
    if (Value *Src = B.shadow(Call.getArgOperand(1)))
      Twin->setArgOperand(1, Src);
    B.ir().Insert(Twin);
  }
};

class FreedHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_free_deferred", "cf_v1_free_deferred_by", "cf_v1_free_deferred_sized",
            "cf_v1_alloc_reverse", Beside};
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    Value *Second = B.shadow(Call.getArgOperand(1));
    if (!Second || B.shadow(Call.getArgOperand(0))) {
      forget(B, Call);
      repeatOnShadows(B, Call, {0, 1});
    } else if (Call.arg_size() == 2) { // the object is constant, its adjoints are not
      B.ir().SetInsertPoint(&Call);
      B.runtime("alloc_reverse_beside", B.ir().getVoidTy(), {Call.getArgOperand(0), Second});
    }
    return Error::success();
  }
  /// Both objects are freed by the reverse of their allocations; the shadow was the library's.
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    CallBase &Call = *Site.Anchor;
    if (Call.getCalledFunction()->getName() == Beside)
      return diffError(DiagId::UnsupportedMemory, Call,
                       "heap memory of an inner adjoint with a constant primal");
    if (Site.Operands.size() == 2) { // the reverse of an allocation
      B.replaceCall(Call, nullptr);
      return Error::success();
    }
    Value *Null = ConstantPointerNull::get(B.ir().getPtrTy());
    Value *First = B.shadow(Site.Operands[0]), *Second = B.shadow(Site.Operands[1]);
    B.runtime("free_deferred", B.ir().getVoidTy(),
              {Site.Operands[1], Second ? Second : Null, B.ir().getInt32(0)});
    Call.setArgOperand(1, First ? First : Null);
    return Error::success();
  }

private:
  static constexpr StringLiteral Beside = "cf_v1_alloc_reverse_beside";

  /// What a global variable led to has a shadow that was kept where it was allocated: it ends here.
  static void forget(SweepBuilder &B, CallBase &Call) {
    Value *Object = Call.getArgOperand(0), *Owner = B.owner(Object);
    if (!Owner || Call.arg_size() == 2 || !B.shadow(Object))
      return;
    B.runtime("forget_block_of", B.ir().getVoidTy(),
              {Object, getUnderlyingObject(Owner), B.ir().getInt32(B.directions())});
  }
};

/// Does nothing in a call whose reverse sweep runs once, as the inner ones do.
class ClearedHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_alloc_reverse_cleared"}; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    B.replaceCall(*Site.Anchor, nullptr);
    return Error::success();
  }
};

/// What lies above adjoints of bytes is added to them, above tangents of these as well.
class SettledHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_bytes_settle"}; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    repeatOnShadows(B, Call, {0});
    return Error::success();
  }
  Error augment(SweepBuilder &, CallSite &) const override { return Error::success(); }
};

/// An inner call would have to keep the shadows of its shadows.
class KeptHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_keep_shadow",     "cf_v1_alloc_reverse_kept", "cf_v1_free_kept_of",
            "cf_v1_forget_block_of", "cf_v1_kept_root",          "cf_v1_kept_begin",
            "cf_v1_kept_join",       "cf_v1_kept_join_split",    "cf_v1_kept_rejoin"};
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override { return check(B, Call); }
  Error augment(SweepBuilder &B, CallSite &Site) const override { return check(B, *Site.Anchor); }

private:
  static Error check(SweepBuilder &B, CallBase &Call) {
    for (unsigned I : {0u, 1u})
      if (B.shadow(Call.getArgOperand(I)))
        return diffError(
            DiagId::UnsupportedMode, Call,
            "heap memory that a global variable keeps, in a derivative of a derivative");
    return Error::success();
  }
};

/// What is on a log has no derivative there.
class LogHandler : public RuntimeHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_log_open", "cf_v1_log_rewind"};
  }
  Error tangent(SweepBuilder &, CallBase &Call) const override { return refuse(Call); }
  Error augment(SweepBuilder &, CallSite &Site) const override { return refuse(*Site.Anchor); }

private:
  static Error refuse(CallBase &Call) {
    return diffError(DiagId::UnsupportedMode, Call, "a derivative of a split tangent");
  }
};

} // namespace

void registerTapeHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<FrameHandler>());
  Registry.add(std::make_unique<ShadowHandler>());
  Registry.add(std::make_unique<BeginHandler>());
  Registry.add(std::make_unique<EndHandler>());
  Registry.add(std::make_unique<ReleaseHandler>());
  Registry.add(std::make_unique<PlainHandler>());
  Registry.add(std::make_unique<DigitsHandler>());
  Registry.add(std::make_unique<ExtentHandler>());
  Registry.add(std::make_unique<LinearHandler>());
  Registry.add(std::make_unique<AddedHandler>());
  Registry.add(std::make_unique<FieldsHandler>());
  Registry.add(std::make_unique<FreedHandler>());
  Registry.add(std::make_unique<ClearedHandler>());
  Registry.add(std::make_unique<SettledHandler>());
  Registry.add(std::make_unique<KeptHandler>());
  Registry.add(std::make_unique<LogHandler>());
}

} // namespace contraflow
