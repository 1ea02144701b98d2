// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where arrays may overlap, LLVM asks in front of a vectorised loop whether they do. It asks once
// for all rows, in front of the loop over the rows, if that loop walks through memory forwards:
//
//   rows = [a, a + n * stride)      if (rows meet others || stride < 0) one by one, in all rows
//
// A loop that walks backwards is taken for one of which that is not known, and the vectorised loop
// is never entered. The rows of reverse sweeps come backwards. Their number is hidden from that
// calculation, so that it is asked for each row:
//
//   i = phi [n - 1], [i - 1]        i = phi [n - 1], [i - 1]
//                              ->   row = freeze i
//   ... a[i * stride + j]           ... a[row * stride + j]
//
// What simplifies behind the vectoriser takes it away again.

#include "BackwardRows.h"

#include "CheckVectoriser.h"

#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace contraflow {
namespace {

/// The numbers of the rows of a loop over them that count down.
SmallVector<PHINode *, 2> countingDown(const Loop &Rows, ScalarEvolution &SE) {
  SmallVector<PHINode *, 2> Found;
  for (PHINode &Phi : Rows.getHeader()->phis()) {
    if (!Phi.getType()->isIntegerTy() || !Rows.getLoopLatch())
      continue;
    const auto *Walk = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
    if (Walk && Walk->getLoop() == &Rows && Walk->isAffine() &&
        SE.isKnownNegative(Walk->getStepRecurrence(SE)))
      Found.push_back(&Phi);
  }
  return Found;
}

/// True if At moves with the rows, and not forwards for all that is known.
bool movesBackwards(const SCEV *At, const Loop &Rows, ScalarEvolution &SE) {
  const auto *Walk = dyn_cast<SCEVAddRecExpr>(At);
  return Walk && Walk->getLoop() == &Rows && !SE.isKnownNonNegative(Walk->getStepRecurrence(SE));
}

/// True if it has to be asked whether arrays overlap, and would be for all rows at once.
bool isAskedForAll(const LoopAccessInfo &Row, const Loop &Rows, ScalarEvolution &SE) {
  const RuntimePointerChecking *Asked = Row.getRuntimePointerChecking();
  return Row.canVectorizeMemory() && Asked->Need &&
         any_of(Asked->CheckingGroups, [&](const RuntimeCheckingPtrGroup &Group) {
           return movesBackwards(Group.Low, Rows, SE);
         });
}

/// True if User decides whether there is another row.
bool decides(const Instruction &User, const Loop &Rows) {
  return any_of(User.users(), [&](const auto *U) {
    const auto *Branch = dyn_cast<BranchInst>(U);
    return Branch && Rows.isLoopExiting(Branch->getParent());
  });
}

/// Whoever does not count the rows sees Other in place of Number.
void replaceInRows(Instruction &Number, Instruction &Other, const Loop &Rows,
                   ArrayRef<const Instruction *> Counting) {
  Number.replaceUsesWithIf(&Other, [&](const Use &U) {
    const auto *User = cast<Instruction>(U.getUser());
    return User != &Other && Rows.contains(User) && !is_contained(Counting, User) &&
           !decides(*User, Rows);
  });
}

/// Hides the number of a row, and that of the next one.
void hide(PHINode &Number, const Loop &Rows) {
  auto *Next = dyn_cast<BinaryOperator>(Number.getIncomingValueForBlock(Rows.getLoopLatch()));
  auto *Hidden =
      new FreezeInst(&Number, Number.getName() + ".row", Rows.getHeader()->getFirstInsertionPt());
  replaceInRows(Number, *Hidden, Rows, {Next});
  if (!Next)
    return;
  Instruction *HiddenNext = Next->clone();
  HiddenNext->insertAfter(Next->getIterator());
  HiddenNext->replaceUsesOfWith(&Number, Hidden);
  replaceInRows(*Next, *HiddenNext, Rows, {&Number});
}

} // namespace

PreservedAnalyses BackwardRowsPass::run(Function &F, FunctionAnalysisManager &Analyses) {
  if (!holdsDerivative(F) || F.hasOptSize())
    return PreservedAnalyses::all();
  auto &Loops = Analyses.getResult<LoopAnalysis>(F);
  auto &SE = Analyses.getResult<ScalarEvolutionAnalysis>(F);
  auto &Accesses = Analyses.getResult<LoopAccessAnalysis>(F);
  SmallVector<const Loop *, 4> Found;
  for (Loop *L : Loops.getLoopsInPreorder()) {
    const Loop *Rows = L->isInnermost() ? L->getParentLoop() : nullptr;
    if (Rows && !is_contained(Found, Rows) && !countingDown(*Rows, SE).empty() &&
        isAskedForAll(Accesses.getInfo(*L), *Rows, SE))
      Found.push_back(Rows);
  }
  if (Found.empty())
    return PreservedAnalyses::all();
  for (const Loop *Rows : Found)
    for (PHINode *Number : countingDown(*Rows, SE))
      hide(*Number, *Rows);
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

void vectoriseBackwardRows(PassBuilder &PB) {
  PB.registerVectorizerStartEPCallback(
      [](FunctionPassManager &FPM, OptimizationLevel) { FPM.addPass(BackwardRowsPass()); });
}

} // namespace contraflow
