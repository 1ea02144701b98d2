// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChooseFunction.h"

#include "contraflow/core/Request.h"
#include "prepare/Choice.h"
#include "prepare/ChosenAtLoad.h"
#include "request/RequestSpellings.h"
#include "request/RequestTrace.h"
#include "request/RequestTypes.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostKnown = 64;   ///< functions that are certainly meant
constexpr unsigned MostGuessed = 16; ///< functions that may be meant

/// True if a derivative call names F.
bool isNamed(const Function &F) {
  return any_of(F.uses(), [](const Use &U) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    return Call && Call->isArgOperand(&U) && isRequest(*Call);
  });
}

/// True if the address of F goes anywhere but into derivative calls that name it.
bool escapes(const Function &F) {
  return any_of(F.uses(), [](const Use &U) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    return !Call || !(Call->isCallee(&U) || isRequest(*Call));
  });
}

class Chooser {
public:
  explicit Chooser(CallBase &Call) : Call(Call), At(receivesInMemory(Call) ? 1 : 0) {}
  void run();

private:
  bool fits(Function &F) const;
  void guess(function_ref<bool(const Function &)> May);
  Value *pointer() const;
  bool wantsShadow() const;

  CallBase &Call;
  const unsigned At; ///< the operand that says what is differentiated
  SmallSetVector<Function *, 8> Functions;
};

/// True if the derivative call could be one of F.
bool Chooser::fits(Function &F) const {
  auto *Trial = cast<CallBase>(Call.clone());
  Trial->insertBefore(Call.getIterator());
  Trial->setArgOperand(At, &F);
  auto Request = parseRequest(*Trial);
  const bool Fits = static_cast<bool>(Request);
  if (!Fits)
    consumeError(Request.takeError());
  Trial->eraseFromParent();
  return Fits;
}

/// The functions of the module that may be meant and could be.
void Chooser::guess(function_ref<bool(const Function &)> May) {
  for (Function &F : *Call.getModule())
    if (!F.isIntrinsic() && !F.isDeclaration() && May(F) && fits(F))
      Functions.insert(&F);
  if (Functions.size() > MostGuessed)
    Functions.clear();
}

/// The address of the function; the operand may be a reference to it.
Value *Chooser::pointer() const {
  Value *Operand = Call.getArgOperand(At);
  if (!isa<AllocaInst>(Operand->stripPointerCasts()))
    return Operand;
  return IRBuilder<>(&Call).CreateLoad(Operand->getType(), Operand);
}

/// True if the shadow of an address is wanted: of a function's, or of a table of virtual functions,
/// as a copied object holds it. Both are their own.
bool Chooser::wantsShadow() const {
  const RequestSpelling *Spelling = findRequestSpelling(Call.getCalledOperand()->getName());
  const Value *Operand = Call.getArgOperand(At)->stripInBoundsConstantOffsets();
  return Spelling && Spelling->Part == RequestPart::FunctionShadow && Call.arg_size() == At + 1 &&
         Call.getType()->isPointerTy() && (!isa<Constant>(Operand) || isa<GlobalVariable>(Operand));
}

void Chooser::run() {
  if (auto *Named = At < Call.arg_size() ? dyn_cast<GlobalValue>(Call.getArgOperand(At)) : nullptr)
    if (Function *Chosen = chosenAtLoad(*Named))
      return Call.setArgOperand(At, Chosen);
  if (At >= Call.arg_size() || !Call.getArgOperand(At)->getType()->isPointerTy() ||
      traceFunction(Call.getArgOperand(At)))
    return;
  if (wantsShadow()) {
    Call.replaceAllUsesWith(pointer());
    auto *Invoke = dyn_cast<InvokeInst>(&Call);
    CallBase *Left = Invoke ? changeToCall(Invoke) : &Call;
    Left->eraseFromParent();
    return;
  }
  if (!traceFunctions(Call.getArgOperand(At), Functions))
    guess(escapes);
  if (Functions.empty() && traceParameter(Call.getArgOperand(At)))
    guess(isNamed); // the calls of this function may have been inlined
  if (Functions.empty() || Functions.size() > MostKnown)
    return;
  replaceByChoice(Call, pointer(), Functions.getArrayRef(),
                  [this](CallBase &Clone, Function &F) { Clone.setArgOperand(At, &F); });
}

} // namespace

void chooseFunctions(Module &M) {
  for (CallBase *Call : findRequests(M))
    if (isa<CallInst, InvokeInst>(Call))
      Chooser(*Call).run();
}

} // namespace contraflow
