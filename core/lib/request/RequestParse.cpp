// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a derivative call from left to right: the function, then for each of its parameters an
// optional marker, the value, and a shadow where the activity has one.
//
//   __enzyme_autodiff(f, enzyme_dup, x, dx, enzyme_const, n, v)     double f(double *, int, double)
//   -> [{Dup, x, dx}, {Const, n}, {Active, v}]
//
// Without a marker, a pointer is Dup, an integer Const, and a float Active in an adjoint and Dup in
// a tangent.

#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Request.h"

#include "RequestReader.h"
#include "RequestTrace.h"
#include "RequestTypes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace contraflow {

/// A type as the user would call it.
std::string RequestReader::userType(const Type *T) {
  if (T->isVoidTy())
    return "void";
  if (T->isPointerTy())
    return "pointer";
  if (T->isIntegerTy())
    return utostr(T->getIntegerBitWidth()) + "-bit integer";
  if (T->isX86_FP80Ty())
    return "long double";
  if (T->isAggregateType() || T->isVectorTy())
    return "structure";
  std::string Text;
  raw_string_ostream OS(Text);
  T->print(OS);
  return Text;
}

StringRef RequestReader::markerName(Activity Kind) {
  switch (Kind) {
  case Activity::Const:
    return "enzyme_const";
  case Activity::Active:
    return "enzyme_out";
  case Activity::Dup:
    return "enzyme_dup";
  case Activity::DupNoNeed:
    return "enzyme_dupnoneed";
  }
  llvm_unreachable("all activities are named");
}

static constexpr unsigned MaxWidth = 64; ///< of one request: code grows with it

/// The parameter that is being read.
std::string RequestReader::describe() const {
  return ("parameter " + Twine(Position) + " of '" + userName(*Request.Spec.Primal) + "'").str();
}

/// True if argument Index is the address of a value for Parameter: a C++ reference. A reference to
/// something else than a pointer is itself what a pointer parameter wants (arrays decay, references
/// bind to references).
bool RequestReader::isReference(unsigned Index, const Argument &Parameter) const {
  Type *Have = Call.getArgOperand(Index)->getType();
  const uint64_t Bytes = referencedBytes(Call, Index);
  if (!Have->isPointerTy() || Bytes == 0)
    return false;
  if (!Parameter.getType()->isPointerTy())
    return true;
  const uint64_t Pointer = Call.getDataLayout().getPointerSize();
  if (Parameter.hasByValAttr() || Bytes != Pointer)
    return false;
  const uint64_t Wanted = Parameter.getDereferenceableBytes();
  if (Wanted != Pointer)
    return true;
  // A reference to as many bytes as a pointer has: its own kind, unless a pointer is there.
  const auto *Variable = dyn_cast<AllocaInst>(Call.getArgOperand(Index)->stripPointerCasts());
  return Variable && Variable->getAllocatedType()->isPointerTy();
}

/// True if C would convert a value passed in variable arguments back to the parameter's type. A
/// variable integer is not widened: its sign is not known here.
static bool converts(const Value &Have, Type *Want) {
  Type *T = Have.getType();
  if (T == Want || (T->isPointerTy() && Want->isPointerTy()) ||
      (T->isFloatingPointTy() && Want->isFloatingPointTy()))
    return true;
  if (!T->isIntegerTy() || !Want->isIntegerTy())
    return false;
  if (T->getIntegerBitWidth() > Want->getIntegerBitWidth())
    return true;
  const auto *Literal = dyn_cast<ConstantInt>(&Have);
  return Literal && !Literal->isNegative();
}

Error RequestReader::readMode() {
  const auto *Callee = cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
  const RequestSpelling *Spelling = findRequestSpelling(Callee->getName());
  if (!Spelling->Mode)
    return fail(DiagId::UnsupportedMode,
                "'" + (Spelling->Name.empty() ? userName(*Callee) : Spelling->Name.str()) + "'");
  Request.Spec.Mode = Mode.value_or(*Spelling->Mode);
  Request.Inactive = Spelling->Part == RequestPart::InactiveCall;
  Request.Spec.Rounding = Spelling->Part == RequestPart::ErrorEstimate;
  Request.Part = Request.Inactive        ? RequestPart::Batch
                 : Request.Spec.Rounding ? RequestPart::Whole
                                         : Spelling->Part;
  Request.Spec.Split = !is_contained(
      {RequestPart::Whole, RequestPart::Batch, RequestPart::FunctionShadow}, Request.Part);
  return Error::success();
}

