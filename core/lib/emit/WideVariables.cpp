// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primal sets %x in a loop of a thousand blocks, and reads it in two of them. Its adjoint is
// zero when the reverse of these begins, and is added to in two places:
//
//   %x.bar = 0 ; loop { ... add to %x.bar ... take %x.bar ; %x.bar = 0 }
//
// The zero lives from one iteration to the next, and as an SSA value it has a phi wherever paths
// meet. A hundred such variables are a hundred thousand phis, which every pass looks at. It becomes
// zero once more where what follows sees it:
//
//   loop { ... %x.bar = 0 ; add to %x.bar ... take %x.bar }
//
// What is still spread over hundreds of blocks stays in memory, where the register allocator would
// bring it. The optimiser makes no registers of an object whose address has been stored away.
//
//   %x.bar = alloca double               ->      %cf.wide = alloca { double, ... }
//                                                store volatile ptr %cf.wide, ptr %cf.seen

#include "WideVariables.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/IteratedDominanceFrontier.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned FewBlocks = 100;   ///< in which no variable is wide
constexpr unsigned FewPhis = 50;      ///< of one variable
constexpr unsigned MostPerAccess = 4; ///< phis

/// Which blocks control may come back to, and together with which others.
class Cycles {
public:
  explicit Cycles(Function &F) {
    for (auto It = scc_begin(&F); !It.isAtEnd(); ++It)
      if (It.hasCycle()) {
        ++Last;
        for (const BasicBlock *BB : *It)
          Numbers[BB] = Last;
      }
  }
  /// Null for blocks that run at most once.
  unsigned of(const BasicBlock &BB) const { return Numbers.lookup(&BB); }

private:
  DenseMap<const BasicBlock *, unsigned> Numbers;
  unsigned Last = 0;
};

/// What the blocks of a function do with a variable.
class Variable {
public:
  Variable(AllocaInst &A, DominatorTree &DT);
  /// Where the accesses to a value that is not zero begin, if it is zero there.
  std::optional<BasicBlock::iterator> lateZero(const Cycles &C) const;
  bool isWide() const;

private:
  struct Block {
    Instruction *First = nullptr; ///< access
    StoreInst *Last = nullptr;
  };
  bool isZeroAt(const BasicBlock &At, const Cycles &C) const;
  SmallPtrSet<BasicBlock *, 16> wanted(size_t Most) const;
  bool isSpread(size_t Places) const { return Places >= spread(); }
  size_t spread() const { return std::max<size_t>(FewPhis, MostPerAccess * A.getNumUses()); }

  AllocaInst &A;
  DominatorTree &DT;
  SmallMapVector<BasicBlock *, Block, 8> Blocks;
  BasicBlock *Begin = nullptr; ///< dominates the loads, and the stores of what is not zero
};

} // namespace

static bool isZero(const StoreInst &Store) {
  auto *C = dyn_cast<Constant>(Store.getValueOperand());
  return C && C->isNullValue();
}

Variable::Variable(AllocaInst &A, DominatorTree &DT) : A(A), DT(DT) {
  for (User *U : A.users()) {
    auto *I = cast<Instruction>(U);
    auto *Store = dyn_cast<StoreInst>(I);
    Block &In = Blocks[I->getParent()];
    if (!In.First || I->comesBefore(In.First))
      In.First = I;
    if (Store && (!In.Last || In.Last->comesBefore(Store)))
      In.Last = Store;
    if (!Store || !isZero(*Store))
      Begin = Begin ? DT.findNearestCommonDominator(Begin, I->getParent()) : I->getParent();
  }
}

/// Where a value is wanted that another block has set; no more blocks than Most.
SmallPtrSet<BasicBlock *, 16> Variable::wanted(size_t Most) const {
  SmallPtrSet<BasicBlock *, 16> Out;
  SmallVector<BasicBlock *, 32> Todo;
  for (auto [BB, In] : Blocks)
    if (isa<LoadInst>(In.First))
      Todo.push_back(BB);
  while (!Todo.empty() && Out.size() < Most) {
    BasicBlock *BB = Todo.pop_back_val();
    if (!Out.insert(BB).second)
      continue;
    for (BasicBlock *Before : predecessors(BB))
      if (!Blocks.lookup(Before).Last)
        Todo.push_back(Before);
  }
  return Out;
}

