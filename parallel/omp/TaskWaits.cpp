// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that waits for what whoever makes it does later,
//
//   task { while (!ready) flush; use(v); }   v = f(x); ready = 1;
//
// ends only on another thread. Run where it is made, it would wait forever; as a task of the
// reverse it could wait for others that nobody has begun. So it is refused. What it waits for is
// looked for behind the place where the task is made, up to where somebody waits for the task: in
// that function, in what it calls, in other tasks that it makes there, and where it returns to.
// What has been written in front of that place each time, and what tasks of the same kind write,
// is waited for as ever.

#include "contraflow/core/Diag.h"
#include "parallel/omp/Flags.h"
#include "parallel/omp/Handlers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef Make = "__kmpc_omp_task_alloc";
constexpr StringRef Runs[] = {"__kmpc_omp_task", "__kmpc_omp_task_with_deps"};
constexpr StringRef Waits[] = {
    "__kmpc_omp_taskwait",  "__kmpc_omp_wait_deps", "__kmpc_omp_taskwait_deps_51",
    "__kmpc_end_taskgroup", "__kmpc_barrier",       "__kmpc_cancel_barrier"};

StringRef calledName(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F ? F->getName() : "";
}

/// The function of the task that is made here.
Function *entryOf(const Instruction &I) {
  auto *Call = calledName(I) == Make ? cast<CallBase>(&I) : nullptr;
  return Call && Call->arg_size() == 6
             ? dyn_cast<Function>(Call->getArgOperand(5)->stripPointerCasts())
             : nullptr;
}

/// The functions that run when F does, tasks and regions in it left out.
void collectCalled(Function &F, SmallSetVector<Function *, 8> &Called) {
  Called.insert(&F);
  for (unsigned At = 0; At < Called.size(); ++At)
    for (Instruction &I : instructions(*Called[At]))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Function *Callee = Call->getCalledFunction(); Callee && !Callee->isDeclaration())
          Called.insert(Callee);
}

/// Looks for what sets one of the flags behind the place where a task is made.
class Later {
public:
  Later(Function &Entry, ArrayRef<LoadInst *> Flags) : Entry(Entry), Flags(Flags) {}
  bool sets(Instruction &Run);

private:
  bool isSet(const Instruction &I) const {
    return any_of(Flags, [&](const LoadInst *Flag) { return mayBeSet(*Flag, I); });
  }
  bool setsWithin(Function &F) const;
  bool sets(Instruction &I, Instruction &Run, const DominatorTree &DT);
  bool setsAfter(Instruction &From, unsigned Depth);

  Function &Entry;
  ArrayRef<LoadInst *> Flags;
};

bool Later::setsWithin(Function &F) const {
  SmallSetVector<Function *, 8> Called;
  collectCalled(F, Called);
  return any_of(Called, [&](Function *Callee) {
    return any_of(instructions(*Callee), [&](const Instruction &I) { return isSet(I); });
  });
}

/// True if the place where the task is made comes behind such a store of the same number: loops
/// may have been unrolled.
bool isSetBefore(const StoreInst &Store, const Instruction &Run, const DominatorTree &DT) {
  const Value *Object = getUnderlyingObject(Store.getPointerOperand());
  return isa<Constant>(Store.getValueOperand()) &&
         any_of(instructions(*Run.getFunction()), [&](const Instruction &I) {
           auto *Before = dyn_cast<StoreInst>(&I);
           return Before && Before->getValueOperand() == Store.getValueOperand() &&
                  getUnderlyingObject(Before->getPointerOperand()) == Object &&
                  DT.dominates(Before, &Run);
         });
}

bool Later::sets(Instruction &I, Instruction &Run, const DominatorTree &DT) {
  if (DT.dominates(&I, &Run))
    return false;
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    auto *Object = dyn_cast<Instruction>(getUnderlyingObject(Store->getPointerOperand()));
    return !(Object && entryOf(*Object)) && isSet(I) && !isSetBefore(*Store, Run, DT);
  }
  if (Function *Other = entryOf(I))
    return Other != &Entry && setsWithin(*Other);
  auto *Call = dyn_cast<CallBase>(&I);
  Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return isSet(I) || (Callee && !Callee->isDeclaration() && setsWithin(*Callee));
}

/// Depth functions have returned on the way.
bool Later::setsAfter(Instruction &From, unsigned Depth) {
  constexpr unsigned MaxDepth = 3;
  Function &F = *From.getFunction();
  const DominatorTree DT(F);
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<Instruction *, 8> Todo = {From.getNextNode()};
  bool Returns = false;
  while (!Todo.empty()) {
    Instruction *I = Todo.pop_back_val();
    BasicBlock *Block = I->getParent();
    for (; I && !is_contained(Waits, calledName(*I)); I = I->getNextNode()) {
      if (sets(*I, From, DT))
        return true;
      Returns |= isa<ReturnInst>(I);
      if (I->isTerminator())
        for (BasicBlock *Next : successors(Block))
          if (Seen.insert(Next).second)
            Todo.push_back(&Next->front());
    }
  }
  return Returns && Depth < MaxDepth &&
         any_of(
             F.users(),
             [&](User *U) {
               auto *Call = dyn_cast<CallInst>(U);
               return Call && Call->getCalledFunction() == &F && setsAfter(*Call, Depth + 1);
             });
}

bool Later::sets(Instruction &Run) { return setsAfter(Run, 0); }

/// A task that is left to the library.
class LeftTaskHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {Make, Runs[0], Runs[1]}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  Error tangent(SweepBuilder &, CallBase &Call) const override { return refuse(Call); }
  Error augment(SweepBuilder &, CallSite &Site) const override { return refuse(*Site.Anchor); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  static Error refuse(CallBase &Call) {
    if (entryOf(Call))
      return diffError(DiagId::UnsupportedOpenMP, Call,
                       "a task waits for what is done later by the thread that makes it");
    auto *Task = dyn_cast<Instruction>(Call.getArgOperand(2));
    if (Task && entryOf(*Task)) // which has been refused
      return Error::success();
    return diffError(DiagId::UnsupportedOpenMP, Call, "a task that is made elsewhere");
  }
};

} // namespace

bool waitsForMaker(Function &Entry) {
  SmallSetVector<Function *, 8> Called;
  collectCalled(Entry, Called);
  SmallVector<LoadInst *, 4> Flags;
  for (Function *F : Called)
    append_range(Flags, waitsOf(*F));
  if (Flags.empty())
    return false;
  Later After(Entry, Flags);
  return any_of(Entry.users(), [&](User *U) {
    auto *Call = dyn_cast<Instruction>(U);
    return Call && entryOf(*Call) == &Entry && any_of(Call->users(), [&](User *User) {
             auto *Run = dyn_cast<Instruction>(User);
             return Run && is_contained(Runs, calledName(*Run)) && After.sets(*Run);
           });
  });
}

void registerTaskWaits(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<LeftTaskHandler>());
}

} // namespace contraflow::omp