Error RequestReader::readPrimal() {
  Next = receivesInMemory(Call) ? 1 : 0;
  if (atEnd())
    return fail(DiagId::RequestNotFunction, "; the call has no arguments");
  Function *Primal = traceFunction(Call.getArgOperand(Next++));
  if (!Primal)
    return fail(DiagId::RequestNotFunction, "");
  if (Primal->isDeclaration() && Request.Part != RequestPart::Batch &&
      Request.Part != RequestPart::FunctionShadow && !Primal->hasFnAttribute(attr::Registered) &&
      lookupCallee(*Primal).Kind != CalleeKind::Math)
    return fail(DiagId::RequestNoBody, userName(*Primal));
  if (Primal->isVarArg())
    return fail(DiagId::UnsupportedMode,
                "'" + userName(*Primal) + "' takes a variable number of arguments");
  Type *Result = Primal->getReturnType();
  if (Request.Part == RequestPart::FunctionShadow) {
    Request.Spec.Primal = Primal;
    return Error::success();
  }
  if (Request.Part == RequestPart::Replay && Result->isPointerTy())
    return fail(DiagId::UnsupportedMode,
                "a split tangent of '" + userName(*Primal) + "', which returns a pointer");
  const SourceParameter Returned = sourceResult(*Primal);
  if (Request.Part == RequestPart::Replay && Returned.InMemory)
    return fail(DiagId::UnsupportedMode,
                "a split tangent of '" + userName(*Primal) + "', which returns a large structure");
  if (Returned.Structure && Request.Spec.Mode == DerivativeMode::Tangent &&
      (Returned.InMemory || !StructureShape(Returned.Structure, Primal).hasOnlyNumbers()))
    Request.ResultInMemory = Returned.Structure;
  Request.Spec.Primal = Primal;
  return Error::success();
}

/// Takes the next argument if it is a marker; null if it is not.
Expected<const MarkerSpelling *> RequestReader::takeMarker() {
  const MarkerSpelling *Marker = atEnd() ? nullptr : traceMarker(Call.getArgOperand(Next));
  if (!Marker)
    return nullptr;
  if (Marker->Meaning == MarkerMeaning::Unsupported)
    return fail(DiagId::UnsupportedMode, "marker '" + Marker->Name + "'");
  ++Next;
  if (Error E = applyMarker(*Marker))
    return std::move(E);
  return Marker;
}

/// What a marker says about the whole request; those about one argument are left to the caller.
Error RequestReader::applyMarker(const MarkerSpelling &Marker) {
  switch (Marker.Meaning) {
  case MarkerMeaning::ReturnPrimal:
    Request.Spec.ReturnPrimal = true;
    break;
  case MarkerMeaning::NoPrimal:
    Request.Spec.ReturnPrimal = false;
    break;
  case MarkerMeaning::ConstResult:
    ResultKind = Activity::Const;
    break;
  case MarkerMeaning::ActiveResult:
    ResultKind = Activity::Active;
    break;
  case MarkerMeaning::DupResult:
    ResultKind = Activity::Dup;
    break;
  case MarkerMeaning::Width:
    return readWidth();
  case MarkerMeaning::Buffer:
    if (Request.Part != RequestPart::Batch)
      return fail(DiagId::RequestMarker, "'enzyme_buffer' belongs to a batch");
    break;
  case MarkerMeaning::Tape:
    return readTape();
  case MarkerMeaning::ChecksShadows:
    Request.Spec.ChecksShadows = true;
    break;
  case MarkerMeaning::KeepTape:
    Request.KeepsTape = true;
    break;
  case MarkerMeaning::ByReference:
    return readSize();
  case MarkerMeaning::Allocated:
    if (!Request.Spec.Split)
      return fail(DiagId::RequestMarker, "'enzyme_allocated' in a call that has no tape");
    Request.TapeInMemory = true;
    Next += !atEnd();
    break;
  default:
    break;
  }
  return Error::success();
}

