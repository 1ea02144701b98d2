// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// single copyprivate: a hidden broadcast. The library calls a function that copies the variables of
// the thread that ran the block; here the threads learn where these are, and copy themselves:
//
//   copyprivate(list, copy, did)   ->   theirs = omp_copyprivate(list, did)
//                                       if (!did) copy(list, theirs)
//                                       barrier
//
// Reverse: barrier; the copies reversed, which add to the adjoints of the one thread; barrier.

#include "contraflow/core/Diag.h"
#include "parallel/omp/Handlers.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef Library = "__kmpc_copyprivate", Barrier = "__kmpc_barrier";
constexpr StringRef Broadcast = "omp_copyprivate", BroadcastSymbol = "cf_v1_omp_copyprivate";

/// (ident, thread, bytes, list, copy, did); false if the function that copies is not known.
bool unfoldCopy(CallBase &Call) {
  auto *Copy = dyn_cast<Function>(Call.getArgOperand(4)->stripPointerCasts());
  if (!Copy || Copy->isDeclaration())
    return false;
  IRBuilder<> B(&Call);
  Module &M = *Call.getModule();
  Value *List = Call.getArgOperand(3), *Did = Call.getArgOperand(5);
  CallInst *Theirs = SweepBuilder::callRuntime(B, M, Broadcast, B.getPtrTy(), {List, Did});
  Instruction *Then =
      SplitBlockAndInsertIfThen(B.CreateICmpEQ(Did, B.getInt32(0)), &Call, /*Unreachable=*/false);
  IRBuilder<>(Then).CreateCall(Copy, {List, Theirs})->copyMetadata(Call);
  B.SetInsertPoint(&Call);
  FunctionCallee Wait = M.getOrInsertFunction(Barrier, B.getVoidTy(), B.getPtrTy(), B.getInt32Ty());
  B.CreateCall(Wait, {Call.getArgOperand(0), Call.getArgOperand(1)});
  Call.eraseFromParent();
  return true;
}

class CopyprivateHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {BroadcastSymbol}; }
  CallFacts facts(const CallBase &) const override {
    CallFacts Facts;
    Facts.Linked.Operands = {0};
    Facts.Linked.Result = true;
    return Facts;
  }
  bool unfold(Function &F) const override {
    SmallVector<CallBase *, 2> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I);
          Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == Library)
        Calls.push_back(Call);
    bool Changed = false;
    for (CallBase *Call : Calls)
      Changed |= unfoldCopy(*Call);
    return Changed;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    shareShadows(B, Call);
    return Error::success();
  }
  bool severalDirections() const override { return true; }
  bool isRepeatable(const CallBase &Call) const override { return isAtTeams(Call); }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    B.ir().SetInsertPoint(Site.Anchor->getNextNode());
    shareShadows(B, *Site.Anchor);
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *>) const override {
    B.runtime("omp_barrier", B.ir().getVoidTy(), {});
    return Error::success();
  }

private:
  static void shareShadows(SweepBuilder &B, CallBase &Call) {
    if (Value *List = B.shadow(Call.getArgOperand(0)))
      B.setShadow(&Call, B.runtime(Broadcast, B.ir().getPtrTy(), {List, Call.getArgOperand(1)}));
  }
};

} // namespace

void registerCopyprivate(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<CopyprivateHandler>());
}

} // namespace contraflow::omp
