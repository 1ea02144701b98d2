// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   union { double number; const double *at; } a, b;
//   b.number = a.number;
//
//   %v = load double, ptr %a ; store double %v, ptr %b
//   ->  %w = load i64, ptr %a ; store i64 %w, ptr %b
//
// where both places hold an address at another time, or lead to and come from such places by moves
// of that kind: then this may be one. A double has no shadow that could lead anywhere; a word has.

#include "WordCopies.h"

#include "analysis/MemoryGraph.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

constexpr int64_t WordBytes = 8;

namespace {

/// A store of what was loaded, and the cells of both places.
struct Move {
  StoreInst *Store;
  LoadInst *Load;
  SmallVector<unsigned, 2> From, To;
};

class Mover {
public:
  Mover(ArrayRef<Function *> Closure, const MemoryGraph &Graph);
  SmallVector<const Move *, 8> find();

private:
  SmallVector<unsigned, 2> cells(const Value *Pointer, int64_t Bytes);
  bool isIn(const DenseSet<unsigned> &Set, ArrayRef<unsigned> Cells) const {
    return any_of(Cells, [&](unsigned C) { return Set.contains(C); });
  }

  const MemoryGraph &Graph;
  std::vector<Move> Moves;
  DenseSet<unsigned> Before, After; ///< an address may come here; it may go from here to an address
};

SmallVector<unsigned, 2> Mover::cells(const Value *Pointer, int64_t Bytes) {
  SmallVector<unsigned, 2> Out;
  Graph.overlapping(Graph.find(Pointer), Bytes, [&](unsigned C) {
    Out.push_back(C);
    if (Graph.kindsOfCell(C) & SK_Pointer) {
      Before.insert(C);
      After.insert(C);
    }
  });
  return Out;
}

Mover::Mover(ArrayRef<Function *> Closure, const MemoryGraph &Graph) : Graph(Graph) {
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Store = dyn_cast<StoreInst>(&I);
      auto *Load = Store ? dyn_cast<LoadInst>(Store->getValueOperand()) : nullptr;
      if (!Load || !Load->getType()->getScalarType()->isDoubleTy() || Load->isAtomic() ||
          Store->isAtomic())
        continue;
      const int64_t Bytes = Load->getType()->getPrimitiveSizeInBits().getFixedValue() / 8;
      Moves.push_back({Store, Load, cells(Load->getPointerOperand(), Bytes),
                       cells(Store->getPointerOperand(), Bytes)});
    }
}

/// The moves on the way from one place that holds addresses to another.
SmallVector<const Move *, 8> Mover::find() {
  SmallVector<const Move *, 8> Out;
  if (Before.empty())
    return Out;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Move &M : Moves) {
      if (isIn(Before, M.From))
        for (unsigned C : M.To)
          Changed |= Before.insert(C).second;
      if (isIn(After, M.To))
        for (unsigned C : M.From)
          Changed |= After.insert(C).second;
    }
  }
  for (const Move &M : Moves)
    if (isIn(Before, M.From) && isIn(After, M.To))
      Out.push_back(&M);
  return Out;
}

} // namespace

static void moveAsWords(StoreInst &Store, LoadInst &Load) {
  const int64_t Bytes = Load.getType()->getPrimitiveSizeInBits().getFixedValue() / 8;
  IRBuilder<> Here(&Load), There(&Store);
  for (int64_t Offset = 0; Offset < Bytes; Offset += WordBytes) {
    auto At = [&](IRBuilder<> &B, Value *Base) {
      return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset) : Base;
    };
    LoadInst *Word =
        Here.CreateAlignedLoad(Here.getInt64Ty(), At(Here, Load.getPointerOperand()),
                               commonAlignment(Load.getAlign(), Offset), Load.isVolatile());
    There.CreateAlignedStore(Word, At(There, Store.getPointerOperand()),
                             commonAlignment(Store.getAlign(), Offset), Store.isVolatile());
  }
  Store.eraseFromParent();
  if (Load.use_empty())
    Load.eraseFromParent();
}

void moveWords(ArrayRef<Function *> Closure, const MemoryGraph &Graph) {
  Mover M(Closure, Graph);
  for (const Move *Found : M.find())
    moveAsWords(*Found->Store, *Found->Load);
}

} // namespace contraflow
