// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The note is a named list of (description or tag, a value of the type, offset). A tag of our own
// is a scalar below a root of its own, so that it may alias anything with a tag. The root is known
// by its name, since a distinct one would be another one in each copy of a function.

#include "Layouts.h"
#include "AllocatedTypes.h"
#include "MemoryGraph.h"
#include "PointedStructures.h"

#include "callee/Classes.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/ObjectType.h"
#include "support/Scalars.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral NotesName = "cf.layouts";
constexpr StringLiteral OwnName = "cf.member";
constexpr StringLiteral ElementName = "cf.element";  ///< of one of an array in a structure
constexpr StringLiteral BytesName = "cf.bytes";      ///< of a word that is moved or cleared
constexpr StringLiteral IntegerName = "int";         ///< what TBAA calls one
constexpr StringLiteral WrapperPrefix = "struct.__"; ///< of one integer: names of the compiler's
constexpr unsigned MostPlaces = 4096;                ///< of one structure
constexpr unsigned MostScalars = 64;                 ///< of a structure that is assigned
constexpr unsigned MostLevels = 32;                  ///< of structures in structures
constexpr unsigned FlexibleElements = 128;           ///< of an array that has no length
constexpr int64_t Word = 8, HalfWord = 4;

/// The array without a length that a structure ends with.
ArrayType *flexibleArray(const StructType &S) {
  auto *A = S.getNumElements() ? dyn_cast<ArrayType>(S.elements().back()) : nullptr;
  return A && A->getNumElements() == 0 ? A : nullptr;
}

class Noter {
public:
  explicit Noter(Module &M)
      : M(M), Context(M.getContext()), List(M.getOrInsertNamedMetadata(NotesName)), Pointed(M),
        Pointees(M) {}
  void note(Instruction &I);
  void notePointees() { Pointees.write(); }
  void noteFirstFields(Function &F);

private:
  void add(MDNode *Key, StructType *S, int64_t Offset);
  void noteElement(Instruction &I);
  void noteCopy(MemIntrinsic &Copy);
  void describeCopy(MemTransferInst &Copy);
  void noteWord(MemIntrinsic &Copy);
  MDNode *tagBelow(const Twine &Root, StringRef Name);
  MDNode *ownTag(StructType *S, int64_t Offset, StringRef Name);

  Module &M;
  LLVMContext &Context;
  NamedMDNode *List;
  SmallPtrSet<const MDNode *, 16> Done;
  PointedStructures Pointed;
  PointeeNoter Pointees;
  std::map<std::tuple<StructType *, int64_t, StringRef>, MDNode *> Own;
};

void Noter::add(MDNode *Key, StructType *S, int64_t Offset) {
  if (!Done.insert(Key).second)
    return;
  auto *Bytes = ConstantInt::getSigned(Type::getInt64Ty(Context), Offset);
  List->addOperand(MDNode::get(
      Context, {Key, ConstantAsMetadata::get(UndefValue::get(S)), ConstantAsMetadata::get(Bytes)}));
}

/// What clang calls the type that is accessed, as far as others ask for it.
StringRef nameOf(const Type *T) {
  return T->isDoubleTy()  ? "double"
         : T->isFloatTy() ? "float"
         : T->isHalfTy()  ? "_Float16"
                          : StringRef(OwnName);
}

MDNode *Noter::ownTag(StructType *S, int64_t Offset, StringRef Name) {
  MDNode *&Tag = Own[{S, Offset, Name}];
  if (Tag)
    return Tag;
  const std::string TypeName = S->hasName() ? S->getName().str() : std::to_string(Own.size());
  Tag = tagBelow(
      join_items(":", OwnName, M.getSourceFileName(), TypeName, std::to_string(Offset), Name),
      Name);
  add(Tag, S, Offset);
  return Tag;
}

/// A scalar below a root of its own, which may alias anything.
MDNode *Noter::tagBelow(const Twine &RootName, StringRef Name) {
  auto *Root = MDNode::get(Context, MDString::get(Context, RootName.str()));
  auto *Zero = ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(Context), 0));
  auto *Scalar = MDNode::get(Context, {MDString::get(Context, Name), Root, Zero});
  return MDNode::get(Context, {Scalar, Scalar, Zero});
}

/// The float, or the array of floats, that an address is a step to.
Type *numberAt(const Value *Address) {
  auto *Step = dyn_cast<GEPOperator>(Address);
  Type *T = Step ? Step->getResultElementType() : nullptr;
  while (T && T->isArrayTy())
    T = T->getArrayElementType();
  return T && (T->isDoubleTy() || T->isFloatTy()) ? T : nullptr;
}

