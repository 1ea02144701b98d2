// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flang passes the condition of a region to the library, clang branches on it. Here it is a branch.
//
//   fork_call_if(loc, n, body, condition, captured)
//   ->
//   if (condition) fork_call(loc, n, body, captured);
//   else { serialized_parallel(loc, thread); body(&thread, &zero, captured); end_serialized(...); }

#include "parallel/omp/Handlers.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef ForkIf = "__kmpc_fork_call_if", Fork = "__kmpc_fork_call";
constexpr StringRef ThreadNumber = "__kmpc_global_thread_num";
constexpr StringRef Begin = "__kmpc_serialized_parallel", End = "__kmpc_end_serialized_parallel";
enum Operand : unsigned { Place, Count, Body, Condition, Captured };

void forkTeam(IRBuilder<> &B, CallBase &Call, ArrayRef<Value *> Passed) {
  auto *Type = FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getInt32Ty(), B.getPtrTy()}, true);
  SmallVector<Value *, 4> Args{Call.getArgOperand(Place), B.getInt32(Passed.size()),
                               Call.getArgOperand(Body)};
  append_range(Args, Passed);
  CallInst *Team = B.CreateCall(Call.getModule()->getOrInsertFunction(Fork, Type), Args);
  Team->copyMetadata(Call);
  Team->addFnAttr(Attribute::NoMerge);
}

void runAlone(IRBuilder<> &B, CallBase &Call, ArrayRef<Value *> Passed) {
  Module &M = *Call.getModule();
  IRBuilder<> Top(&*Call.getFunction()->getEntryBlock().getFirstInsertionPt());
  Value *Thread = Top.CreateAlloca(Top.getInt32Ty(), nullptr, "thread");
  Value *Zero = Top.CreateAlloca(Top.getInt32Ty(), nullptr, "zero");
  Value *Where = Call.getArgOperand(Place);
  Value *Number =
      B.CreateCall(M.getOrInsertFunction(ThreadNumber, B.getInt32Ty(), B.getPtrTy()), {Where});
  auto Library = [&](StringRef Name) {
    auto F = M.getOrInsertFunction(Name, B.getVoidTy(), B.getPtrTy(), B.getInt32Ty());
    B.CreateCall(F, {Where, Number});
  };
  B.CreateStore(Number, Thread);
  B.CreateStore(B.getInt32(0), Zero);
  SmallVector<Value *, 4> Args{Thread, Zero};
  append_range(Args, Passed);
  Library(Begin);
  B.CreateCall(cast<Function>(Call.getArgOperand(Body)), Args)->copyMetadata(Call);
  Library(End);
}

void branch(CallBase &Call) {
  Value *Condition = Call.getArgOperand(Operand::Condition);
  IRBuilder<> B(&Call);
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(B.CreateIsNotNull(Condition), &Call, &Then, &Else);
  SmallVector<Value *, 1> Passed;
  if (!isa<ConstantPointerNull>(Call.getArgOperand(Captured)))
    Passed.push_back(Call.getArgOperand(Captured));
  for (Instruction *At : {Then, Else})
    At->setDebugLoc(Call.getDebugLoc());
  IRBuilder<> Team(Then), Alone(Else);
  forkTeam(Team, Call, Passed);
  runAlone(Alone, Call, Passed);
  Call.eraseFromParent();
}

class ForkIfHandler : public Rewriter {
public:
  bool unfold(Function &F) const override {
    SmallVector<CallBase *, 4> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->arg_size() == Captured + 1)
        if (const Function *Callee = Call->getCalledFunction();
            Callee && Callee->getName() == ForkIf && isa<Function>(Call->getArgOperand(Body)))
          Calls.push_back(Call);
    for (CallBase *Call : Calls)
      branch(*Call);
    return !Calls.empty();
  }
};

} // namespace

void registerForkIf(HandlerRegistry &Registry) { Registry.add(std::make_unique<ForkIfHandler>()); }

} // namespace contraflow::omp