/// True if no value that is not zero reaches the beginning of a block that dominates all stores of
/// such: they would have to come back to it. What is not set at all may be zero.
bool Variable::isZeroAt(const BasicBlock &At, const Cycles &C) const {
  const unsigned Cycle = C.of(At);
  if (!Cycle)
    return true;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 32> Todo;
  for (auto [BB, In] : Blocks)
    if (In.Last && !isZero(*In.Last) && C.of(*BB) == Cycle)
      Todo.push_back(BB);
  while (!Todo.empty()) {
    for (const BasicBlock *Next : successors(Todo.pop_back_val())) {
      if (Next == &At)
        return false;
      if (C.of(*Next) == Cycle && !Blocks.lookup(const_cast<BasicBlock *>(Next)).Last &&
          Seen.insert(Next).second)
        Todo.push_back(Next);
    }
  }
  return true;
}

std::optional<BasicBlock::iterator> Variable::lateZero(const Cycles &C) const {
  if (!Begin || Begin->isEntryBlock() || !isSpread(wanted(spread()).size()) || !isZeroAt(*Begin, C))
    return std::nullopt;
  Instruction *First = Blocks.lookup(Begin).First;
  const auto At = First ? First->getIterator() : Begin->getFirstInsertionPt();
  return At == Begin->end() ? std::nullopt : std::optional(At);
}

bool Variable::isWide() const {
  const SmallPtrSet<BasicBlock *, 16> Wanted = wanted(A.getFunction()->size());
  if (!isSpread(Wanted.size()))
    return false;
  SmallPtrSet<BasicBlock *, 16> Sets;
  for (auto [BB, In] : Blocks)
    if (In.Last)
      Sets.insert(BB);
  SmallVector<BasicBlock *, 32> Phis;
  ForwardIDFCalculator Frontier(DT);
  Frontier.setDefiningBlocks(Sets);
  Frontier.setLiveInBlocks(Wanted);
  Frontier.calculate(Phis);
  return isSpread(Phis.size());
}

static bool isNumber(const AllocaInst &A) {
  return A.getAllocatedType()->isFPOrFPVectorTy() && A.isStaticAlloca() && isAllocaPromotable(&A) &&
         all_of(A.users(), [](const User *U) { return isa<LoadInst, StoreInst>(U); });
}

/// The variables of numbers, of a function large enough.
static SmallVector<AllocaInst *, 0> numbersOf(Function &F) {
  SmallVector<AllocaInst *, 0> Out;
  if (F.size() >= FewBlocks)
    for (Instruction &I : F.getEntryBlock())
      if (auto *A = dyn_cast<AllocaInst>(&I); A && isNumber(*A))
        Out.push_back(A);
  return Out;
}

void clearLate(Function &F) {
  const SmallVector<AllocaInst *, 0> Numbers = numbersOf(F);
  if (Numbers.empty())
    return;
  DominatorTree DT(F);
  const Cycles C(F);
  SmallVector<std::pair<AllocaInst *, BasicBlock::iterator>, 0> Zeros;
  for (AllocaInst *A : Numbers)
    if (auto At = Variable(*A, DT).lateZero(C))
      Zeros.push_back({A, *At});
  for (auto [A, At] : Zeros) // a new instruction would number its block anew for each variable
    new StoreInst(Constant::getNullValue(A->getAllocatedType()), A, At);
}

void keepWideVariables(Function &F) {
  SmallVector<AllocaInst *, 0> Wide = numbersOf(F);
  if (Wide.empty())
    return;
  DominatorTree DT(F);
  erase_if(Wide, [&DT](AllocaInst *A) { return !Variable(*A, DT).isWide(); });
  if (Wide.empty())
    return;
  const DataLayout &DL = F.getDataLayout();
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  SmallVector<Type *, 0> Types;
  for (const AllocaInst *A : Wide)
    Types.push_back(A->getAllocatedType());
  auto *Together = StructType::get(F.getContext(), Types);
  const StructLayout &Layout = *DL.getStructLayout(Together);
  AllocaInst *Seen = B.CreateAlloca(B.getPtrTy(), nullptr, "cf.seen");
  AllocaInst *Memory = B.CreateAlloca(Together, nullptr, "cf.wide");
  B.CreateStore(Memory, Seen, /*isVolatile=*/true);
  for (auto [Index, A] : enumerate(Wide)) {
    A->replaceAllUsesWith(
        B.CreateInBoundsPtrAdd(Memory, B.getInt64(Layout.getElementOffset(Index))));
    A->eraseFromParent();
  }
}

} // namespace contraflow
