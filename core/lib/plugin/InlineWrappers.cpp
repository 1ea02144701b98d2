// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function with a request is inlined wherever it is called if it says so itself, or if an
// argument of the request is a parameter, or is behind a reference that is one, for which some call
// passes a marker:
//
//   void @slope(ptr %f, ptr %a, ...)          call void @slope(ptr @energy, ptr @enzyme_dup, ...)
//     %marker = load i32, ptr %a
//     call void @__enzyme_autodiff(ptr %f, i32 %marker, ...)
//
// The callers then hold the request, and may be such functions themselves.

#include "InlineWrappers.h"

#include "callee/Instrumentation.h"
#include "contraflow/core/Request.h"
#include "request/RequestTrace.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MaxDepth = 16; ///< of wrappers within wrappers; they may call each other

SmallVector<CallBase *, 8> callsOf(Function &F) {
  SmallVector<CallBase *, 8> Calls;
  for (Use &U : F.uses())
    if (auto *Call = dyn_cast<CallBase>(U.getUser());
        Call && Call->isCallee(&U) && Call->getFunctionType() == F.getFunctionType())
      Calls.push_back(Call);
  return Calls;
}

/// The parameter that V is, or whose reference is read.
Argument *parameterBehind(Value *V) {
  if (Argument *Parameter = traceParameter(V))
    return Parameter;
  auto *Load = dyn_cast<LoadInst>(V);
  return Load ? traceParameter(Load->getPointerOperand()) : nullptr;
}

/// True if a call passes a marker for Parameter, or a parameter of its own for which one is passed.
bool isGivenMarker(Argument &Parameter, SmallPtrSetImpl<Argument *> &Seen) {
  if (!Seen.insert(&Parameter).second)
    return false;
  return any_of(callsOf(*Parameter.getParent()), [&](const CallBase *Call) {
    Value *Passed = Call->getArgOperand(Parameter.getArgNo());
    Argument *Outer = traceMarker(Passed) ? nullptr : parameterBehind(Passed);
    return traceMarker(Passed) || (Outer && isGivenMarker(*Outer, Seen));
  });
}

bool isWrapper(CallBase &Request) {
  Function &F = *Request.getFunction();
  if (F.isInterposable() || F.isVarArg())
    return false;
  return F.hasFnAttribute(Attribute::AlwaysInline) || any_of(Request.args(), [](Value *V) {
           SmallPtrSet<Argument *, 4> Seen;
           Argument *Parameter = traceMarker(V) ? nullptr : parameterBehind(V);
           return Parameter && isGivenMarker(*Parameter, Seen);
         });
}

/// A profiler is told the address of a function where it was inlined, too. Nobody enters F any
/// more, and what it asks for is known only where it was called.
void forgetHooks(Function &F) {
  SmallVector<CallBase *, 4> Hooks;
  for (Use &U : F.uses())
    if (auto *Call = dyn_cast<CallInst>(U.getUser()); Call && isEntryHook(*Call))
      Hooks.push_back(Call);
  if (F.hasNUses(Hooks.size()))
    for (CallBase *Hook : Hooks)
      Hook->eraseFromParent();
}

} // namespace

void inlineWrappers(Module &M, FunctionAnalysisManager &FAM) {
  bool Any = true;
  for (unsigned Depth = 0; Any && Depth != MaxDepth; ++Depth) {
    Any = false;
    SmallPtrSet<Function *, 8> Wrappers;
    for (CallBase *Request : findRequests(M))
      if (!Wrappers.contains(Request->getFunction()) && isWrapper(*Request))
        Wrappers.insert(Request->getFunction());
    for (Function &F : make_early_inc_range(M)) {
      if (!Wrappers.contains(&F))
        continue;
      for (CallBase *Call : callsOf(F)) {
        Function *Caller = Call->getFunction();
        InlineFunctionInfo Info;
        if (Caller == &F || !InlineFunction(*Call, Info).isSuccess())
          continue;
        FAM.invalidate(*Caller, PreservedAnalyses::none());
        Any = true;
      }
      if (F.isDiscardableIfUnused())
        forgetHooks(F);
      if (!F.use_empty() || !F.isDiscardableIfUnused())
        continue;
      FAM.clear(F, F.getName());
      F.eraseFromParent();
    }
  }
}

} // namespace contraflow
