// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures in a derivative call. What the call passes in their place is found with what is known
// of the function's parameters (ByValue.h):
//
//   struct Point {double x, y;};  double f(struct Point p, double k);
//   __enzyme_fwddiff(f, enzyme_dup, p, dp, k, dk)     IR: f(p.x, p.y, k), (..., p.x, p.y, dp.x,
//   ...)
//   -> [{Dup, p.x, dp.x}, {Dup, p.y, dp.y}, {Dup, k, dk}] of a function that takes p apart

#include "RequestReader.h"
#include "RequestTrace.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace contraflow {

/// Takes one structure: its address, its pieces, or, in IR, itself.
Expected<RequestArg::Operand> RequestReader::readStructureValue(const SourceParameter &P,
                                                                DiagId Mismatch) {
  const uint64_t Size = Call.getDataLayout().getTypeAllocSize(P.Structure);
  if (atEnd())
    return fail(DiagId::RequestArgCount, describe() + " is missing");
  Value *First = Call.getArgOperand(Next);
  if (First->getType()->isPointerTy()) {
    Type *Copied = Call.getParamByValType(Next);
    const bool Same = Copied ? Call.getDataLayout().getTypeAllocSize(Copied) == Size
                             : referencedBytes(Call, Next) == Size || ReferencedSize == Size;
    if (Same) {
      ++Next;
      return RequestArg::Operand{First, /*ByReference=*/true, 0, std::nullopt};
    }
  }
  StructurePieces All;
  const bool Whole = First->getType() == P.Structure;
  const Leaf Itself{P.Structure, 0};
  const ArrayRef<Leaf> Expected = Whole ? ArrayRef(Itself) : ArrayRef(P.Pieces);
  for (const Leaf &Piece : Expected) {
    if (atEnd() || Call.isByValArgument(Next) ||
        (Call.getArgOperand(Next)->getType() != Piece.T && !isBitsOf(Call, Next, Piece.T)))
      break;
    All.Pieces.push_back({Call.getArgOperand(Next++), Piece.Offset, Piece.T});
  }
  if ((P.InMemory && !Whole) || All.Pieces.size() != Expected.size())
    return fail(Mismatch,
                describe() + " is a structure of " + Twine(Size) +
                    " bytes passed by value, not a " +
                    userType(atEnd() ? First->getType() : Call.getArgOperand(Next)->getType()));
  RequestArg::Operand Operand;
  Operand.Structure = Request.Structures.size();
  Request.Structures.push_back(std::move(All));
  return Operand;
}

Expected<Activity> RequestReader::structureActivity(const StructureShape &Shape) const {
  if (Request.Part == RequestPart::Batch || (!Shape.hasNumbers() && !Shape.hasPointers()))
    return Activity::Const;
  if (Shape.hasOnlyNumbers())
    return Request.Spec.Mode == DerivativeMode::Adjoint ? Activity::Active : Activity::Dup;
  return fail(DiagId::RequestMarker,
              describe() + " is a structure passed by value and needs a marker");
}

Error RequestReader::checkStructure(Activity Kind, const StructureShape &Shape) const {
  if (Kind == Activity::Const)
    return Error::success();
  const std::string What = ("'" + markerName(Kind) + "' on " + describe()).str();
  const bool Adjoint = Request.Spec.Mode == DerivativeMode::Adjoint;
  if (Shape.Opaque || Strided)
    return fail(DiagId::RequestMarker, What + ": a structure with a union in it, or without types, "
                                              "is passed through a pointer");
  if (Kind == Activity::Active && !Adjoint)
    return fail(DiagId::RequestMarker,
                What + ": a tangent call takes the tangent of a value after it, use enzyme_dup");
  if (Kind == Activity::Active && (!Shape.hasOnlyNumbers() || !Shape.isPlain(*Request.Spec.Primal)))
    return fail(DiagId::RequestMarker,
                What + ": the adjoint of a structure can be returned if it holds floating-point "
                       "numbers and nothing else; pass a pointer to it");
  if (Kind != Activity::Active && Adjoint && !Shape.hasPointers())
    return fail(DiagId::RequestMarker, What + ": the adjoint of a structure passed by value would "
                                              "be lost; pass a pointer to it, or use enzyme_out");
  return Error::success();
}

