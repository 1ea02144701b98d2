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
// assembly. If it is a call that lets others run (`sched_yield`, `usleep`), or a lock that is taken
// and given back, the loop waits where nothing that it does can end it. All of this may be in
// functions of the program that the loop calls; and an address may be waited for as well.
//
// So does one that looks, takes a lock, and looks again: who has found it set goes on without the
// lock, and reads what was written before it was set.
//
//   if (!ready) { enter(lock); if (!ready) { v = f(x); ready = 1; } leave(lock); } use(v)
//
// The lock may be taken by a guard, in functions of its own.
// Then every load of the same variable and every store that may be to a flag becomes volatile.
// That is how other programs write it, and what Atomics.cpp puts in order. It does no harm to an
// integer that is no flag: what is in the order of execution has an order.

#include "parallel/omp/Flags.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
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

constexpr StringRef Own = "cf_v1_"; ///< what the derivatives of others call

/// Whether the call enters mutual exclusion of the program, or leaves it.
std::optional<bool> locks(const Instruction &I) {
  static const StringMap<bool> Enters = {
#define OMP_ENTER(Name, Lock) {#Name, true},
#define OMP_TRY(Name, Result) {#Name, true},
#define OMP_LEAVE(Name, Lock) {#Name, false},
#include "parallel/omp/Runtime.def"
  };
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call && !isa<IntrinsicInst>(I) ? Call->getCalledFunction() : nullptr;
  const bool IsTheirs = F && F->isDeclaration() && !F->getName().starts_with(Own);
  auto It = IsTheirs ? Enters.find(F->getName()) : Enters.end();
  return It == Enters.end() ? std::nullopt : std::optional(It->second);
}

/// The function of the program that is called, if its body is known.
const Function *bodyOf(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && !F->isDeclaration() ? F : nullptr;
}

/// True for memory that no other thread knows of.
bool isPrivate(const Value *Address) {
  const Value *Object = getUnderlyingObject(Address);
  return isa<AllocaInst>(Object) && !PointerMayBeCaptured(Object, /*ReturnCaptures=*/true);
}

/// Functions within functions that are looked into.
constexpr unsigned MaxDepth = 3;

/// Which calls enter mutual exclusion (true) or leave it, also in functions of their own: the
/// constructor of a guard.
class LockCalls {
public:
  std::optional<bool> turns(const Instruction &I);

private:
  DenseMap<const Function *, std::optional<bool>> Known;
};

std::optional<bool> LockCalls::turns(const Instruction &I) {
  const Function *F = bodyOf(I);
  if (!F)
    return locks(I);
  auto [It, IsNew] = Known.try_emplace(F, std::nullopt);
  if (!IsNew)
    return It->second;
  std::optional<bool> Turns;
  for (const Instruction &Inner : instructions(*F))
    if (const auto Found = turns(Inner)) {
      if (Turns && *Turns != *Found)
        return std::nullopt; // enters, and leaves again
      Turns = Found;
    }
  return Known[F] = Turns;
}

/// True for a load in front of which, on the only way there, a lock has been taken last.
bool isLocked(const LoadInst &Load, LockCalls &Locks) {
  const BasicBlock *Block = Load.getParent();
  auto Before = make_range(Block->begin(), Load.getIterator());
  SmallPtrSet<const BasicBlock *, 8> Seen;
  while (true) {
    for (const Instruction &I : reverse(Before))
      if (const auto Enters = Locks.turns(I))
        return *Enters;
    Block = Block->getSinglePredecessor();
    if (!Block || !Seen.insert(Block).second)
      return false;
    Before = make_range(Block->begin(), Block->end());
  }
}

/// What a loop that waits looks at.
enum class By { Numbers, Signals };

/// True if a loop that consists of such instructions may do nothing but wait.
bool mayWait(const Instruction &I, By What, unsigned Depth = 0) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand()));
  if (!isa<CallBase>(I) || isa<IntrinsicInst>(I) || isBreath(I))
    return isa<FenceInst>(I) || !I.isAtomic() || (What == By::Signals && isa<LoadInst>(I));
  if (const Function *F = bodyOf(I))
    return Depth < MaxDepth &&
           all_of(
               instructions(*F),
               [&](const Instruction &Inner) { return mayWait(Inner, What, Depth + 1); });
  return letsOthersRun(I) || locks(I);
}

bool mayWait(const Loop &L, By What) {
  return all_of(L.blocks(), [&](const BasicBlock *Block) {
    return all_of(*Block, [&](const Instruction &I) { return mayWait(I, What); });
  });
}

/// True for what may be a flag: whoever waits for a float has nothing but its digits.
bool isFlagType(const Type *T) { return T->isIntegerTy() || T->isPointerTy(); }

using Loads = SmallSetVector<LoadInst *, 4>;

