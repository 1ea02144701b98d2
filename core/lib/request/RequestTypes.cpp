// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types on both sides of a derivative call.
//
//   struct Grad {float a, b, c;} g = __enzyme_autodiff(f, a, b, c);
//   derivative returns {float, float, float}; the call returns {<2 x float>, float}

#include "RequestTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace contraflow {
namespace {

/// A structure that is returned in registers is rounded up to a register's size.
constexpr uint64_t RegisterBytes = 8;

/// Appends the scalars that T is made of, in memory order.
void appendScalars(Type *T, SmallVectorImpl<Type *> &Scalars) {
  if (auto *Struct = dyn_cast<StructType>(T)) {
    for (Type *Element : Struct->elements())
      appendScalars(Element, Scalars);
  } else if (auto *Array = dyn_cast<ArrayType>(T)) {
    for (uint64_t I = 0; I != Array->getNumElements(); ++I)
      appendScalars(Array->getElementType(), Scalars);
  } else if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    Scalars.append(Vector->getNumElements(), Vector->getElementType());
  } else {
    Scalars.push_back(T);
  }
}

} // namespace

SmallVector<Type *, 4> derivativeResults(const DerivativeSpec &Spec) {
  SmallVector<Type *, 4> Results;
  Type *PrimalResult = Spec.Primal->getReturnType();
  if (Spec.ReturnPrimal)
    Results.push_back(PrimalResult);
  if (Spec.Mode == DerivativeMode::Tangent) {
    if (Spec.Result == Activity::Dup)
      Results.append(Spec.Width, PrimalResult);
    return Results;
  }
  for (unsigned I = 0; I != Spec.Args.size(); ++I)
    if (Spec.Args[I] == Activity::Active)
      Results.push_back(Spec.Primal->getFunctionType()->getParamType(I));
  return Results;
}

bool returnsShadow(const DerivativeSpec &Spec) {
  return Spec.Result == Activity::Dup && Spec.Primal->getReturnType()->isPointerTy();
}

SmallVector<Type *, 4> receivedResults(const DerivativeRequest &Request) {
  const DerivativeSpec &Spec = Request.Spec;
  SmallVector<Type *, 4> Results;
  if (Request.Part == RequestPart::Augmented) {
    if (Request.ReceivesTape)
      Results.push_back(PointerType::getUnqual(Spec.Primal->getContext()));
    if (Request.ReceivesPrimal)
      Results.append(returnsShadow(Spec) ? 2 : 1, Spec.Primal->getReturnType());
    return Results;
  }
  if (Request.ResultInMemory)
    return SmallVector<Type *, 4>(Spec.Width + Request.ReceivesPrimal, Request.ResultInMemory);
  if (Request.Part == RequestPart::Batch)
    return Spec.Primal->getReturnType()->isVoidTy()
               ? Results
               : SmallVector<Type *, 4>(Request.Width, Spec.Primal->getReturnType());
  const unsigned Calls = Spec.Mode == DerivativeMode::Adjoint ? Request.Width : 1;
  const SmallVector<Type *, 4> Scalars = derivativeResults(Spec);
  unsigned First = 0;
  for (const unsigned Count : resultGroups(Request)) {
    Type *T = Count == 1 ? Scalars[First]
                         : StructType::get(Spec.Primal->getContext(),
                                           ArrayRef<Type *>(Scalars).slice(First, Count));
    Results.append(Spec.ReturnPrimal && First == 0 ? 1 : Calls, T);
    First += Count;
  }
  return Results;
}

SmallVector<unsigned, 4> resultGroups(const DerivativeRequest &Request) {
  const DerivativeSpec &Spec = Request.Spec;
  SmallVector<unsigned, 4> Groups(Spec.ReturnPrimal, 1);
  if (Spec.Mode == DerivativeMode::Tangent) {
    Groups.append(Spec.Result == Activity::Dup ? Spec.Width : 0, 1);
    return Groups;
  }
  for (const RequestArg &Arg : Request.Args)
    if (Arg.Kind == Activity::Active && Arg.Joined)
      ++Groups.back();
    else if (Arg.Kind == Activity::Active)
      Groups.push_back(1);
  return Groups;
}

static FunctionType *functionOf(const DerivativeSpec &Spec, ArrayRef<Type *> Results,
                                ArrayRef<Type *> Parameters) {
  LLVMContext &Context = Spec.Primal->getContext();
  Type *Result = Results.empty() ? Type::getVoidTy(Context)
                                 : static_cast<Type *>(StructType::get(Context, Results));
  return FunctionType::get(Result, Parameters, /*isVarArg=*/false);
}

