// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may run after what in one activation of a function. LLVM's own search gives up after 32
// blocks, which a function with a dozen loops in a row has: here every pair of blocks is known.

#pragma once

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
} // namespace llvm

namespace contraflow {

class Following {
public:
  explicit Following(const llvm::Function &F);
  /// True if Later may run after Earlier has.
  bool mayFollow(const llvm::Instruction &Earlier, const llvm::Instruction &Later) const;
  /// True if the block may run twice.
  bool mayRunAgain(const llvm::BasicBlock &Block) const { return Cyclic.test(pieceOf(Block)); }

private:
  unsigned pieceOf(const llvm::BasicBlock &Block) const { return Pieces.lookup(&Block); }

  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Pieces; ///< by what can run after each other
  llvm::BitVector Cyclic;
  std::vector<llvm::BitVector> Behind; ///< by piece; empty if there are too many
};

} // namespace contraflow
