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

#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Request.h"

#include "RequestTypes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
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
  RequestLowering(const DerivativeRequest &Request, Function *Derivative, Function *First,
                  bool TakesBack)
      : Request(Request), Call(*Request.Call), Derivative(Derivative), First(First),
        TakesBack(TakesBack), Builder(&Call) {}

  void lower() {
    splitNormalEdge();
    if (Request.Part == RequestPart::TapeSize) {
      deliver(ConstantInt::get(Builder.getInt64Ty(), Call.getDataLayout().getPointerSize()));
    } else if (Request.Part == RequestPart::FunctionShadow) {
      deliver(Derivative);
    } else {
      if (First)
        runFirst();
      for (unsigned Lane = 0; Lane != calls(); ++Lane) {
        collectArguments(Lane);
        NewCalls.push_back(createCall(Lane + 1 == calls()));
      }
      if (TakesBack)
        runPrimal();
      deliverResults();
    }
    eraseRequest();
  }

private:
  /// An adjoint in several directions is called once for each.
  unsigned calls() const {
    const bool Once = Request.Part == RequestPart::Augmented;
    return Request.Spec.Mode == DerivativeMode::Adjoint && !Once ? Request.Width : 1;
  }
  void collectArguments(unsigned Lane);
  void addTape(unsigned Lane);
  void runFirst();
  void addResultMemory(const Argument &Parameter);
  void addBatch(unsigned Lane);
  InvokeInst *invokeBefore(InvokeInst &Invoke);
  Value *shadow(const RequestArg &Arg, unsigned Lane, const Argument &Parameter);
  Value *convert(const RequestArg::Operand &From, const Argument &Parameter);
  Value *partOf(const RequestArg::Operand &From, Type *Want);
  Value *memoryOf(unsigned Structure);
  Value *seed(unsigned Lane);
  Value *copyStructure(Value *Address, const Argument &Parameter);
  AllocaInst *localVariable(Type *T);
  CallBase *createCall(bool Last);
  void copyParameterAttributes(CallBase &NewCall) const;
  void splitNormalEdge();
  SmallVector<Value *, 8> takeResults();
  void runPrimal();
  void deliverResults();
  void deliver(Constant *Known);
  void storeResults(ArrayRef<Value *> Results, Value *Memory);
  void eraseRequest();

  const DerivativeRequest &Request;
  CallBase &Call;
  Function *Derivative;
  Function *First; ///< what makes the tape that the derivative reads, or null
  bool TakesBack;  ///< the primal has not run in the end
  Value *Tape = nullptr;
  IRBuilder<> Builder;
  SmallVector<Value *, 16> Args;
  SmallVector<CallBase *, 1> NewCalls;
  DenseMap<unsigned, Value *> Memories; ///< of structures whose pieces were stored
  AllocaInst *ResultRoom = nullptr;     ///< structures that the user receives in registers
};

/// The results of an invoke are converted in a block that only its normal edge enters.
void RequestLowering::splitNormalEdge() {
  auto *Invoke = dyn_cast<InvokeInst>(&Call);
  if (!Invoke || !(receivedType(Call) || TakesBack))
    return;
  if (Invoke->getNormalDest()->getSinglePredecessor()) // its phis would stay in front
    FoldSingleEntryPHINodes(Invoke->getNormalDest());
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

/// Local memory in which the pieces of a structure are put together again.
Value *RequestLowering::memoryOf(unsigned Structure) {
  Value *&Memory = Memories[Structure];
  if (Memory)
    return Memory;
  const DataLayout &Layout = Call.getDataLayout();
  const auto &Pieces = Request.Structures[Structure].Pieces;
  uint64_t Size = 0;
  for (const StructurePieces::Piece &P : Pieces)
    Size = std::max(Size, P.Offset + Layout.getTypeAllocSize(P.T));
  AllocaInst *Variable = localVariable(ArrayType::get(Builder.getInt8Ty(), Size));
  Variable->setAlignment(Align(16));
  for (const StructurePieces::Piece &P : Pieces)
    Builder.CreateStore(
        Builder.CreateBitOrPointerCast(P.Value, P.T),
        Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Variable, P.Offset));
  return Memory = Variable;
}

/// A scalar of a structure; often one of the pieces it came in.
Value *RequestLowering::partOf(const RequestArg::Operand &From, Type *Want) {
  if (From.Structure)
    for (const StructurePieces::Piece &P : Request.Structures[*From.Structure].Pieces)
      if (P.Offset == From.Offset && P.T == Want)
        return Builder.CreateBitOrPointerCast(P.Value, Want);
  Value *Address = From.Structure ? memoryOf(*From.Structure) : static_cast<Value *>(From.Value);
  return Builder.CreateAlignedLoad(
      Want, Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Address, From.Offset),
      From.Offset || From.Structure ? MaybeAlign(1) : MaybeAlign());
}

