// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Front ends store the pieces of a structure to one local variable of its type, perhaps through
// a second one that is as large as the pieces:
//
//   %v = alloca %struct.V                                  struct V {float x, y, z;}
//   %coerce = alloca { <2 x float>, float }
//   store <2 x float> %0, ptr %coerce
//   store float %1, ptr (%coerce + 8)
//   call void @llvm.memcpy(ptr %v, ptr %coerce, i64 12)
//
//   -> !contraflow.structures: parameters 0 and 1 are a %struct.V, at 0 and 8

#include "ByValue.h"
#include "DebugTypes.h"
#include "support/Halves.h"
#include "support/Scalars.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <cstdlib>
#include <string>

using namespace llvm;

namespace contraflow {
namespace {

constexpr char MetadataName[] = "contraflow.structures";
constexpr char RecordedName[] = "contraflow.recorded"; ///< on modules: all functions have been
constexpr char Marker[] = "contraflow-taken-apart";
constexpr const char *Names[] = {"cf.byvalue.", "cf.numbers.", "cf.stored."};
constexpr unsigned MaxLeaves = 256; ///< of one structure: each is a parameter
constexpr uint64_t MaxPadding = 8;  ///< bytes of a structure that are nothing else
constexpr int64_t OfResult = -1;

/// Appends the scalars of T. False if its type does not say what they are.
bool appendLeaves(Type *T, const DataLayout &Layout, SmallVectorImpl<Leaf> &Leaves) {
  auto AtArray = [&](const ArrayType &Array) {
    const bool IsPadding = Array.getElementType()->isIntegerTy(8);
    return IsPadding
               ? std::optional(Leaves.size() <= MaxLeaves && Array.getNumElements() < MaxPadding)
               : std::nullopt;
  };
  return eachScalar(T, 0, Layout, AtArray, [&](Type *Scalar, uint64_t Offset) {
    if (Leaves.size() > MaxLeaves)
      return false;
    Leaves.push_back({Scalar, Offset});
    return true;
  });
}

/// The local variable that Address points into, and where.
const AllocaInst *variableAt(const Value *Address, const DataLayout &Layout, uint64_t &Offset) {
  APInt At(Layout.getIndexTypeSizeInBits(Address->getType()), 0);
  const auto *Variable =
      dyn_cast<AllocaInst>(Address->stripAndAccumulateConstantOffsets(Layout, At, true));
  Offset = At.getZExtValue();
  return Variable && Variable->getAddressSpace() == 0 ? Variable : nullptr;
}

/// The type of a variable that is copied to (Forward) or from another one as a whole: that of the
/// other one.
Type *structureOf(const AllocaInst &Variable, bool Forward) {
  for (const User *U : Variable.users())
    if (const auto *Copy = dyn_cast<MemCpyInst>(U)) {
      const Value *Here = Forward ? Copy->getRawSource() : Copy->getRawDest();
      const Value *There = Forward ? Copy->getRawDest() : Copy->getRawSource();
      const auto *Other = dyn_cast<AllocaInst>(There->stripPointerCasts()); // its only member
      const auto *Bytes = dyn_cast<ConstantInt>(Copy->getLength());
      if (Here == &Variable && Other && Bytes && isa<StructType>(Variable.getAllocatedType()) &&
          cast<StructType>(Variable.getAllocatedType())->isLiteral() &&
          Bytes->getZExtValue() ==
              Copy->getDataLayout().getTypeAllocSize(Other->getAllocatedType()))
        return Other->getAllocatedType();
    }
  return Variable.getAllocatedType();
}

MDNode *noteOf(int64_t Where, Type *T, ArrayRef<uint64_t> Offsets) {
  LLVMContext &Context = T->getContext();
  auto Number = [&](int64_t N) {
    return ConstantAsMetadata::get(ConstantInt::getSigned(Type::getInt64Ty(Context), N));
  };
  SmallVector<Metadata *, 4> Parts{Number(Where), ConstantAsMetadata::get(PoisonValue::get(T))};
  for (uint64_t Offset : Offsets)
    Parts.push_back(Number(Offset));
  return MDNode::get(Context, Parts);
}

class StructureRecorder {
public:
  explicit StructureRecorder(Function &F) : F(F), Layout(F.getDataLayout()) {}