/// A structure becomes one argument for each of its scalars.
Error RequestReader::readStructure(const SourceParameter &P) {
  const StructureShape Shape(P.Structure, Request.Spec.Primal);
  Strided = false;
  bool Vector = false;
  std::optional<Activity> Marked;
  if (Request.Part == RequestPart::Batch) {
    auto Marker = takeMarker();
    if (!Marker)
      return Marker.takeError();
    Vector = *Marker && (*Marker)->Meaning == MarkerMeaning::Vector;
  } else {
    auto Read = readActivity();
    if (!Read)
      return Read.takeError();
    Marked = *Read;
  }
  auto Kind = Marked ? Expected<Activity>(*Marked) : structureActivity(Shape);
  if (!Kind)
    return Kind.takeError();
  if (Error E = checkStructure(*Kind, Shape))
    return E;
  SmallVector<RequestArg::Operand, 2> Values;
  const unsigned Lanes = Vector ? Request.Width : hasShadow(*Kind) ? 1 + Request.Width : 1;
  std::optional<ShadowCursor> Shadows;
  for (unsigned Lane = 0; Lane != Lanes; ++Lane) {
    if (Lane == 1 && !Vector)
      Shadows.emplace(*this);
    auto Base =
        readStructureValue(P, Lane && !Vector ? DiagId::RequestShadowType : DiagId::RequestArgType);
    if (!Base)
      return Base.takeError();
    Values.push_back(*Base);
  }
  Shadows.reset();
  const bool Adjoint = Request.Spec.Mode == DerivativeMode::Adjoint;
  const ArrayRef<Leaf> Parts = Shape.Opaque ? ArrayRef(P.Pieces) : ArrayRef(Shape.Leaves);
  for (const Leaf &L : Parts) {
    RequestArg &Arg = Request.Args.emplace_back();
    Arg.Joined = &L != &Parts.front();
    if (*Kind == Activity::Active)
      Arg.Kind = Activity::Active;
    else if (hasShadow(*Kind) && (L.T->isPointerTy() || (L.T->isFPOrFPVectorTy() && !Adjoint)))
      Arg.Kind = Request.Spec.Split ? Activity::Dup : *Kind;
    else if (hasShadow(*Kind) && L.T->isIntegerTy())
      Request.Spec.IntegerMembers.push_back(Request.Spec.Args.size());
    for (RequestArg::Operand &V : Values)
      V.Offset = L.Offset;
    if (!Vector)
      Arg.Primal = Values[0];
    if (Vector || hasShadow(Arg.Kind))
      Arg.Shadows.append(Values.begin() + !Vector, Values.end());
    Request.Spec.Args.push_back(Arg.Kind);
  }
  return Error::success();
}

/// Puts the function that takes structures apart in the place of the user's.
Error RequestReader::takeApart() {
  Function &Primal = *Request.Spec.Primal;
  ResultForm Form = ResultForm::AsIs;
  if (Error E = takeResultApart(Form))
    return E;
  Request.Spec.Primal = takenApart(Primal, sourceParameters(Primal), Form);
  return Error::success();
}

Error RequestReader::takeResultApart(ResultForm &Form) {
  const Function &Primal = *Request.Spec.Primal;
  const SourceParameter Returned = sourceResult(Primal);
  if (!Returned.Structure)
    return Error::success();
  const StructureShape Shape(Returned.Structure, &Primal);
  const bool AllReceived =
      Request.Spec.ReturnPrimal || Request.Part != RequestPart::Whole || Request.ResultInMemory;
  if (Request.ResultInMemory) {
    Form = ResultForm::Memory;
    return Error::success();
  }
  if (Shape.Opaque || Shape.hasPointers() || (AllReceived && !Shape.hasOnlyNumbers()) ||
      (!Shape.hasNumbers() && Returned.InMemory) ||
      (Shape.hasNumbers() && !Shape.isPlain(Primal) && AllReceived)) {
    if (!Returned.InMemory && (ResultKind == Activity::Const || Request.Part == RequestPart::Batch))
      return Error::success();
    return fail(DiagId::UnsupportedMode, "'" + userName(Primal) +
                                             "' returns a structure; let it write the structure "
                                             "through a pointer");
  }
  if (Shape.hasNumbers() && Primal.getReturnType() != Shape.numbers(Primal.getReturnType()))
    Form = ResultForm::Numbers;
  return Error::success();
}

/// The adjoint of the result, if that is what follows.
Error RequestReader::readSeed() {
  const Function &Primal = *Request.Spec.Primal;
  Value *V = Call.getArgOperand(Next);
  const SourceParameter Returned = sourceResult(Primal);
  if (!Returned.Structure) {
    Type *Result = Primal.getReturnType();
    const bool Reference = V->getType()->isPointerTy() && referencedBytes(Call, Next) != 0;
    if (Result->isFPOrFPVectorTy() &&
        (Reference || (Result->isFloatingPointTy() ? V->getType()->isFloatingPointTy()
                                                   : V->getType() == Result))) {
      Request.Seed.push_back({V, Reference, 0, std::nullopt});
      ++Next;
    }
    return Error::success();
  }
  const StructureShape Shape(Returned.Structure, &Primal);
  if (!Shape.hasNumbers() || Shape.Opaque)
    return Error::success();
  auto Base = readStructureValue(Returned, DiagId::RequestArgType);
  if (!Base)
    return Base.takeError();
  for (const Leaf &L : Shape.Leaves)
    if (L.T->isFPOrFPVectorTy()) {
      Request.Seed.push_back(*Base);
      Request.Seed.back().Offset = L.Offset;
    }
  return Error::success();
}

} // namespace contraflow