/// What the value is calculated from within the loop.
void collectLooks(Value *End, const Loop &L, Loads &Looks) {
  const BasicBlock &Header = *L.getHeader();
  LockCalls Locks;
  SmallVector<Value *, 8> Work = {End};
  SmallPtrSet<Value *, 16> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    const bool IsInside = I && (L.contains(I) || I->getFunction() != Header.getParent());
    if (!IsInside || !Seen.insert(I).second)
      continue;
    auto *Load = dyn_cast<LoadInst>(I);
    if (locks(*I) || (Load && isLocked(*Load, Locks)))
      continue; // the lock says in which order, also one that is tried
    if (const Function *F = bodyOf(*I))
      for (const BasicBlock &Block : *F)
        Work.append(Block.getTerminator()->op_begin(), Block.getTerminator()->op_end());
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
Loads looksOf(const Loop &L, By What = By::Numbers) {
  if (!mayWait(L, What))
    return {};
  Loads Looks;
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
  auto Counts = [](const Instruction &I) { // what is only kept for a look at it does not
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Load = Store ? dyn_cast<LoadInst>(Store->getValueOperand()) : nullptr;
    return Store && (!Load || isPrivate(Load->getPointerOperand()));
  };
  const bool Stores =
      any_of(L.blocks(), [&](const BasicBlock *Block) { return any_of(*Block, Counts); });
  return !Stores && L.getHeader()->phis().empty();
}

/// True for what lets others run or takes locks, itself or in a function that it calls.
bool givesWay(const Instruction &I, unsigned Depth = 0) {
  if (const Function *F = bodyOf(I))
    return Depth < MaxDepth && F->size() == 1 &&
           any_of(
               F->front(),
               [&](const Instruction &Inner) {
                 return isBreath(Inner) || givesWay(Inner, Depth + 1);
               });
  return letsOthersRun(I) || locks(I);
}

/// Tells Visit of each loop of F that may wait, and where it says so.
void forEachWait(Function &F, function_ref<void(const Loop &, Instruction &)> Visit) {
  SmallPtrSet<const Loop *, 4> Seen;
  std::optional<DominatorTree> DT;
  std::optional<LoopInfo> LI;
  for (Instruction &I : instructions(F)) {
    const bool Breathes = isBreath(I);
    if (!Breathes && !givesWay(I))
      continue;
    if (!LI) {
      DT.emplace(F);
      LI.emplace(*DT);
    }
    const Loop *L = LI->getLoopFor(I.getParent());
    if (L && (Breathes || endsByOthers(*L)) && Seen.insert(L).second)
      Visit(*L, I);
  }
}

/// What the loops of F that wait look at.
Loads looksOf(Function &F) {
  Loads Looks;
  forEachWait(F, [&](const Loop &L, Instruction &) { Looks.insert_range(looksOf(L)); });
  return Looks;
}

/// True if the two addresses are calculated in the same way.
bool isSamePlace(const Value *A, const Value *B) {
  auto *Left = dyn_cast<Instruction>(A), *Right = dyn_cast<Instruction>(B);
  if (A == B || !Left || !Right)
    return A == B;
  if (isa<LoadInst>(Left) && isa<LoadInst>(Right))
    return isa<AllocaInst>(Left->getOperand(0)) && Left->getOperand(0) == Right->getOperand(0);
  return isa<GetElementPtrInst>(Left) && isa<GetElementPtrInst>(Right) &&
         Left->isSameOperationAs(Right) &&
         all_of(zip(Left->operands(), Right->operands()),
                [](const auto &Pair) { return isSamePlace(std::get<0>(Pair), std::get<1>(Pair)); });
}

/// True for a load, or a store, of that type where Look looks.
bool isAccessOf(const Instruction &I, const LoadInst &Look) {
  const Value *Address = isa<LoadInst, StoreInst>(I) ? getLoadStorePointerOperand(&I) : nullptr;
  return Address && getLoadStoreType(&I) == Look.getType() &&
         isSamePlace(Address, Look.getPointerOperand());
}

/// True if the function has looked there before it took the lock, and sets what it looks at.
bool isSecondLook(const LoadInst &Look, const DominatorTree &DT, LockCalls &Locks) {
  const Function &F = *Look.getFunction();
  auto IsFirst = [&](const Instruction &I) {
    return isa<LoadInst>(I) && isAccessOf(I, Look) && !isLocked(cast<LoadInst>(I), Locks) &&
           DT.properlyDominates(I.getParent(), Look.getParent());
  };
  auto Sets = [&](const Instruction &I) {
    return isa<StoreInst>(I) && isAccessOf(I, Look) &&
           (Look.getType()->isPointerTy() || isa<Constant>(I.getOperand(0)));
  };
  return any_of(instructions(F), IsFirst) && any_of(instructions(F), Sets);
}

/// The looks at flags of F behind locks that were taken because of such a look.
Loads secondLooksOf(Function &F, LockCalls &Locks) {
  Loads Looks;
  auto Enters = [&](const Instruction &I) { return Locks.turns(I).value_or(false); };
  if (none_of(instructions(F), Enters))
    return Looks;
  const DominatorTree DT(F);
  for (Instruction &I : instructions(F))
    if (auto *Look = dyn_cast<LoadInst>(&I);
        Look && isFlagType(Look->getType()) && !isPrivate(Look->getPointerOperand()) &&
        isLocked(*Look, Locks) && isSecondLook(*Look, DT, Locks))
      Looks.insert(Look);
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

SmallVector<LoadInst *, 4> waitsOf(Function &F) {
  Loads Looks = looksOf(F);
  auto IsSignal = [](const Instruction &I) {
    return isa<LoadInst>(I) && (I.isAtomic() || I.isVolatile());
  };
  if (none_of(instructions(F), IsSignal))
    return Looks.takeVector();
  const DominatorTree DT(F);
  const LoopInfo LI(DT);
  for (const Loop *L : LI.getLoopsInPreorder())
    for (LoadInst *Look : looksOf(*L, By::Signals))
      if (IsSignal(*Look))
        Looks.insert(Look);
  return Looks.takeVector();
}

bool mayBeSet(const LoadInst &Look, const Instruction &I) {
  const bool IsSignal = Look.isAtomic() || Look.isVolatile();
  auto *Store = dyn_cast<StoreInst>(&I);
  auto *Update = dyn_cast<AtomicRMWInst>(&I);
  if (!Update && (!Store || (IsSignal && !Store->isAtomic() && !Store->isVolatile())))
    return false;
  const Value *Address = Store ? Store->getPointerOperand() : Update->getPointerOperand();
  const Value *V = Store ? Store->getValueOperand() : Update->getValOperand();
  const GlobalVariable *Variable = variableOf(Look.getPointerOperand()),
                       *Into = variableOf(Address);
  if (V->getType() != Look.getType() || isPrivate(Address))
    return false;
  if (Variable && Into)
    return Variable == Into;
  return (!Variable || isHandedOn(*Variable)) && (!Into || isHandedOn(*Into));
}

/// True if the loop waits, and for nothing that may be a flag.
static bool waitsForUnknown(const Loop &L) {
  const Loads Looks = looksOf(L);
  return !Looks.empty() &&
         none_of(Looks, [](const LoadInst *Look) { return isFlagType(Look->getType()); });
}

bool waitsForUnknown(const CallBase &Flush) {
  const DominatorTree DT(const_cast<Function &>(*Flush.getFunction()));
  const LoopInfo LI(DT);
  const Loop *L = LI.getLoopFor(Flush.getParent());
  return L && waitsForUnknown(*L);
}

Flags::Flags(Module &M) {
  LockCalls Locks;
  for (Function &F : M) {
    for (const LoadInst *Look : looksOf(F))
      if (isFlagType(Look->getType()))
        Known.insert({variableOf(Look->getPointerOperand()), Look->getType()});
    for (const LoadInst *Look : secondLooksOf(F, Locks))
      if (GlobalVariable *Variable = variableOf(Look->getPointerOperand()))
        Known.insert({Variable, Look->getType()});
  }
}

bool Flags::mayStore(const StoreInst &Store) const {
  Type *T = Store.getValueOperand()->getType();
  if (!isFlagType(T) || isPrivate(Store.getPointerOperand()))
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

static void setVolatile(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Load->setVolatile(true);
  else
    cast<StoreInst>(I).setVolatile(true);
}

/// Marks what F looks at in front of a lock and behind it.
static bool markSecondLooks(Function &F) {
  LockCalls Locks;
  const Loads Looks = secondLooksOf(F, Locks);
  for (const LoadInst *Look : Looks)
    for (Instruction &I : instructions(F))
      if (isAccessOf(I, *Look))
        setVolatile(I);
  return !Looks.empty();
}

/// A loop that waits for a float without flush says so by one: that is refused.
static void markUnknown(Function &F) {
  SmallVector<Instruction *, 2> Places;
  forEachWait(F, [&](const Loop &L, Instruction &I) {
    if (!isFlush(I) && waitsForUnknown(L))
      Places.push_back(&I);
  });
  Module &M = *F.getParent();
  for (Instruction *I : Places) {
    IRBuilder<> B(I);
    B.CreateCall(M.getOrInsertFunction(Flush, B.getVoidTy(), B.getPtrTy()),
                 {ConstantPointerNull::get(B.getPtrTy())});
  }
}

bool Flags::mark(Function &F) const {
  markUnknown(F);
  const bool LooksTwice = markSecondLooks(F);
  if (empty())
    return LooksTwice;
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
      if (isFlagType(Load->getType()) && !isPrivate(Load->getPointerOperand()) && IsLook(*Load))
        Load->setVolatile(true);
    } else if (auto *Store = dyn_cast<StoreInst>(&I); Store && mayStore(*Store)) {
      Store->setVolatile(true);
    }
  return true;
}

} // namespace contraflow::omp