  void run() {
    if (!isUnoptimised())
      return;
    const AllocaInst *Last = nullptr;
    for (Argument &A : F.args()) {
      uint64_t Offset = 0;
      const AllocaInst *Variable = variableOf(A, Offset);
      if (!Variable || Variable != Last)
        finish();
      Last = Variable;
      if (!Variable)
        continue;
      if (Pieces.empty()) {
        First = A.getArgNo();
        Structure = structureOf(*Variable, /*Forward=*/true);
      }
      Pieces.push_back(Offset);
      End = Offset + Layout.getTypeStoreSize(A.getType());
    }
    finish();
    if (Type *T = resultStructure())
      note(OfResult, T, {});
    if (!Notes.empty())
      F.setMetadata(MetadataName, MDNode::get(F.getContext(), Notes));
  }

private:
  const AllocaInst *variableOf(const Argument &A, uint64_t &Offset) const {
    if (A.hasByValAttr() || A.hasStructRetAttr() || !A.hasOneUse())
      return nullptr;
    const auto *Store = dyn_cast<StoreInst>(*A.user_begin());
    if (!Store || Store->getValueOperand() != &A || Store->getParent() != &F.getEntryBlock())
      return nullptr;
    const AllocaInst *Variable = variableAt(Store->getPointerOperand(), Layout, Offset);
    return Variable && isa<StructType>(Variable->getAllocatedType()) ? Variable : nullptr;
  }

  /// The local variable that every return loads, if it is a structure.
  Type *resultStructure() const {
    for (const BasicBlock &Block : F)
      if (const auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
        const auto *Load = dyn_cast_or_null<LoadInst>(Return->getReturnValue());
        uint64_t Offset = 0;
        const AllocaInst *Variable =
            Load ? variableAt(Load->getPointerOperand(), Layout, Offset) : nullptr;
        if (Variable && Offset == 0 && isWhole(*Load, *Variable))
          return structureOf(*Variable, /*Forward=*/false);
      }
    return nullptr;
  }

  /// True unless Load reads a member.
  bool isWhole(const LoadInst &Load, const AllocaInst &Variable) const {
    Type *T = Load.getType();
    if (!isa<StructType>(Variable.getAllocatedType()) || T->isFloatingPointTy())
      return false;
    return T->isAggregateType() ||
           Layout.getTypeStoreSize(T) == Layout.getTypeAllocSize(Variable.getAllocatedType());
  }

  /// Front ends store every parameter, but for the addresses of structures that are not copied
  /// byte by byte; optimised code uses some where they are needed.
  bool isUnoptimised() const {
    return all_of(F.args(), [](const Argument &A) {
      return A.getType()->isPointerTy() || A.use_empty() ||
             (A.hasOneUse() && isa<StoreInst>(*A.user_begin()));
    });
  }

  void finish() {
    if (!Pieces.empty() && isWholeOf(*Structure))
      note(First, Structure, Pieces);
    Pieces.clear();
  }

  /// False if the parameters are only some members: code of a hand that sets up a structure.
  bool isWholeOf(Type &T) const {
    SmallVector<Leaf, 8> Leaves;
    return !appendLeaves(&T, Layout, Leaves) || Leaves.empty() ||
           (Pieces.front() <= Leaves.front().Offset && End > Leaves.back().Offset);
  }

  void note(int64_t Where, Type *T, ArrayRef<uint64_t> Offsets) {
    Notes.push_back(noteOf(Where, T, Offsets));
  }

