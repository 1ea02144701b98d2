// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of Kokkos that allocate. A view's record, which its library makes and counts, is an object
// of the library's; its shadow is another such record, so that the shadow of a view is a view.
//
//   r = allocate(space, label, n)   tangent, forward:  r' = allocate(space, label, n), zeroed
//   increment(r)                    tangent, forward:  increment(r')
//   decrement(r)                    tangent:           decrement(r')
//                                   forward:           both are put off until the call ends, since
//                                                      the reverse sweep reads the memory
//
// No float moves, so the reverse sweep has nothing to do. The memory itself is what the pointer in
// the record leads to, in the shadow as in the primal.
//
// What the threads of a kernel reduce lies in memory of the library's, which holds nothing between
// kernels. Its shadow is found by its address, at run time.
//
//   resize(pool, n ...)             scratch_room(n ...)
//   p = scratch(thread)             p' = scratch_shadow(p)
//
// Where all threads meet, one goes on alone until it lets the others go. Backwards they meet where
// it did that, and again where they had met:
//
//   if (meet()) {                   reverse of part():  barrier
//     ...                           reverse of meet():  a barrier for all; in front of it, one for
//     part();                                           those that had waited
//   }
//
// Teams within the team are made of one thread each in an adjoint, which is checked at run time.

#include "callee/Views.h"
#include "Memory.h"
#include "contraflow/core/Diag.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

class RecordHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {
#define CF_VIEW(Action, Prefix, Word) Prefix "*",
#include "callee/Views.def"
    };
  }
  bool claims(const CallBase &Call) const override {
    const auto Action = actionOf(Call);
    if (!Action || *Action == ViewAction::Data || Call.arg_empty())
      return false;
    const Type *Last = Call.getArgOperand(Call.arg_size() - 1)->getType();
    return *Action == ViewAction::Allocate ? Call.getType()->isPointerTy() && Last->isIntegerTy() &&
                                                 recordData(*Call.getModule())
                                           : Call.arg_size() == 1 && Last->isPointerTy();
  }
  bool severalDirections() const override { return true; }
  bool knowsOwnShadows(const CallBase &) const override { return true; }
  bool hasReverse(const CallBase &) const override { return false; }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    Facts.FreshResult = actionOf(Call) == ViewAction::Allocate;
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    actionOf(Call) == ViewAction::Allocate ? makeTwin(B, Call) : countBeside(B, Call);
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    CallBase &Call = *Site.Anchor;
    if (actionOf(Call) != ViewAction::Release)
      return tangent(B, Call);
    Value *Record = Site.Operands[0], *Shadow = B.shadow(Record);
    if (!Shadow)
      Shadow = ConstantPointerNull::get(B.ir().getPtrTy());
    Site.Anchor =
        B.runtime("release_deferred", Call.getType(), {Record, Shadow, Call.getCalledOperand()});
    return Error::success();
  }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  static std::optional<ViewAction> actionOf(const CallBase &Call) {
    return viewAction(*Call.getCalledFunction());
  }
  static void makeTwin(SweepBuilder &B, CallBase &Call) {
    if (!B.shadow(&Call))
      return;
    auto &IR = B.ir();
    IR.SetInsertPoint(Call.getNextNode());
    auto *Twin = cast<CallBase>(Call.clone());
    IR.Insert(Twin, "shadow");
    Value *Memory = IR.CreateCall(recordData(*Call.getModule()), {Twin});
    IR.CreateMemSet(Memory, IR.getInt8(0), Call.getArgOperand(Call.arg_size() - 1), MaybeAlign());
    B.setShadow(&Call, Twin);
  }
  static void countBeside(SweepBuilder &B, CallBase &Call) {
    Value *Record = Call.getArgOperand(0), *Shadow = B.shadow(Record);
    if (Shadow && !isa<Constant>(Shadow))
      B.runtime("count_beside", B.ir().getVoidTy(), {Record, Shadow, Call.getCalledOperand()});
  }
};

class ScratchHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {
#define CF_SCRATCH(Action, Prefix) Prefix "*",
#include "callee/Views.def"
    };
  }
  bool claims(const CallBase &Call) const override {
    const auto Action = viewAction(*Call.getCalledFunction());
    return Action && !Call.arg_empty() && Call.getArgOperand(0)->getType()->isPointerTy() &&
           (Action == ViewAction::Room ||
            (Action == ViewAction::Team
                 ? Call.arg_size() == 2 && Call.getArgOperand(1)->getType()->isIntegerTy(32)
                 : Call.getType()->isPointerTy()));
  }
  bool severalDirections() const override { return true; }
  bool knowsOwnShadows(const CallBase &) const override { return true; }
  bool hasReverse(const CallBase &) const override { return false; }
  /// Behind all members, the object of a thread or of all of them leads to what it hands out. All
  /// threads have one object.
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    if (viewAction(*Call.getCalledFunction()) == ViewAction::Other)
      Facts.Linked = {.Operands = {0}, .Offsets = {}, .Result = true};
    else if (Call.getType()->isPointerTy())
      Facts.Members.push_back({0, Behind, SK_Pointer, /*IsArray=*/false});
    return Facts;
  }
  /// What a tangent leaves behind is no zero, which an adjoint begins with: theirs are apart.
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    return lend(B, Call, 1 + B.direction());
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override { return lend(B, *Site.Anchor, 0); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  static constexpr int64_t Behind = 1 << 16;
  static constexpr unsigned NoAddress = 48; ///< bits above are those of no address

  static Error lend(SweepBuilder &B, CallBase &Call, uint64_t Which) {
    auto &IR = B.ir();
    if (viewAction(*Call.getCalledFunction()) == ViewAction::Team) {
      if (Which == 0)
        B.runtime("team_of_one", IR.getVoidTy(), {Call.getArgOperand(1)});
    } else if (viewAction(*Call.getCalledFunction()) == ViewAction::Room) {
      Value *Bytes = IR.getInt64(0);
      for (Value *V : drop_begin(Call.args()))
        Bytes = IR.CreateAdd(Bytes, IR.CreateZExtOrTrunc(V, IR.getInt64Ty()));
      B.runtime("scratch_room", IR.getVoidTy(), {Bytes});
    } else if (B.shadow(&Call)) {
      IR.SetInsertPoint(Call.getNextNode());
      const bool IsMemory = viewAction(*Call.getCalledFunction()) == ViewAction::Scratch;
      B.setShadow(&Call, IsMemory
                             ? B.runtime("scratch_shadow", IR.getPtrTy(),
                                         {IR.CreatePtrAdd(&Call, IR.getInt64(Which << NoAddress))})
                             : static_cast<Value *>(&Call));
    }
    return Error::success();
  }
};

class MeetingHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {
#define CF_MEETING(Action, Prefix) Prefix "*",
#include "callee/Views.def"
    };
  }
  bool claims(const CallBase &Call) const override {
    const auto Action = viewAction(*Call.getCalledFunction());
    return Action == ViewAction::Parting || Action == ViewAction::Alone ||
           (Action == ViewAction::Meeting && Call.getType()->isIntegerTy());
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool allDirections() const override { return true; }
  bool hasReverse(const CallBase &Call) const override {
    return viewAction(*Call.getCalledFunction()) != ViewAction::Alone;
  }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    auto &IR = B.ir();
    if (viewAction(*Site.Anchor->getCalledFunction()) == ViewAction::Meeting) {
      IR.SetInsertPoint(Site.Anchor->getNextNode());
      Site.Recorded = {IR.CreateZExt(IR.CreateIsNull(Site.Anchor), IR.getInt32Ty())};
    }
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override {
    auto &IR = B.ir();
    if (viewAction(*Site.Anchor->getCalledFunction()) == ViewAction::Alone)
      return Error::success();
    B.runtime("team_meet_again", IR.getVoidTy(),
              {Recalled.empty() ? static_cast<Value *>(IR.getInt32(0)) : Recalled[0]});
    return Error::success();
  }
};

} // namespace

void registerViewHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<RecordHandler>());
  Registry.add(std::make_unique<ScratchHandler>());
  Registry.add(std::make_unique<MeetingHandler>());
}

} // namespace contraflow
