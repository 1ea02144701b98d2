// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The head of a map counts its nodes where nodes have numbers, and an address leads to either:
//
//   head   0: colour   8 16 24: addresses   32: count
//   node   0: colour   8 16 24: addresses   32: int key   36: float x[3]
//
// A count is no two halves of something, whatever lies there in a node. A member is one if it is
// counted somewhere, if all that goes there is a count, and if nobody gets its address. Others may
// have the bits of floats put into them on purpose, as an integer beside an address may in a tagged
// value:
//
//   memcpy(&value->bits, &x, sizeof x)      store float, the same address, of no member

#include "Counts.h"

#include "MemoryGraph.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <optional>

using namespace llvm;

namespace contraflow {
namespace {

struct Member {
  bool Counts = false; ///< it is added to, or something is taken away
  bool Others = false; ///< something else than a count is stored there
};

const MDNode *tagOf(const Instruction &Access) { return Access.getMetadata(LLVMContext::MD_tbaa); }

/// What a store puts into a member whose accesses are tagged so.
Member stored(const StoreInst &Store, const MDNode *Tag) {
  Member Out;
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Todo{Store.getValueOperand()};
  while (!Todo.empty()) {
    const Value *V = Todo.pop_back_val();
    auto *I = dyn_cast<Instruction>(V);
    if (isa<ConstantInt>(V) || !Seen.insert(V).second)
      continue;
    const bool IsSum =
        I && (I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub);
    Out.Counts |= IsSum;
    if (IsSum || (I && isa<PHINode, FreezeInst>(I)))
      append_range(Todo, I->operand_values());
    else if (auto *Choice = dyn_cast<SelectInst>(V))
      Todo.append({Choice->getTrueValue(), Choice->getFalseValue()});
    else
      Out.Others |= !I || !isa<LoadInst>(I) || tagOf(*I) != Tag;
  }
  return Out;
}

/// Of what an address is a member, and how far behind its beginning, but for indices.
using Spot = std::pair<const Value *, int64_t>;

Spot spotOf(const Value *Pointer, const DataLayout &DL) {
  int64_t Constant = 0;
  while (auto *Step = dyn_cast<GEPOperator>(Pointer)) {
    const unsigned Bits = DL.getIndexTypeSizeInBits(Step->getType());
    SmallMapVector<Value *, APInt, 4> Indices;
    APInt Offset(Bits, 0);
    if (!Step->collectOffset(DL, Bits, Indices, Offset))
      break;
    Constant += Offset.getSExtValue();
    Pointer = Step->getPointerOperand();
  }
  return {getUnderlyingObject(Pointer), Constant};
}

/// Where something is accessed that is no member, or whose address goes elsewhere.
DenseSet<Spot> otherSpots(ArrayRef<Function *> Closure) {
  DenseSet<Spot> Out;
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F)) {
      const DataLayout &DL = F->getDataLayout();
      const Value *Pointer = getLoadStorePointerOperand(&I);
      if (Pointer && !tagOf(I) && getLoadStoreType(&I)->isFPOrFPVectorTy())
        Out.insert(spotOf(Pointer, DL));
      if (isa<LoadInst>(I) || I.isLifetimeStartOrEnd())
        continue;
      for (const Use &U : I.operands())
        if (U->getType()->isPointerTy() && U.get() != Pointer && isa<GEPOperator>(U) &&
            isa<CallBase, StoreInst>(I))
          Out.insert(spotOf(U, DL));
    }
  return Out;
}

} // namespace

void noteCounts(MemoryGraph &Graph, ArrayRef<Function *> Closure) {
  DenseMap<const MDNode *, Member> Members;
  SmallVector<const Instruction *, 16> Accesses;
  std::optional<DenseSet<Spot>> Elsewhere;
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F)) {
      const Value *Pointer = getLoadStorePointerOperand(&I);
      if (!Pointer || !Graph.isIntegerBeside(&I) || !tagOf(I))
        continue;
      Member Here;
      if (auto *Store = dyn_cast<StoreInst>(&I))
        Here = stored(*Store, tagOf(I));
      Member &All = Members[tagOf(I)];
      All.Counts |= Here.Counts;
      if (!Elsewhere)
        Elsewhere = otherSpots(Closure);
      All.Others |= Here.Others || Elsewhere->contains(spotOf(Pointer, F->getDataLayout()));
      if (isa<LoadInst>(I) || Here.Counts)
        Accesses.push_back(&I);
    }
  for (const Instruction *I : Accesses)
    if (const Member M = Members.lookup(tagOf(*I)); M.Counts && !M.Others)
      Graph.noteCount(I);
}

} // namespace contraflow
