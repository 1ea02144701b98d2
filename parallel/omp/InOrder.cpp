// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a derivative shall have the same bits each time, the choices that OpenMP leaves to the
// library are made in the same way each time. Each of them is one that the library could make.
//
//   schedule dynamic, guided, auto, runtime   ->   static chunks, one thread after the other
//   single                                    ->   thread 0
//   reduction                                 ->   threads combine in their order
//   (Synchronisation.cpp)
//
// The order of critical sections, locks and atomic operations is the program's own.

#include "contraflow/core/Order.h"
#include "parallel/omp/Handlers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef Dispatch = "__kmpc_dispatch_init_", Single = "__kmpc_single",
                    EndSingle = "__kmpc_end_single", ThreadNumber = "omp_get_thread_num";

/// (ident, thread, schedule, lower, upper, step, chunk)
void dealOut(CallBase &Call) {
  constexpr uint64_t Modifiers = 3u << 29, Chunked = 33, Dynamic = 35, Auto = 38, Ordered = 32;
  auto *Schedule = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  if (!Schedule)
    return;
  uint64_t Kind = Schedule->getZExtValue() & ~Modifiers;
  for (uint64_t Base : {uint64_t(0), Ordered})
    if (Kind >= Base + Dynamic && Kind <= Base + Auto)
      Call.setArgOperand(2, ConstantInt::get(Schedule->getType(), Base + Chunked));
}

class InOrderHandler : public Rewriter {
public:
  void canonicalise(Function &F) const override {
    if (!isDeterministic(*F.getParent()))
      return;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee)
        continue;
      if (Callee->getName().starts_with(Dispatch) && Call->arg_size() == 7) {
        dealOut(*Call);
      } else if (Callee->getName() == Single) {
        IRBuilder<> B(Call);
        Value *Self =
            B.CreateCall(F.getParent()->getOrInsertFunction(ThreadNumber, B.getInt32Ty()), {});
        Call->replaceAllUsesWith(B.CreateZExt(B.CreateIsNull(Self), B.getInt32Ty()));
        Call->eraseFromParent();
      } else if (Callee->getName() == EndSingle) {
        Call->eraseFromParent();
      }
    }
  }
};

} // namespace

void registerInOrder(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<InOrderHandler>());
}

} // namespace contraflow::omp
