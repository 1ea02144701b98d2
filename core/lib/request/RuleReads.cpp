// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuleReads.h"
#include "support/Home.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {

namespace {

/// Follows a parameter to the loads of numbers that it leads to.
class ReadsFinder {
public:
  void follow(const Value *P) {
    if (Seen.insert(P).second)
      for (const Use &U : P->uses())
        look(U);
  }
  SmallVector<const Value *, 8> Places;

private:
  void look(const Use &U);
  void lookAtCall(const CallBase &Call, const Use &U);

  SmallPtrSet<const Value *, 16> Seen;
};

void ReadsFinder::look(const Use &U) {
  const User *I = U.getUser();
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (Load->getType()->isFPOrFPVectorTy())
      Places.push_back(Load->getPointerOperand());
    else if (Load->getType()->isPointerTy())
      follow(Load);
  } else if (const AllocaInst *Home = homeOf(U)) {
    follow(Home);
  } else if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(I)) {
    follow(I);
  } else if (auto *Call = dyn_cast<CallBase>(I); Call && Call->isArgOperand(&U)) {
    lookAtCall(*Call, U);
  }
}

void ReadsFinder::lookAtCall(const CallBase &Call, const Use &U) {
  const unsigned Number = Call.getArgOperandNo(&U);
  const Function *F = Call.getCalledFunction();
  if (isa<LifetimeIntrinsic>(Call) || (isa<AnyMemTransferInst>(Call) && Number == 0))
    return;
  if (Call.getType()->isPointerTy()) // the address of an element
    follow(&Call);
  if (F && !F->isDeclaration() && !F->isVarArg())
    return follow(F->getArg(Number));
  if (!Call.doesNotAccessMemory(Number))
    Places.push_back(U.get());
}

} // namespace

SmallVector<const Value *, 8> numbersRead(const Argument &A) {
  ReadsFinder Finder;
  Finder.follow(&A);
  return std::move(Finder.Places);
}

} // namespace contraflow