StringRef nameAccessed(const MDNode *Tag) {
  auto *Type =
      Tag && Tag->getNumOperands() > 1 ? dyn_cast_or_null<MDNode>(Tag->getOperand(1)) : nullptr;
  auto *Name = Type && Type->getNumOperands() ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
  return Name ? Name->getString() : StringRef();
}

/// True of numbers that share a word with others.
bool hasPartsOfWords(Type *T, const DataLayout &DL) {
  bool Any = false;
  auto AtArray = [&](const ArrayType &A) {
    Any |= hasPartsOfWords(A.getElementType(), DL);
    return std::optional(true);
  };
  eachScalar(T, 0, DL, AtArray, [&](Type *Scalar, uint64_t) {
    Any |= Scalar->isFloatTy() || Scalar->isHalfTy();
    return true;
  });
  return Any;
}

/// Appends the scalars of T and where they are. False if there are many, or a union is among them,
/// or structures of whole words that an index may lead to.
bool appendScalars(Type *T, const DataLayout &DL,
                   SmallVectorImpl<std::pair<uint64_t, Type *>> &Out) {
  auto AtArray = [&](const ArrayType &A) {
    Type *Of = A.getElementType();
    return Of->isStructTy() && A.getNumElements() > 1 && !hasPartsOfWords(Of, DL)
               ? std::optional(false)
               : std::nullopt;
  };
  return eachScalar(T, 0, DL, AtArray, [&](Type *Scalar, uint64_t At) {
    Out.push_back({At, Scalar});
    return Out.size() <= MostScalars;
  });
}

/// The assignment of a structure: clang describes its members, but not the elements of arrays and
/// the parts of complex numbers, and without TBAA nothing. What the types say is added in its way;
/// without TBAA, no end may say something else, since a call of memcpy looks the same. What the
/// standard library assigns as a whole are its own objects, or whole ones of the program's.
void Noter::describeCopy(MemTransferInst &Copy) {
  const DataLayout &DL = M.getDataLayout();
  const auto *Bytes = dyn_cast<ConstantInt>(Copy.getLength());
  const MDNode *Parts = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
  StructType *To = Pointed.behind(*Copy.getRawDest()), *From = Pointed.behind(*Copy.getRawSource()),
             *S = To ? To : From;
  SmallVector<std::pair<uint64_t, Type *>, 16> Scalars;
  if (!Bytes || !S || (!Parts && To && From && !To->isLayoutIdentical(From)) || !S->isSized() ||
      S->isScalableTy() || DL.getTypeAllocSize(S) != Bytes->getZExtValue() ||
      !appendScalars(S, DL, Scalars))
    return;
  std::map<uint64_t, MDNode *> Known; // by offset
  for (unsigned I = 0; Parts && I + 2 < Parts->getNumOperands(); I += 3)
    Known[mdconst::extract<ConstantInt>(Parts->getOperand(I))->getZExtValue()] =
        cast<MDNode>(Parts->getOperand(I + 2));
  MDNode *Padding = tagBelow(join_items(":", OwnName, IntegerName), IntegerName);
  const bool InLibrary = isOfStandardLibrary(*Copy.getFunction());
  if (InLibrary && (!isOfProgram(*S) || !hasPartsOfWords(S, DL)))
    return;
  auto Number = [&](uint64_t N) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(Context), N));
  };
  SmallVector<Metadata *, 48> All;
  for (auto [I, Scalar] : enumerate(Scalars)) {
    auto [At, T] = Scalar;
    MDNode *&Tag = Known[At];
    const bool IsNumber = T->isDoubleTy() || T->isFloatTy() || T->isHalfTy();
    const uint64_t Size = DL.getTypeStoreSize(T);
    const uint64_t Next = I + 1 < Scalars.size() ? Scalars[I + 1].first : Bytes->getZExtValue();
    if (!Tag || (IsNumber && nameAccessed(Tag) != nameOf(T)))
      Tag = tagBelow(join_items(":", OwnName, nameOf(T)), nameOf(T));
    const bool IsPadded = !Parts && At + Size < Next; // memcpy copies padding as well
    if (IsPadded && T->isIntegerTy()) {
      All.append({Number(At), Number(Next - At), Padding});
      continue;
    }
    All.append({Number(At), Number(Size), Tag});
    if (IsPadded)
      All.append({Number(At + Size), Number(Next - At - Size), Padding});
  }
  Copy.setMetadata(LLVMContext::MD_tbaa_struct, MDNode::get(Context, All));
  if (InLibrary)
    Copy.setMetadata(MembersOfProgram, MDNode::get(Context, {}));
}

