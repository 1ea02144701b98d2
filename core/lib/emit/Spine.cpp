// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks that dominate the end of the function, or the latch of a loop, and are in no cycle
// inside run exactly once. A region is what can be reached from one of them without passing the
// next.

#include "Spine.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

static BasicBlock *onlyReturn(Function &F) {
  BasicBlock *Return = nullptr;
  for (BasicBlock &B : F)
    if (isa<ReturnInst>(B.getTerminator())) {
      if (Return)
        return nullptr;
      Return = &B;
    }
  return Return;
}

/// Also of cycles that are no loops: a loop with a break is entered at two blocks in reverse.
static SmallPtrSet<const BasicBlock *, 32> blocksInCycles(Function &F) {
  SmallPtrSet<const BasicBlock *, 32> Found;
  for (auto Component = scc_begin(&F); !Component.isAtEnd(); ++Component)
    if (Component.hasCycle())
      Found.insert_range(*Component);
  return Found;
}

Spine::Spine(Function &F, const DominatorTree &DT) {
  BasicBlock *Return = onlyReturn(F);
  if (!Return || !DT.isReachableFromEntry(Return))
    return;
  const auto Repeated = blocksInCycles(F);
  for (auto *Node = DT.getNode(Return); Node; Node = Node->getIDom())
    if (!Repeated.contains(Node->getBlock()))
      Blocks.push_back(Node->getBlock());
  std::reverse(Blocks.begin(), Blocks.end());
  build();
}

/// Those of the blocks that run once in each iteration. A jump from below one of them to above it
/// makes it part of a cycle.
static SmallVector<BasicBlock *, 16> blocksRunOnce(const Loop &L, const DominatorTree &DT) {
  SmallVector<BasicBlock *, 16> Chain;
  for (auto *Node = DT.getNode(L.getLoopLatch()); Node->getBlock() != L.getHeader();
       Node = Node->getIDom())
    Chain.push_back(Node->getBlock());
  Chain.push_back(L.getHeader());
  std::reverse(Chain.begin(), Chain.end());
  DenseMap<const BasicBlock *, int> Place; // of itself, or of the last that dominates it
  for (int I = 0; I < static_cast<int>(Chain.size()); ++I)
    Place[Chain[I]] = I;
  const DenseMap<const BasicBlock *, int> OnChain = Place;
  SmallVector<const DomTreeNode *, 16> Todo{DT.getNode(L.getHeader())};
  while (!Todo.empty()) {
    const DomTreeNode *Node = Todo.pop_back_val();
    for (const DomTreeNode *Child : *Node) {
      Place.try_emplace(Child->getBlock(), Place.lookup(Node->getBlock()));
      if (L.contains(Child->getBlock()))
        Todo.push_back(Child);
    }
  }
  SmallVector<int, 16> Opened(Chain.size() + 1, 0); // cycles that begin here, less those that ended
  for (const BasicBlock *From : L.blocks())
    for (const BasicBlock *To : successors(From)) {
      if (To == L.getHeader() || !L.contains(To))
        continue;
      const int First = Place.lookup(To) + (OnChain.count(To) ? 0 : 1), Last = Place.lookup(From);
      if (First > Last)
        continue;
      ++Opened[First];
      --Opened[Last + 1];
    }
  SmallVector<BasicBlock *, 16> Once;
  int Cycles = 0;
  for (unsigned I = 0; I < Chain.size(); ++I)
    if ((Cycles += Opened[I]) == 0)
      Once.push_back(Chain[I]);
  return Once;
}

Spine::Spine(const Loop &L, const DominatorTree &DT) : Within(&L) {
  Blocks = blocksRunOnce(L, DT);
  if (Blocks.front() != L.getHeader() || Blocks.back() != L.getLoopLatch())
    Blocks.clear();
  build();
}

