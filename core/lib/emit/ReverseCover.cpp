// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReverseSweep, part six: a shared loop whose windows cover all that their updates will come to.
// A branch for each addition, to ask what the whole loop has one answer to, costs as much as the
// addition; so the loop is there twice:
//
//   settled = omp_range_apart(...) && omp_window_cover(&window, ...)
//   settled ? for (i) window.memory[away] += v        : for (i) if (away < window.bytes) ...
//           ; a-bar[i] += w                           ;     ; if (apart) ... else atomic ...

#include "Reaches.h"
#include "ReverseSweep.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {

/// When the loop is entered.
void ReverseSweep::coverWindows(const PhaseState &P) {
  Value *Apart = B.CreateICmpNE(B.CreateLoad(B.getInt32Ty(), P.Apart), B.getInt32(0));
  // Updates outside of the loop are atomic, wherever they are.
  Value *Only = P.Plan->Outside.empty() ? B.CreateZExt(Apart, B.getInt32Ty()) : B.getInt32(0);
  Value *Settled = Apart;
  for (const WindowState &W : Windows) {
    if (W.L != P.Plan->Loop.L)
      continue;
    Value *Covers = runtime("omp_window_cover", B.getInt32Ty(),
                            {W.State, In.U.ReverseTape, B.getInt32(W.Array->Reach), Only});
    Settled = B.CreateAnd(Settled, B.CreateICmpNE(Covers, B.getInt32(0)));
    readWindow(W);
  }
  B.CreateStore(Settled, P.Settled);
}

/// The blocks from Head on, but not what comes behind the phases.
static SetVector<BasicBlock *> regionOf(BasicBlock &Head, const BasicBlock &Behind) {
  SetVector<BasicBlock *> Region;
  Region.insert(&Head);
  for (unsigned I = 0; I < Region.size(); ++I)
    for (BasicBlock *Next : successors(Region[I]))
      if (Next != &Behind)
        Region.insert(Next);
  return Region;
}

/// Entered at its head alone, left for Behind alone, with nothing in registers; not too large.
static bool canBeTwice(const SetVector<BasicBlock *> &Region, const BasicBlock &Behind) {
  constexpr unsigned Most = 2000;
  unsigned Size = 0;
  for (BasicBlock *Block : Region) {
    Size += Block->size();
    for (BasicBlock *Before : predecessors(Block))
      if (Block != Region[0] && !Region.contains(Before))
        return false;
    for (Instruction &I : *Block)
      if (any_of(I.users(),
                 [&](User *U) { return !Region.contains(cast<Instruction>(U)->getParent()); }))
        return false;
  }
  return Size <= Most && Behind.phis().empty() && Region[0]->phis().empty();
}

/// Every addition is inside of its window.
static void drop(BasicBlock *Outside) {
  auto *Branch = cast<BranchInst>(Outside->getSinglePredecessor()->getTerminator());
  const unsigned Inside = Branch->getSuccessor(0) == Outside ? 1 : 0;
  ReplaceInstWithInst(Branch, BranchInst::Create(Branch->getSuccessor(Inside)));
  DeleteDeadBlock(Outside);
}

void ReverseSweep::addSettledVersion(const PhaseState &P) {
  BasicBlock *Behind = P.Tail->getTerminator()->getSuccessor(1);
  const SetVector<BasicBlock *> Region = regionOf(*P.Head, *Behind);
  if (!Region.contains(P.Tail) || !canBeTwice(Region, *Behind))
    return;
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Copies;
  for (BasicBlock *Block : Region) {
    Copies.push_back(CloneBasicBlock(Block, Map, ".settled", In.U.Reverse));
    Map[Block] = Copies.back();
  }
  remapInstructionsInBlocks(Copies, Map);
  for (BasicBlock *Copy : Copies)
    for (Instruction &I : make_early_inc_range(*Copy))
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->getPointerOperand() == P.Apart) {
        Load->replaceAllUsesWith(B.getInt32(1));
        Load->eraseFromParent();
      }
  BasicBlock *Choose = BasicBlock::Create(B.getContext(), "phase.choose", In.U.Reverse, P.Head);
  for (BasicBlock *Before : SmallVector<BasicBlock *, 4>(predecessors(P.Head)))
    if (!Region.contains(Before))
      Before->getTerminator()->replaceSuccessorWith(P.Head, Choose);
  IRBuilder<> At(Choose);
  At.CreateCondBr(At.CreateLoad(At.getInt1Ty(), P.Settled), Copies[0], P.Head);
  for (BasicBlock *Block : OutsideWindows)
    if (Region.contains(Block))
      drop(cast<BasicBlock>(Map[Block]));
}

void ReverseSweep::addSettledVersions() {
  for (const PhaseState &P : Phases)
    if (P.Settled)
      addSettledVersion(P);
}

} // namespace contraflow
