// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces a request by a call of the derivative.
//
//   %g = call { double, double } @__enzyme_autodiff(ptr @f, double %a, i32 %out, double %b)
//   -> %d = call { double, double } @f.adjoint(double %a, double %b, double 1.0)
//
// The results of the derivative reach the user's declared type directly (one scalar), through
// memory in C layout (structures in registers), or are stored where the sret pointer says. An
// invoke stays an invoke; its results are converted on the edge to the normal destination.

#include "contraflow/core/Diag.h"
#include "contraflow/core/Request.h"

#include "RequestTypes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {
namespace {

class RequestLowering {
public:
  RequestLowering(const DerivativeRequest &Request, Function &Derivative)
      : Request(Request), Call(*Request.Call), Derivative(Derivative), Builder(&Call) {}

  void lower() {
    splitNormalEdge();
    collectArguments();
    CallBase *NewCall = createCall();
    deliverResults(NewCall);
    eraseRequest();
  }

private:
  void collectArguments();
  Value *convert(Value *V, bool ByReference, const Argument &Parameter);
  Value *copyStructure(Value *Address, const Argument &Parameter);
  AllocaInst *localVariable(Type *T);
  CallBase *createCall();
  void copyParameterAttributes(CallBase &NewCall) const;
  void splitNormalEdge();
  void deliverResults(CallBase *NewCall);
  void storeResults(CallBase *NewCall, ArrayRef<Type *> Results, Value *Memory);
  void eraseRequest();

  const DerivativeRequest &Request;
  CallBase &Call;
  Function &Derivative;
  IRBuilder<> Builder;
  SmallVector<Value *, 16> Args;
};

/// The results of an invoke are converted in a block that only its normal edge enters.
void RequestLowering::splitNormalEdge() {
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call); Invoke && receivedType(Call))
    SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
}

AllocaInst *RequestLowering::localVariable(Type *T) {
  IRBuilder<>::InsertPointGuard Guard(Builder);
  BasicBlock &Entry = Call.getFunction()->getEntryBlock();
  Builder.SetInsertPoint(&Entry, Entry.getFirstInsertionPt());
  return Builder.CreateAlloca(T);
}

/// The user's call copied a structure passed by value; so does ours.
Value *RequestLowering::copyStructure(Value *Address, const Argument &Parameter) {
  Type *Structure = Parameter.getParamByValType();
  AllocaInst *Copy = localVariable(Structure);
  const Align Alignment = std::max(Copy->getAlign(), Parameter.getParamAlign().valueOrOne());
  Copy->setAlignment(Alignment);
  const uint64_t Bytes = Call.getDataLayout().getTypeAllocSize(Structure);
  Builder.CreateMemCpy(Copy, Alignment, Address, MaybeAlign(), Bytes);
  return Copy;
}

/// A value of the call as a value of the parameter's type. C promotes float to double and small
/// integers to int in variable arguments; a literal is widened.
Value *RequestLowering::convert(Value *V, bool ByReference, const Argument &Parameter) {
  Type *Want = Parameter.getType();
  if (Parameter.hasByValAttr())
    return Derivative.hasParamAttribute(Args.size(), Attribute::ByVal)
               ? V
               : copyStructure(V, Parameter);
  if (ByReference)
    return Builder.CreateLoad(Want, V);
  if (Want->isIntegerTy())
    return Builder.CreateSExtOrTrunc(V, Want);
  if (Want->isFloatingPointTy())
    return Builder.CreateFPCast(V, Want);
  if (Want->isPointerTy())
    return Builder.CreatePointerBitCastOrAddrSpaceCast(V, Want);
  return V;
}

