// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A choice among many functions is long, and code that is inlined takes its choices along:
// functions that call each other through tables would have hundreds of them. So after the first
// few, calls that may lead to the same functions call one function that chooses:
//
//   r = f(x)  at "heat.cpp:41:9"        r = cf.choice("heat.cpp:41:9", f, x)
//
//   cf.choice(place, f, x)              if (f == square) return square(x);
//                                       ...
//                                       unknown_callee(place);
//
// Where simplification finds out later what f is, the call is made direct again.

#include "SharedChoices.h"
#include "Choice.h"
#include "Indirect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostApart = 3;                        ///< calls with a choice of their own
constexpr unsigned Place = 0, Pointer = 1, FirstOwn = 2; ///< parameters of a function that chooses

/// How a number that is narrower than a register is passed.
constexpr Attribute::AttrKind Extensions[] = {Attribute::ZExt, Attribute::SExt};

/// True if all arguments are passed as what they are.
bool isPlain(const CallBase &Call) {
  auto *Direct = dyn_cast<CallInst>(&Call);
  if ((!Direct && !isa<InvokeInst>(Call)) || (Direct && Direct->isMustTailCall()) ||
      Call.getFunctionType()->isVarArg() || Call.hasOperandBundles())
    return false;
  const AttributeList &A = Call.getAttributes();
  auto Special = [&](Attribute::AttrKind Kind) { return A.hasAttrSomewhere(Kind); };
  return none_of(ArrayRef{Attribute::ByVal, Attribute::ByRef, Attribute::StructRet,
                          Attribute::InAlloca, Attribute::Preallocated, Attribute::Nest,
                          Attribute::InReg, Attribute::Returned, Attribute::SwiftSelf,
                          Attribute::SwiftError, Attribute::SwiftAsync},
                 Special);
}

/// The same call but for what is called, in the same place.
CallBase *callInstead(CallBase &Call, Function &Callee, ArrayRef<Value *> Args) {
  IRBuilder<> B(&Call);
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(&Callee, Invoke->getNormalDest(), Invoke->getUnwindDest(), Args);
  else
    New = B.CreateCall(&Callee, Args);
  New->setCallingConv(Callee.getCallingConv());
  New->copyMetadata(Call);
  New->setMetadata(LLVMContext::MD_prof, nullptr);
  New->setMetadata(LLVMContext::MD_callees, nullptr);
  Call.replaceAllUsesWith(New);
  New->takeName(&Call);
  Call.eraseFromParent();
  return New;
}

void keepExtensions(const CallBase &From, CallBase &To) {
  for (unsigned I = 0; I < From.arg_size(); ++I)
    for (Attribute::AttrKind Kind : Extensions)
      if (From.paramHasAttr(I, Kind))
        To.addParamAttr(I, Kind);
}

/// What code is made of it.
void keepTarget(const Function &From, Function &To) {
  for (StringRef Name : {"target-cpu", "target-features", "tune-cpu"})
    if (From.hasFnAttribute(Name))
      To.addFnAttr(From.getFnAttribute(Name));
  if (From.hasFnAttribute(Attribute::StrictFP))
    To.addFnAttr(Attribute::StrictFP);
}

Function *makeChooser(const CallBase &Call, ArrayRef<Function *> Callees) {
  LLVMContext &Context = Call.getContext();
  Type *Address = PointerType::getUnqual(Context);
  SmallVector<Type *, 8> Params{Address, Address};
  append_range(Params, Call.getFunctionType()->params());
  auto *F = Function::Create(FunctionType::get(Call.getType(), Params, /*isVarArg=*/false),
                             GlobalValue::InternalLinkage, "cf.choice",
                             const_cast<Module *>(Call.getModule()));
  keepTarget(*Call.getFunction(), *F);
  IRBuilder<> B(BasicBlock::Create(Context, "", F));
  SmallVector<Value *, 8> Own;
  for (Argument &A : drop_begin(F->args(), FirstOwn))
    Own.push_back(&A);
  CallInst *Inner = B.CreateCall(Call.getFunctionType(), F->getArg(Pointer), Own);
  Inner->setCallingConv(Call.getCallingConv());
  Inner->setDebugLoc(Call.getDebugLoc());
  keepExtensions(Call, *Inner);
  if (Call.getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Inner);
  replaceByChoice(
      *Inner, F->getArg(Pointer), Callees,
      [](CallBase &Direct, Function &Callee) {
        Direct.setCalledFunction(&Callee);
        keepCall(Direct);
      },
      [&](IRBuilderBase &At) -> Value * {
        endProgram(At, *F->getParent(), "unknown_callee", F->getArg(Place));
        return Call.getType()->isVoidTy() ? nullptr : PoisonValue::get(Call.getType());
      });
  return F;
}

} // namespace

SharedChoices::~SharedChoices() {
  for (auto &[Of, Known] : Choices)
    if (Function *F = Known.Chooser) {
      F->replaceAllUsesWith(PoisonValue::get(F->getType()));
      F->eraseFromParent();
    }
}

CallBase *SharedChoices::share(CallBase &Call, ArrayRef<Function *> Callees) {
  if (!isPlain(Call))
    return nullptr;
  Choice &Known = Choices[{Call.getFunctionType(), Callees.vec()}];
  if (Known.Calls++ < MostApart)
    return nullptr;
  if (!Known.Chooser) {
    Known.Chooser = makeChooser(Call, Callees);
    Made.insert(Known.Chooser);
  }
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Args{placeOf(B, Call), Call.getCalledOperand()};
  append_range(Args, Call.args());
  CallBase *New = callInstead(Call, *Known.Chooser, Args);
  keepCall(*New);
  return New;
}

bool SharedChoices::reopen(Function &P) const {
  SmallVector<CallBase *, 4> Found;
  for (Instruction &I : instructions(P)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && Call->getCalledFunction() && made(*Call->getCalledFunction()) &&
        isa<Function>(Call->getArgOperand(Pointer)))
      Found.push_back(Call);
  }
  bool Any = false;
  for (CallBase *Call : Found) {
    const SmallVector<Value *, 8> Args(drop_begin(Call->args(), FirstOwn));
    auto &Callee = *cast<Function>(Call->getArgOperand(Pointer));
    const auto Of = find_if(Choices, [&](const auto &Each) {
      return Each.second.Chooser == Call->getCalledFunction();
    });
    if (!is_contained(Of->first.second, &Callee))
      continue; // the program ends there
    CallBase *Direct = callInstead(*Call, Callee, Args);
    for (const Argument &A : Callee.args())
      for (Attribute::AttrKind Kind : Extensions)
        if (A.hasAttribute(Kind))
          Direct->addParamAttr(A.getArgNo(), Kind);
    Any = true;
  }
  return Any;
}

bool SharedChoices::calledBy(const Function &P) const {
  return !Made.empty() && any_of(instructions(P), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && Call->getCalledFunction() && made(*Call->getCalledFunction());
  });
}

} // namespace contraflow
