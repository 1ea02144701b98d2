// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a place is a number at one time and an address at another, such as the storage of a
// std::function, one use of it says of what type what is moved through it is:
//
//   %a = load ptr, ptr %x ; store ptr %a, ptr %room       %room is read as a double elsewhere
//   %w = load i64, ptr %x ; %a = inttoptr i64 %w to ptr ; store ptr %a, ptr %room
//
// Then %x may hold numbers, although no instruction says so, and %room may if %x does. That is so
// as long as nobody but a store looks at the address.

#include "MovedWords.h"
#include "MemoryGraph.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

DenseSet<const Value *> findMovedAddresses(ArrayRef<Function *> Closure) {
  SmallVector<const Value *, 16> Todo;
  for (Function *F : Closure)
    for (const Instruction &I : instructions(*F))
      if (I.getType()->isIntegerTy(64) &&
          (isa<LoadInst>(I) || (isa<BitCastInst>(I) && I.getOperand(0)->getType()->isDoubleTy())))
        Todo.push_back(&I);
  DenseSet<const Value *> Seen;
  while (!Todo.empty())
    for (const User *U : Todo.pop_back_val()->users())
      if (isa<PHINode, SelectInst, FreezeInst, IntToPtrInst>(U) && Seen.insert(U).second)
        Todo.push_back(U);
  return Seen;
}

/// The stores that an address goes to; none if anybody else looks at it.
static SmallVector<const StoreInst *, 2> storesOf(const LoadInst &Load) {
  constexpr unsigned MaxSteps = 32;
  SmallVector<const Value *, 4> Todo{&Load};
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const StoreInst *, 2> Stores;
  while (!Todo.empty())
    for (const Use &U : Todo.pop_back_val()->uses()) {
      auto *Store = dyn_cast<StoreInst>(U.getUser());
      if (Store && U.getOperandNo() == 0)
        Stores.push_back(Store);
      else if (!isa<PHINode, SelectInst, FreezeInst>(U.getUser()) || Seen.size() > MaxSteps)
        return {};
      else if (Seen.insert(U.getUser()).second)
        Todo.push_back(U.getUser());
    }
  return Stores;
}

bool spreadMovedNumbers(MemoryGraph &Graph, ArrayRef<Function *> Closure) {
  bool News = false;
  auto Spread = [&](Location From, Location To) {
    if (!From || !To)
      return;
    const unsigned Source = Graph.fieldCell(From), Target = Graph.fieldCell(To);
    const unsigned Numbers = Graph.kindsOfCell(Source) & (SK_Double | SK_Float);
    if ((Graph.kindsOfCell(Target) & Numbers) == Numbers)
      return;
    Graph.addKind(Target, Numbers);
    News = true;
  };
  for (Function *F : Closure)
    for (const Instruction &I : instructions(*F)) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !Load->getType()->isPointerTy())
        continue;
      const Location From = Graph.find(Load->getPointerOperand());
      for (const StoreInst *Store : storesOf(*Load)) {
        const Location To = Graph.find(Store->getPointerOperand());
        Spread(From, To);
        Spread(To, From);
      }
    }
  return News;
}

/// True of a word that may be an address or a float.
static bool isEither(unsigned Kinds) {
  return (Kinds & SK_Float) && (Kinds & SK_Pointer) && !(Kinds & SK_Double);
}

/// True if I moves such a word as an integer.
static bool movesEither(const Instruction &I, const MemoryGraph &Graph) {
  constexpr unsigned Width = sizeof(void *);
  const Value *Pointer = getLoadStorePointerOperand(&I);
  const Location At = Pointer ? Graph.find(Pointer) : Location();
  return At && getLoadStoreType(&I)->isIntegerTy(8 * Width) && isEither(Graph.kindsAt(At, Width));
}

bool spreadMovedFloats(MemoryGraph &Graph, ArrayRef<Function *> Closure) {
  SmallVector<unsigned, 4> Words;
  for (unsigned N = 0; N < Graph.nodeCount(); ++N)
    if (Graph.canonical(N) == N && Graph.period(N) == sizeof(void *) && Graph.fields(N).size() == 1)
      if (const unsigned Cell = Graph.fields(N).begin()->second; isEither(Graph.kindsOfCell(Cell)))
        Words.push_back(Cell);
  if (Words.empty() || none_of(Closure, [&](const Function *F) {
        return any_of(instructions(*F),
                      [&](const Instruction &I) { return movesEither(I, Graph); });
      }))
    return false;
  for (unsigned Cell : Words)
    Graph.addKind(Cell, SK_Double);
  return true;
}

static bool isExclusiveOr(const User *U) {
  const auto *I = dyn_cast<BinaryOperator>(U);
  return I && I->getOpcode() == Instruction::Xor;
}

bool joinsAddresses(const Instruction &I) {
  auto IsMoved = [](const Use &Op) {
    return isa<PtrToIntInst, LoadInst, PHINode, SelectInst, FreezeInst, Argument, CallBase>(Op) ||
           (isa<Instruction>(Op) && isExclusiveOr(cast<Instruction>(Op)));
  };
  return isExclusiveOr(&I) && I.getType()->isIntegerTy(64) && all_of(I.operands(), IsMoved) &&
         all_of(I.users(), [](const User *U) {
           return isa<StoreInst, PHINode, SelectInst, FreezeInst, IntToPtrInst, ICmpInst,
                      ReturnInst>(U) ||
                  isa<CallBase>(U) || isExclusiveOr(U);
         });
}

} // namespace contraflow
