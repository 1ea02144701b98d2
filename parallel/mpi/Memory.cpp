// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI_Alloc_mem and MPI_Free_mem, rewritten to functions that look like malloc and free before
// anything else sees them:
//
//   code = MPI_Alloc_mem(size, info, &p)   ->   p = mpi_alloc_mem(size, info); code = 0
//   code = MPI_Free_mem(p)                 ->   mpi_free_mem(p); code = 0
//
// Shadows, and the time when active memory goes, are then the core's business.

#include "parallel/mpi/Memory.h"

#include "contraflow/core/Callee.h"
#include "parallel/mpi/Rows.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow::mpi {
namespace {

constexpr StringRef Allocate = "MPI_Alloc_mem", AllocateProfiled = "PMPI_Alloc_mem";
constexpr StringRef Free = "MPI_Free_mem", FreeProfiled = "PMPI_Free_mem";

void unfoldAllocation(CallBase &Call) {
  IRBuilder<> B(&Call);
  CallInst *New = SweepBuilder::callRuntime(B, *Call.getModule(), "mpi_alloc_mem", B.getPtrTy(),
                                            {Call.getArgOperand(0), Call.getArgOperand(1)});
  New->getCalledFunction()->addFnAttr(attr::Allocator, "0");
  B.CreateStore(New, Call.getArgOperand(2));
}

void unfoldFree(CallBase &Call) {
  IRBuilder<> B(&Call);
  SweepBuilder::callRuntime(B, *Call.getModule(), "mpi_free_mem", B.getVoidTy(),
                            {Call.getArgOperand(0)})
      ->getCalledFunction()
      ->addFnAttr(attr::Deallocator);
}

class MemoryHandler : public Rewriter {
public:
  bool unfold(Function &F) const override {
    SmallVector<CallBase *, 4> Done;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || !isOfLibrary(Callee))
        continue;
      StringRef Name = Callee->getName();
      if (Name == Allocate || Name == AllocateProfiled)
        unfoldAllocation(*Call);
      else if (Name == Free || Name == FreeProfiled)
        unfoldFree(*Call);
      else
        continue;
      Done.push_back(Call);
    }
    for (CallBase *Call : Done) {
      if (auto *Invoke = dyn_cast<InvokeInst>(Call))
        Call = changeToCall(Invoke);                                  // C throws nothing
      Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), 0)); // MPI_SUCCESS
      Call->eraseFromParent();
    }
    return !Done.empty();
  }
};

} // namespace

void registerMemory(HandlerRegistry &Registry) { Registry.add(std::make_unique<MemoryHandler>()); }

} // namespace contraflow::mpi