  Function &F;
  const DataLayout &Layout;
  SmallVector<Metadata *, 4> Notes;
  SmallVector<uint64_t, 4> Pieces; ///< offsets of the structure that is being read
  uint64_t End = 0;                ///< where the last of them ends
  unsigned First = 0;
  Type *Structure = nullptr;
};

int64_t numberAt(const MDNode &Note, unsigned I) {
  return mdconst::extract<ConstantInt>(Note.getOperand(I))->getSExtValue();
}
Type *typeOf(const MDNode &Note) { return cast<ConstantAsMetadata>(Note.getOperand(1))->getType(); }

/// The notes on F: parameter (or OfResult), type, offsets of the pieces.
SmallVector<const MDNode *, 4> notesOn(const Function &F) {
  SmallVector<const MDNode *, 4> Notes;
  if (const MDNode *All = F.getMetadata(MetadataName))
    for (const MDOperand &Note : All->operands())
      Notes.push_back(cast<MDNode>(Note));
  return Notes;
}

} // namespace

StructureShape::StructureShape(Type *T, const Function *In) {
  if (!T)
    return;
  const DataLayout &Layout = In->getDataLayout();
  Size = Layout.getTypeAllocSize(T);
  Opaque = !appendLeaves(T, Layout, Leaves) || Leaves.size() > MaxLeaves;
}

static bool isNumber(const Leaf &L) { return L.T->isFPOrFPVectorTy(); }

bool StructureShape::hasOnlyNumbers() const {
  return !Opaque && !Leaves.empty() && all_of(Leaves, isNumber);
}
bool StructureShape::hasNumbers() const { return any_of(Leaves, isNumber); }
bool StructureShape::hasPointers() const {
  return any_of(Leaves, [](const Leaf &L) { return L.T->isPointerTy(); });
}

bool StructureShape::isPlain(const Function &In) const {
  SmallVector<Type *, 8> Types;
  for (const Leaf &L : Leaves)
    Types.push_back(L.T);
  const StructLayout *Layout =
      In.getDataLayout().getStructLayout(StructType::get(In.getContext(), Types));
  for (auto [I, L] : enumerate(Leaves))
    if (Layout->getElementOffset(I) != L.Offset)
      return false;
  return Layout->getSizeInBytes() == Size;
}

/// Which half of a piece of a structure is a float; "--" if none is.
static std::string halvesOf(const Leaf &Piece, const StructureShape &Shape) {
  std::string Halves = "ii";
  for (const Leaf &L : Shape.Leaves)
    if (L.T->isFloatTy() && (L.Offset == Piece.Offset || L.Offset == Piece.Offset + 4))
      Halves[L.Offset == Piece.Offset ? 0 : 1] = 'f';
  const bool Any = StringRef(Halves).contains('f');
  return Shape.Opaque || !Any || !Piece.T->isIntegerTy(64) ? "--" : Halves;
}

/// Says of integers that hold a piece of a structure which half of them is a float.
static void noteHalves(Function &F) {
  constexpr StringLiteral None = "-";
  LLVMContext &Context = F.getContext();
  for (const SourceParameter &P : sourceParameters(F))
    for (auto [I, Piece] : enumerate(P.Pieces))
      if (const std::string Halves = halvesOf(Piece, StructureShape(P.Structure, &F));
          !StringRef(Halves).starts_with(None))
        F.addParamAttr(P.First + I, Attribute::get(Context, HalvesAttribute, Halves));
  const SourceParameter Result = sourceResult(F);
  std::string Halves;
  for (const Leaf &Piece : Result.Pieces)
    Halves += halvesOf(Piece, StructureShape(Result.Structure, &F));
  if (StringRef(Halves).find_first_not_of(None) != StringRef::npos)
    F.addRetAttr(Attribute::get(Context, HalvesAttribute, Halves));
}

static void record(Function &F) {
  if (F.isDeclaration() || F.hasMetadata(MetadataName))
    return;
  StructureRecorder(F).run();
  if (F.hasMetadata(MetadataName))
    noteHalves(F);
}

void recordStructures(Module &M) {
  for (Function &F : M)
    record(F);
  M.getOrInsertNamedMetadata(RecordedName);
}

/// True if F has a local variable that every optimisation keeps in a register. Only the optimiser
/// of a front end leaves those to functions that it was told not to optimise.
static bool hasPlainVariables(const Function &F) {
  return !F.isDeclaration() && any_of(F.getEntryBlock(), [](const Instruction &I) {
    const auto *Variable = dyn_cast<AllocaInst>(&I);
    return Variable && isAllocaPromotable(Variable);
  });
}

/// What was optimised before it could be recorded, and has debug information.
static void recordWritten(Function &F) {
  if (F.isDeclaration() || F.hasMetadata(MetadataName))
    return;
  SmallVector<Metadata *, 4> Notes;
  for (const WrittenComplex &Z : complexParameters(F))
    Notes.push_back(noteOf(Z.First, StructType::get(Z.Part, Z.Part), Z.Pieces));
  if (!Notes.empty())
    F.setMetadata(MetadataName, MDNode::get(F.getContext(), Notes));
}

bool recordUnoptimised(Module &M) {
  const bool New = !M.getNamedMetadata(RecordedName);
  const bool AsMade =
      New && any_of(M, [](const Function &F) { return !F.hasOptNone() && hasPlainVariables(F); });
  for (Function &F : M)
    if (AsMade || F.hasOptNone())
      record(F);
  for (Function &F : M)
    recordWritten(F);
  return AsMade || (New && any_of(M, [](const Function &F) { return F.hasOptNone(); }));
}

/// Of "(pair, double (*)(int, int))": 2.
static unsigned countParameters(StringRef Demangled) {
  if (Demangled == "()" || Demangled == "(void)")
    return 0;
  unsigned Commas = 0;
  int Depth = 0;
  for (const char C : Demangled) {
    Depth += StringRef("([{<").contains(C);
    Depth -= StringRef(")]}>").contains(C);
    Commas += C == ',' && Depth == 1;
  }
  return Commas + 1;
}

/// True if F has numbers among its parameters that were not written as such.
static bool hidesNumbers(const Function &F) {
  const SmallVector<const MDNode *, 4> Notes = notesOn(F);
  const unsigned Numbers = count_if(sourceParameters(F), [&](const SourceParameter &P) {
    const bool Noted = any_of(Notes, [&](const MDNode *N) { return numberAt(*N, 0) == P.First; });
    return !P.Structure && !Noted && F.getArg(P.First)->getType()->isFPOrFPVectorTy();
  });
  return Numbers > countWrittenNumbers(F, Numbers);
}

bool hidesStructures(const Function &F) {
  if (hidesNumbers(F))
    return true;
  const std::string Name = F.getName().str(); // the demangler points into it
  ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Name.c_str()) || !Demangler.isFunction())
    return false;
  char *Text = Demangler.getFunctionParameters(nullptr, nullptr);
  if (!Text)
    return false;
  const unsigned Written = countParameters(Text);
  std::free(Text);
  unsigned First = F.hasStructRetAttr() ? 1 : 0;
  const SmallVector<SourceParameter, 8> Parameters = sourceParameters(F);
  const bool MayBeMember = First < F.arg_size() && F.getArg(First)->getType()->isPointerTy();
  return Parameters.size() > First + Written + MayBeMember;
}

