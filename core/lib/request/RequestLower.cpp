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
  RequestLowering(const DerivativeRequest &Request, Function *Derivative)
      : Request(Request), Call(*Request.Call), Derivative(Derivative), Builder(&Call) {}

  void lower() {
    splitNormalEdge();
    if (Request.Part == RequestPart::TapeSize) {
      deliverSize();
    } else {
      for (unsigned Lane = 0; Lane != calls(); ++Lane) {
        collectArguments(Lane);
        NewCalls.push_back(createCall(Lane + 1 == calls()));
      }
      deliverResults();
    }
    eraseRequest();
  }

private:
  /// An adjoint in several directions is called once for each.
  unsigned calls() const {
    return Request.Spec.Mode == DerivativeMode::Adjoint ? Request.Width : 1;
  }
  void collectArguments(unsigned Lane);
  void addTape();
  void addResultMemory(const Argument &Parameter);
  void addBatch(unsigned Lane);
  InvokeInst *invokeBefore(InvokeInst &Invoke);
  Value *shadow(const RequestArg &Arg, unsigned Lane, const Argument &Parameter);
  Value *convert(const RequestArg::Operand &From, const Argument &Parameter);
  Value *copyStructure(Value *Address, const Argument &Parameter);
  AllocaInst *localVariable(Type *T);
  CallBase *createCall(bool Last);
  void copyParameterAttributes(CallBase &NewCall) const;
  void splitNormalEdge();
  SmallVector<Value *, 8> takeResults();
  void deliverResults();
  void deliverSize();
  void storeResults(ArrayRef<Value *> Results, Value *Memory);
  void eraseRequest();

  const DerivativeRequest &Request;
  CallBase &Call;
  Function *Derivative;
  IRBuilder<> Builder;
  SmallVector<Value *, 16> Args;
  SmallVector<CallBase *, 1> NewCalls;
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
Value *RequestLowering::convert(const RequestArg::Operand &From, const Argument &Parameter) {
  Value *V = From.Value;
  Type *Want = Parameter.getType();
  if (Parameter.hasByValAttr())
    return Derivative->hasParamAttribute(Args.size(), Attribute::ByVal)
               ? V
               : copyStructure(V, Parameter);
  if (From.ByReference)
    return Builder.CreateLoad(Want, V);
  if (Want->isIntegerTy())
    return Builder.CreateSExtOrTrunc(V, Want);
  if (Want->isFloatingPointTy())
    return Builder.CreateFPCast(V, Want);
  if (Want->isPointerTy())
    return Builder.CreatePointerBitCastOrAddrSpaceCast(V, Want);
  return V;
}

/// The shadow for one direction.
Value *RequestLowering::shadow(const RequestArg &Arg, unsigned Lane, const Argument &Parameter) {
  if (!Arg.Stride)
    return convert(Arg.Shadows[Lane], Parameter);
  Value *First = convert(Arg.Shadows[0], Parameter);
  Value *Stride = Builder.CreateSExtOrTrunc(Arg.Stride, Builder.getInt64Ty());
  return Builder.CreatePtrAdd(First, Builder.CreateMul(Stride, Builder.getInt64(Lane)));
}

/// The seed and the tape of a reverse call.
void RequestLowering::addTape() {
  const DerivativeSpec &Spec = Request.Spec;
  if (Spec.Result == Activity::Active) {
    Type *Want = Spec.Primal->getReturnType();
    Value *Seed = Request.Seed.Value;
    Args.push_back(Request.Seed.ByReference ? Builder.CreateLoad(Want, Seed)
                                            : Builder.CreateFPCast(Seed, Want));
  }
  Value *Tape = Request.Tape.Value;
  for (bool Behind : {Request.Tape.ByReference, Request.TapeInMemory})
    if (Behind)
      Tape = Builder.CreateLoad(Builder.getPtrTy(), Tape);
  Args.push_back(Tape);
}