Error RequestReader::readWidth() {
  const std::optional<uint64_t> Width =
      atEnd() ? std::nullopt : traceInteger(Call.getArgOperand(Next));
  if (!Width || *Width == 0 || *Width > MaxWidth)
    return fail(DiagId::RequestMarker, "'enzyme_width' is followed by a number from 1 to " +
                                           Twine(MaxWidth) + " that is known at compile time");
  if (Request.Args.size() > (Request.ResultInMemory ? 1 : 0))
    return fail(DiagId::RequestMarker, "'enzyme_width' comes before the arguments");
  ++Next;
  Request.Width = *Width;
  if (Request.Spec.Mode == DerivativeMode::Tangent)
    Request.Spec.Width = *Width;
  else
    Request.Spec.Repeated = *Width > 1;
  return Error::success();
}

/// The size of a value whose address is passed.
Error RequestReader::readSize() {
  ReferencedSize = atEnd() ? std::nullopt : traceInteger(Call.getArgOperand(Next++));
  if (!ReferencedSize)
    return fail(DiagId::RequestMarker, "'enzyme_byref' is followed by the size of the value in "
                                       "bytes, known at compile time, and its address");
  return Error::success();
}

/// The marker between the primals and the shadows.
void RequestReader::findInterleave() {
  for (unsigned I = Next; I != End && !ShadowsFrom; ++I) {
    const MarkerSpelling *Marker = traceMarker(Call.getArgOperand(I));
    if (!Marker || Marker->Meaning != MarkerMeaning::Interleave)
      continue;
    End = I;
    ShadowsFrom = I + 1;
  }
}

Error RequestReader::readTape() {
  if (!Request.Spec.Split)
    return fail(DiagId::RequestMarker, "'enzyme_tape' in a call that has no tape");
  if (atEnd() || Request.Tape.Value || !Call.getArgOperand(Next)->getType()->isPointerTy())
    return fail(DiagId::RequestMarker, "'enzyme_tape' is followed by one pointer");
  Request.Tape.ByReference = referencedBytes(Call, Next) == Call.getDataLayout().getPointerSize();
  Request.Tape.Value = Call.getArgOperand(Next++);
  return Error::success();
}

/// Markers about the whole request may come first.
Error RequestReader::readLeading() {
  while (!atEnd()) {
    const MarkerSpelling *Marker = traceMarker(Call.getArgOperand(Next));
    const bool OfArgument =
        Marker && is_contained({MarkerMeaning::Activity, MarkerMeaning::DupVector,
                                MarkerMeaning::DupNoNeedVector, MarkerMeaning::Scalar,
                                MarkerMeaning::Vector, MarkerMeaning::Buffer, MarkerMeaning::Hint,
                                MarkerMeaning::ByReference, MarkerMeaning::Interleave},
                               Marker->Meaning);
    if (!Marker || OfArgument)
      return Error::success();
    auto Taken = takeMarker();
    if (!Taken)
      return Taken.takeError();
  }
  return Error::success();
}

/// After the parameters: markers about the result; in a reverse call the seed; in the second of two
/// calls the tape.
Error RequestReader::readTrailing() {
  for (;;) {
    auto Marker = takeMarker();
    if (!Marker)
      return Marker.takeError();
    if (*Marker && (*Marker)->Meaning == MarkerMeaning::Activity)
      return fail(DiagId::RequestMarker, "'" + (*Marker)->Name + "' after the last parameter");
    if (*Marker)
      continue;
    // A number is seeded with one; a structure may be.
    const bool Seeded =
        Request.Part == RequestPart::Reverse ||
        (Request.Part == RequestPart::Whole && Request.Spec.Mode == DerivativeMode::Adjoint &&
         sourceResult(*Request.Spec.Primal).Structure);
    if (atEnd() || !(Seeded || Request.Part == RequestPart::Replay))
      return Error::success();
    Value *V = Call.getArgOperand(Next);
    const unsigned Before = Next;
    if (Seeded && Request.Seed.empty() && ResultKind != Activity::Const)
      if (Error E = readSeeds())
        return E;
    if (Next != Before)
      continue;
    if (Request.Part != RequestPart::Whole && !Request.Tape.Value && V->getType()->isPointerTy()) {
      if (Error E = readTape())
        return E;
    } else {
      return Error::success();
    }
  }
}