static SmallVector<Type *, 16> argumentTypes(const DerivativeSpec &Spec) {
  SmallVector<Type *, 16> Parameters;
  for (unsigned I = 0; I != Spec.Args.size(); ++I) {
    const bool HasShadow = Spec.Args[I] == Activity::Dup || Spec.Args[I] == Activity::DupNoNeed;
    Parameters.append(HasShadow ? 1 + Spec.Width : 1,
                      Spec.Primal->getFunctionType()->getParamType(I));
  }
  return Parameters;
}

FunctionType *derivativeType(const DerivativeSpec &Spec) {
  SmallVector<Type *, 16> Parameters = argumentTypes(Spec);
  if (Spec.Mode == DerivativeMode::Adjoint && Spec.Result == Activity::Active)
    Parameters.push_back(Spec.Primal->getReturnType());
  return functionOf(Spec, derivativeResults(Spec), Parameters);
}

FunctionType *augmentedType(const DerivativeSpec &Spec) {
  SmallVector<Type *, 2> Results{PointerType::getUnqual(Spec.Primal->getContext())};
  if (Type *Result = Spec.Primal->getReturnType(); !Result->isVoidTy())
    Results.append(returnsShadow(Spec) ? 2 : 1, Result);
  return functionOf(Spec, Results, argumentTypes(Spec));
}

SmallVector<unsigned, 8> shadowedPointers(const DerivativeSpec &Spec) {
  SmallVector<unsigned, 8> Out;
  for (const Argument &A : Spec.Primal->args())
    if (A.getType()->isPointerTy() && !A.hasStructRetAttr() &&
        is_contained({Activity::Dup, Activity::DupNoNeed}, Spec.Args[A.getArgNo()]))
      Out.push_back(A.getArgNo());
  return Out;
}

FunctionType *reverseType(const DerivativeSpec &Spec) {
  SmallVector<Type *, 2> Parameters;
  if (Spec.Result == Activity::Active)
    Parameters.push_back(Spec.Primal->getReturnType());
  Parameters.append(shadowedPointers(Spec).size() + 1,
                    PointerType::getUnqual(Spec.Primal->getContext()));
  Parameters.push_back(Type::getInt1Ty(Spec.Primal->getContext()));
  return functionOf(Spec, derivativeResults(Spec), Parameters);
}

FunctionType *replayType(const DerivativeSpec &Spec) {
  SmallVector<Type *, 16> Parameters(derivativeType(Spec)->params());
  Parameters.push_back(PointerType::getUnqual(Spec.Primal->getContext()));
  Parameters.push_back(Type::getInt1Ty(Spec.Primal->getContext()));
  return functionOf(Spec, derivativeResults(Spec), Parameters);
}

bool receivesInMemory(const CallBase &Call) {
  return Call.arg_size() != 0 && Call.paramHasAttr(0, Attribute::StructRet);
}

Type *receivedType(const CallBase &Call) {
  if (receivesInMemory(Call))
    return Call.getParamStructRetType(0);
  return Call.use_empty() ? nullptr : Call.getType();
}

bool isOfNumbers(Type *T) {
  SmallVector<Type *, 8> Scalars;
  appendScalars(T, Scalars);
  return !Scalars.empty() && all_of(Scalars, [](Type *S) { return S->isFloatingPointTy(); });
}

bool widens(Type *From, Type *To) {
  if (From == To)
    return true;
  return From->isFloatingPointTy() && To->isFloatingPointTy() &&
         From->getPrimitiveSizeInBits() < To->getPrimitiveSizeInBits();
}

bool laidOutAs(ArrayRef<Type *> Results, Type *Received, const DataLayout &Layout) {
  if (Results.empty() || !Received->isSized())
    return false;
  StructType *Memory = StructType::get(Received->getContext(), Results);
  const uint64_t Needed = Layout.getStructLayout(Memory)->getSizeInBytes();
  const uint64_t Size = Layout.getTypeAllocSize(Received);
  if (Size < Needed || Size - Needed >= RegisterBytes)
    return false;
  SmallVector<Type *, 8> Have;
  SmallVector<Type *, 8> Want;
  appendScalars(Memory, Have);
  appendScalars(Received, Want);
  return Have == Want;
}

} // namespace contraflow
