// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether exceptions go away without anybody else noticing: no destructor of what is thrown comes
// to a variable of the program, so that the end of a handler changes what the exception leads to
// and nothing else.
//
//   struct Failed { std::string Where; };         so
//   ~Failed() { ++Ended; }                        not so

#include "Exceptions.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

using Visited = SmallPtrSet<const Function *, 8>;

/// Numbers may be read anywhere.
bool namesVariable(const Instruction &I) {
  if (isa<LoadInst>(I) && !I.getType()->isPointerTy())
    return false;
  return any_of(I.operands(), [](const Use &U) {
    const auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(U.get()));
    return G && !G->isConstant();
  });
}

bool reachesVariables(const Function &F, Visited &Seen) {
  const CalleeInfo Info = lookupCallee(F);
  if (Info.ReadOnly || Info.Kind == CalleeKind::Free || F.doesNotReturn() ||
      !Seen.insert(&F).second)
    return false;
  if (F.isDeclaration() || F.isInterposable())
    return true;
  return any_of(instructions(F), [&](const Instruction &I) {
    if (namesVariable(I))
      return true;
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(I))
      return false;
    const Function *Callee = Call->getCalledFunction();
    return !Callee || reachesVariables(*Callee, Seen);
  });
}

/// The destructors that calls of Throw name, some as parameters of the function they are in.
bool addDestructors(const Function &Throw, SmallVectorImpl<const Value *> &Ends) {
  constexpr unsigned Destructor = 2;
  for (const User *U : Throw.users()) {
    const auto *Call = dyn_cast<CallBase>(U);
    if (!Call || Call->getCalledFunction() != &Throw)
      return false;
    const auto *Given = dyn_cast<Argument>(Call->getArgOperand(Destructor));
    if (!Given) {
      Ends.push_back(Call->getArgOperand(Destructor));
      continue;
    }
    for (const User *By : Given->getParent()->users()) {
      const auto *Outer = dyn_cast<CallBase>(By);
      if (!Outer || Outer->getCalledFunction() != Given->getParent())
        return false;
      Ends.push_back(Outer->getArgOperand(Given->getArgNo()));
    }
  }
  return true;
}

} // namespace

bool endAlone(const Module &M) {
  const Function *Throw = M.getFunction(nameOf(ExceptionStep::Throw));
  if (any_of(M, [](const Function &F) { return rethrowsKept(F); }))
    return false; // they may be anybody's
  SmallVector<const Value *, 8> Ends;
  if (Throw && !addDestructors(*Throw, Ends))
    return false;
  Visited Seen;
  return all_of(Ends, [&](const Value *End) {
    const auto *F = dyn_cast<Function>(End);
    return F ? !reachesVariables(*F, Seen) : isa<ConstantPointerNull>(End);
  });
}

} // namespace contraflow