/// The adjoint of the result, one for each direction.
Error RequestReader::readSeeds() {
  for (unsigned Lane = 0; Lane != Request.Width && !atEnd(); ++Lane)
    if (Error E = readSeed())
      return E;
  if (Request.Seed.size() % Request.Width != 0)
    return fail(DiagId::RequestArgCount, "an adjoint of the result for each direction is missing");
  return Error::success();
}

/// The activity that is marked in front of a value, if there is one.
Expected<std::optional<Activity>> RequestReader::readActivity() {
  std::optional<Activity> Kind;
  for (;;) {
    auto Marker = takeMarker();
    if (!Marker)
      return Marker.takeError();
    if (!*Marker)
      return Kind;
    const MarkerMeaning Meaning = (*Marker)->Meaning;
    const bool Vector =
        Meaning == MarkerMeaning::DupVector || Meaning == MarkerMeaning::DupNoNeedVector;
    if (Meaning != MarkerMeaning::Activity && !Vector)
      continue;
    if (Kind)
      return fail(DiagId::RequestMarker, "two markers in front of " + describe());
    Kind = (*Marker)->Kind;
    if (!Vector)
      continue;
    Kind = Meaning == MarkerMeaning::DupVector ? Activity::Dup : Activity::DupNoNeed;
    Strided = true;
  }
}

Expected<Activity> RequestReader::defaultActivity(const Argument &Parameter) const {
  Type *T = Parameter.getType();
  if (Parameter.hasByValAttr())
    return fail(DiagId::RequestMarker,
                describe() + " is a structure passed by value and needs a marker");
  if (T->isPointerTy())
    return Activity::Dup;
  if (T->isIntegerTy())
    return Activity::Const;
  if (T->isFPOrFPVectorTy())
    return Request.Spec.Mode == DerivativeMode::Adjoint ? Activity::Active : Activity::Dup;
  return fail(DiagId::RequestMarker, describe() + " is a " + userType(T) + " and needs a marker");
}

Error RequestReader::checkActivity(Activity Kind, const Argument &Parameter) const {
  if (Kind == Activity::Const)
    return Error::success();
  Type *T = Parameter.getType();
  const bool Adjoint = Request.Spec.Mode == DerivativeMode::Adjoint;
  const std::string What = ("'" + markerName(Kind) + "' on " + describe()).str();
  if (Kind == Activity::Active) {
    if (!Adjoint)
      return fail(DiagId::RequestMarker,
                  What + ": a tangent call takes the tangent of a value after it, use enzyme_dup");
    if (!T->isFPOrFPVectorTy())
      return fail(DiagId::RequestMarker,
                  What +
                      ": only the adjoint of a floating-point value can be returned; this is a " +
                      userType(T));
    return Error::success();
  }
  if (Adjoint && Parameter.hasByValAttr())
    return fail(DiagId::RequestMarker, What + ": the adjoint of a structure passed by value would "
                                              "be lost; pass a pointer to it");
  if (Adjoint && T->isFPOrFPVectorTy())
    return fail(DiagId::RequestMarker, What + ": the adjoint of a value is returned, use "
                                              "enzyme_out");
  if (!T->isPointerTy() && !T->isFPOrFPVectorTy())
    return fail(DiagId::RequestMarker, What + ": a " + userType(T) + " has no shadow");
  return Error::success();
}

/// Takes one argument as a value of the parameter's type.
Error RequestReader::readValue(const Argument &Parameter, DiagId Mismatch,
                               RequestArg::Operand &Out) {
  const Value &Have = *Call.getArgOperand(Next);
  Out.ByReference = isReference(Next, Parameter);
  if (ReferencedSize) {
    const uint64_t Size = Call.getDataLayout().getTypeStoreSize(Parameter.getType());
    if (!Have.getType()->isPointerTy() || *ReferencedSize != Size)
      return fail(DiagId::RequestMarker, "'enzyme_byref' for " + describe() + ", which has " +
                                             Twine(Size) + " bytes and is passed as its address");
    Out.ByReference = true;
  }
  if (!Out.ByReference && !converts(Have, Parameter.getType()) &&
      !isBitsOf(Call, Next, Parameter.getType()))
    return fail(Mismatch, describe() + " is a " + userType(Parameter.getType()) + ", not a " +
                              userType(Have.getType()));
  Out.Value = Call.getArgOperand(Next++);
  return Error::success();
}

