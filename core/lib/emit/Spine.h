// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function, or one iteration of a loop, always runs, once and in this order: the spine. In
// between are regions of which some part runs, or runs repeatedly. A piece is a part of the spine
// with the regions that lie in it: one way in, one way out.
//
//   spine      entry ------ join ------------- after ---- return
//   regions         {then, else}   {a loop nest}

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"

namespace llvm {
class Loop;
class LoopInfo;
} // namespace llvm

namespace contraflow {

/// From Begin to the instruction before Next, both of them on the spine.
struct Piece {
  llvm::Instruction *Begin = nullptr, *Next = nullptr;
};

class Spine {
public:
  Spine(llvm::Function &F, const llvm::DominatorTree &DT);
  /// Of an iteration; the loop has one latch.
  Spine(const llvm::Loop &L, const llvm::DominatorTree &DT);

  /// Cuts the spine into pieces of about Size instructions, from Start on.
  llvm::SmallVector<Piece, 8> cut(llvm::Instruction &Start, unsigned Size) const;
  /// Position in the order in which things run. All of a region has one position.
  unsigned number(const llvm::Instruction &I) const;
  /// For instructions that were made later, next to one that has a position.
  void noteBefore(const llvm::Instruction &New, const llvm::Instruction &I) {
    Numbers[&New] = number(I) - 1;
  }
  void noteBehind(const llvm::Instruction &New, const llvm::Instruction &I) {
    Numbers[&New] = number(I) + 1;
  }
  /// The instruction of the spine where I is or where the region of I begins.
  llvm::Instruction *before(llvm::Instruction &I) const;
  /// Where the region of I has ended; null if I is on the spine.
  llvm::Instruction *after(const llvm::Instruction &I) const;
  /// Instructions have been moved.
  void renumber();
  /// Instructions of the largest region.
  unsigned largestRegion() const;
  bool empty() const { return Blocks.empty(); }
  /// What comes last is followed by what comes first.
  bool isCyclic() const { return Within != nullptr; }

  static constexpr unsigned Outside = ~0U; ///< the number of what is in no region

private:
  struct Region {
    llvm::SmallVector<llvm::BasicBlock *, 4> Inner;
    bool Clean = true; ///< entered and left by the spine alone
    unsigned Size = 0;
    llvm::Instruction *From = nullptr, *To = nullptr; ///< on the spine
  };
  void build();
  void findRegion(unsigned Index);
  bool leaves(const llvm::BasicBlock &B) const;

  const llvm::Loop *Within = nullptr;
  llvm::SmallVector<llvm::BasicBlock *, 16> Blocks; ///< in the order in which they run
  llvm::SmallVector<Region, 16> Regions;            ///< behind each block but the last
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Place, Home; ///< on the spine; in a region
  llvm::DenseMap<const llvm::Instruction *, unsigned> Numbers;
};

} // namespace contraflow
