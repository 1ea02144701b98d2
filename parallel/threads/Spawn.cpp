// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making a thread, and waiting. Backwards, each place where a thread got its turn gives it back to
// the one that had it before (runtime/lib/threads).
//
//   spawn(body, memory, id)   ->   T = thread_begin(tape, augmented, reverse, id)
//                                  f = thread_run(T, memory, shadow)
//                             <-   thread_reverse(T, f)
//   wait(why, id)             ->   f = thread_wait_record(why, id)
//                             <-   thread_back(f)
//
// Tangent: a thread that gets memory and tangents in one piece. One thread runs at a time, so
// adjoints are added plainly.

#include "contraflow/core/Construct.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Refusal.h"
#include "contraflow/core/Spawned.h"
#include "parallel/threads/Schedule.h"
#include "parallel/threads/Turns.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::threads {
namespace {

enum Operand : unsigned { Entry, Memory, Id };

SpawnedEntry threadEntry(LLVMContext &C) { return {Type::getVoidTy(C), {}, ".thread"}; }

/// In recursion, its blocks may have moved to its derivative already.
Function *bodyOf(const CallBase &Call) { return dyn_cast<Function>(Call.getArgOperand(Entry)); }

Error unknownBody(CallBase &Call) {
  return diffError(DiagId::UnsupportedInstruction, Call, "a thread; what it runs is not known");
}

class SpawnHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_thread_spawn"}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  std::optional<Closure> closure(const CallBase &Call) const override {
    Function *Body = bodyOf(Call);
    if (!Body || Body->isDeclaration())
      return std::nullopt;
    return Closure{Body, {Memory}, /*Team=*/false, /*Detached=*/true};
  }
  bool allDirections() const override { return true; }
  /// All threads of a derivative call have been reversed when it ends.
  bool isRepeatable(const CallBase &) const override { return true; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override;
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("thread_reverse", B.ir().getVoidTy(), {Recalled[0], Recalled[1], B.tape()});
    return Error::success();
  }
};

Error SpawnHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  Function *Body = bodyOf(Call);
  if (!Body)
    return unknownBody(Call);
  auto Split = B.split(*Body);
  if (!Split)
    return Split.takeError();
  auto &IR = B.ir();
  const SpawnedEntry Entered = threadEntry(IR.getContext());
  Function *Augmented = Entered.augmented(*Call.getModule(), *Split);
  Value *Thread = B.runtime("thread_begin", IR.getPtrTy(),
                            {B.tape(), Augmented, Split->Reverse, Call.getArgOperand(Id)});
  if (!notedVariables(*Call.getModule()).empty())
    B.runtime("thread_stay", IR.getVoidTy(), {Thread});
  Value *Shadow = Entered.hasShadow(Split->HasShadow) ? B.shadow(Call.getArgOperand(Memory))
                                                      : ConstantPointerNull::get(IR.getPtrTy());
  Site.Anchor =
      B.runtime("thread_run", IR.getPtrTy(), {Thread, Call.getArgOperand(Memory), Shadow});
  Site.Recorded = {Thread, Site.Anchor};
  return Error::success();
}

Error SpawnHandler::tangent(SweepBuilder &B, CallBase &Call) const {
  Function *Body = bodyOf(Call);
  if (!Body)
    return unknownBody(Call);
  SmallVector<bool, 8> HasShadow;
  auto Inner = B.tangentOf(*Body, HasShadow);
  if (!Inner)
    return Inner.takeError();
  auto &IR = B.ir();
  const SpawnedEntry Entered = threadEntry(IR.getContext());
  Value *Pack = packTangents(B, Call.getArgOperand(Memory), Entered.hasShadow(HasShadow));
  CallInst *Spawn =
      B.runtime("thread_spawn", IR.getVoidTy(),
                {Entered.tangent(*Call.getModule(), **Inner), Pack, Call.getArgOperand(Id)});
  Spawn->addFnAttr(Attribute::NoMerge);
  B.replaceCall(Call, Spawn);
  return Error::success();
}

class WaitHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {WaitFunction}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool allDirections() const override { return true; }
  bool isRepeatable(const CallBase &) const override { return true; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    CallBase &Call = *Site.Anchor;
    Site.Anchor = B.runtime("thread_wait_record", B.ir().getPtrTy(),
                            {Call.getArgOperand(0), Call.getArgOperand(1)});
    Site.Recorded = {Site.Anchor};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("thread_back", B.ir().getVoidTy(), Recalled);
    return Error::success();
  }
};

/// An adjoint that is differentiated again: the reverse of giving a turn back is not known.
class AgainHandler : public RefusingHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_thread_begin",   "cf_v1_thread_stay",        "cf_v1_thread_run",
            "cf_v1_thread_reverse", "cf_v1_thread_wait_record", "cf_v1_thread_back"};
  }
  CallFacts facts(const CallBase &) const override { return {}; }

private:
  Error refuse(CallBase &Call) const override {
    return diffError(DiagId::UnsupportedInstruction, Call,
                     "a thread that waits for others, in the derivative of a derivative");
  }
};

} // namespace

void registerTurns(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<SpawnHandler>());
  Registry.add(std::make_unique<WaitHandler>());
  Registry.add(std::make_unique<AgainHandler>());
}

} // namespace contraflow::threads