/// Without TBAA, nothing else tells in optimised code that `memcpy(s->q + 1, p + 3, n)` moves
/// numbers. A word that is moved will be an integer, which is told from the program's own ones by
/// its tag, and one that is cleared has no tag unless it is a store from the beginning.
void Noter::noteCopy(MemIntrinsic &Copy) {
  auto *From = dyn_cast<MemTransferInst>(&Copy);
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  if (From && !Copy.isVolatile() && !Copy.hasMetadata(LLVMContext::MD_tbaa))
    describeCopy(*From);
  if (Copy.isVolatile() || Copy.getAAMetadata())
    return;
  if (Length && Length->getValue().ule(Word)) {
    const auto *Filled = From ? nullptr : cast<MemSetInst>(Copy).getValue();
    const auto *Zero = dyn_cast_or_null<ConstantInt>(Filled);
    if (Length->equalsInt(HalfWord) && (From || (Zero && Zero->isZero())))
      noteWord(Copy);
    return;
  }
  Type *T = numberAt(Copy.getRawDest());
  if (Type *Other = From ? numberAt(From->getRawSource()) : nullptr) {
    if (T && T != Other)
      return;
    T = Other;
  }
  if (T)
    Copy.setMetadata(LLVMContext::MD_tbaa,
                     tagBelow(join_items(":", OwnName, nameOf(T)), nameOf(T)));
}

void Noter::noteWord(MemIntrinsic &Copy) {
  MDNode *Tag = tagBelow(BytesName, BytesName);
  if (isa<MemTransferInst>(Copy))
    return Copy.setMetadata(LLVMContext::MD_tbaa, Tag);
  IRBuilder<> B(&Copy);
  StoreInst *Store =
      B.CreateAlignedStore(B.getInt32(0), Copy.getRawDest(), Copy.getDestAlign().valueOrOne());
  Store->copyMetadata(Copy, LLVMContext::MD_DIAssignID);
  Store->setMetadata(LLVMContext::MD_tbaa, Tag);
  Copy.eraseFromParent();
}

/// What the headers of intrinsics take memory for that holds anything.
bool isWrapper(const StructType &S) {
  return S.getNumElements() == 1 && S.getElementType(0)->isIntOrIntVectorTy() && S.hasName() &&
         S.getName().starts_with(WrapperPrefix);
}

void Noter::noteElement(Instruction &I) {
  StructType *S = arrayIn(*getLoadStorePointerOperand(&I), M.getDataLayout());
  if (S && !isWrapper(*S))
    I.setMetadata(ElementName, MDNode::get(Context, ConstantAsMetadata::get(UndefValue::get(S))));
}

void Noter::note(Instruction &I) {
  if (auto *Copy = dyn_cast<MemIntrinsic>(&I))
    return noteCopy(*Copy);
  if (!isa<LoadInst, StoreInst>(I) || getLoadStoreType(&I)->isAggregateType())
    return; // in parts, each would have the tag of the whole
  if (auto *Load = dyn_cast<LoadInst>(&I); Load && I.getType()->isPointerTy())
    Pointees.add(*Load, Pointed);
  const auto At = memberAt(getLoadStorePointerOperand(&I), M.getDataLayout());
  if (!At)
    return noteElement(I);
  if (isWrapper(*At->first))
    return;
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag)
    return I.setMetadata(LLVMContext::MD_tbaa,
                         ownTag(At->first, At->second, nameOf(getLoadStoreType(&I))));
  const MDNode *Base = baseOf(*Tag);
  if (Base && offsetOf(*Tag) == At->second)
    add(const_cast<MDNode *>(Base), At->first, 0);
  else if (!Base && (flexibleArray(*At->first) || getLoadStoreType(&I)->isFloatingPointTy()))
    // of such structures, of parts of complex numbers and of elements of arrays clang says nothing
    I.setMetadata(OwnName, ownTag(At->first, At->second, OwnName));
}