SmallVector<SourceParameter, 8> sourceParameters(const Function &F) {
  const SmallVector<const MDNode *, 4> Notes = notesOn(F);
  SmallVector<SourceParameter, 8> Parameters;
  for (unsigned I = 0; I < F.arg_size(); I += Parameters.back().Count) {
    const Argument &A = *F.getArg(I);
    SourceParameter &P = Parameters.emplace_back();
    P.First = I;
    if (A.hasByValAttr()) {
      const StructureShape Shape(A.getParamByValType(), &F);
      P.InMemory = true;
      P.Structure = Shape.Opaque ? nullptr : A.getParamByValType();
      continue;
    }
    for (const MDNode *Note : Notes) {
      if (numberAt(*Note, 0) != I || I + Note->getNumOperands() - 2 > F.arg_size())
        continue;
      P.Structure = typeOf(*Note);
      P.Count = Note->getNumOperands() - 2;
      for (unsigned Piece = 0; Piece != P.Count; ++Piece)
        P.Pieces.push_back({F.getArg(I + Piece)->getType(), uint64_t(numberAt(*Note, Piece + 2))});
    }
    if (!P.Structure && A.getType()->isAggregateType()) { // written in IR
      P.Structure = A.getType();
      P.Pieces.push_back({A.getType(), 0});
    }
    const StructureShape Shape(P.Structure, &F);
    if (P.Count == 1 && Shape.Leaves.size() == 1 && !Shape.Opaque &&
        Shape.Leaves[0].T == A.getType()) { // the scalar itself
      P.Structure = nullptr;
      P.Pieces.clear();
    }
  }
  return Parameters;
}

