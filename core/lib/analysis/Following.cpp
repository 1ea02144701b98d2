// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strongly connected pieces, those that nothing follows first: what is behind a piece is behind
// the pieces that control goes to from there.

#include "Following.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace contraflow {

Following::Following(const Function &F) {
  constexpr size_t MostPieces = 8192; // 8 MB
  Cyclic.resize(1, true);             // of a block that is new, nothing is known
  std::vector<SmallVector<const BasicBlock *, 1>> Blocks(1); // the first one: never reached
  for (auto It = scc_begin(&F); !It.isAtEnd(); ++It) {
    for (const BasicBlock *Block : *It)
      Pieces[Block] = Blocks.size();
    Cyclic.resize(Blocks.size() + 1);
    if (It.hasCycle())
      Cyclic.set(Blocks.size());
    Blocks.emplace_back(It->begin(), It->end());
  }
  if (Blocks.size() > MostPieces)
    return;
  Behind.resize(Blocks.size(), BitVector(Blocks.size()));
  for (unsigned Piece = 1; Piece < Blocks.size(); ++Piece)
    for (const BasicBlock *Block : Blocks[Piece])
      for (const BasicBlock *Next : successors(Block)) {
        Behind[Piece].set(pieceOf(*Next));
        if (pieceOf(*Next) != Piece)
          Behind[Piece] |= Behind[pieceOf(*Next)];
      }
}

bool Following::mayFollow(const Instruction &Earlier, const Instruction &Later) const {
  const BasicBlock &From = *Earlier.getParent(), &To = *Later.getParent();
  if (&From == &To && Earlier.comesBefore(&Later))
    return true;
  const unsigned A = pieceOf(From), B = pieceOf(To);
  if (Behind.empty() || !A || !B)
    return isPotentiallyReachable(&Earlier, &Later);
  return Behind[A].test(B);
}

} // namespace contraflow
