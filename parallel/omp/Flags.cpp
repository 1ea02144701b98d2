// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait for each other without atomic operations: one stores an integer and flushes,
// the other looks at it, flushing, until it has changed. Neither the load nor the store says that
// it is more than a number. So the loops that wait are looked for in the whole module:
//
//   while (flag[i - 1] == 0) flush        what the loop's end depends on is a flag: an integer of
//                                         that width in the variable, or behind a pointer
//
// In place of a flush there may be a fence, an instruction that pauses, or an empty statement of
// assembly. If it is a call that lets others run (`sched_yield`, `usleep`), the loop waits where
// nothing that it does can end it.
//
// and then every load of the same variable and every store that may be to a flag becomes volatile.
// That is how other programs write it, and what Atomics.cpp puts in order. It does no harm to an
// integer that is no flag: what is in the order of execution has an order.

#include "parallel/omp/Flags.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

bool isFlush(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->getName() == Flush;
}

/// True for an instruction behind which memory may have changed, and that does nothing else.
bool isBreath(const Instruction &I) {
  if (isFlush(I) || isa<FenceInst>(I))
    return true;
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    return Intrinsic->getIntrinsicID() == Intrinsic::x86_sse2_pause ||
           Intrinsic->getIntrinsicID() == Intrinsic::aarch64_hint;
  auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->isInlineAsm() && Call->arg_empty() && Call->getType()->isVoidTy();
}

/// True for a call of the system that changes nothing the program sees.
bool letsOthersRun(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call && !isa<IntrinsicInst>(I) ? Call->getCalledFunction() : nullptr;
  return F && F->isDeclaration() && lookupCallee(*F).Kind == CalleeKind::Inactive;
}

/// True for memory that no other thread knows of.
bool isPrivate(const Value *Address) {
  const Value *Object = getUnderlyingObject(Address);
  return isa<AllocaInst>(Object) && !PointerMayBeCaptured(Object, /*ReturnCaptures=*/true);
}

/// True if a loop that consists of such instructions may do nothing but wait.
bool mayWait(const Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand()));
  if (!isa<CallBase>(I) || isa<IntrinsicInst>(I) || isBreath(I))
    return isa<FenceInst>(I) || !I.isAtomic();
  return letsOthersRun(I);
}

using Loads = SmallSetVector<LoadInst *, 4>;

/// What the value is calculated from within the loop.
void collectLooks(Value *End, const Loop &L, Loads &Looks) {
  SmallVector<Value *, 8> Work = {End};
  SmallPtrSet<Value *, 16> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !L.contains(I) || !Seen.insert(I).second)
      continue;
    auto *Load = dyn_cast<LoadInst>(I);
    if (!Load)
      Work.append(I->op_begin(), I->op_end());
    else if (!isPrivate(Load->getPointerOperand()))
      Looks.insert(Load);
    else // a variable of the thread's own, in code that is not optimised
      for (User *U : Load->getPointerOperand()->users())
        if (auto *Store = dyn_cast<StoreInst>(U))
          Work.push_back(Store->getValueOperand());
  }
}

/// What the loop waits for, nothing if it does anything else.
Loads looksOf(const Loop &L) {
  Loads Looks;
  for (const BasicBlock *Block : L.blocks())
    if (!all_of(*Block, mayWait))
      return {};
  SmallVector<BasicBlock *, 4> Ends;
  L.getExitingBlocks(Ends);
  for (BasicBlock *Block : Ends)
    if (auto *Branch = dyn_cast<BranchInst>(Block->getTerminator()))
      collectLooks(Branch->getCondition(), L, Looks);
    else if (auto *Switch = dyn_cast<SwitchInst>(Block->getTerminator()))
      collectLooks(Switch->getCondition(), L, Looks);
  return Looks;
}

/// True if what ends the loop is the same each time but for what other threads write.
bool endsByOthers(const Loop &L) {
  const bool Stores = any_of(L.blocks(), [](const BasicBlock *Block) {
    return any_of(*Block, [](const Instruction &I) { return isa<StoreInst>(I); });
  });
  return !Stores && L.getHeader()->phis().empty();
}

