// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The adjoint of a parallel region, seen by the tangent of that adjoint. What orders the threads is
// there once; the record of a region, which keeps the threads' frames, has another one beside it
// that keeps the shadows of these frames.
//
//   team = omp_team_begin(tape)     team' = omp_team_begin(tape)
//   omp_team_store(team, frame)     omp_team_store(team', frame')
//   frame = omp_team_frame(team)    frame' = omp_team_frame(team')
//   omp_team_end(team)              omp_team_drop(team') in front of it: both are released there
//
// The adjoint of an adjoint is refused: turns and teams would have to be taken again.

#include "contraflow/core/Diag.h"
#include "parallel/omp/Handlers.h"

#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

/// What is done once, whoever asks.
class NestedHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_omp_team_tape",   "cf_v1_omp_team_reverse", "cf_v1_omp_team_check",
            "cf_v1_omp_turn_record", "cf_v1_omp_turn_wait",    "cf_v1_omp_turn_done",
            "cf_v1_omp_turn_held",   "cf_v1_omp_turn_tested",  "cf_v1_omp_barrier",
            "cf_v1_omp_alone_begin", "cf_v1_omp_alone_end"};
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool severalDirections() const override { return true; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error augment(SweepBuilder &, CallSite &Site) const override {
    return diffError(DiagId::UnsupportedMode, *Site.Anchor,
                     "the adjoint of an adjoint with a parallel region; ask for the tangent of "
                     "the adjoint, which has the same values");
  }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }
};

class NestedBeginHandler : public NestedHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_omp_team_begin", "cf_v1_omp_team_sized"};
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
    B.setShadow(&Call, B.ir().Insert(Call.clone(), "team.shadow"));
    return Error::success();
  }
};

/// The record counts as the frames that it keeps: all threads' are of one kind.
class NestedFrameHandler : public NestedHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_omp_team_store", "cf_v1_omp_team_frame"};
  }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    for (unsigned I = 0; I < Call.arg_size(); ++I)
      Facts.Linked.Operands.push_back(I);
    Facts.Linked.Result = Call.getType()->isPointerTy();
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (!B.shadow(Call.getArgOperand(0)))
      return Error::success();
    auto *Twin = cast<CallBase>(Call.clone());
    for (unsigned I = 0; I < Call.arg_size(); ++I)
      Twin->setArgOperand(I, B.shadow(Call.getArgOperand(I)));
    B.ir().Insert(Twin);
    if (Call.getType()->isPointerTy())
      B.setShadow(&Call, Twin);
    return Error::success();
  }
};

class NestedEndHandler : public NestedHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_omp_team_end", "cf_v1_omp_team_drop"};
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (Value *Shadow = B.shadow(Call.getArgOperand(0)))
      B.runtime("omp_team_drop", B.ir().getVoidTy(), {Shadow});
    return Error::success();
  }
};

} // namespace

void registerNested(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<NestedHandler>());
  Registry.add(std::make_unique<NestedBeginHandler>());
  Registry.add(std::make_unique<NestedFrameHandler>());
  Registry.add(std::make_unique<NestedEndHandler>());
}

} // namespace contraflow::omp
