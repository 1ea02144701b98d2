// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "parallel/mpi/Registered.h"
#include "contraflow/core/Diag.h"
#include "parallel/mpi/Rows.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::mpi {

using Functions = SmallSetVector<const Function *, 8>;

static void addBody(Functions &Into, const Value *V) {
  auto *F = dyn_cast<Function>(V->stripPointerCasts());
  if (F && !F->isDeclaration())
    Into.insert(F);
}

static Functions registered(const Module &M) {
  Functions Out;
  for (const Row &R : rows()) {
    if (!R.Registers)
      continue;
    for (const char *Prefix : {"", "P"})
      if (const Function *F = M.getFunction((Twine(Prefix) + R.Name).str()))
        for (const User *U : F->users())
          if (auto *Call = dyn_cast<CallBase>(U))
            for (const Use &Argument : Call->args())
              addBody(Out, Argument);
  }
  return Out;
}

bool registersFunctions(const Module &M) { return !registered(M).empty(); }

/// True if V, an address, is used in one of them for more than reading.
static bool mayBeWritten(const Value &V, const Functions &Bodies) {
  return any_of(V.users(), [&](const User *U) {
    auto *I = dyn_cast<Instruction>(U);
    if (I && !Bodies.contains(I->getFunction()))
      return false;
    return !I || isa<GetElementPtrInst, CastInst>(I) ? mayBeWritten(*U, Bodies) : !isa<LoadInst>(I);
  });
}

Error checkRegistered(const SweepBuilder &B, CallBase &Call) {
  Functions Bodies = registered(*Call.getModule());
  if (Bodies.empty())
    return Error::success();
  for (unsigned I = 0; I < Bodies.size(); ++I)
    for (const Instruction &Inside : instructions(*Bodies[I]))
      if (auto *Inner = dyn_cast<CallBase>(&Inside))
        addBody(Bodies, Inner->getCalledOperand());
  for (const GlobalVariable &G : Call.getModule()->globals())
    if (!G.isConstant() && B.activeMemory(&G) && mayBeWritten(G, Bodies))
      return diffError(DiagId::UnsupportedMPI, Call,
                       "a function that the program hands to MPI may change '" + G.getName() +
                           "', which has a derivative");
  return Error::success();
}

} // namespace contraflow::mpi
