// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that stay tasks. Backwards, waiting becomes making and making becomes waiting; the library
// turns the graph of dependences round, see runtime/lib/omp/Tasks.cpp.
//
//   spawn(body, t, flags, deps)   ->   T = omp_task_begin(tape, augmented, reverse, flags)
//                                      omp_task_run(T, t, t-bar, deps)
//                                 <-   omp_task_reverse(T)
//   sync()                        ->   omp_task_join(tape)
//                                 <-   omp_task_fork(tape)
//
// Tangent: a task of its own, which gets task and tangents in one piece of memory.

#include "contraflow/core/Diag.h"
#include "contraflow/core/Spawned.h"
#include "parallel/omp/Handlers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

enum Operand : unsigned { Entry, Memory, Flags, Count, Dependences };

SpawnedEntry taskEntry(LLVMContext &C) {
  return {Type::getInt32Ty(C), {Type::getInt32Ty(C)}, ".task"};
}

/// In recursion, its blocks may have moved to its derivative already.
Function *bodyOf(const CallBase &Call) { return dyn_cast<Function>(Call.getArgOperand(Entry)); }

class SpawnHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_omp_task_spawn"}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  std::optional<Closure> closure(const CallBase &Call) const override {
    Function *Body = bodyOf(Call);
    if (!Body || Body->isDeclaration())
      return std::nullopt;
    return Closure{Body, {-1, Memory}, /*Team=*/true, /*Detached=*/true};
  }
  bool allDirections() const override { return true; }
  bool isRepeatable(const CallBase &Call) const override { return isAtTeams(Call); }
  Error tangent(SweepBuilder &B, CallBase &Call) const override;
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("omp_task_reverse", B.ir().getVoidTy(), {Recalled[0], B.tape()});
    return Error::success();
  }
};

Error unknownBody(CallBase &Call) {
  return diffError(DiagId::UnsupportedOpenMP, Call, "the body of a task is not known");
}

Error SpawnHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  Function *Body = bodyOf(Call);
  if (!Body)
    return unknownBody(Call);
  auto Split = B.split(*Body);
  if (!Split)
    return Split.takeError();
  auto &IR = B.ir();
  const SpawnedEntry Entered = taskEntry(IR.getContext());
  Function *Augmented = Entered.augmented(*Call.getModule(), *Split);
  Value *Task = B.runtime("omp_task_begin", IR.getPtrTy(),
                          {B.tape(), Augmented, Split->Reverse, Call.getArgOperand(Flags)});
  Value *Shadow = Entered.hasShadow(Split->HasShadow) ? B.shadow(Call.getArgOperand(Memory))
                                                      : ConstantPointerNull::get(IR.getPtrTy());
  Site.Anchor = B.runtime("omp_task_run", IR.getVoidTy(),
                          {Task, Call.getArgOperand(Memory), Shadow, Call.getArgOperand(Count),
                           Call.getArgOperand(Dependences)});
  Site.Recorded = {Task};
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
  const SpawnedEntry Entered = taskEntry(IR.getContext());
  Value *Pack = packTangents(B, Call.getArgOperand(Memory), Entered.hasShadow(HasShadow));
  CallInst *Spawn =
      B.runtime("omp_task_spawn", IR.getVoidTy(),
                {Entered.tangent(*Call.getModule(), **Inner), Pack, Call.getArgOperand(Flags),
                 Call.getArgOperand(Count), Call.getArgOperand(Dependences)});
  Spawn->addFnAttr(Attribute::NoMerge);
  B.replaceCall(Call, Spawn);
  return Error::success();
}

class SyncHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_omp_task_sync"}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool allDirections() const override { return true; }
  bool isRepeatable(const CallBase &Call) const override { return isAtTeams(Call); }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    Site.Anchor = B.runtime("omp_task_join", B.ir().getVoidTy(), {B.tape()});
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *>) const override {
    B.runtime("omp_task_fork", B.ir().getVoidTy(), {B.tape()});
    return Error::success();
  }
};

} // namespace

void registerTaskGraph(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<SpawnHandler>());
  Registry.add(std::make_unique<SyncHandler>());
}

} // namespace contraflow::omp