/// One shadow for each direction; or the first of them, if their distance was given.
Error RequestReader::readShadows(const Argument &Parameter, RequestArg &Arg) {
  ShadowCursor Shadows(*this);
  for (unsigned Lane = 0; Lane != (Strided ? 1 : Request.Width); ++Lane) {
    if (atEnd() || traceMarker(Call.getArgOperand(Next)))
      return fail(DiagId::RequestArgCount, "the shadow of " + describe() + " is missing");
    Arg.Shadows.emplace_back();
    if (Error E = readValue(Parameter, DiagId::RequestShadowType, Arg.Shadows.back()))
      return E;
  }
  return Error::success();
}

/// How many bytes lie between the memories of two directions, or of two calls.
Error RequestReader::readStride(const Argument &Parameter, RequestArg &Arg) {
  Value *Stride = atEnd() ? nullptr : Call.getArgOperand(Next++);
  if (const auto Bytes = Stride ? traceInteger(Stride) : std::nullopt) // also behind a reference
    Stride = ConstantInt::get(Type::getInt64Ty(Call.getContext()), *Bytes);
  if (!Stride || !Stride->getType()->isIntegerTy() || !Parameter.getType()->isPointerTy() ||
      atEnd())
    return fail(DiagId::RequestMarker,
                "the distance of the " +
                    Twine(Request.Part == RequestPart::Batch ? "memories" : "shadows") + " of " +
                    describe() + " in bytes follows its marker, and it is a pointer");
  Arg.Stride = Stride;
  return Error::success();
}

/// One value for all calls, or one for each. Without a marker: the former.
Error RequestReader::readBatch(const Argument &Parameter) {
  auto Marker = takeMarker();
  if (!Marker)
    return Marker.takeError();
  const MarkerMeaning Meaning = *Marker ? (*Marker)->Meaning : MarkerMeaning::Scalar;
  const bool Buffer = Meaning == MarkerMeaning::Buffer;
  if (Parameter.hasByValAttr() ||
      !is_contained({MarkerMeaning::Scalar, MarkerMeaning::Vector, MarkerMeaning::Buffer}, Meaning))
    return fail(DiagId::RequestMarker, "'enzyme_scalar' or 'enzyme_vector' comes before " +
                                           describe() + ", which is no structure");
  RequestArg Arg;
  if (Buffer)
    if (Error E = readStride(Parameter, Arg))
      return E;
  const bool Scalar = Meaning == MarkerMeaning::Scalar;
  for (unsigned Lane = 0; Lane != (Scalar || Buffer ? 1 : Request.Width); ++Lane) {
    if (atEnd())
      return fail(DiagId::RequestArgCount, describe() + " is missing");
    RequestArg::Operand &To = Scalar ? Arg.Primal : Arg.Shadows.emplace_back();
    if (Error E = readValue(Parameter, DiagId::RequestArgType, To))
      return E;
  }
  Request.Spec.Args.push_back(Activity::Const);
  Request.Args.push_back(std::move(Arg));
  return Error::success();
}

Error RequestReader::readParameter(const Argument &Parameter) {
  if (Request.Part == RequestPart::Batch)
    return readBatch(Parameter);
  Strided = false;
  auto Marked = readActivity();
  if (!Marked)
    return Marked.takeError();
  if (atEnd())
    return fail(DiagId::RequestArgCount, describe() + " is missing");
  auto Kind = *Marked ? Expected<Activity>(**Marked) : defaultActivity(Parameter);
  if (!Kind)
    return Kind.takeError();
  if (Error E = checkActivity(*Kind, Parameter))
    return E;
  if (Request.Spec.Split && *Kind == Activity::DupNoNeed)
    Kind = Activity::Dup; // both calls mean the same derivative
  RequestArg Arg;
  Arg.Kind = *Kind;
  if (Strided)
    if (Error E = readStride(Parameter, Arg))
      return E;
  if (Error E = readValue(Parameter, DiagId::RequestArgType, Arg.Primal))
    return E;
  if (*Kind == Activity::DupNoNeed && Parameter.getType()->isPointerTy())
    noteAbsent(*Arg.Primal.Value);
  if (hasShadow(*Kind))
    if (Error E = readShadows(Parameter, Arg))
      return E;
  Request.Spec.Args.push_back(*Kind);
  Request.Args.push_back(std::move(Arg));
  return Error::success();
}

