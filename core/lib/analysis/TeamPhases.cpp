// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks are cut at barriers; pieces that control goes between are one phase.

#include "TeamPhases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace contraflow {

TeamPhases::TeamPhases(const Function &F, BarrierTest IsBarrier) {
  unsigned Pieces = 0;
  for (const BasicBlock &Block : F) {
    First[&Block] = Pieces++;
    for (const Instruction &I : Block)
      if (IsBarrier(I)) {
        Barriers.push_back(&I);
        Inside[&Block].push_back(&I);
        ++Pieces;
      }
  }
  Classes.grow(Pieces);
  for (const BasicBlock &Block : F)
    for (const BasicBlock *Next : successors(&Block))
      Classes.join(pieceOf(*Block.getTerminator()), First.lookup(Next));
  Classes.compress();
}

unsigned TeamPhases::pieceOf(const Instruction &I) const {
  auto Cuts = Inside.find(I.getParent());
  unsigned Piece = First.lookup(I.getParent());
  if (Cuts != Inside.end())
    Piece += count_if(Cuts->second, [&](const Instruction *Cut) { return Cut->comesBefore(&I); });
  return Piece;
}

bool TeamPhases::divides(const Loop &L) const {
  return any_of(Barriers, [&](const Instruction *I) { return L.contains(I); });
}

bool TeamPhases::reaches(const Instruction &From, const BasicBlock &To) const {
  SmallVector<const BasicBlock *, 16> Work;
  if (pieceOf(From) == pieceOf(*From.getParent()->getTerminator()))
    append_range(Work, successors(From.getParent()));
  SmallPtrSet<const BasicBlock *, 16> Seen;
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!Seen.insert(Block).second)
      continue;
    if (Block == &To)
      return true;
    if (!Inside.contains(Block))
      append_range(Work, successors(Block));
  }
  return false;
}

} // namespace contraflow