/// The adjoint of the result for one direction.
Value *RequestLowering::seed(unsigned Lane) {
  Type *Want = Request.Spec.Primal->getReturnType();
  if (Request.Seed.empty()) {
    Type *Number = Want->isAggregateType() ? nullptr : Want;
    if (Number)
      return ConstantFP::get(Number, 1.0);
    SmallVector<Constant *, 4> Ones;
    for (Type *Element : cast<StructType>(Want)->elements())
      Ones.push_back(ConstantFP::get(Element, 1.0));
    return ConstantStruct::get(cast<StructType>(Want), Ones);
  }
  const size_t Parts = Request.Seed.size() / Request.Width;
  const auto Seed = ArrayRef(Request.Seed).slice(Lane * Parts, Parts);
  auto *Structure = dyn_cast<StructType>(Want);
  if (!Structure) {
    const RequestArg::Operand &Only = Seed[0];
    if (Only.ByReference || Only.Structure)
      return partOf(Only, Want);
    return Want->isVectorTy() ? static_cast<Value *>(Only.Value)
                              : Builder.CreateFPCast(Only.Value, Want);
  }
  Value *All = PoisonValue::get(Want);
  for (auto [I, Part] : enumerate(Seed))
    All = Builder.CreateInsertValue(All, partOf(Part, Structure->getElementType(I)), I);
  return All;
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
  if (From.ByReference || From.Structure)
    return partOf(From, Want);
  if (Want->isIntegerTy())
    return Builder.CreateSExtOrTrunc(V, Want);
  if (V->getType()->isIntegerTy())
    return Builder.CreateBitOrPointerCast(V, Want);
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

/// The tape, and the seed of a reverse call.
void RequestLowering::addTape(unsigned Lane) {
  const DerivativeSpec &Spec = Request.Spec;
  if (Request.Part == RequestPart::Reverse && Spec.Result == Activity::Active)
    Args.push_back(seed(Lane));
  if (Request.Part == RequestPart::Reverse && !Spec.Repeated)
    for (unsigned A : shadowedPointers(Spec))
      Args.push_back(shadow(Request.Args[A], Lane, *Spec.Primal->getArg(A)));
  Value *Tape = Request.Tape.Value;
  for (bool Behind : {Request.Tape.ByReference, Request.TapeInMemory})
    if (Behind)
      Tape = Builder.CreateLoad(Builder.getPtrTy(), Tape);
  Args.push_back(Tape);
  Args.push_back(Builder.getInt1(Request.KeepsTape || Lane + 1 != calls()));
}

/// The primal writes its result, and the tangents theirs, to where the user expects them.
void RequestLowering::addResultMemory(const Argument &Parameter) {
  Type *Structure = Request.ResultInMemory;
  const uint64_t Bytes = Call.getDataLayout().getTypeAllocSize(Structure);
  const bool Wanted = Request.Part != RequestPart::Augmented;
  Value *Room = Wanted && receivesInMemory(Call) ? Call.getArgOperand(0) : nullptr;
  if (Type *Received = receivedType(Call); Wanted && Received && !Room) {
    Room = ResultRoom = localVariable(Received);
    ResultRoom->setAlignment(
        std::max(ResultRoom->getAlign(), Parameter.getParamAlign().valueOrOne()));
  }
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
    Args.push_back(Arg.Shadows.empty() ? convert(Arg.Primal, Parameter)
                                       : shadow(Arg, Lane, Parameter));
  }
}

void RequestLowering::collectArguments(unsigned Lane) {
  const DerivativeSpec &Spec = Request.Spec;
  Args.clear();
  if (Request.Part == RequestPart::Batch)
    return addBatch(Lane);
  if (Request.Part == RequestPart::Reverse && !Spec.Repeated)
    return addTape(Lane);
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
  if (Request.Part == RequestPart::Replay || Request.Part == RequestPart::Reverse)
    return addTape(Lane);
  if (Request.Part == RequestPart::Whole && Spec.Mode == DerivativeMode::Adjoint &&
      Spec.Result == Activity::Active)
    Args.push_back(seed(Lane));
  if (Tape)
    Args.append({Tape, Builder.getInt1(Lane + 1 != calls())});
}