void RequestLowering::collectArguments() {
  const DerivativeSpec &Spec = Request.Spec;
  for (const Argument &Parameter : Spec.Primal->args()) {
    const RequestArg &Arg = Request.Args[Parameter.getArgNo()];
    Args.push_back(convert(Arg.Primal, Arg.PrimalByReference, Parameter));
    if (Arg.Shadow)
      Args.push_back(convert(Arg.Shadow, Arg.ShadowByReference, Parameter));
  }
  if (Spec.Mode == DerivativeMode::Adjoint && Spec.Result == Activity::Active)
    Args.push_back(ConstantFP::get(Spec.Primal->getReturnType(), 1.0));
}

void RequestLowering::copyParameterAttributes(CallBase &NewCall) const {
  for (unsigned I = 0; I != Args.size(); ++I) {
    for (Attribute::AttrKind Kind : {Attribute::ZExt, Attribute::SExt, Attribute::InReg})
      if (Derivative.hasParamAttribute(I, Kind))
        NewCall.addParamAttr(I, Kind);
    if (Type *Structure = Derivative.getParamByValType(I))
      NewCall.addParamAttr(I, Attribute::getWithByValType(Call.getContext(), Structure));
  }
}

CallBase *RequestLowering::createCall() {
  SmallVector<OperandBundleDef, 1> Bundles;
  Call.getOperandBundlesAsDefs(Bundles);
  CallBase *NewCall = nullptr;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    NewCall = Builder.CreateInvoke(&Derivative, Invoke->getNormalDest(), Invoke->getUnwindDest(),
                                   Args, Bundles);
  else
    NewCall = Builder.CreateCall(&Derivative, Args, Bundles);
  NewCall->setCallingConv(Derivative.getCallingConv());
  copyParameterAttributes(*NewCall);
  return NewCall;
}

void RequestLowering::storeResults(CallBase *NewCall, ArrayRef<Type *> Results, Value *Memory) {
  const StructLayout *Layout = Call.getDataLayout().getStructLayout(
      cast<StructType>(StructType::get(Call.getContext(), Results)));
  for (unsigned I = 0; I != Results.size(); ++I) {
    Value *Address = Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Memory,
                                                        Layout->getElementOffset(I));
    Builder.CreateStore(Builder.CreateExtractValue(NewCall, I), Address);
  }
}

void RequestLowering::deliverResults(CallBase *NewCall) {
  Type *Received = receivedType(Call);
  if (!Received)
    return;
  if (auto *Invoke = dyn_cast<InvokeInst>(NewCall)) {
    BasicBlock *Edge = Invoke->getNormalDest();
    Builder.SetInsertPoint(Edge, Edge->getFirstInsertionPt());
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  }
  const SmallVector<Type *, 4> Results = derivativeResults(Request.Spec);
  if (receivesInMemory(Call)) {
    storeResults(NewCall, Results, Call.getArgOperand(0));
    return;
  }
  Value *Result = nullptr;
  if (Results.size() == 1 && widens(Results.front(), Received)) {
    Result = Builder.CreateExtractValue(NewCall, 0);
    if (Received != Results.front())
      Result = Builder.CreateFPExt(Result, Received);
  } else if (Received == NewCall->getType()) {
    Result = NewCall;
  } else {
    AllocaInst *Memory = localVariable(Received);
    storeResults(NewCall, Results, Memory);
    Result = Builder.CreateLoad(Received, Memory);
  }
  Result->takeName(&Call);
  Call.replaceAllUsesWith(Result);
}

/// Erases the old call and what only it used: loads of markers, conversions.
void RequestLowering::eraseRequest() {
  SmallVector<WeakTrackingVH, 16> Operands;
  for (Value *Operand : Call.args())
    Operands.emplace_back(Operand);
  Call.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Operands);
}

} // namespace

Error lowerRequest(const DerivativeRequest &Request, Function &Derivative) {
  if (Derivative.getFunctionType() != derivativeType(Request.Spec))
    return diffError(DiagId::Internal, *Request.Call, "derivative with an unexpected signature");
  RequestLowering(Request, Derivative).lower();
  return Error::success();
}

} // namespace contraflow