/// What the loops of F that wait look at.
Loads looksOf(Function &F) {
  Loads Looks;
  SmallPtrSet<const Loop *, 4> Seen;
  std::optional<DominatorTree> DT;
  std::optional<LoopInfo> LI;
  for (Instruction &I : instructions(F)) {
    const bool Breathes = isBreath(I);
    if (!Breathes && !letsOthersRun(I))
      continue;
    if (!LI) {
      DT.emplace(F);
      LI.emplace(*DT);
    }
    const Loop *L = LI->getLoopFor(I.getParent());
    if (L && (Breathes || endsByOthers(*L)) && Seen.insert(L).second)
      Looks.insert_range(looksOf(*L));
  }
  return Looks;
}

GlobalVariable *variableOf(const Value *Address) {
  return const_cast<GlobalVariable *>(dyn_cast<GlobalVariable>(getUnderlyingObject(Address)));
}

/// False if pointers elsewhere cannot lead to the variable.
bool isHandedOn(const GlobalVariable &Variable) {
  return !Variable.hasLocalLinkage() || PointerMayBeCaptured(&Variable, /*ReturnCaptures=*/true);
}

/// False if the two addresses are known to be in different objects.
bool maySharePlace(const Value *A, const Value *B) {
  const Value *Left = getUnderlyingObject(A), *Right = getUnderlyingObject(B);
  if (Left == Right)
    return true;
  auto *FromLeft = dyn_cast<LoadInst>(Left), *FromRight = dyn_cast<LoadInst>(Right);
  if (FromLeft && FromRight)
    return maySharePlace(FromLeft->getPointerOperand(), FromRight->getPointerOperand());
  return isa<PHINode, SelectInst>(Left) || isa<PHINode, SelectInst>(Right);
}

} // namespace

bool waitsForUnknown(const CallBase &Flush) {
  DominatorTree DT(const_cast<Function &>(*Flush.getFunction()));
  LoopInfo LI(DT);
  const Loop *L = LI.getLoopFor(Flush.getParent());
  if (!L || !all_of(L->blocks(), [](const BasicBlock *Block) { return all_of(*Block, mayWait); }))
    return false;
  return none_of(looksOf(*L), [](const LoadInst *Look) { return Look->getType()->isIntegerTy(); });
}

Flags::Flags(Module &M) {
  for (Function &F : M)
    for (const LoadInst *Look : looksOf(F))
      if (Look->getType()->isIntegerTy())
        Known.insert({variableOf(Look->getPointerOperand()), Look->getType()});
}

bool Flags::mayStore(const StoreInst &Store) const {
  Type *T = Store.getValueOperand()->getType();
  if (!T->isIntegerTy() || isPrivate(Store.getPointerOperand()))
    return false;
  GlobalVariable *Into = variableOf(Store.getPointerOperand());
  return any_of(Known, [&](const Flag &F) {
    if (F.second != T)
      return false;
    if (F.first && Into)
      return F.first == Into;
    return (!F.first || isHandedOn(*F.first)) && (!Into || isHandedOn(*Into));
  });
}

void Flags::mark(Function &F) const {
  if (empty())
    return;
  const Loads Looks = looksOf(F);
  auto IsLook = [&](const LoadInst &Load) {
    const Value *Address = Load.getPointerOperand();
    GlobalVariable *Variable = variableOf(Address);
    return (Variable && Known.contains({Variable, Load.getType()})) ||
           any_of(Looks, [&](const LoadInst *Look) {
             return Look->getType() == Load.getType() &&
                    maySharePlace(Look->getPointerOperand(), Address);
           });
  };
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      if (Load->getType()->isIntegerTy() && !isPrivate(Load->getPointerOperand()) && IsLook(*Load))
        Load->setVolatile(true);
    } else if (auto *Store = dyn_cast<StoreInst>(&I); Store && mayStore(*Store)) {
      Store->setVolatile(true);
    }
}

} // namespace contraflow::omp
