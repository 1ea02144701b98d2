// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Specialise.h"

#include "contraflow/core/Request.h"
#include "prepare/Indirect.h"
#include "request/RequestTrace.h"
#include "support/Assignments.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MaxCopies = 256;

/// True if calls of F are calls of this F.
bool isOurs(const Function &F) {
  return !F.isDeclaration() && !F.isInterposable() && !F.isVarArg();
}

/// True if all callers of F are seen, or have an F of their own.
bool isPrivate(const Function &F) { return F.hasLocalLinkage() || F.hasLinkOnceODRLinkage(); }

/// False for a question about a function alone (the size of a tape).
bool takesArguments(const DerivativeRequest &R) {
  return R.Args.size() >= R.Spec.Primal->arg_size();
}

class Specialiser {
public:
  explicit Specialiser(Module &M) : M(M) {}
  void run();

private:
  void need(Value *Known);
  void collectNeeds();
  void passOn(const Argument &Parameter);
  bool resolveCalls(Argument &Parameter);
  bool resolveRequests();
  bool resolveRequest(CallBase &Call);
  Function *copyFor(Argument &Parameter, Function &Known);
  void retireOriginals();
  bool isCalledOutside(Function &F, const SmallPtrSetImpl<Function *> &Set) const;

  Module &M;
  SmallSetVector<Argument *, 8> Needed; ///< parameters whose function has to be known
  std::map<std::pair<Argument *, Function *>, Function *> Copies;
};

/// Known has to be a function; if it is a parameter, of every caller.
void Specialiser::need(Value *Known) {
  Argument *Parameter = Known ? traceParameter(Known) : nullptr; // null: memory for a result
  if (Parameter && isOurs(*Parameter->getParent()))
    Needed.insert(Parameter);
}

/// What requests differentiate, and what is passed on to that.
void Specialiser::collectNeeds() {
  for (CallBase *Call : findRequests(M))
    for (unsigned I = 0; I != std::min(2u, Call->arg_size()); ++I)
      if (Call->getArgOperand(I)->getType()->isPointerTy())
        need(Call->getArgOperand(I));
  for (unsigned I = 0; I != Needed.size(); ++I)
    passOn(*Needed[I]);
}

/// Whatever is passed for Parameter has to be known, too.
void Specialiser::passOn(const Argument &Parameter) {
  const Function *F = Parameter.getParent();
  for (const User *U : F->users())
    if (const auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == F)
      need(Call->getArgOperand(Parameter.getArgNo()));
  for (CallBase *Call : findRequests(M)) {
    auto R = parseRequest(*Call);
    if (!R)
      consumeError(R.takeError()); // reported when it is read for good
    else if (R->Spec.Primal == F && takesArguments(*R))
      need(R->Args[Parameter.getArgNo()].Primal.Value);
  }
}

Function *Specialiser::copyFor(Argument &Parameter, Function &Known) {
  Function *&Copy = Copies[{&Parameter, &Known}];
  if (Copy || Copies.size() > MaxCopies)
    return Copy;
  ValueToValueMapTy Map;
  Copy = CloneFunction(Parameter.getParent(), Map);
  ownAssignments(*Copy);
  Copy->setName(Parameter.getParent()->getName() + "." + Known.getName());
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setComdat(nullptr);
  Copy->getArg(Parameter.getArgNo())->replaceAllUsesWith(&Known);
  return Copy;
}

/// Sends the calls that name a function for Parameter to a copy.
bool Specialiser::resolveCalls(Argument &Parameter) {
  bool Any = false;
  Function *F = Parameter.getParent();
  for (User *U : SmallVector<User *, 8>(F->users())) {
    auto *Call = dyn_cast<CallBase>(U);
    if (!Call || Call->getCalledFunction() != F)
      continue;
    Function *Known = traceFunction(Call->getArgOperand(Parameter.getArgNo()));
    Function *Copy = Known ? copyFor(Parameter, *Known) : nullptr;
    if (!Copy)
      continue;
    Call->setCalledFunction(Copy);
    Any = true;
  }
  return Any;
}

/// A request of F that passes it a constant function: of a copy of F.
bool Specialiser::resolveRequest(CallBase &Call) {
  auto R = parseRequest(Call);
  if (!R) {
    consumeError(R.takeError());
    return false;
  }
  Function *F = R->Spec.Primal;
  if (!isOurs(*F) || !takesArguments(*R))
    return false;
  for (Argument &Parameter : F->args()) {
    const RequestArg &Arg = R->Args[Parameter.getArgNo()];
    if (!Parameter.getType()->isPointerTy() || Arg.Kind != Activity::Const || !Arg.Primal.Value ||
        Parameter.use_empty())
      continue;
    Function *Known = traceFunction(Arg.Primal.Value);
    Function *Copy = Known ? copyFor(Parameter, *Known) : nullptr;
    if (!Copy)
      continue;
    const unsigned At = traceFunction(Call.getArgOperand(0)) == F ? 0 : 1;
    Call.setArgOperand(At, Copy);
    return true;
  }
  return false;
}

bool Specialiser::resolveRequests() {
  bool Any = false;
  for (CallBase *Call : findRequests(M))
    Any |= resolveRequest(*Call);
  return Any;
}

/// True if a call or a request outside Set is of F.
bool Specialiser::isCalledOutside(Function &F, const SmallPtrSetImpl<Function *> &Set) const {
  for (const User *U : F.users())
    if (const auto *Call = dyn_cast<CallBase>(U); Call && !Set.contains(Call->getFunction()))
      return true;
  return any_of(findRequests(M), [&](CallBase *Call) {
    return !Set.contains(Call->getFunction()) &&
           any_of(Call->args(), [&](Value *V) { return traceFunction(V) == &F; });
  });
}

/// A function that is only reached through its address: what it was given is not known.
void fail(Function &F) {
  const auto Request = find_if(instructions(F), [](Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && isRequest(*Call);
  });
  if (Request == inst_end(F))
    return;
  const DebugLoc At = Request->getDebugLoc();
  auto *Call = cast<CallBase>(&*Request);
  BasicBlock *Entry = BasicBlock::Create(F.getContext(), "unknown", &F, &F.getEntryBlock());
  IRBuilder<> B(Entry);
  B.SetCurrentDebugLocation(At);
  emitFailure(B, *Call, "unknown_callee");
  B.CreateUnreachable();
  removeUnreachableBlocks(F);
}

/// The originals that only call each other go. One that has an address ends the program when it is
/// called.
void Specialiser::retireOriginals() {
  SmallPtrSet<Function *, 8> Retired;
  for (auto &[Key, Copy] : Copies)
    if (isPrivate(*Key.first->getParent()))
      Retired.insert(Key.first->getParent());
  for (bool Any = true; Any;)
    Any = Retired.remove_if([&](Function *F) { return isCalledOutside(*F, Retired); });
  for (Function *F : Retired)
    fail(*F);
}

void Specialiser::run() {
  for (bool Any = true; Any && Copies.size() < MaxCopies;) {
    Needed.clear();
    collectNeeds();
    Any = resolveRequests();
    for (Argument *Parameter : Needed)
      Any |= resolveCalls(*Parameter);
  }
  retireOriginals();
}

} // namespace

void specialiseRequests(Module &M) { Specialiser(M).run(); }

} // namespace contraflow
