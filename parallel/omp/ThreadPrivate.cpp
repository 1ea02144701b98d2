// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threadprivate variables that the library keeps (-fnoopenmp-use-tls). The first thread has the
// variable itself, each other one a copy. If only this module can ask for copies, they become those
// of a thread-local variable, in the program as in its derivative:
//
//   p = threadprivate_cached(.., thread, &own, ..)   ->   p = thread == 0 ? &own : &own_of_thread
//
// Both begin with the variable's initial value and keep what a thread leaves there.

#include "parallel/omp/Handlers.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef ThreadsCopy = "__kmpc_threadprivate_cached";
constexpr StringRef AnyFunction = "__kmpc_threadprivate"; // the beginning of each one's name

/// (ident, thread, variable, bytes, cache)
constexpr unsigned Thread = 1, Variable = 2;

/// The variable of which the library is asked for the thread's copy.
GlobalVariable *askedFor(const User *U) {
  auto *Call = dyn_cast<CallInst>(U);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->getName() == ThreadsCopy && Call->arg_size() == 5
             ? dyn_cast<GlobalVariable>(Call->getArgOperand(Variable))
             : nullptr;
}

/// True if the library knows nothing of the variable but what such calls tell it: a constructor
/// would be another thing.
bool isOfThisModule(const GlobalVariable &G) {
  return G.hasLocalLinkage() && !G.isThreadLocal() && all_of(G.users(), [&](const User *U) {
           auto *Call = dyn_cast<CallBase>(U);
           const Function *F = Call ? Call->getCalledFunction() : nullptr;
           return askedFor(U) == &G || !F || !F->getName().starts_with(AnyFunction);
         });
}

class ThreadPrivateHandler : public Rewriter {
public:
  bool unfold(Function &F) const override {
    SmallSetVector<GlobalVariable *, 8> Asked;
    for (Instruction &I : instructions(F))
      if (GlobalVariable *G = askedFor(&I); G && isOfThisModule(*G))
        Asked.insert(G);
    for (GlobalVariable *G : Asked)
      makeThreadLocal(*G);
    return !Asked.empty();
  }

private:
  static void makeThreadLocal(GlobalVariable &G) {
    auto *Own = new GlobalVariable(
        *G.getParent(), G.getValueType(), false, GlobalValue::InternalLinkage, G.getInitializer(),
        G.getName() + ".of_thread", nullptr, GlobalValue::GeneralDynamicTLSModel);
    Own->setAlignment(G.getAlign());
    for (User *U : make_early_inc_range(G.users())) {
      if (askedFor(U) != &G)
        continue;
      auto *Call = cast<CallInst>(U);
      IRBuilder<> B(Call);
      Value *IsFirst = B.CreateIsNull(Call->getArgOperand(Thread));
      Call->replaceAllUsesWith(B.CreateSelect(IsFirst, &G, B.CreateThreadLocalAddress(Own)));
      Call->eraseFromParent();
    }
  }
};

} // namespace

void registerThreadPrivate(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<ThreadPrivateHandler>());
}

} // namespace contraflow::omp
