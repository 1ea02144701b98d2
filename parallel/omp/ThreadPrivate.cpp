// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threadprivate variables that the library keeps (-fnoopenmp-use-tls, flang). The first thread has
// the variable itself, each other one a copy, which any file may ask for. While derivatives are
// made, the copies are those of a thread-local variable that stands for them, whose shadow is one
// of each thread, too; what the program calculates with stays where the library keeps it:
//
//   p = threadprivate_cached(.., thread, &own, ..)   ->   p = thread == 0 ? &own : &own_of_thread
//   when all is emitted:   &own_of_thread   ->   threadprivate_cached(.., thread, &own, ..)

#include "parallel/omp/Handlers.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef ThreadsCopy = "__kmpc_threadprivate_cached";
/// Of a variable that stands for copies: the function that asks for one.
constexpr StringRef AskingKind = "cf.threads_copy";

/// (ident, thread, variable, bytes, cache)
constexpr unsigned Ident = 0, Thread = 1, Variable = 2, ArgumentCount = 5;

/// The variable of which the library is asked for the thread's copy.
GlobalVariable *askedFor(const CallInst &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->getName() == ThreadsCopy && Call.arg_size() == ArgumentCount
             ? dyn_cast<GlobalVariable>(Call.getArgOperand(Variable))
             : nullptr;
}

/// A function that asks as the call does, for whatever thread calls it. Null if the call depends on
/// where it stands.
Function *askingLike(CallInst &Call) {
  for (const auto &[I, Operand] : enumerate(Call.args()))
    if (I != Thread && !isa<Constant>(Operand))
      return nullptr;
  Module &M = *Call.getFunction()->getParent();
  auto *F = Function::Create(FunctionType::get(Call.getType(), false), GlobalValue::InternalLinkage,
                             "cf.threads_copy", M);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
  FunctionCallee Number =
      M.getOrInsertFunction("__kmpc_global_thread_num", B.getInt32Ty(), B.getPtrTy());
  SmallVector<Value *, ArgumentCount> Args(Call.args());
  Args[Thread] = B.CreateCall(Number, {Args[Ident]});
  B.CreateRet(B.CreateCall(Call.getFunctionType(), Call.getCalledOperand(), Args));
  return F;
}

class ThreadPrivateHandler : public Rewriter {
public:
  bool unfold(Function &F) const override {
    bool Any = false;
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (GlobalVariable *G = askedFor(*Call))
          if (GlobalVariable *Own = copiesOf(*G, *Call)) {
            choose(*Call, *G, *Own);
            Any = true;
          }
    return Any;
  }

  void conclude(Module &M) const override {
    for (GlobalVariable &G : make_early_inc_range(M.globals()))
      if (const MDNode *Asking = G.getMetadata(AskingKind))
        askAgain(G, *mdconst::extract<Function>(Asking->getOperand(0)));
  }

private:
  /// What stands for the copies of a variable, made for the first call that asks.
  static GlobalVariable *copiesOf(GlobalVariable &G, CallInst &Call) {
    Module &M = *G.getParent();
    const std::string Name = (G.getName() + ".of_thread").str();
    if (GlobalVariable *Known = M.getNamedGlobal(Name); Known && Known->hasMetadata(AskingKind))
      return Known;
    Function *Asking = askingLike(Call);
    if (!Asking)
      return nullptr;
    auto *Own = new GlobalVariable(M, G.getValueType(), false, GlobalValue::ExternalLinkage,
                                   nullptr, Name, nullptr, GlobalValue::GeneralDynamicTLSModel);
    Own->setAlignment(G.getAlign());
    Own->setMetadata(AskingKind, MDNode::get(M.getContext(), ConstantAsMetadata::get(Asking)));
    return Own;
  }

  static void choose(CallInst &Call, GlobalVariable &G, GlobalVariable &Own) {
    IRBuilder<> B(&Call);
    Value *IsFirst = B.CreateIsNull(Call.getArgOperand(Thread));
    Call.replaceAllUsesWith(B.CreateSelect(IsFirst, &G, B.CreateThreadLocalAddress(&Own)));
    Call.eraseFromParent();
  }

  static void askAgain(GlobalVariable &Own, Function &Asking) {
    convertUsersOfConstantsToInstructions({&Own});
    for (User *U : make_early_inc_range(Own.users())) {
      auto *I = dyn_cast<IntrinsicInst>(U);
      if (!I || I->getIntrinsicID() != Intrinsic::threadlocal_address)
        continue;
      I->replaceAllUsesWith(IRBuilder<>(I).CreateCall(&Asking));
      I->eraseFromParent();
    }
    if (Own.use_empty())
      Own.eraseFromParent();
    if (Asking.use_empty())
      Asking.eraseFromParent();
  }
};

} // namespace

void registerThreadPrivate(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<ThreadPrivateHandler>());
}

} // namespace contraflow::omp
