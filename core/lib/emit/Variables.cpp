// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In front of each use of a thread-local variable that another file defines the compiler calls what
// may initialise it, if that is there:
//
//   if (_ZTH7scratch) _ZTH7scratch();  ... scratch ...
//
// It is not there where the variable is defined in this module without it, or in a program of C.

#include "Variables.h"
#include "Unit.h"
#include "callee/Variables.h"
#include "contraflow/core/Diag.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

static bool readsSignOfGamma(const Instruction &I) {
  return any_of(I.operands(), [](const Use &V) {
    auto *G = dyn_cast<GlobalVariable>(V->stripInBoundsOffsets());
    return G && isSignOfGamma(*G);
  });
}

/// A variable with a derivative that may be read to initialise another one; null if there is none.
static const GlobalVariable *sourceOf(const RequestState &S, const Function &Initialiser) {
  const GlobalVariable *Own = initialisedBy(Initialiser);
  if ((Own && Own->hasInitializer()) || !mayInitialise(*Initialiser.getParent()))
    return nullptr;
  for (GlobalVariable &G : S.C.M.globals())
    if (&G != Own && !G.isConstant() && S.Activity.hasShadow(&G))
      return &G;
  return nullptr;
}

static Error check(const RequestState &S, Instruction &I) {
  if (readsSignOfGamma(I))
    return diffError(DiagId::UnsupportedInstruction, I,
                     "signgam, which lgamma sets beside its result; call lgamma_r");
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (F && isOutsideInitialiser(*F))
    if (const GlobalVariable *G = sourceOf(S, *F))
      return diffError(DiagId::NoRule, I, F->getName() + "', which may read '" + G->getName());
  return Error::success();
}

Error checkVariables(RequestState &S) {
  for (Function *F : S.Closure.Functions)
    for (Instruction &I : instructions(*F))
      if (Error E = check(S, I))
        return E;
  return Error::success();
}

} // namespace contraflow