/// No memory begins in the first page.
void RequestReader::noteAbsent(Value &Address) {
  constexpr uint64_t FirstPage = 4096;
  const bool IsNull = isa<ConstantPointerNull>(Address.stripPointerCasts());
  const auto Number = traceInteger(&Address);
  if (IsNull || (Number && *Number < FirstPage))
    Request.Spec.Absent.push_back({Request.Spec.Args.size(), IsNull || *Number == 0});
}

Error RequestReader::readParameters() {
  if (Request.ResultInMemory) { // the lowering provides for it
    Request.Spec.Args.push_back(Activity::Dup);
    Request.Args.emplace_back();
  }
  const Function &Primal = *Request.Spec.Primal;
  findInterleave();
  for (const SourceParameter &P : sourceParameters(Primal)) {
    ReferencedSize.reset();
    if (P.First == 0 && Primal.hasStructRetAttr())
      continue;
    ++Position;
    Error E = P.Structure ? readStructure(P) : readParameter(*Primal.getArg(P.First));
    if (E)
      return E;
  }
  if (!ShadowsFrom)
    return Error::success();
  if (!atEnd())
    return fail(DiagId::RequestArgCount, Twine(End - Next) + " left over before "
                                                             "'enzyme_interleave'");
  Next = *ShadowsFrom;
  End = Call.arg_size();
  return Error::success();
}

/// Decides about the result and checks that the user's declaration can hold what is returned.
Error RequestReader::readResult() {
  DerivativeSpec &Spec = Request.Spec;
  const bool Float = isOfNumbers(Spec.Primal->getReturnType());
  const bool Adjoint = Spec.Mode == DerivativeMode::Adjoint;
  Type *Received = receivedType(Call);
  const bool Address = Spec.Primal->getReturnType()->isPointerTy();
  const bool LeadsOn = Adjoint && Spec.Split && Address; // to what the reverse call starts from
  if (LeadsOn && Request.Width > 1)
    return fail(DiagId::UnsupportedMode, "'enzyme_width' in a split adjoint of '" +
                                             userName(*Spec.Primal) + "', which returns a pointer");
  if (!LeadsOn && ResultKind && *ResultKind == (Adjoint ? Activity::Dup : Activity::Active))
    return fail(DiagId::RequestMarker, Adjoint ? "'enzyme_dup_return' in an adjoint"
                                               : "'enzyme_active_return' in a tangent");
  if (ResultKind && *ResultKind != Activity::Const && !Float &&
      ((Adjoint && !LeadsOn) || !Address) && !Request.ResultInMemory)
    return fail(DiagId::RequestMarker,
                "'" + userName(*Spec.Primal) + "' returns no floating-point value");
  const bool Wanted = ResultKind != Activity::Const;
  if (Float && Adjoint && Wanted)
    Spec.Result = Activity::Active;
  else if (Wanted && (LeadsOn || (Received && (Float || (!Adjoint && Address)))))
    Spec.Result = Activity::Dup;
  if (Request.Part == RequestPart::Batch)
    return Received ? checkReceived(Received) : Error::success();
  if (Request.Part == RequestPart::Augmented)
    return receiveTape(Received);
  if (Request.Part == RequestPart::Reverse) {
    Spec.ReturnPrimal = false;
    if (!Request.Tape.Value || (Spec.Result == Activity::Active && Request.Seed.empty()))
      return fail(DiagId::RequestArgCount, Request.Tape.Value
                                               ? "the adjoint of the result is missing"
                                               : "the tape is missing");
  }
  if (Request.Part == RequestPart::Replay && !Request.Tape.Value)
    return fail(DiagId::RequestArgCount, "the tape is missing");
  if (!Received) {
    Spec.ReturnPrimal = false;
    return Error::success();
  }
  if (Request.ResultInMemory) {
    Request.ReceivesPrimal = std::exchange(Spec.ReturnPrimal, false);
    if (ResultKind == Activity::Const)
      return fail(DiagId::RequestResult, "'" + userName(*Spec.Primal) + "' returns a structure");
    // In registers the scalars cannot be told from each other.
    const DataLayout &Layout = Call.getDataLayout();
    const uint64_t Count = Request.Spec.Width + Request.ReceivesPrimal;
    if (!receivesInMemory(Call) && Layout.getTypeAllocSize(Received) ==
                                       Count * Layout.getTypeAllocSize(Request.ResultInMemory))
      return Error::success();
  }
  return checkReceived(Received);
}

