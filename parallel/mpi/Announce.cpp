// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "parallel/mpi/Announce.h"

#include "parallel/mpi/Arguments.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace contraflow::mpi {

void announce(SweepBuilder &B, Module &M, StringRef Name, StringRef Function) {
  if (M.getFunction(Name))
    return;
  auto &IR = B.ir();
  auto *Constructor = llvm::Function::Create(FunctionType::get(IR.getVoidTy(), false),
                                             GlobalValue::InternalLinkage, Name, M);
  IRBuilder<>::InsertPointGuard Guard(IR);
  IR.SetInsertPoint(BasicBlock::Create(IR.getContext(), "entry", Constructor));
  B.runtime(Function, IR.getVoidTy(), {});
  IR.CreateRetVoid();
  constexpr int Last = 65535;
  appendToGlobalCtors(M, Constructor, Last);
}

void announceMerging(SweepBuilder &B, CallBase &Call, const Row &R) {
  for (Role A : R.Roles)
    if (A.What == Role::Merges && mayMerge(Call, A))
      announce(B, *Call.getModule(), "cf.mpi.merges", "mpi_merges");
}

} // namespace contraflow::mpi