/// The primal writes its result, and the tangents theirs, to where the user expects them.
void RequestLowering::addResultMemory(const Argument &Parameter) {
  Type *Structure = Request.ResultInMemory;
  const uint64_t Bytes = Call.getDataLayout().getTypeAllocSize(Structure);
  Value *Room = receivesInMemory(Call) ? Call.getArgOperand(0) : nullptr;
  unsigned Taken = 0;
  auto Next = [&](bool Received) -> Value * {
    if (Room && Received)
      return Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Room, Bytes * Taken++);
    AllocaInst *Scratch = localVariable(Structure);
    Scratch->setAlignment(std::max(Scratch->getAlign(), Parameter.getParamAlign().valueOrOne()));
    return Scratch;
  };
  Args.push_back(Next(Request.ReceivesPrimal));
  for (unsigned Lane = 0; Lane != Request.Spec.Width; ++Lane) {
    Args.push_back(Next(true));
    Builder.CreateMemSet(Args.back(), Builder.getInt8(0), Bytes, MaybeAlign());
  }
}

void RequestLowering::addBatch(unsigned Lane) {
  for (const Argument &Parameter : Request.Spec.Primal->args()) {
    const RequestArg &Arg = Request.Args[Parameter.getArgNo()];
    Args.push_back(convert(Arg.Shadows.empty() ? Arg.Primal : Arg.Shadows[Lane], Parameter));
  }
}

void RequestLowering::collectArguments(unsigned Lane) {
  const DerivativeSpec &Spec = Request.Spec;
  Args.clear();
  if (Request.Part == RequestPart::Batch)
    return addBatch(Lane);
  if (Request.Part == RequestPart::Reverse)
    return addTape();
  for (const Argument &Parameter : Spec.Primal->args()) {
    const RequestArg &Arg = Request.Args[Parameter.getArgNo()];
    if (Parameter.hasStructRetAttr()) {
      addResultMemory(Parameter);
      continue;
    }
    Args.push_back(convert(Arg.Primal, Parameter));
    if (!Arg.Shadows.empty())
      for (unsigned L = 0; L != Spec.Width; ++L)
        Args.push_back(shadow(Arg, Lane + L, Parameter));
  }
  if (Request.Part == RequestPart::Whole && Spec.Mode == DerivativeMode::Adjoint &&
      Spec.Result == Activity::Active)
    Args.push_back(ConstantFP::get(Spec.Primal->getReturnType(), 1.0));
}

void RequestLowering::copyParameterAttributes(CallBase &NewCall) const {
  for (unsigned I = 0; I != Args.size(); ++I) {
    for (Attribute::AttrKind Kind : {Attribute::ZExt, Attribute::SExt, Attribute::InReg})
      if (Derivative->hasParamAttribute(I, Kind))
        NewCall.addParamAttr(I, Kind);
    if (Type *Structure = Derivative->getParamByValType(I))
      NewCall.addParamAttr(I, Attribute::getWithByValType(Call.getContext(), Structure));
  }
}

/// One of several calls in place of an invoke: it goes on to the next one.
InvokeInst *RequestLowering::invokeBefore(InvokeInst &Invoke) {
  BasicBlock *Head = Invoke.getParent(), *Unwind = Invoke.getUnwindDest();
  BasicBlock *Rest = Head->splitBasicBlock(Invoke.getIterator());
  Head->getTerminator()->eraseFromParent();
  Builder.SetInsertPoint(Head);
  InvokeInst *New = Builder.CreateInvoke(Derivative, Rest, Unwind, Args);
  for (PHINode &Phi : Unwind->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Rest), Head);
  Builder.SetInsertPoint(&Invoke);
  return New;
}

CallBase *RequestLowering::createCall(bool Last) {
  SmallVector<OperandBundleDef, 1> Bundles;
  Call.getOperandBundlesAsDefs(Bundles);
  CallBase *NewCall = nullptr;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call); Invoke && !Last)
    NewCall = invokeBefore(*Invoke);
  else if (Invoke)
    NewCall = Builder.CreateInvoke(Derivative, Invoke->getNormalDest(), Invoke->getUnwindDest(),
                                   Args, Bundles);
  else
    NewCall = Builder.CreateCall(Derivative, Args, Bundles);
  NewCall->setCallingConv(Derivative->getCallingConv());
  copyParameterAttributes(*NewCall);
  return NewCall;
}