/// Members have a step to them, also those that come first, but bit fields that come first have
/// none. They are members of the structure to whose other members the variable leads.
void Noter::noteFirstFields(Function &F) {
  for (Instruction &I : instructions(F)) {
    if (!isa<LoadInst, StoreInst>(I) || I.hasMetadata(LLVMContext::MD_tbaa))
      continue;
    const AllocaInst *Variable = variableOf(getLoadStorePointerOperand(&I));
    StructType *S = Variable ? Pointed.steppedInto(*Variable) : nullptr;
    Type *T = getLoadStoreType(&I);
    if (S && T->isIntegerTy() && S->getNumElements() > 1 && S->getElementType(0) == T)
      I.setMetadata(LLVMContext::MD_tbaa, ownTag(S, 0, OwnName));
  }
}

/// Takes a type apart into places.
class Flattener {
public:
  Flattener(const DataLayout &DL, LayoutPlaces &Out) : DL(DL), Out(Out) {}
  void add(Type *T, int64_t At, const LayoutPlace &Within);
  void addFlexible(const StructType &S);
  bool TooMany = false;

private:
  void addArray(const ArrayType &A, uint64_t Elements, int64_t At, LayoutPlace Within);
  void addAnything(int64_t At, int64_t Bytes, LayoutPlace Within);

  const DataLayout &DL;
  LayoutPlaces &Out;
};

void Flattener::addAnything(int64_t At, int64_t Bytes, LayoutPlace Within) {
  Within.Width = Bytes;
  Within.Kind = SK_Unknown;
  Within.IsArray |= Bytes > Word;
  if (Bytes > 0)
    Out[At] = Within;
}

void Flattener::addArray(const ArrayType &A, uint64_t Elements, int64_t At, LayoutPlace Within) {
  Type *Element = A.getElementType();
  if (Element->isIntegerTy(8))
    return addAnything(At, Elements, Within);
  Within.IsArray = Within.IsElement = true;
  Within.IsStruct |= Element->isStructTy();
  const int64_t Bytes = DL.getTypeAllocSize(Element).getFixedValue();
  TooMany |= Elements > MostPlaces;
  for (uint64_t I = 0; I < Elements && !TooMany; ++I)
    add(Element, At + I * Bytes, Within);
}

/// Constants may lead into a flexible array, so far. Characters there may be anything.
void Flattener::addFlexible(const StructType &S) {
  auto *A = flexibleArray(S);
  if (A && !A->getElementType()->isIntegerTy(8))
    addArray(
        *A, FlexibleElements,
        DL.getStructLayout(const_cast<StructType *>(&S))->getElementOffset(S.getNumElements() - 1),
        {});
}

void Flattener::add(Type *T, int64_t At, const LayoutPlace &Within) {
  TooMany |= Out.size() > MostPlaces;
  if (TooMany)
    return;
  if (auto *A = dyn_cast<ArrayType>(T))
    return addArray(*A, A->getNumElements(), At, Within);
  if (auto *S = dyn_cast<StructType>(T)) {
    if (isUnion(*S))
      return addAnything(At, DL.getTypeAllocSize(S).getFixedValue(), Within);
    if (isMemberPointer(*S))
      return addAnything(At, Word, Within); // a function; the distance is nothing but a number
    for (unsigned I = 0; I < S->getNumElements(); ++I)
      add(S->getElementType(I), At + DL.getStructLayout(S)->getElementOffset(I), Within);
    return;
  }
  LayoutPlace P = Within;
  P.Kind = T->isIntegerTy() ? unsigned(SK_Int) : kindOfType(T);
  P.Width = DL.getTypeStoreSize(T).getFixedValue();
  if (T->isVectorTy())
    return addAnything(At, P.Width, Within);
  Out[At] = P;
}

struct NamedScalar {
  StringLiteral Name;
  LayoutPlace Place;
};
constexpr NamedScalar NamedScalars[] = {
#define CF_SCALAR_TYPE(Name, Kind, Bytes) {Name, {Bytes, Kind}},
#include "callee/ScalarTypes.def"
};

/// The kind and width of a scalar of TBAA, if its name says so.
std::optional<LayoutPlace> scalarOf(const MDNode &Type) {
  auto *Name =
      dyn_cast_or_null<MDString>(Type.getNumOperands() ? Type.getOperand(0).get() : nullptr);
  for (const NamedScalar &S : NamedScalars)
    if (Name && Name->getString() == S.Name)
      return S.Place;
  return std::nullopt;
}