SourceParameter sourceResult(const Function &F) {
  SourceParameter Result;
  Type *T = F.getReturnType();
  if (F.hasStructRetAttr()) {
    Result.Structure = F.getParamStructRetType(0);
    Result.InMemory = true;
    return Result;
  }
  Result.Structure = T->isAggregateType() ? T : nullptr;
  for (const MDNode *Note : notesOn(F))
    if (numberAt(*Note, 0) == OfResult)
      Result.Structure = typeOf(*Note);
  const StructureShape Shape(Result.Structure, &F);
  if (!Shape.Opaque && Shape.Leaves.size() == 1 && Shape.Leaves[0].T == T)
    Result.Structure = nullptr;
  if (!Result.Structure)
    return Result;
  auto *Struct = dyn_cast<StructType>(T);
  if (!Struct) {
    Result.Pieces.push_back({T, 0});
    return Result;
  }
  const StructLayout *Layout = F.getDataLayout().getStructLayout(Struct);
  for (auto [I, Piece] : enumerate(Struct->elements()))
    Result.Pieces.push_back({Piece, Layout->getElementOffset(I)});
  return Result;
}

Type *StructureShape::numbers(Type *Alone) const {
  SmallVector<Type *, 8> Types;
  for (const Leaf &L : Leaves)
    if (isNumber(L))
      Types.push_back(L.T);
  return StructType::get(Alone->getContext(), Types);
}

namespace {

std::string nameOf(const Function &F, ResultForm Form) {
  return (Names[static_cast<unsigned>(Form)] + F.getName()).str();
}

/// Writes the body of the function that takes structures apart.
class TakenApart {
public:
  TakenApart(Function &F, ArrayRef<SourceParameter> Parameters, ResultForm Form)
      : F(F), Parameters(Parameters), Form(Form), Result(sourceResult(F)),
        ResultShape(Result.Structure, &F), Builder(F.getContext()) {}

  Function *run() {
    New = Function::Create(type(), GlobalValue::InternalLinkage, nameOf(F, Form), F.getParent());
    copyFacts();
    Builder.SetInsertPoint(BasicBlock::Create(F.getContext(), "entry", New));
    if (Form == ResultForm::Memory)
      New->addParamAttr(0, Attribute::getWithStructRetType(F.getContext(), Result.Structure));
    unsigned Next = Form == ResultForm::Memory;
    for (const SourceParameter &P : Parameters)
      pass(P, Next);
    CallInst *Call = Builder.CreateCall(&F, Arguments);
    Call->setCallingConv(F.getCallingConv());
    AttributeList Facts = F.getAttributes();
    for (unsigned I = 0; I != F.arg_size(); ++I)
      if (Facts.hasParamAttrs(I))
        Call->setAttributes(Call->getAttributes().addParamAttributes(
            F.getContext(), I, AttrBuilder(F.getContext(), Facts.getParamAttrs(I))));
    giveBack(*Call);
    return New;
  }

private:
  FunctionType *type() const {
    SmallVector<Type *, 16> Types;
    if (Form == ResultForm::Memory)
      Types.push_back(PointerType::getUnqual(F.getContext()));
    for (const SourceParameter &P : Parameters) {
      if (isResult(P))
        continue;
      const StructureShape Shape(P.Structure, &F);
      if (Shape.Opaque)
        for (const Leaf &Piece : P.Pieces)
          Types.push_back(Piece.T);
      else if (P.Structure)
        for (const Leaf &L : Shape.Leaves)
          Types.push_back(L.T);
      else
        Types.push_back(F.getArg(P.First)->getType());
    }
    Type *Out = Form == ResultForm::Numbers  ? ResultShape.numbers(F.getReturnType())
                : Form == ResultForm::Memory ? Type::getVoidTy(F.getContext())
                                             : F.getReturnType();
    return FunctionType::get(Out, Types, /*isVarArg=*/false);
  }

  bool isResult(const SourceParameter &P) const { return P.First == 0 && F.hasStructRetAttr(); }

  void copyFacts() {
    AttrBuilder Facts(F.getContext());
    for (Attribute A : F.getAttributes().getFnAttrs())
      if (A.isStringAttribute() || A.hasAttribute(Attribute::UWTable) ||
          A.hasAttribute(Attribute::StrictFP) || A.hasAttribute(Attribute::SanitizeAddress) ||
          A.hasAttribute(Attribute::SanitizeThread) || A.hasAttribute(Attribute::SanitizeMemory))
        Facts.addAttribute(A);
    Facts.addAttribute(Marker);
    New->addFnAttrs(Facts);
  }

