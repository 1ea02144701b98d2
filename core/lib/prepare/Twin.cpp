// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Twin.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {

/// What the nest gives to its exit, the copy gives as well.
static void completeExitPhis(BasicBlock &Exit, const ValueToValueMapTy &Map) {
  for (PHINode &Phi : Exit.phis())
    for (unsigned I = 0, E = Phi.getNumIncomingValues(); I < E; ++I)
      if (Value *Block = Map.lookup(Phi.getIncomingBlock(I))) {
        Value *V = Map.lookup(Phi.getIncomingValue(I));
        Phi.addIncoming(V ? V : Phi.getIncomingValue(I), cast<BasicBlock>(Block));
      }
}

Loop *makeTwin(Loop &Nest, Value *Wanted, TwinNames Names, DominatorTree &DT, LoopInfo &LI) {
  BasicBlock *Check = Nest.getLoopPreheader();
  BasicBlock *Entry = SplitBlock(Check, Check->getTerminator(), &DT, &LI, nullptr, Names.Entry);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Blocks;
  Loop *Twin = cloneLoopWithPreheader(Entry, Check, &Nest, Map, Names.Suffix, &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  Instruction *Old = Check->getTerminator();
  BranchInst::Create(Entry, Twin->getLoopPreheader(), Wanted, Old->getIterator());
  Old->eraseFromParent();
  DT.changeImmediateDominator(Nest.getExitBlock(), Check);
  completeExitPhis(*Nest.getExitBlock(), Map);
  return Twin;
}

} // namespace contraflow