/// The primal runs once, and leaves a tape for the calls that follow.
void RequestLowering::runFirst() {
  Function *Second = std::exchange(Derivative, First);
  collectArguments(0);
  Args.resize(First->arg_size());
  CallInst *Run = Builder.CreateCall(First, Args);
  copyParameterAttributes(*Run);
  Tape = Builder.CreateExtractValue(Run, 0);
  Derivative = Second;
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

/// The derivative calls have left memory as it was before: what the primal does happens now.
void RequestLowering::runPrimal() {
  IRBuilder<>::InsertPointGuard Guard(Builder);
  if (auto *Invoke = dyn_cast<InvokeInst>(NewCalls.back())) {
    BasicBlock *Edge = Invoke->getNormalDest();
    Builder.SetInsertPoint(Edge, Edge->getFirstInsertionPt());
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  }
  Function *Primal = Request.Spec.Primal;
  Derivative = Primal; // it decides how structures are passed
  Args.clear();
  for (const Argument &Parameter : Primal->args())
    Args.push_back(convert(Request.Args[Parameter.getArgNo()].Primal, Parameter));
  CallInst *Again = Builder.CreateCall(Primal, Args);
  Again->setCallingConv(Primal->getCallingConv());
  copyParameterAttributes(*Again);
}

void RequestLowering::storeResults(ArrayRef<Value *> Results, Value *Memory) {
  const SmallVector<Type *, 4> Types = receivedResults(Request);
  const DataLayout &Data = Call.getDataLayout();
  const StructLayout *Layout =
      Data.getStructLayout(cast<StructType>(StructType::get(Call.getContext(), Types)));
  unsigned Next = 0;
  auto Store = [&](uint64_t Offset) {
    Builder.CreateStore(Results[Next++],
                        Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Memory, Offset));
  };
  for (auto [I, T] : enumerate(Types)) {
    const uint64_t Offset = Layout->getElementOffset(I);
    if (Results[Next]->getType() == T) {
      Store(Offset);
      continue;
    }
    auto *Structure = cast<StructType>(T); // the scalars of a structure
    for (unsigned E = 0; E != Structure->getNumElements(); ++E)
      Store(Offset + Data.getStructLayout(Structure)->getElementOffset(E));
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
    if (Request.ReceivesPrimal && returnsShadow(Request.Spec))
      Take(0, 2);
    return Out;
  }
  if (Request.Part == RequestPart::Batch) {
    if (!Derivative->getReturnType()->isVoidTy())
      Out.append(NewCalls.begin(), NewCalls.end());
    return Out;
  }
  unsigned First = 0;
  for (const unsigned Count : resultGroups(Request)) {
    for (unsigned Lane = 0; Lane != (Request.Spec.ReturnPrimal && First == 0 ? 1 : calls()); ++Lane)
      for (unsigned I = 0; I != Count; ++I)
        Take(Lane, First + I);
    First += Count;
  }
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
  if (ResultRoom) {
    Value *Result = Builder.CreateLoad(Received, ResultRoom);
    Result->takeName(&Call);
    Call.replaceAllUsesWith(Result);
  }
  if (!Received || (Request.ResultInMemory && Request.Part != RequestPart::Augmented))
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

/// What is known at compile time. The memory that a user provides holds the address of the tape. A
/// call through a function pointer is decided by the primal, so that its shadow may be the same.
void RequestLowering::deliver(Constant *Known) {
  if (auto *Number = dyn_cast<ConstantInt>(Known); Number && Call.getType()->isIntegerTy())
    Known = ConstantInt::get(Call.getType(), Number->getZExtValue());
  if (Call.getType() == Known->getType())
    Call.replaceAllUsesWith(Known);
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

Function *inactiveTwin(Function &F) {
  auto *Twin = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage,
                                "cf.inactive." + F.getName(), F.getParent());
  Twin->setAttributes(F.getAttributes());
  for (Attribute::AttrKind Kind : {Attribute::AlwaysInline, Attribute::OptimizeNone})
    Twin->removeFnAttr(Kind);
  Twin->addFnAttr(Attribute::NoInline);
  Twin->addFnAttr(attr::Inactive);
  Twin->setCallingConv(F.getCallingConv());
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "entry", Twin));
  SmallVector<Value *, 8> Args;
  for (Argument &A : Twin->args())
    Args.push_back(&A);
  CallInst *Call = B.CreateCall(&F, Args);
  Call->setCallingConv(F.getCallingConv());
  Call->setAttributes(
      AttributeList::get(F.getContext(), AttributeSet(), F.getAttributes().getRetAttrs(),
                         SmallVector<AttributeSet, 8>(map_range(F.args(), [&](Argument &A) {
                           return F.getAttributes().getParamAttrs(A.getArgNo());
                         }))));
  F.getReturnType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Call);
  return Twin;
}

Error lowerRequest(const DerivativeRequest &Request, const Derivative &D) {
  const DerivativeSpec &Spec = Request.Spec;
  const bool Replays = Request.Part == RequestPart::Replay ||
                       (Request.Part == RequestPart::Reverse && Spec.Repeated);
  Function *F = Request.Part == RequestPart::Reverse && !Replays ? D.Reverse : D.Forward;
  if (Request.KeepsTape && Request.Part == RequestPart::Reverse && D.RunsOnce)
    return diffError(
        DiagId::UnsupportedMode, *Request.Call,
        "'enzyme_nofree': the reverse sweep of '" + userName(*Spec.Primal) +
            "' meets other threads or ranks, or leaves adjoints behind, and runs once");
  const bool Itself =
      Request.Part == RequestPart::Batch || Request.Part == RequestPart::FunctionShadow;
  Function *First = Request.Part == RequestPart::Whole ? D.Reverse : nullptr;
  FunctionType *Want = !F || Itself                             ? nullptr
                       : First                                  ? replayType(Spec)
                       : Request.Part == RequestPart::Whole     ? derivativeType(Spec)
                       : Request.Part == RequestPart::Augmented ? augmentedType(Spec)
                       : Replays                                ? replayType(Spec)
                                                                : reverseType(Spec);
  if (Want && F->getFunctionType() != Want)
    return diffError(DiagId::Internal, *Request.Call, "derivative with an unexpected signature");
  RequestLowering(Request, F, First, D.TakesBack).lower();
  return Error::success();
}

} // namespace contraflow