void Spine::build() {
  for (unsigned I = 0; I < Blocks.size(); ++I)
    Place[Blocks[I]] = I;
  Regions.resize(Blocks.size());
  for (unsigned I = 0; I + 1 < Blocks.size(); ++I)
    findRegion(I);
  renumber();
}

void Spine::renumber() {
  Numbers.clear();
  for (unsigned I = 0; I + 1 < Blocks.size(); ++I)
    Regions[I].To = &*Blocks[I + 1]->getFirstNonPHIIt();
  unsigned Next = 1;
  for (const BasicBlock *B : Blocks)
    for (const Instruction &Step : *B) {
      Numbers[&Step] = Next;
      Next += 4; // one before, one behind, the region behind a branch
    }
}

/// True if B is behind the loop. What ends the program there is part of the iteration.
bool Spine::leaves(const BasicBlock &B) const {
  return Within && !Within->contains(&B) &&
         !(isa<UnreachableInst>(B.getTerminator()) && B.getSinglePredecessor());
}

void Spine::findRegion(unsigned Index) {
  Region &R = Regions[Index];
  R.From = Blocks[Index]->getTerminator();
  SmallVector<BasicBlock *, 16> Todo(successors(Blocks[Index]));
  while (!Todo.empty()) {
    BasicBlock *B = Todo.pop_back_val();
    if (B == Blocks[Index + 1])
      continue;
    if (Place.count(B) || leaves(*B)) {
      R.Clean = false;
      continue;
    }
    auto [Known, New] = Home.try_emplace(B, Index);
    if (!New) {
      // Ways that end the program may be shared by several regions.
      if (Known->second != Index)
        R.Clean = Regions[Known->second].Clean = false;
      continue;
    }
    R.Inner.push_back(B);
    R.Size += B->size();
    append_range(Todo, successors(B));
  }
}

unsigned Spine::largestRegion() const {
  unsigned Largest = 0;
  for (const Region &R : Regions)
    Largest = std::max(Largest, R.Size);
  return Largest;
}

unsigned Spine::number(const Instruction &I) const {
  if (auto It = Numbers.find(&I); It != Numbers.end())
    return It->second;
  auto It = Home.find(I.getParent());
  return It == Home.end() ? Outside : Numbers.lookup(Regions[It->second].From) + 1;
}

Instruction *Spine::before(Instruction &I) const {
  auto It = Home.find(I.getParent());
  return It == Home.end() ? &I : Regions[It->second].From;
}

Instruction *Spine::after(const Instruction &I) const {
  auto It = Home.find(I.getParent());
  return It == Home.end() ? nullptr : Regions[It->second].To;
}

namespace {
/// Collects instructions until there are enough for a piece.
struct Cutter {
  const unsigned Size;
  SmallVector<Piece, 8> Pieces;
  Instruction *Begin = nullptr;
  unsigned Held = 0;

  void close(Instruction *Next) {
    if (Begin && Held >= Size / 4)
      Pieces.push_back({Begin, Next});
    Begin = nullptr;
    Held = 0;
  }
  void add(Instruction *I, unsigned Count) {
    if (Held >= Size || (Held + Count > 2 * Size && Held >= Size / 2))
      close(I);
    if (!Begin)
      Begin = I;
    Held += Count;
  }
};
} // namespace

SmallVector<Piece, 8> Spine::cut(Instruction &Start, unsigned Size) const {
  Cutter C{Size, {}};
  for (unsigned B = Place.lookup(Start.getParent()); B < Blocks.size(); ++B) {
    Instruction *Branch = Blocks[B]->getTerminator();
    auto First =
        Blocks[B] == Start.getParent() ? Start.getIterator() : Blocks[B]->getFirstNonPHIIt();
    for (Instruction &I : make_range(First, Branch->getIterator()))
      C.add(&I, 1);
    if (B + 1 == Blocks.size() || !Regions[B].Clean)
      C.close(Branch);
    else
      C.add(Branch, Regions[B].Size + 1);
  }
  return C.Pieces;
}

} // namespace contraflow