/// Lists the scalars below a description, until End. False if it is not understood.
bool listMembers(const MDNode &Type, int64_t At, LayoutPlaces &Out, unsigned Level) {
  if (auto P = scalarOf(Type)) {
    Out[At] = *P;
    return true;
  }
  if (Level > MostLevels || Type.getNumOperands() < 3)
    return false;
  for (unsigned I = 1; I + 1 < Type.getNumOperands(); I += 2) {
    auto *Member = dyn_cast_or_null<MDNode>(Type.getOperand(I));
    auto *Offset = mdconst::dyn_extract_or_null<ConstantInt>(Type.getOperand(I + 1));
    if (!Member || !Offset || !listMembers(*Member, At + Offset->getSExtValue(), Out, Level + 1))
      return false;
  }
  return true;
}

/// Arrays have no kind and end where the next member begins; that of the last one is not known.
void closeGaps(LayoutPlaces &Places) {
  for (auto I = Places.begin(); I != Places.end();) {
    auto Next = std::next(I);
    LayoutPlace &P = I->second;
    if (P.Kind == SK_Unknown && Next != Places.end())
      P.Width = Next->first - I->first;
    P.IsArray = P.Kind == SK_Unknown && P.Width > Word;
    I = P.Width == 0 ? Places.erase(I) : Next;
  }
}

/// What a function gives that is not one of the library's: of the type that it is taken for.
void noteObject(CallInst &Call) {
  if (!Call.getType()->isPointerTy() || !Call.hasRetAttr(Attribute::NoAlias) ||
      lookupCallee(Call).Kind == CalleeKind::Allocate)
    return;
  Type *Taken = nullptr;
  for (const User *U : Call.users())
    if (auto *Member = dyn_cast<GetElementPtrInst>(U)) {
      Type *T = Member->getSourceElementType();
      if (!isa<StructType>(T) || (Taken && Taken != T))
        return;
      Taken = T;
    }
  if (Taken)
    noteObjectType(Call, Taken);
}

} // namespace

/// The scalar that an access with this tag is of, if its name says so.
static std::optional<LayoutPlace> accessedScalar(const MDNode &Tag) {
  auto *Type = Tag.getNumOperands() > 1 ? dyn_cast_or_null<MDNode>(Tag.getOperand(1)) : nullptr;
  return Type ? scalarOf(*Type) : std::nullopt;
}

StringRef nameAccessed(const Instruction &Access) {
  return nameAccessed(Access.getMetadata(LLVMContext::MD_tbaa));
}

bool namesNoType(const Instruction &Access) {
  const StringRef Name = nameAccessed(Access);
  if (Name.empty() || Name == OwnName || Name == BytesName)
    return true;
  const auto Scalar = accessedScalar(*Access.getMetadata(LLVMContext::MD_tbaa));
  return Scalar && Scalar->Kind == SK_Unknown;
}

bool movesWord(const Value *Access) {
  return isa<LoadInst, StoreInst>(Access) && getLoadStoreType(Access)->isIntegerTy() &&
         namesNoType(*cast<Instruction>(Access));
}

bool wasMovedAsBytes(const Instruction &Access) { return nameAccessed(Access) == BytesName; }

void noteLayouts(Module &M) {
  Noter N(M);
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      if (auto *Call = dyn_cast<CallInst>(&I))
        noteObject(*Call);
      N.note(I);
    }
  for (Function &F : M)
    N.noteFirstFields(F);
  N.notePointees();
  noteAllocated(M);
}

LayoutReader::LayoutReader(const Module &M) : DL(M.getDataLayout()), Pointees(M) {
  if (const NamedMDNode *List = M.getNamedMetadata(NotesName))
    for (const MDNode *Note : List->operands()) {
      auto *Key = dyn_cast_or_null<MDNode>(Note->getOperand(0));
      auto *Of = mdconst::dyn_extract_or_null<Constant>(Note->getOperand(1));
      auto *At = mdconst::dyn_extract_or_null<ConstantInt>(Note->getOperand(2));
      if (!Key || !Of || !At)
        continue;
      const Noted Said{cast<StructType>(Of->getType()), At->getSExtValue()};
      const auto It = Notes.insert({Key, Said}).first;
      StructType *Old = It->second.Type;
      if (Old && (It->second.Offset != Said.Offset || !Old->isLayoutIdentical(Said.Type)))
        It->second.Type = nullptr; // two files are linked that say different things
    }
}

