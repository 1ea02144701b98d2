// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tasks stay tasks in a derivative. Backwards, a task must not wait for any other one that it
// does not depend on, since nobody knows in which order threads take them up; and it runs on
// another thread than forwards. So a task runs where it is made if, as far as anybody can see, it
//
//   critical, locks, ordered, atomics other than x += v    waits for its turn backwards
//   threadprivate, thread numbers                          is tied to its thread
//   parallel regions, MPI, derivative calls                records elsewhere than on its own arena
//   in_reduction                                           adds to what others add to

#include "parallel/omp/Handlers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

/// Of the libraries that know about threads, these functions are the same everywhere.
constexpr StringRef Harmless[] = {"__kmpc_global_thread_num",
                                  "__kmpc_omp_task_alloc",
                                  "__kmpc_omp_task",
                                  "__kmpc_omp_task_with_deps",
                                  "__kmpc_omp_task_begin_if0",
                                  "__kmpc_omp_task_complete_if0",
                                  "__kmpc_omp_taskwait",
                                  "__kmpc_omp_taskwait_deps_51",
                                  "__kmpc_omp_taskyield",
                                  "__kmpc_omp_wait_deps",
                                  "__kmpc_taskgroup",
                                  "__kmpc_end_taskgroup",
                                  "__kmpc_taskloop",
                                  "__kmpc_taskloop_5",
                                  "__kmpc_omp_reg_task_with_affinity",
                                  "omp_in_final",
                                  "omp_in_parallel",
                                  "omp_get_num_threads",
                                  "omp_get_max_threads",
                                  "omp_get_num_procs",
                                  "omp_get_wtime",
                                  "omp_get_level",
                                  "omp_get_active_level"};
constexpr StringRef Libraries[] = {"__kmpc_",
                                   "omp_",
                                   "__tgt_",
                                   "GOMP_",
                                   "pthread_",
                                   "sem_",
                                   "mtx_",
                                   "_ZNSt3__15mutex",
                                   "_ZNSt3__115recursive_mutex",
                                   "_ZNSt3__111timed_mutex",
                                   "_ZNSt3__121recursive_timed_mutex",
                                   "_ZNSt3__119__shared_mutex",
                                   "_ZNSt3__118shared_timed_mutex",
                                   "MPI_",
                                   "PMPI_",
                                   "__enzyme",
                                   "__atomic",
                                   "cf_v1_"};

bool isHarmless(const Function &F) {
  const StringRef Name = F.getName();
  return F.isIntrinsic() ? F.getIntrinsicID() != Intrinsic::threadlocal_address
                         : none_of(Libraries, [&](StringRef L) { return Name.starts_with(L); }) ||
                               is_contained(Harmless, Name);
}

/// x += v, of which nobody sees the result.
bool isSum(const Instruction &I) {
  auto *Update = dyn_cast<AtomicRMWInst>(&I);
  return Update && Update->use_empty() &&
         (Update->getOperation() == AtomicRMWInst::FAdd ||
          Update->getOperation() == AtomicRMWInst::FSub);
}

bool isSignal(const Instruction &I) {
  return !isa<FenceInst>(I) && !isSum(I) && (I.isAtomic() || I.isVolatile());
}

/// Everything that may run when a function does: whatever the code refers to.
class Reach {
public:
  bool harmless(const Function &F);

private:
  bool visit(const Instruction &I);
  bool visit(const Constant &C);

  SmallPtrSet<const Constant *, 32> Seen;
  SmallVector<const Function *, 8> Todo;
  bool Adds = false;
};

bool Reach::visit(const Constant &C) {
  if (!Seen.insert(&C).second)
    return true;
  if (auto *F = dyn_cast<Function>(&C)) {
    Todo.push_back(F);
    return !F->isDeclaration() || isHarmless(*F);
  }
  if (auto *V = dyn_cast<GlobalVariable>(&C); V && V->isThreadLocal())
    return false;
  return all_of(C.operands(), [&](const Use &Op) {
    auto *Part = dyn_cast<Constant>(Op.get());
    return !Part || visit(*Part);
  });
}

bool Reach::visit(const Instruction &I) {
  if (isSignal(I))
    return false;
  Adds |= isSum(I);
  if (auto *Call = dyn_cast<CallBase>(&I);
      Call && !Call->getCalledFunction() && !Call->isInlineAsm())
    return false;
  return all_of(I.operands(), [&](const Use &Op) {
    auto *C = dyn_cast<Constant>(Op.get());
    return !C || visit(*C);
  });
}

bool Reach::harmless(const Function &F) {
  if (!visit(F))
    return false;
  while (!Todo.empty())
    for (const Instruction &I : instructions(*Todo.pop_back_val()))
      if (!visit(I))
        return false;
  // Sums may have to take their turn among other atomic operations on the same number.
  return !Adds || none_of(*F.getParent(), [](const Function &Other) {
    return any_of(instructions(Other), isSignal);
  });
}

} // namespace

bool mayRunLater(const Function &Entry) { return Reach().harmless(Entry); }

} // namespace contraflow::omp
