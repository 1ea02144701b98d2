// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadows of global variables belong to one derivative function. What a global holds before a call
// is constant, so its tangents and adjoints are zero there; a call before may have left others:
//
//   y = g * x ; g = x * x      reverse: g' is taken and cleared, then g' += y' * x stays behind
//
// What each thread has for itself is cleared by each thread.
//
// Addresses stay: memory that the program keeps in a global has its shadow from call to call. What
// is in that shadow is cleared as well. The runtime knows where it is: each heap object that the
// graph finds behind a global, and not behind an argument, is remembered when it outlives its call.

#include "Asked.h"
#include "ForwardSweep.h"
#include "KeptMemory.h"
#include "callee/Variables.h"
#include "construct/Fields.h"
#include "contraflow/core/Callee.h"

#include "llvm/IR/GlobalVariable.h"

using namespace llvm;

namespace contraflow {

using ShadowList = SmallVector<std::pair<GlobalVariable *, GlobalVariable *>, 8>;

static void clear(RequestState &S, SweepBuilder &Sweep, const ShadowList &Shadows) {
  for (auto [G, Shadow] : Shadows) {
    MemoryLayout Layout = layoutOf(S.Activity, G);
    uint64_t Bytes = S.C.M.getDataLayout().getTypeAllocSize(G->getValueType());
    if (any_of(Layout.Fields, [](auto &F) { return F.Active; }))
      clearFloats(Sweep, Layout, Shadow, Sweep.ir().getInt64(Bytes));
    if (isAsked(S, G))
      copyIntegers(Sweep, Layout, Shadow, G, Bytes);
  }
}

/// Stands for this derivative among those that are under way: one may call another.
static GlobalVariable *derivativeName(RequestState &S) {
  if (!S.Name)
    S.Name = new GlobalVariable(
        S.C.M, Type::getInt8Ty(S.C.M.getContext()), false, GlobalValue::InternalLinkage,
        ConstantInt::get(Type::getInt8Ty(S.C.M.getContext()), 0), "cf.derivative");
  return S.Name;
}

/// A function that does something for the calling thread, once in each derivative call. Each thread
/// has a mark, which says for which call it did so.
static Function *onceInThread(RequestState &S, Unit &Root, const Twine &Name,
                              function_ref<void(ForwardSweep &)> Emit) {
  Module &M = S.C.M;
  LLVMContext &Context = M.getContext();
  Type *I64 = Type::getInt64Ty(Context);
  auto *Mark =
      new GlobalVariable(M, I64, false, GlobalValue::InternalLinkage, ConstantInt::get(I64, 0),
                         "cf.call", nullptr, GlobalValue::GeneralDynamicTLSModel);
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                             GlobalValue::InternalLinkage, Name, M);
  F->setDoesNotThrow();
  ForwardSweep Sweep(S, Root);
  auto &B = Sweep.ir();
  BasicBlock *Once = BasicBlock::Create(Context, "once", F);
  BasicBlock *End = BasicBlock::Create(Context, "end", F);
  B.SetInsertPoint(BasicBlock::Create(Context, "entry", F, Once));
  Value *New = Sweep.runtime("call_new", B.getInt32Ty(), {Mark, derivativeName(S)});
  B.CreateCondBr(B.CreateIsNotNull(New), Once, End);
  B.SetInsertPoint(Once);
  Emit(Sweep);
  B.CreateBr(End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
  return F;
}

/// Each thread calls the function where it comes to a region of the call: forwards, or backwards.
static void callInTeams(RequestState &S, Function *Once, bool Backwards) {
  for (auto &[Prepared, U] : S.Units) {
    if (!is_contained(S.Closure.TeamBodies, Prepared))
      continue;
    BasicBlock &Entry = (Backwards && U->Reverse ? U->Reverse : U->Forward)->getEntryBlock();
    IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    B.CreateCall(Once, {});
  }
}

/// Variables that each thread has for itself: the threads of teams see to their shadows when they
/// come to their first region. The call has a number from At on.
static void beginCall(RequestState &S, Function *OnceInThread, IRBuilderBase::InsertPoint At) {
  IRBuilder<> B(At.getBlock(), At.getPoint());
  auto Runtime = [&](StringRef Name, Type *T, ArrayRef<Value *> Args) {
    return SweepBuilder::callRuntime(B, S.C.M, Name, T, Args);
  };
  Value *Outer = Runtime("call_open", B.getInt64Ty(), {derivativeName(S)});
  B.CreateCall(OnceInThread, {});
  for (BasicBlock &Block : *At.getBlock()->getParent())
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
      B.SetInsertPoint(Return);
      Runtime("call_end", B.getVoidTy(), {Outer});
    }
}

/// The shadows that a call clears; those that each thread of a team has for itself, or the others.
static ShadowList shadowsToClear(RequestState &S, bool OfThreads) {
  ShadowList Shadows;
  for (GlobalVariable &G : S.C.M.globals()) // in their order
    for (unsigned Lane = 0; Lane < S.Spec.Width; ++Lane)
      if (GlobalVariable *Shadow = S.ShadowGlobals.lookup({&G, Lane}))
        if (!G.isConstant() && !givenShadow(G) &&
            (G.isThreadLocal() && !S.Closure.TeamBodies.empty()) == OfThreads)
          Shadows.push_back({&G, Shadow});
  return Shadows;
}

void clearShadowsInTeams(RequestState &S, Unit &Root) {
  ShadowList Own = shadowsToClear(S, /*OfThreads=*/true);
  if (Own.empty())
    return;
  S.ClearInThread =
      onceInThread(S, Root, "cf.clear", [&](ForwardSweep &Sweep) { clear(S, Sweep, Own); });
  callInTeams(S, S.ClearInThread, /*Backwards=*/true);
  if (!threadsKeepMemory(S))
    return;
  S.JoinInThread =
      onceInThread(S, Root, "cf.join", [&](ForwardSweep &Sweep) { joinKeptMemory(S, Sweep); });
  callInTeams(S, S.JoinInThread, /*Backwards=*/false);
}

void clearGlobalShadows(RequestState &S, Unit &Root, IRBuilderBase::InsertPoint At) {
  ForwardSweep Sweep(S, Root);
  Sweep.ir().restoreIP(At);
  clear(S, Sweep, shadowsToClear(S, /*OfThreads=*/false));
  if (S.ClearInThread)
    beginCall(S, S.ClearInThread, Sweep.ir().saveIP());
  if (S.JoinInThread && !S.Spec.Split)
    Sweep.ir().CreateCall(S.JoinInThread, {});
  enterKeptMemory(S, Sweep);
  if (S.JoinInThread && S.Spec.Split)
    Sweep.runtime("kept_rejoin", Sweep.ir().getVoidTy(), {});
}

void enterGlobals(RequestState &S, Unit &Root, IRBuilderBase::InsertPoint At) {
  ForwardSweep Sweep(S, Root);
  Sweep.ir().restoreIP(At);
  if (S.JoinInThread)
    beginCall(S, S.JoinInThread, Sweep.ir().saveIP());
  enterKeptMemory(S, Sweep);
}

Error checkGlobalShadows(RequestState &S) {
  for (GlobalVariable &G : S.C.M.globals())
    if (S.ShadowGlobals.contains({&G, 0}) && G.isDeclaration() &&
        S.C.M.getDataLayout().getTypeAllocSize(G.getValueType()).isZero() && !isVirtualTable(G))
      return diffError(DiagId::UnsupportedMemory, *S.Spec.Primal,
                       "the size of '" + G.getName() +
                           "' is not known here; declare it with its size");
  return checkKeptMemory(S);
}

} // namespace contraflow
