// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An adjoint does not return the value of the primal, so the optimiser deletes what only that value
// needs. Where a region adds it up, it cannot: the variable is passed to another function, through
// the library that makes the threads.
//
//   fork(region, &total)                                  fork(region, &total)
//   region(total): for (...) s += f(x[i]);        ->      region(total): critical { }
//                  critical { *total += s; }
//
// A variable is unread if all that is done with its address, here and in the functions that are
// given it, is to store there, and to load what is stored there again. Such a function must have no
// other caller. How threads meet (critical sections, barriers) stays.
//
// A call of the mathematics library may set errno, so the optimiser keeps it even if its result is
// not used; preparation has taken such calls away (Canonical.cpp), and so does this.

#include "Unread.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/AbstractCallSite.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {
namespace {

/// All that is done with the address of one variable.
class Accesses {
public:
  explicit Accesses(AllocaInst &Variable) { Unread = follow(Variable) && onlyForItself(); }
  /// Erases the writes; the functions they are in go to Changed.
  void drop(SmallSetVector<Function *, 4> &Changed);

private:
  bool follow(Value &Address);
  bool followAccess(const Use &U);
  bool followCall(const CallBase &Call, const Use &U);
  bool onlyForItself() const;

  bool Unread = false;
  SmallSetVector<Instruction *, 8> Reads, Writes;
  SmallPtrSet<const Value *, 16> Seen;
};

bool isOnlyUse(const Function &F) { return F.hasLocalLinkage() && F.hasOneUse(); }

/// Follows an operand into the function that is called, at once or through a library.
bool Accesses::followCall(const CallBase &Call, const Use &U) {
  if (!Call.isArgOperand(&U))
    return false;
  const unsigned Operand = Call.getArgOperandNo(&U);
  if (Function *F = Call.getCalledFunction(); F && !F->isDeclaration())
    return isOnlyUse(*F) && Operand < F->arg_size() && !Call.isByValArgument(Operand) &&
           follow(*F->getArg(Operand));
  SmallVector<const Use *, 2> Callbacks;
  AbstractCallSite::getCallbackUses(Call, Callbacks);
  bool Passed = false;
  for (const Use *Callback : Callbacks) {
    AbstractCallSite Site(Callback);
    Function *F = Site ? Site.getCalledFunction() : nullptr;
    if (!F || F->isDeclaration() || !isOnlyUse(*F) || Site.getNumArgOperands() != F->arg_size())
      return false;
    for (unsigned I = 0; I < F->arg_size(); ++I)
      if (Site.getCallArgOperandNo(I) == static_cast<int>(Operand)) {
        if (!follow(*F->getArg(I)))
          return false;
        Passed = true;
      }
  }
  return Passed;
}

bool Accesses::followAccess(const Use &U) {
  auto *I = cast<Instruction>(U.getUser());
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    Reads.insert(I);
    return Load->isSimple();
  }
  if (auto *Store = dyn_cast<StoreInst>(I)) {
    Writes.insert(I);
    return Store->isSimple() && U.getOperandNo() == StoreInst::getPointerOperandIndex();
  }
  auto *Set = dyn_cast<MemSetInst>(I);
  Writes.insert(I);
  return Set && !Set->isVolatile();
}

bool Accesses::follow(Value &Address) {
  if (!Seen.insert(&Address).second)
    return true;
  return all_of(Address.uses(), [&](Use &U) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I)
      return false;
    if (I->isLifetimeStartOrEnd())
      return true;
    if (isa<GetElementPtrInst>(I))
      return U.getOperandNo() == 0 && follow(*I);
    if (auto *Call = dyn_cast<CallInst>(I); Call && !isa<IntrinsicInst>(I))
      return followCall(*Call, U);
    return followAccess(U);
  });
}

/// True if what is read leads nowhere but to the writes.
bool Accesses::onlyForItself() const {
  SmallVector<Instruction *, 16> Work(Reads.begin(), Reads.end());
  SmallPtrSet<Instruction *, 16> Reached(Reads.begin(), Reads.end());
  while (!Work.empty())
    for (User *U : Work.pop_back_val()->users()) {
      auto *I = cast<Instruction>(U);
      if (Writes.contains(I) || !Reached.insert(I).second)
        continue;
      if (!wouldInstructionBeTriviallyDead(I))
        return false;
      Work.push_back(I);
    }
  return true;
}

void Accesses::drop(SmallSetVector<Function *, 4> &Changed) {
  if (!Unread)
    return;
  for (Instruction *I : Writes) {
    Changed.insert(I->getFunction());
    I->eraseFromParent();
  }
}

} // namespace

/// Together with what depends on them.
bool dropUnusedMath(Function &F) {
  SmallPtrSet<Instruction *, 8> Math;
  for (Instruction &I : instructions(F))
    if (isPlainMath(I))
      Math.insert(&I);
  if (Math.empty())
    return false;
  SmallVector<Instruction *, 64> Work;
  SmallPtrSet<Instruction *, 32> Live;
  for (Instruction &I : instructions(F))
    if (!Math.contains(&I) && !wouldInstructionBeTriviallyDead(&I) && Live.insert(&I).second)
      Work.push_back(&I);
  while (!Work.empty())
    for (Value *Op : Work.pop_back_val()->operands())
      if (auto *I = dyn_cast<Instruction>(Op); I && Live.insert(I).second)
        Work.push_back(I);
  if (all_of(Math, [&](Instruction *I) { return Live.contains(I); }))
    return false;
  SmallVector<Instruction *, 16> Dead;
  for (Instruction &I : instructions(F))
    if (!Live.contains(&I))
      Dead.push_back(&I);
  for (Instruction *I : Dead)
    I->dropAllReferences();
  for (Instruction *I : Dead)
    I->eraseFromParent();
  return true;
}

SmallSetVector<Function *, 4> dropUnread(ArrayRef<Function *> Functions) {
  SmallSetVector<Function *, 4> Changed;
  SmallVector<AllocaInst *, 16> Variables;
  for (Function *F : Functions)
    for (Instruction &I : F->getEntryBlock())
      if (auto *Variable = dyn_cast<AllocaInst>(&I))
        Variables.push_back(Variable);
  for (AllocaInst *Variable : Variables)
    Accesses(*Variable).drop(Changed);
  return Changed;
}

} // namespace contraflow