/// What the augmented call returns follows from what the user expects: the tape unless there is
/// memory for it, and the result if there is room.
Error RequestReader::receiveTape(Type *Received) {
  Type *Result = Request.Spec.Primal->getReturnType();
  if (Request.TapeInMemory != bool(Request.Tape.Value))
    return fail(DiagId::RequestMarker,
                "'enzyme_allocated' and the memory after 'enzyme_tape' come together");
  Request.ReceivesTape = !Request.Tape.Value && Received;
  const bool Wanted = std::exchange(Request.Spec.ReturnPrimal, false);
  if (!Received)
    return Error::success();
  if (!Wanted && Request.ReceivesTape && Received->isPointerTy())
    return Error::success();
  if (Result->isVoidTy() && !Request.ReceivesTape)
    return fail(DiagId::RequestResult, "nothing is returned");
  Request.ReceivesPrimal = !Result->isVoidTy();
  return checkReceived(Received);
}

/// Checks that the user's declaration can hold what is returned.
Error RequestReader::checkReceived(Type *Received) {
  const DerivativeSpec &Spec = Request.Spec;
  const bool Adjoint = Spec.Mode == DerivativeMode::Adjoint;
  if (Spec.ReturnPrimal && Spec.Primal->getReturnType()->isVoidTy())
    return fail(DiagId::RequestResult, "'" + userName(*Spec.Primal) + "' returns nothing");

  const SmallVector<Type *, 4> Results = receivedResults(Request);
  if (any_of(Results, [](const Type *T) { return T->isScalableTy(); }))
    return fail(DiagId::UnsupportedInstruction, "a vector of scalable size");
  if (Results.empty())
    return fail(DiagId::RequestResult,
                Adjoint ? "no argument is passed by value and active, so nothing is returned"
                        : "'" + userName(*Spec.Primal) + "' returns no floating-point value");
  if (Results.size() == 1 && widens(Results.front(), Received))
    return Error::success();
  if (laidOutAs(Results, Received, Call.getDataLayout()))
    return Error::success();
  std::string List;
  for (Type *T : Results)
    List += (List.empty() ? "" : ", ") + userType(T);
  return fail(DiagId::RequestResult,
              Twine(Results.size()) + (Results.size() == 1 ? " value is" : " values are") +
                  " returned (" + List + "), the call is declared to return " + "a " +
                  userType(Received));
}

Expected<DerivativeRequest> RequestReader::read() {
  if (Error E = readMode())
    return E;
  if (Error E = readPrimal())
    return E;
  if (Request.Part == RequestPart::FunctionShadow) {
    if (!atEnd() || !Call.getType()->isPointerTy())
      return fail(DiagId::RequestArgCount, "one function is given, a pointer is returned");
    return std::move(Request);
  }
  if (Request.Part == RequestPart::TapeSize) { // does not depend on the arguments
    Type *Received = receivedType(Call);
    if (Received && !Received->isIntegerTy())
      return fail(DiagId::RequestResult, "the size of a tape is an integer");
    return std::move(Request);
  }
  if (Error E = readLeading())
    return E;
  if (Error E = readParameters())
    return E;
  // Values of the pieces and their shadows cannot be told apart.
  const bool HasShadows =
      any_of(Request.Args, [](const RequestArg &A) { return !A.Shadows.empty(); });
  if (HasShadows && hidesStructures(*Request.Spec.Primal))
    return fail(DiagId::UnsupportedMode,
                "'" + userName(*Request.Spec.Primal) +
                    "' takes a structure by value, which optimised code does not show: load the "
                    "plugin when clang runs");
  if (Error E = readTrailing())
    return E;
  if (!atEnd())
    return fail(DiagId::RequestArgCount, Twine(End - Next) + " left over after the " +
                                             Twine(Position) + " parameters of '" +
                                             userName(*Request.Spec.Primal) + "'");
  if (Error E = takeApart())
    return E;
  if (Error E = readResult())
    return E;
  return std::move(Request);
}

Expected<DerivativeRequest> parseRequest(CallBase &Call) { return RequestReader(Call).read(); }

Expected<DerivativeRequest> parseBeforeTangent(CallBase &Call) {
  return RequestReader(Call, DerivativeMode::Tangent).read();
}

} // namespace contraflow
