// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuleReads.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {

/// A local variable that unoptimised code keeps a parameter in; null: it is something else.
static const AllocaInst *homeOf(const Use &U) {
  auto *Store = dyn_cast<StoreInst>(U.getUser());
  return Store && U.getOperandNo() == 0 ? dyn_cast<AllocaInst>(Store->getPointerOperand())
                                        : nullptr;
}

static bool readsNumbers(const Value *P, SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(P).second)
    return false;
  auto Reads = [&](const Use &U) {
    const User *I = U.getUser();
    if (auto *Load = dyn_cast<LoadInst>(I))
      return Load->getType()->isFPOrFPVectorTy() ||
             (Load->getType()->isPointerTy() && readsNumbers(Load, Seen));
    if (const AllocaInst *Home = homeOf(U))
      return readsNumbers(Home, Seen);
    if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(I))
      return readsNumbers(I, Seen);
    auto *Call = dyn_cast<CallBase>(I);
    if (!Call || !Call->isArgOperand(&U) || isa<LifetimeIntrinsic>(Call))
      return false;
    const Function *F = Call->getCalledFunction();
    const unsigned Number = Call->getArgOperandNo(&U);
    if (isa<AnyMemTransferInst>(Call) && Number == 0)
      return false;
    return !F || F->isDeclaration() || F->isVarArg() ? !Call->doesNotAccessMemory(Number)
                                                     : readsNumbers(F->getArg(Number), Seen);
  };
  return any_of(P->uses(), Reads);
}

bool readsNumbers(const Argument &A) {
  SmallPtrSet<const Value *, 16> Seen;
  return !A.getParent()->isDeclaration() && readsNumbers(&A, Seen);
}

} // namespace contraflow
