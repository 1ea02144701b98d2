// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds derivative calls and, once all are lowered, removes what made them: the declarations of
// the request functions and the marker variables, which are defined nowhere.

#include "contraflow/core/Request.h"

#include "RequestSpellings.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

bool isRequest(const CallBase &Call) {
  const auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
  return Callee && Callee->isDeclaration() && findRequestSpelling(Callee->getName());
}

/// Marks of a call whose references are noted, and of an argument that is one: = "8", its bytes.
static constexpr StringLiteral Noted = "contraflow_references", Reference = "contraflow_reference";

/// What the front end knows to be dereferenceable is a reference of C++. The inliner says the same
/// of pointers, but of calls alone: code may have been optimised before it comes here.
static void noteReferences(CallBase &Call) {
  if (Call.getAttributes().hasFnAttr(Noted))
    return;
  LLVMContext &Context = Call.getContext();
  Call.addFnAttr(Attribute::get(Context, Noted));
  const auto &Callee = *cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
  const unsigned Declared = std::min<unsigned>(Call.arg_size(), Callee.arg_size());
  for (unsigned I = 0; I != Declared; ++I)
    if (const uint64_t Bytes = Callee.getParamDereferenceableBytes(I))
      Call.addParamAttr(I, Attribute::get(Context, Reference, utostr(Bytes)));
}

uint64_t referencedBytes(const CallBase &Call, unsigned Index) {
  const Attribute Mark = Call.getParamAttr(Index, Reference);
  uint64_t Bytes = 0;
  return Mark.isValid() && !Mark.getValueAsString().getAsInteger(10, Bytes) ? Bytes : 0;
}

/// An inactive function, if F takes a number and returns one of its kind.
static void defineIdentity(Function &F) {
  Type *T = F.getReturnType();
  if (F.arg_size() != 1 || F.getArg(0)->getType() != T ||
      !(T->isFPOrFPVectorTy() || isa<IntegerType>(T)))
    return;
  for (Attribute::AttrKind Kind : {Attribute::AlwaysInline, Attribute::OptimizeNone})
    F.removeFnAttr(Kind);
  F.addFnAttr(Attribute::NoInline);
  F.addFnAttr(attr::Inactive);
  F.addFnAttr(attr::Registered);
  F.setDoesNotThrow();
  F.setSubprogram(nullptr); // a declaration's
  ReturnInst::Create(F.getContext(), F.getArg(0), BasicBlock::Create(F.getContext(), "entry", &F));
  F.setLinkage(GlobalValue::InternalLinkage);
  F.setDSOLocal(true);
  F.setName("cf.inactive." + F.getName());
}

void protectRequests(Module &M) {
  for (GlobalVariable &G : M.globals())
    if (!G.isDeclaration() && findMarkerSpelling(G.getName()))
      G.setExternallyInitialized(true);
  for (Function &F : M)
    if (F.isDeclaration() && isIdentitySpelling(F.getName()))
      defineIdentity(F);
  for (Function &F : make_early_inc_range(M)) {
    if (!F.isDeclaration() || !isHintSpelling(F.getName()))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledOperand() != &F || !Call->use_empty())
        continue;
      if (auto *Invoke = dyn_cast<InvokeInst>(Call)) {
        Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
        BranchInst::Create(Invoke->getNormalDest(), Invoke->getIterator());
      }
      Call->eraseFromParent();
    }
    if (F.use_empty())
      F.eraseFromParent();
  }
  for (CallBase *Call : findRequests(M)) {
    Call->addFnAttr(Attribute::NoMerge); // two are not one of a function chosen at run time
    noteReferences(*Call);
  }
}

static SmallVector<CallBase *, 4> findCalls(Module &M, function_ref<bool(const CallBase &)> Is) {
  SmallVector<CallBase *, 4> Found;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Is(*Call))
        Found.push_back(Call);
  return Found;
}

SmallVector<CallBase *, 4> findRequests(Module &M) { return findCalls(M, isRequest); }

SmallVector<CallBase *, 4> findViews(Module &M) {
  return findCalls(M, [](const CallBase &Call) {
    const auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
    return Callee && Callee->isDeclaration() && isViewSpelling(Callee->getName());
  });
}

/// The place of a user: an instruction, or null in the initialiser of a global variable.
static const Instruction *placeOf(const User *U) {
  for (; !isa<Instruction>(U); U = *U->user_begin())
    if (isa<GlobalValue>(U) || U->use_empty())
      return nullptr;
  return cast<Instruction>(U);
}

Error checkRequestUses(Module &M) {
  Error Errors = Error::success();
  for (Function &F : M) {
    if (!F.isDeclaration() || !findRequestSpelling(F.getName()))
      continue;
    F.removeDeadConstantUsers();
    for (const Use &U : F.uses()) {
      const auto *Call = dyn_cast<CallBase>(U.getUser());
      if (Call && (Call->isCallee(&U) || isRequest(*Call))) // that has its own error
        continue;
      const std::string Detail =
          "'" + userName(F) + "' has no address; call it where the derivative is wanted";
      const Instruction *At = placeOf(U.getUser());
      Errors = joinErrors(std::move(Errors), At ? diffError(DiagId::UnsupportedMode, *At, Detail)
                                                : diffError(DiagId::UnsupportedMode, F, Detail));
    }
  }
  return Errors;
}

void retireRequests(Module &M) {
  for (Function &F : make_early_inc_range(M))
    if (F.use_empty() && F.isDeclaration() && findRequestSpelling(F.getName()))
      F.eraseFromParent();
  for (GlobalVariable &Marker : make_early_inc_range(M.globals())) {
    if (!Marker.isDeclaration() || !findMarkerSpelling(Marker.getName()))
      continue;
    Marker.removeDeadConstantUsers();
    if (Marker.use_empty()) {
      Marker.eraseFromParent();
      continue;
    }
    // Unoptimised code may still copy the marker about; nobody looks at the copies.
    Marker.setInitializer(Constant::getNullValue(Marker.getValueType()));
    Marker.setLinkage(GlobalValue::InternalLinkage);
    Marker.setDSOLocal(true);
  }
}

} // namespace contraflow
