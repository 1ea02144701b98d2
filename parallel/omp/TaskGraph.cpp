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
#include "parallel/omp/Handlers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

enum Operand : unsigned { Entry, Memory, Flags, Count, Dependences };
constexpr int EntryMemory = 1; ///< parameter of entry(thread, memory)

Function *newFunction(Module &M, FunctionType *T, const Twine &Name, const Function &Like) {
  Function *F = Function::Create(T, GlobalValue::InternalLinkage, Name, M);
  for (StringRef Key : {"target-cpu", "target-features", "tune-cpu"})
    if (Like.hasFnAttribute(Key))
      F->addFnAttr(Like.getFnAttribute(Key));
  BasicBlock::Create(M.getContext(), "entry", F);
  return F;
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
  Error tangent(SweepBuilder &B, CallBase &Call) const override;
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("omp_task_reverse", B.ir().getVoidTy(), {Recalled[0], B.tape()});
    return Error::success();
  }

private:
  static Function *augmentedBody(Module &M, const SplitDerivative &Split);
  static Function *tangentBody(Module &M, Function &Inner);
};

Error unknownBody(CallBase &Call) {
  return diffError(DiagId::UnsupportedOpenMP, Call, "the body of a task is not known");
}

/// (thread, task, shadow, tape) -> frame
Function *SpawnHandler::augmentedBody(Module &M, const SplitDerivative &Split) {
  Type *Ptr = PointerType::get(M.getContext(), 0);
  auto *T = FunctionType::get(Ptr, {Type::getInt32Ty(M.getContext()), Ptr, Ptr, Ptr}, false);
  Function *F = newFunction(M, T, Split.Augmented->getName() + ".task", *Split.Augmented);
  IRBuilder<> B(&F->getEntryBlock());
  SmallVector<Value *, 4> Args{F->getArg(0), F->getArg(1)};
  if (Split.HasShadow[EntryMemory])
    Args.push_back(F->getArg(2));
  Args.push_back(F->getArg(3));
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
  Value *Task = B.runtime("omp_task_begin", IR.getPtrTy(),
                          {B.tape(), Augmented, Split->Reverse, Call.getArgOperand(Flags)});
  Value *Shadow = Split->HasShadow[EntryMemory] ? B.shadow(Call.getArgOperand(Memory))
                                                : ConstantPointerNull::get(IR.getPtrTy());
  Site.Anchor = B.runtime("omp_task_run", IR.getVoidTy(),
                          {Task, Call.getArgOperand(Memory), Shadow, Call.getArgOperand(Count),
                           Call.getArgOperand(Dependences)});
  Site.Recorded = {Task};
  return Error::success();
}

/// (thread, {task, tangents...})
Function *SpawnHandler::tangentBody(Module &M, Function &Inner) {
  Type *Ptr = PointerType::get(M.getContext(), 0), *Int = Type::getInt32Ty(M.getContext());
  Function *F =
      newFunction(M, FunctionType::get(Int, {Int, Ptr}, false), Inner.getName() + ".task", Inner);
  IRBuilder<> B(&F->getEntryBlock());
  SmallVector<Value *, 4> Args{F->getArg(0)};
  for (unsigned I = 1; I < Inner.arg_size(); ++I)
    Args.push_back(B.CreateLoad(Ptr, B.CreateConstGEP1_64(Ptr, F->getArg(1), I - 1)));
  B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), Ptr), {F->getArg(1)});
  B.CreateCall(&Inner, Args);
  B.CreateRet(B.getInt32(0));
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
  Value *Task = Call.getArgOperand(Memory);
  SmallVector<Value *, 4> Parts{Task};
  for (unsigned D = 0; HasShadow[EntryMemory] && D < B.directions(); ++D)
    Parts.push_back(B.shadowIn(D, Task));
  Type *Ptr = IR.getPtrTy();
  Value *Pack = IR.CreateCall(M.getOrInsertFunction("malloc", Ptr, IR.getInt64Ty()),
                              {IR.getInt64(sizeof(void *) * Parts.size())});
  for (unsigned I = 0; I < Parts.size(); ++I)
    IR.CreateStore(Parts[I], IR.CreateConstGEP1_64(Ptr, Pack, I));
  CallInst *Spawn = B.runtime("omp_task_spawn", IR.getVoidTy(),
                              {tangentBody(M, **Inner), Pack, Call.getArgOperand(Flags),
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
