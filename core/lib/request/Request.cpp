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
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {

bool isRequest(const CallBase &Call) {
  const auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
  return Callee && Callee->isDeclaration() && findRequestSpelling(Callee->getName());
}

/// Marks of a call whose references are noted, of an argument that is one: = "8", its bytes; and of
/// an argument that is the bits of a structure.
static constexpr StringLiteral Noted = "contraflow_references", Reference = "contraflow_reference",
                               Bits = "contraflow_bits";

/// A small structure, or complex number, for which no register of its kind is left is loaded as an
/// integer. A structure may have padding, so that, unlike an integer of the program, it may be
/// undefined.
static bool isLoadedAsBits(const CallBase &Call, unsigned Index) {
  const Value *V = Call.getArgOperand(Index);
  const auto *Load = dyn_cast<LoadInst>(V);
  if (!V->getType()->isIntegerTy() || !(Load || isa<PtrToIntInst>(V)))
    return false;
  const auto *Variable = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  return !Call.paramHasAttr(Index, Attribute::NoUndef) ||
         (Variable && Variable->getAllocatedType()->isStructTy());
}

static void noteBits(CallBase &Call) {
  for (unsigned I = 0; I != Call.arg_size(); ++I)
    if (isLoadedAsBits(Call, I))
      Call.addParamAttr(I, Attribute::get(Call.getContext(), Bits));
}

bool isBitsOf(const CallBase &Call, unsigned Index, Type *Want) {
  Type *Have = Call.getArgOperand(Index)->getType();
  return Call.getParamAttr(Index, Bits).isValid() && !Want->isIntegerTy() &&
         CastInst::isBitOrNoopPointerCastable(Have, Want, Call.getDataLayout());
}

/// True for an array, which a pointer to its first element stands for also where C++ passes a
/// reference to it.
static bool isArray(const Value &Address) {
  if (const auto *Variable = dyn_cast<AllocaInst>(&Address))
    return Variable->getAllocatedType()->isArrayTy();
  if (const auto *Variable = dyn_cast<GlobalVariable>(&Address))
    return Variable->getValueType()->isArrayTy();
  const auto *Step = dyn_cast<GEPOperator>(&Address);
  return Step && Step->getResultElementType()->isArrayTy();
}

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
    if (const uint64_t Bytes = Callee.getParamDereferenceableBytes(I);
        Bytes && !isArray(*Call.getArgOperand(I)))
      Call.addParamAttr(I, Attribute::get(Context, Reference, utostr(Bytes)));
  noteBits(Call);
}

uint64_t referencedBytes(const CallBase &Call, unsigned Index) {
  const Attribute Mark = Call.getParamAttr(Index, Reference);
  uint64_t Bytes = 0;
  return Mark.isValid() && !Mark.getValueAsString().getAsInteger(10, Bytes) ? Bytes : 0;
}

static bool canBeIdentity(Type *T) { return T->isFPOrFPVectorTy() || isa<IntegerType>(T); }

/// An inactive function, if F takes a number and returns one of its kind.
static void defineIdentity(Function &F) {
  Type *T = F.getReturnType();
  if (F.arg_size() != 1 || F.getArg(0)->getType() != T || !canBeIdentity(T))
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

/// V without its derivative.
static Value *withoutDerivative(IRBuilder<> &B, Value *V) {
  Module &M = *B.GetInsertBlock()->getModule();
  auto *F = Function::Create(FunctionType::get(V->getType(), {V->getType()}, false),
                             GlobalValue::InternalLinkage, "value", M);
  defineIdentity(*F);
  return B.CreateCall(F, {V});
}

/// Whoever uses V uses it without its derivative.
static void dropDerivative(Value &V, BasicBlock &Block, BasicBlock::iterator At) {
  if (!canBeIdentity(V.getType()) || V.use_empty())
    return;
  SmallVector<Use *, 4> Uses;
  for (Use &U : V.uses())
    Uses.push_back(&U);
  IRBuilder<> B(&Block, At);
  Value *Alone = withoutDerivative(B, &V);
  for (Use *U : Uses)
    U->set(Alone);
}

/// What I calculates has no derivative, nor what it stores.
static void dropDerivative(Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    IRBuilder<> B(Store);
    if (canBeIdentity(Store->getValueOperand()->getType()))
      Store->setOperand(0, withoutDerivative(B, Store->getValueOperand()));
  } else if (const auto After = I.getInsertionPointAfterDef()) {
    dropDerivative(I, *(*After)->getParent(), *After);
  }
}

/// Numbers that other front ends say to be inactive: an instruction by metadata, a parameter or a
/// result by an attribute. The optimiser drops the former and sees through the latter.
///
///   %v = load double, ptr %p, !enzyme_inactive !0   ->   %v = load ; %w = call @cf.inactive(%v)
static void readInactiveValues(Module &M) {
  const unsigned Kind = M.getContext().getMDKindID(attr::Inactive);
  SmallVector<Instruction *, 4> Marked;
  for (Function &F : M) {
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (I.getMetadata(Kind) && Call)
        Call->addFnAttr(Attribute::get(I.getContext(), attr::Inactive));
      else if (I.getMetadata(Kind) || (Call && Call->getAttributes().hasRetAttr(attr::Inactive)) ||
               (Call && Call->getCalledFunction() &&
                Call->getCalledFunction()->getAttributes().hasRetAttr(attr::Inactive)))
        Marked.push_back(&I);
      I.setMetadata(Kind, nullptr); // a module may be read twice
    }
    for (Argument &A : F.args())
      if (A.hasAttribute(attr::Inactive) && !F.isDeclaration()) {
        dropDerivative(A, F.getEntryBlock(), F.getEntryBlock().getFirstInsertionPt());
        F.removeParamAttr(A.getArgNo(), attr::Inactive);
      }
  }
  for (Instruction *I : Marked) {
    if (auto *Call = dyn_cast<CallBase>(I))
      Call->removeAttributeAtIndex(AttributeList::ReturnIndex, attr::Inactive);
    dropDerivative(*I);
  }
  for (Function &F : M) // said where it is called
    F.removeRetAttr(attr::Inactive);
}

void protectRequests(Module &M) {
  readInactiveValues(M);
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

/// A request that was refused is left in the module; clang ends where code is made of one whose
/// markers are metadata.
static void dropRefused(Function &Request) {
  for (User *U : make_early_inc_range(Request.users())) {
    auto *Call = dyn_cast<CallInst>(U);
    if (!Call || Call->getCalledOperand() != &Request ||
        none_of(Call->args(), [](const Use &Arg) { return Arg->getType()->isMetadataTy(); }))
      continue;
    Call->replaceAllUsesWith(PoisonValue::get(Call->getType()));
    Call->eraseFromParent();
  }
}

void retireRequests(Module &M) {
  for (Function &F : M)
    if (F.isDeclaration() && findRequestSpelling(F.getName()))
      dropRefused(F);
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