  AllocaInst *variable(Type *T, MaybeAlign Alignment) {
    AllocaInst *Variable = Builder.CreateAlloca(T);
    Variable->setAlignment(std::max(Variable->getAlign(), Alignment.valueOrOne()));
    return Variable;
  }

  Value *address(Value *Base, uint64_t Offset) {
    return Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Base, Offset);
  }

  /// Hands one parameter of the user's on, from what New takes from Next on.
  void pass(const SourceParameter &P, unsigned &Next) {
    if (isResult(P)) {
      Room = Form == ResultForm::Memory ? static_cast<Value *>(New->getArg(0))
                                        : variable(Result.Structure, F.getParamAlign(0));
      Arguments.push_back(Room);
      return;
    }
    const StructureShape Shape(P.Structure, &F);
    if (!P.Structure || Shape.Opaque) {
      for (unsigned I = 0; I != P.Count; ++I) {
        Argument *A = New->getArg(Next++);
        if (Type *T = F.getParamByValType(P.First))
          A->addAttr(Attribute::getWithByValType(F.getContext(), T));
        Arguments.push_back(A);
      }
      return;
    }
    // The pieces may end behind the structure.
    uint64_t Size = Shape.Size;
    for (const Leaf &Piece : P.Pieces)
      Size = std::max(Size, Piece.Offset + F.getDataLayout().getTypeAllocSize(Piece.T));
    AllocaInst *Memory = P.InMemory
                             ? variable(P.Structure, F.getParamAlign(P.First))
                             : variable(ArrayType::get(Builder.getInt8Ty(), Size), Align(16));
    for (const Leaf &L : Shape.Leaves)
      Builder.CreateStore(New->getArg(Next++), address(Memory, L.Offset));
    if (P.InMemory)
      Arguments.push_back(Memory);
    for (const Leaf &Piece : P.Pieces)
      Arguments.push_back(Builder.CreateLoad(Piece.T, address(Memory, Piece.Offset)));
  }

  void giveBack(CallInst &Call) {
    if (Form == ResultForm::AsIs || (Form == ResultForm::Memory && Room)) {
      if (New->getReturnType()->isVoidTy())
        Builder.CreateRetVoid();
      else
        Builder.CreateRet(&Call);
      return;
    }
    if (!Room) {
      Room = variable(Call.getType(), Align(16));
      Builder.CreateStore(&Call, Room);
    }
    if (Form == ResultForm::Memory) {
      Builder.CreateMemCpy(New->getArg(0), MaybeAlign(), Room, MaybeAlign(), ResultShape.Size);
      Builder.CreateRetVoid();
      return;
    }
    Value *Out = PoisonValue::get(New->getReturnType());
    unsigned Next = 0;
    for (const Leaf &L : ResultShape.Leaves)
      if (isNumber(L))
        Out = Builder.CreateInsertValue(Out, Builder.CreateLoad(L.T, address(Room, L.Offset)),
                                        Next++);
    Builder.CreateRet(Out);
  }

  Function &F;
  ArrayRef<SourceParameter> Parameters;
  ResultForm Form;
  SourceParameter Result;
  StructureShape ResultShape;
  IRBuilder<> Builder;
  Function *New = nullptr;
  Value *Room = nullptr; ///< what F returns is there
  SmallVector<Value *, 16> Arguments;
};

} // namespace

Function *takenApart(Function &F, ArrayRef<SourceParameter> Parameters, ResultForm Form) {
  const bool AsIs =
      Form == ResultForm::AsIs || (Form == ResultForm::Memory && F.hasStructRetAttr());
  if (AsIs && none_of(Parameters, [](const SourceParameter &P) { return P.Structure != nullptr; }))
    return &F;
  Function *Known = F.getParent()->getFunction(nameOf(F, Form));
  if (Known && Known->hasFnAttribute(Marker))
    return Known;
  return TakenApart(F, Parameters, Form).run();
}

void removeTakenApart(Module &M) {
  for (Function &F : make_early_inc_range(M))
    if (F.hasFnAttribute(Marker) && F.use_empty())
      F.eraseFromParent();
}

} // namespace contraflow
