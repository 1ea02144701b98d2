// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A choice between virtual functions has branches for classes that an object is not of. In such a
// branch the table is known, but not the right one, and simplification makes a direct call of
// whatever lies at the member's place there:
//
//   if (table->value == Wave::value)   { table->rank(); }         table is the one of Linear
//   ->
//   if (Linear::value == Wave::value)  { (int (*)()) Linear::value (); }
//
// Nobody comes there. Of calls that the program may mean (a function that is declared in another
// way than it is defined) the types agree but for names and pointers.

#include "Mismatches.h"
#include "Indirect.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {

static bool isMismatch(const CallBase &Call) {
  const auto *F = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  if (!F || F->getFunctionType() == Call.getFunctionType() || F->isVarArg())
    return false;
  const DataLayout &Layout = Call.getDataLayout();
  auto Differ = [&](Type *A, Type *B) {
    return A != B &&
           (A->isVoidTy() || B->isVoidTy() || !CastInst::isBitOrNoopPointerCastable(A, B, Layout) ||
            A->isFPOrFPVectorTy() != B->isFPOrFPVectorTy());
  };
  if (!Call.use_empty() && Differ(F->getReturnType(), Call.getType()))
    return true;
  if (Call.arg_size() != F->arg_size())
    return true;
  for (unsigned I = 0; I != F->arg_size(); ++I)
    if (Differ(F->getArg(I)->getType(), Call.getArgOperand(I)->getType()))
      return true;
  return false;
}

bool endMismatches(Function &F) {
  SmallVector<CallBase *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && isMismatch(*Call))
      Calls.push_back(Call);
  for (CallBase *Call : reverse(Calls)) { // each takes with it what comes after it in its block
    IRBuilder<> B(Call);
    emitFailure(B, *Call, "unknown_callee");
    changeToUnreachable(Call);
  }
  if (!Calls.empty())
    removeUnreachableBlocks(F);
  return !Calls.empty();
}

} // namespace contraflow
