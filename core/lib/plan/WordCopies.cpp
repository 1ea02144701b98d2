// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   union { double number; const double *at; } a, b;
//   b.number = a.number;
//
//   %v = load double, ptr %a ; store double %v, ptr %b
//   ->  %w = load i64, ptr %a ; store i64 %w, ptr %b
//
// where both places hold an address at another time: then this may be one. A double has no shadow
// that could lead anywhere; a word has.

#include "WordCopies.h"

#include "analysis/MemoryGraph.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

constexpr int64_t WordBytes = 8;

static bool mayHoldAddress(const Value *Pointer, int64_t Bytes, const MemoryGraph &Graph) {
  const Location At = Graph.find(Pointer);
  return At && (Graph.kindsAt(At, Bytes) & SK_Pointer);
}

/// The load whose doubles the store moves from one such place to another.
static LoadInst *movedBy(StoreInst &Store, const MemoryGraph &Graph) {
  auto *Load = dyn_cast<LoadInst>(Store.getValueOperand());
  if (!Load || !Load->getType()->getScalarType()->isDoubleTy() || Load->isAtomic() ||
      Store.isAtomic())
    return nullptr;
  const int64_t Bytes = Load->getType()->getPrimitiveSizeInBits().getFixedValue() / 8;
  return mayHoldAddress(Load->getPointerOperand(), Bytes, Graph) &&
                 mayHoldAddress(Store.getPointerOperand(), Bytes, Graph)
             ? Load
             : nullptr;
}

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
  SmallVector<std::pair<StoreInst *, LoadInst *>, 8> Found;
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F))
      if (auto *Store = dyn_cast<StoreInst>(&I))
        if (LoadInst *Load = movedBy(*Store, Graph))
          Found.push_back({Store, Load});
  for (auto [Store, Load] : Found)
    moveAsWords(*Store, *Load);
}

} // namespace contraflow
