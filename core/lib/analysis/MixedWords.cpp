// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MixedWords.h"

#include "Activity.h"
#include "callee/Math.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {

static constexpr int64_t Half = 4;

static void noteAccess(const ActivityResult &Activity, const Instruction &I, MixedWords &Found) {
  const MemoryGraph &Graph = Activity.memory();
  const Value *Pointer = getLoadStorePointerOperand(&I);
  if (!Pointer || !getLoadStoreType(&I)->isFloatTy())
    return;
  auto *Store = dyn_cast<StoreInst>(&I);
  const Value *Moved = Store ? Store->getValueOperand() : &I;
  const Location At = Graph.find(Pointer);
  if (!At || !Activity.active(Moved) || !(Graph.kindsAt(At, Half) & SK_Double))
    return;
  Found.Any = true;
  Found.Stored |= Store || Graph.isExternal(At.Node);
}

static bool calculates(const User &U) {
  if (isa<FPTruncInst, FPExtInst, FPToSIInst, FPToUIInst>(U))
    return true;
  auto *Call = dyn_cast<CallBase>(&U);
  if (!Call || !Call->getType()->isFPOrFPVectorTy())
    return false;
  const Function *Callee = Call->getCalledFunction();
  return Callee && (Callee->isIntrinsic() || mathFunction(*Callee));
}

/// True if the store is to memory that holds doubles and nothing else: what is read there is one.
static bool storesDouble(const MemoryGraph &Graph, const User &U) {
  auto *Store = dyn_cast<StoreInst>(&U);
  if (!Store || !Store->getValueOperand()->getType()->isDoubleTy())
    return false;
  const Location At = Graph.find(Store->getPointerOperand());
  return At && Graph.kindsAt(At, 2 * Half) == SK_Double;
}

/// True if the word goes on as it is, further than to where it is calculated with.
static bool isMoved(const MemoryGraph &Graph, const LoadInst &Load) {
  constexpr unsigned Most = 32;
  SmallPtrSet<const Value *, 8> Seen{&Load};
  SmallVector<const Value *, 8> Todo{&Load};
  while (!Todo.empty())
    for (const User *U : Todo.pop_back_val()->users()) {
      const bool Stays = isa<PHINode, SelectInst, FreezeInst>(U) ||
                         (isa<BitCastInst>(U) && U->getType()->isDoubleTy());
      if (Seen.size() > Most ||
          (!Stays && !calculates(*U) && !storesDouble(Graph, *U) &&
           isa<StoreInst, CallBase, InsertElementInst, InsertValueInst, ReturnInst, CastInst>(U)))
        return true;
      if (Stays && Seen.insert(U).second)
        Todo.push_back(U);
    }
  return false;
}

MixedWords findMixedWords(const ActivityResult &Activity, ArrayRef<Function *> Closure) {
  MixedWords Found;
  for (Function *F : Closure)
    for (const Instruction &I : instructions(*F))
      noteAccess(Activity, I, Found);
  if (!Found.Any)
    return Found;
  for (Function *F : Closure)
    for (const Instruction &I : instructions(*F))
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && !isMoved(Activity.memory(), *Load))
        Found.Calculated.insert(Load);
  return Found;
}

bool isFloatOrDouble(const ActivityResult &Activity, const LoadInst &Load) {
  Type *Number = Load.getType()->getScalarType();
  if (!Activity.mixedWords().Any || Activity.mixedWords().Calculated.contains(&Load) ||
      !(Number->isIntegerTy(64) || Number->isDoubleTy()))
    return false;
  const MemoryGraph &Graph = Activity.memory();
  const int64_t Size = Graph.layout().getTypeStoreSize(Load.getType()).getFixedValue();
  const unsigned Kinds = Graph.kindsAt(Graph.find(Load.getPointerOperand()), Size);
  return (Kinds & SK_Double) && (Kinds & SK_Float);
}

bool mayBeFloat(const ActivityResult &Activity, const Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V))
    return isFloatOrDouble(Activity, *Load);
  return Activity.mixedWords().Any &&
         !isa<BinaryOperator, UnaryOperator, FPExtInst, UIToFPInst, SIToFPInst>(V);
}

bool mayHoldTwoFloats(const ActivityResult &Activity, const LoadInst &Load) {
  if (!Activity.mixedWords().Stored || !isFloatOrDouble(Activity, Load) || !Activity.active(&Load))
    return false;
  const MemoryGraph &Graph = Activity.memory();
  const Location At = Graph.find(Load.getPointerOperand());
  const int64_t Period = Graph.period(At.Node);
  return any_of(Graph.fields(At.Node), [&](const auto &Field) {
    const int64_t Away = Field.first - At.Offset - Half;
    return (Graph.kindsOfCell(Field.second) & SK_Float) && (Period ? Away % Period : Away) == 0;
  });
}

} // namespace contraflow
