// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A primal that is given numbers only can call no function but those that its own code names,
// directly, in tables, or in what it calls:
//
//   double area(const double *x, int n) {                          reached: area, its two lambdas,
//     std::function<double(double)> f = [=](double v) { ... };     what std::function makes of them
//     std::function<double(double)> g = [f](double v) { ... };
//     return g(x[n - 1]);                                          candidates of this: those
//   }
//   double volume(const double *x, int n) { ... other lambdas ... }           not those
//
// Otherwise every std::function of a file would be a candidate of every other one, and many
// derivatives in a file would be many times as large as each of them alone. Nothing is known where
// the name of the primal does not tell its parameters (C), where one of them is no number, array or
// container of numbers, where the code names a variable that may hold an address other than that
// of a function (or a number that it makes one of), or calls what nobody knows.

#include "Reached.h"
#include "Hooks.h"

#include "callee/Bodies.h"
#include "callee/Classes.h"
#include "callee/Resources.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

/// True if no object of this type holds an address: bytes may be anything.
static bool holdsNumbers(Type *T) {
  if (auto *S = dyn_cast<StructType>(T))
    return all_of(S->elements(), holdsNumbers);
  if (auto *A = dyn_cast<ArrayType>(T))
    return !A->getElementType()->isIntegerTy(8) && holdsNumbers(A->getElementType());
  return T->isIntOrIntVectorTy() || T->isFPOrFPVectorTy();
}

/// True if a number there may be an address, as the function of a pointer to a member is.
static bool holdsWords(Type *T) {
  if (auto *S = dyn_cast<StructType>(T))
    return any_of(S->elements(), holdsWords);
  if (auto *A = dyn_cast<ArrayType>(T))
    return holdsWords(A->getElementType());
  return T->isIntOrIntVectorTy(64);
}

ReachedFunctions::ReachedFunctions(Function &Primal, const HandlerRegistry &Handlers)
    : Known(takesNumbersOnly(Primal)) {
  note(&Primal);
  while (Known && !Todo.empty()) {
    const Constant *C = Todo.pop_back_val();
    if (auto *F = dyn_cast<Function>(C))
      follow(*F, Handlers);
    else if (auto *G = dyn_cast<GlobalValue>(C))
      follow(*G);
    else
      for (const Use &Op : C->operands())
        note(Op);
  }
  Known &= !(NamesWords && MakesAddresses);
}

void ReachedFunctions::note(const Value *V) {
  auto *C = dyn_cast_or_null<Constant>(V);
  if (C && !isa<ConstantData>(C) && Seen.insert(C).second)
    Todo.push_back(C);
}

void ReachedFunctions::follow(const Function &F, const HandlerRegistry &Handlers) {
  if (F.hasFnAttribute(attr::Again)) // stands for it where it is differentiated again
    note(F.getParent()->getFunction(F.getFnAttribute(attr::Again).getValueAsString()));
  if (F.isDeclaration()) {
    const Function *Body = bodyOf(F);
    note(Body);
    Known &= F.isIntrinsic() || isOfStandardLibrary(F) || Body ||
             lookupCallee(F).Kind != CalleeKind::Unknown || Handlers.find(F.getName());
  }
  for (const Instruction &I : instructions(F)) {
    MakesAddresses |= isa<IntToPtrInst>(I);
    for (const Use &Op : I.operands())
      note(Op);
  }
}

void ReachedFunctions::follow(const GlobalValue &G) {
  if (auto *Second = dyn_cast<GlobalAlias>(&G))
    return note(Second->getAliasee());
  if (auto *Chosen = dyn_cast<GlobalIFunc>(&G))
    return note(Chosen->getResolver());
  note(tableInPlaceOf(const_cast<GlobalValue &>(G)));
  auto *Variable = dyn_cast<GlobalVariable>(&G);
  if (Variable && Variable->isConstant() && Variable->hasDefinitiveInitializer())
    return note(Variable->getInitializer());
  if (isOfStandardLibrary(G) || (Variable && isStream(*Variable)))
    return;
  const auto Held = Variable ? functionsOfVariable(*Variable) : std::nullopt;
  Known &= Held || (Variable && holdsNumbers(G.getValueType()));
  NamesWords |= holdsWords(G.getValueType());
  if (Held)
    for (const Function *F : *Held) // in any order
      note(F);
}

} // namespace contraflow
