// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inner loops first: what leaves one is looked at again in the next. A load moves if its address is
// known in front of the loop, nothing in the loop writes there, and it runs whenever the loop does
// or may be run at any time. Where a loop waits for other threads, they may write what it reads.

#include "Hoist.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace contraflow {
namespace {

class Hoister {
public:
  Hoister(Function &F, const WriteSet &Writes, const ActivityResult &Activity,
          const HandlerRegistry &Handlers, FunctionAnalysisManager &FAM)
      : Handlers(Handlers), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        LI(FAM.getResult<LoopAnalysis>(F)), AC(FAM.getResult<AssumptionAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        Stable(Writes, Activity, FAM.getResult<AAManager>(F), LI, DT, SE) {}
  void run() {
    SmallVector<Loop *, 8> Loops = LI.getLoopsInPreorder();
    auto IsHandled = [this](const CallBase &Call) { return Handlers.find(Call) != nullptr; };
    for (Loop *L : reverse(Loops))
      if (L->getLoopPreheader() && !mayWait(*L, IsHandled))
        runOn(*L);
  }

private:
  void runOn(Loop &L);
  bool mayMove(Loop &L, LoadInst &Load, const LoopSafetyInfo &Safety);

  const HandlerRegistry &Handlers;
  DominatorTree &DT;
  LoopInfo &LI;
  AssumptionCache &AC;
  ScalarEvolution &SE;
  StableMemory Stable;
};

bool Hoister::mayMove(Loop &L, LoadInst &Load, const LoopSafetyInfo &Safety) {
  if (!Load.isUnordered() || !L.isLoopInvariant(Load.getPointerOperand()))
    return false;
  Instruction *At = L.getLoopPreheader()->getTerminator();
  return (Safety.isGuaranteedToExecute(Load, &DT, &L) ||
          isSafeToSpeculativelyExecute(&Load, At, &AC, &DT)) &&
         Stable.isUnchangedIn(L, Load, Load.getPointerOperand());
}

void Hoister::runOn(Loop &L) {
  SimpleLoopSafetyInfo Safety;
  Safety.computeLoopSafetyInfo(&L);
  Instruction *At = L.getLoopPreheader()->getTerminator();
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : make_early_inc_range(*Block)) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !mayMove(L, *Load, Safety))
        continue;
      Load->moveBefore(At->getIterator());
      SE.forgetBlockAndLoopDispositions(Load);
      Load->dropUBImplyingAttrsAndMetadata({LLVMContext::MD_tbaa});
      Load->setMetadata(LLVMContext::MD_alias_scope, nullptr); // promised inside the loop
      Load->setMetadata(LLVMContext::MD_noalias, nullptr);
    }
}

} // namespace

void hoistUnchangedLoads(ArrayRef<Function *> Closure, const WriteSet &Writes,
                         const ActivityResult &Activity, const HandlerRegistry &Handlers,
                         FunctionAnalysisManager &FAM) {
  for (Function *F : Closure)
    Hoister(*F, Writes, Activity, Handlers, FAM).run();
}

} // namespace contraflow
