// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KnownVariables.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned DistanceBits = 64;
constexpr unsigned MostConstants = 8;

/// Variables that are the same parameter of a function.
struct Known {
  SmallSetVector<ConstantInt *, MostConstants> Constants;
  SmallVector<LoadInst *, 4> Distances; ///< loads that lead to a place in an object
  bool IsKnown = true;
};

class Finder {
public:
  explicit Finder(ArrayRef<Function *> Functions)
      : Functions(Functions), Own(Functions.begin(), Functions.end()) {}
  void run();

private:
  bool isVariable(const Value *V) const;
  bool isGiven(const Argument &A);
  void add(Value &Pointer);
  void addUse(const Use &U, Known &Of);
  Known &of(Value *Pointer) { return Found[Same.getOrInsertLeaderValue(Pointer)]; }

  ArrayRef<Function *> Functions;
  SmallPtrSet<Function *, 16> Own;
  SmallVector<Value *, 16> Pointers;
  EquivalenceClasses<Value *> Same;
  MapVector<Value *, Known> Found;
};

bool isDistance(const LoadInst &Load) {
  return any_of(Load.users(), [&](const User *U) {
    auto *Step = dyn_cast<GetElementPtrInst>(U);
    return Step && Step->getPointerOperand() != &Load;
  });
}

/// Of an integer, or a parameter that may lead to one.
bool Finder::isVariable(const Value *V) const {
  if (auto *Variable = dyn_cast<AllocaInst>(V))
    return Variable->getAllocatedType()->isIntegerTy(DistanceBits) &&
           !Variable->isArrayAllocation();
  auto *Parameter = dyn_cast<Argument>(V);
  return Parameter && Parameter->getType()->isPointerTy() && !Parameter->hasByValAttr() &&
         Own.contains(Parameter->getParent());
}

/// True if all calls of A's function are seen, and pass variables.
bool Finder::isGiven(const Argument &A) {
  const Function &F = *A.getParent();
  return F.hasLocalLinkage() && !F.use_empty() && all_of(F.uses(), [&](const Use &U) {
           auto *Call = dyn_cast<CallBase>(U.getUser());
           return Call && Call->isCallee(&U) && Own.contains(Call->getFunction()) &&
                  A.getArgNo() < Call->arg_size() && isVariable(Call->getArgOperand(A.getArgNo()));
         });
}

void Finder::add(Value &Pointer) {
  Same.insert(&Pointer);
  Pointers.push_back(&Pointer);
  for (const Use &U : Pointer.uses())
    if (auto *Call = dyn_cast<CallBase>(U.getUser()))
      if (Function *F = Call->getCalledFunction(); F && Own.contains(F) && Call->isArgOperand(&U) &&
                                                   Call->getArgOperandNo(&U) < F->arg_size())
        Same.unionSets(&Pointer, F->getArg(Call->getArgOperandNo(&U)));
}

void Finder::addUse(const Use &U, Known &Of) {
  if (auto *Load = dyn_cast<LoadInst>(U.getUser())) {
    if (!Load->getType()->isIntegerTy(DistanceBits) || !Load->isSimple())
      Of.IsKnown = false;
    else if (isDistance(*Load))
      Of.Distances.push_back(Load);
    return;
  }
  if (auto *Store = dyn_cast<StoreInst>(U.getUser())) {
    auto *C = dyn_cast<ConstantInt>(Store->getValueOperand());
    if (!C || C->getBitWidth() != DistanceBits || !Store->isSimple())
      Of.IsKnown = false;
    else
      Of.Constants.insert(C);
    return;
  }
  auto *Call = dyn_cast<CallBase>(U.getUser());
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  const bool HandsOn =
      F && Own.contains(F) && Call->isArgOperand(&U) && Call->getArgOperandNo(&U) < F->arg_size();
  if (!HandsOn && !(Call && Call->isLifetimeStartOrEnd()))
    Of.IsKnown = false;
}

Value *choose(LoadInst &Load, ArrayRef<ConstantInt *> Constants) {
  IRBuilder<> B(Load.getNextNode());
  B.SetCurrentDebugLocation(Load.getDebugLoc());
  Value *Chosen = Constants.front();
  for (ConstantInt *C : Constants.drop_front())
    Chosen = B.CreateSelect(B.CreateICmpEQ(&Load, C), C, Chosen);
  return Chosen;
}

void Finder::run() {
  for (Function *F : Functions) {
    for (Argument &A : F->args())
      if (isVariable(&A))
        add(A);
    for (Instruction &I : instructions(*F))
      if (isVariable(&I))
        add(I);
  }
  for (Value *Pointer : Pointers) {
    Known &Of = of(Pointer);
    if (auto *A = dyn_cast<Argument>(Pointer); A && !isGiven(*A))
      Of.IsKnown = false;
    for (const Use &U : Pointer->uses())
      addUse(U, Of);
  }
  for (auto &[Leader, Of] : Found) {
    if (!Of.IsKnown || Of.Constants.empty() || Of.Constants.size() > MostConstants)
      continue;
    for (LoadInst *Load : Of.Distances) {
      Value *Chosen = choose(*Load, Of.Constants.getArrayRef());
      Load->replaceUsesWithIf(Chosen,
                              [](const Use &U) { return isa<GetElementPtrInst>(U.getUser()); });
    }
  }
}

} // namespace

void readKnownVariables(ArrayRef<Function *> Functions) {
  if (Functions.size() > 1)
    Finder(Functions).run();
}

} // namespace contraflow
