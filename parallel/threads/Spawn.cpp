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
#include "parallel/threads/Schedule.h"
#include "parallel/threads/Turns.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::threads {
namespace {

enum Operand : unsigned { Entry, Memory, Id };

Function *newFunction(Module &M, Type *Result, unsigned Pointers, const Twine &Name,
                      const Function &Like) {
  const SmallVector<Type *, 3> Params(Pointers, PointerType::get(M.getContext(), 0));
  Function *F = Function::Create(FunctionType::get(Result, Params, false),
                                 GlobalValue::InternalLinkage, Name, M);
  for (StringRef Key : {"target-cpu", "target-features", "tune-cpu"})
    if (Like.hasFnAttribute(Key))
      F->addFnAttr(Like.getFnAttribute(Key));
  BasicBlock::Create(M.getContext(), "entry", F);
  return F;
}

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
  Error tangent(SweepBuilder &B, CallBase &Call) const override;
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("thread_reverse", B.ir().getVoidTy(), {Recalled[0], Recalled[1], B.tape()});
    return Error::success();
  }

private:
  static Function *augmentedBody(Module &M, const SplitDerivative &Split);
  static Function *tangentBody(Module &M, Function &Inner);
};

/// (memory, shadow, tape) -> frame
Function *SpawnHandler::augmentedBody(Module &M, const SplitDerivative &Split) {
  Type *Ptr = PointerType::get(M.getContext(), 0);
  Function *F = newFunction(M, Ptr, 3, Split.Augmented->getName() + ".thread", *Split.Augmented);
  IRBuilder<> B(&F->getEntryBlock());
  SmallVector<Value *, 3> Args{F->getArg(0)};
  if (Split.HasShadow[0])
    Args.push_back(F->getArg(1));
  Args.push_back(F->getArg(2));
  Value *Result = B.CreateCall(Split.Augmented, Args);
  const unsigned Last = Result->getType()->getStructNumElements() - 1;
  B.CreateRet(B.CreateExtractValue(Result, Last));
  return F;
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
  Function *Augmented = augmentedBody(*Call.getModule(), *Split);
  Value *Thread = B.runtime("thread_begin", IR.getPtrTy(),
                            {B.tape(), Augmented, Split->Reverse, Call.getArgOperand(Id)});
  Value *Shadow = Split->HasShadow[0] ? B.shadow(Call.getArgOperand(Memory))
                                      : ConstantPointerNull::get(IR.getPtrTy());
  Site.Anchor =
      B.runtime("thread_run", IR.getPtrTy(), {Thread, Call.getArgOperand(Memory), Shadow});
  Site.Recorded = {Thread, Site.Anchor};
  return Error::success();
}

/// ({memory, tangents...})
Function *SpawnHandler::tangentBody(Module &M, Function &Inner) {
  Type *Ptr = PointerType::get(M.getContext(), 0);
  Function *F =
      newFunction(M, Type::getVoidTy(M.getContext()), 1, Inner.getName() + ".thread", Inner);
  IRBuilder<> B(&F->getEntryBlock());
  SmallVector<Value *, 4> Args;
  for (unsigned I = 0; I < Inner.arg_size(); ++I)
    Args.push_back(B.CreateLoad(Ptr, B.CreateConstGEP1_64(Ptr, F->getArg(0), I)));
  B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), Ptr), {F->getArg(0)});
  B.CreateCall(&Inner, Args);
  B.CreateRetVoid();
  return F;
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
  Module &M = *Call.getModule();
  SmallVector<Value *, 4> Parts{Call.getArgOperand(Memory)};
  for (unsigned D = 0; HasShadow[0] && D < B.directions(); ++D)
    Parts.push_back(B.shadowIn(D, Parts[0]));
  Type *Ptr = IR.getPtrTy();
  Value *Pack = IR.CreateCall(M.getOrInsertFunction("malloc", Ptr, IR.getInt64Ty()),
                              {IR.getInt64(sizeof(void *) * Parts.size())});
  for (unsigned I = 0; I < Parts.size(); ++I)
    IR.CreateStore(Parts[I], IR.CreateConstGEP1_64(Ptr, Pack, I));
  CallInst *Spawn = B.runtime("thread_spawn", IR.getVoidTy(),
                              {tangentBody(M, **Inner), Pack, Call.getArgOperand(Id)});
  Spawn->addFnAttr(Attribute::NoMerge);
  B.replaceCall(Call, Spawn);
  return Error::success();
}

class WaitHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {WaitFunction}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool allDirections() const override { return true; }
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
    return {"cf_v1_thread_begin", "cf_v1_thread_run", "cf_v1_thread_reverse",
            "cf_v1_thread_wait_record", "cf_v1_thread_back"};
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