void RequestLowering::storeResults(ArrayRef<Value *> Results, Value *Memory) {
  SmallVector<Type *, 8> Types;
  for (Value *V : Results)
    Types.push_back(V->getType());
  const StructLayout *Layout = Call.getDataLayout().getStructLayout(
      cast<StructType>(StructType::get(Call.getContext(), Types)));
  for (unsigned I = 0; I != Results.size(); ++I) {
    Value *Address = Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Memory,
                                                        Layout->getElementOffset(I));
    Builder.CreateStore(Results[I], Address);
  }
}

/// What the user receives, in order: of several directions, all of one value before the next one.
SmallVector<Value *, 8> RequestLowering::takeResults() {
  SmallVector<Value *, 8> Out;
  auto Take = [&](unsigned Lane, unsigned I) {
    Out.push_back(Builder.CreateExtractValue(NewCalls[Lane], I));
  };
  if (Request.Part == RequestPart::Augmented) {
    if (Request.ReceivesTape)
      Take(0, 0);
    if (Request.ReceivesPrimal)
      Take(0, 1);
    return Out;
  }
  if (Request.Part == RequestPart::Batch) {
    if (!Derivative->getReturnType()->isVoidTy())
      Out.append(NewCalls.begin(), NewCalls.end());
    return Out;
  }
  const unsigned Count = derivativeResults(Request.Spec).size();
  for (unsigned I = 0; I != Count; ++I)
    for (unsigned Lane = 0; Lane != (Request.Spec.ReturnPrimal && I == 0 ? 1 : calls()); ++Lane)
      Take(Lane, I);
  return Out;
}

void RequestLowering::deliverResults() {
  Type *Received = receivedType(Call);
  const bool StoresTape = Request.Part == RequestPart::Augmented && Request.TapeInMemory;
  if (!Received && !StoresTape)
    return;
  if (auto *Invoke = dyn_cast<InvokeInst>(NewCalls.back())) {
    BasicBlock *Edge = Invoke->getNormalDest();
    Builder.SetInsertPoint(Edge, Edge->getFirstInsertionPt());
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  }
  if (StoresTape) {
    Value *Where = Request.Tape.Value;
    if (Request.Tape.ByReference)
      Where = Builder.CreateLoad(Builder.getPtrTy(), Where);
    Builder.CreateStore(Builder.CreateExtractValue(NewCalls[0], 0), Where);
  }
  if (!Received || Request.ResultInMemory)
    return;
  const SmallVector<Value *, 8> Results = takeResults();
  if (receivesInMemory(Call)) {
    storeResults(Results, Call.getArgOperand(0));
    return;
  }
  Value *Result = nullptr;
  if (Results.size() == 1 && widens(Results.front()->getType(), Received)) {
    Result = Results.front();
    if (Received != Result->getType())
      Result = Builder.CreateFPExt(Result, Received);
  } else {
    AllocaInst *Memory = localVariable(Received);
    storeResults(Results, Memory);
    Result = Builder.CreateLoad(Received, Memory);
  }
  Result->takeName(&Call);
  Call.replaceAllUsesWith(Result);
}

/// The memory that a user provides holds the address of the tape.
void RequestLowering::deliverSize() {
  if (Call.getType()->isIntegerTy())
    Call.replaceAllUsesWith(
        ConstantInt::get(Call.getType(), Call.getDataLayout().getPointerSize()));
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
    Builder.CreateBr(Invoke->getNormalDest());
  }
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

Error lowerRequest(const DerivativeRequest &Request, const Derivative &D) {
  const DerivativeSpec &Spec = Request.Spec;
  Function *F = Request.Part == RequestPart::Reverse ? D.Reverse : D.Forward;
  FunctionType *Want = !F || Request.Part == RequestPart::Batch ? nullptr
                       : Request.Part == RequestPart::Whole     ? derivativeType(Spec)
                       : Request.Part == RequestPart::Augmented ? augmentedType(Spec)
                                                                : reverseType(Spec);
  if (Want && F->getFunctionType() != Want)
    return diffError(DiagId::Internal, *Request.Call, "derivative with an unexpected signature");
  RequestLowering(Request, F).lower();
  return Error::success();
}

} // namespace contraflow