const LayoutPlaces *LayoutReader::ofType(Type *T) {
  while (auto *A = dyn_cast_or_null<ArrayType>(T))
    T = A->getElementType();
  if (!isa_and_nonnull<StructType>(T) || !T->isSized())
    return nullptr;
  auto [It, New] = Known.try_emplace(T);
  if (New) {
    Flattener F(DL, It->second);
    F.add(T, 0, {});
    F.addFlexible(*cast<StructType>(T));
    if (F.TooMany)
      It->second.clear();
  }
  return It->second.empty() ? nullptr : &It->second;
}

const LayoutPlaces *LayoutReader::ofAllocated(const CallBase &Call) {
  const Attribute Note = noteOfAllocated(Call);
  if (!Note.isValid())
    return nullptr;
  auto [It, New] = Known.try_emplace(Note.getRawPointer());
  if (New)
    It->second = placesIn(Note.getValueAsString());
  return It->second.empty() ? nullptr : &It->second;
}

const LayoutPlaces *LayoutReader::ofTag(const MDNode &Base) {
  auto [It, New] = Known.try_emplace(&Base);
  if (New) {
    if (listMembers(Base, 0, It->second, 0))
      closeGaps(It->second);
    else
      It->second.clear();
  }
  return It->second.empty() ? nullptr : &It->second;
}

bool LayoutReader::Evidence::isInteger(int64_t Width) const {
  const auto Member = Places->find(Offset);
  return Member != Places->end() && Member->second.Kind == SK_Int && Member->second.Width == Width;
}

bool LayoutReader::Evidence::hasOthers() const {
  return any_of(*Places, [](const auto &Place) {
    const LayoutPlace &P = Place.second; // what numbers lie in a room of bytes, they lie there
    return (P.Kind & (SK_Pointer | SK_AnyFloat)) ||
           (P.Kind == SK_Unknown && P.IsArray && !P.IsElement && P.Width > Word);
  });
}

/// True of a tag of bytes at an access of more than one: where a pointer to a member function is
/// stored in two parts, both have its offset.
static bool isPart(const Instruction &Access, const MDNode &Tag) {
  const auto Scalar = accessedScalar(Tag);
  return Scalar && Scalar->Kind == SK_Unknown && !getLoadStoreType(&Access)->isIntegerTy(8);
}

/// The tag that says most of a member: ours, or that of the front end.
static const MDNode *tagOf(const Instruction &Access) {
  const MDNode *Own = Access.getMetadata(OwnName);
  return Own ? Own : Access.getMetadata(LLVMContext::MD_tbaa);
}

const LayoutPlaces *LayoutReader::aroundElement(const Instruction &Access) {
  const MDNode *Note = Access.getMetadata(ElementName);
  auto *Of = Note ? dyn_cast<ConstantAsMetadata>(Note->getOperand(0)) : nullptr;
  return Of ? ofType(Of->getType()) : nullptr;
}

const LayoutPlaces *LayoutReader::pointee(const Instruction &Loaded) {
  const auto *Load = dyn_cast<LoadInst>(&Loaded);
  return Load && Loaded.getType()->isPointerTy() ? ofType(structureBehind(*Load)) : nullptr;
}

StructType *LayoutReader::structureBehind(const LoadInst &Pointer) const {
  const MDNode *Tag = tagOf(Pointer);
  if (auto Own = Notes.find(Tag); Tag && Own != Notes.end())
    return Own->second.Type ? Pointees.of(Own->second.Type, Own->second.Offset) : nullptr;
  const MDNode *Base = Tag ? baseOf(*Tag) : nullptr, *Named = Tag ? namedPointer(*Tag) : nullptr;
  if (StructType *S = Base ? Pointees.of(Base, offsetOf(*Tag)) : nullptr)
    return S;
  if (Base || Named)
    return Named ? Pointees.of(Named, 0) : nullptr;
  const auto *Variable = dyn_cast<GlobalVariable>(Pointer.getPointerOperand());
  return Variable ? Pointees.of(*Variable) : nullptr;
}

LayoutReader::Evidence LayoutReader::of(const Instruction &Access) {
  const MDNode *Tag = tagOf(Access);
  if (!Tag)
    return {};
  if (auto Own = Notes.find(Tag); Own != Notes.end())
    return {ofType(Own->second.Type), Own->second.Offset};
  const MDNode *Base = baseOf(*Tag);
  if (!Base || isPart(Access, *Tag))
    return {};
  if (auto Noted = Notes.find(Base); Noted != Notes.end())
    return {ofType(Noted->second.Type), offsetOf(*Tag)};
  return {ofTag(*Base), offsetOf(*Tag)};
}

} // namespace contraflow
