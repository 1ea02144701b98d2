// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one type in one table that is filled at run time:
//
//   v->ops->clone = clone_vector;   v->ops->data = vector_data;      ptr (ptr), both
//   a->ops->clone = clone_matrix;
//   w = v->ops->clone(v);
//
// The call reads member `clone` of the vectors' operations. A function that is stored into other
// members only is no candidate: without this, vectors, matrices and bare arrays would be taken for
// one another, and their types would be lost. The member is the innermost structure on TBAA's path,
// so it is the same whatever object it is a part of. Without TBAA, structures of different types
// may begin in the same way, and only the member's place counts; it is noted before optimisation
// takes the types out of the addresses.

#include "Slots.h"
#include "Tables.h"
#include "callee/Instrumentation.h"
#include "contraflow/core/Construct.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral SlotKind =
    "cf.slot"; ///< metadata: the place of a member; attribute of a call
constexpr StringLiteral StructPrefix = "struct."; ///< of a structure's name
constexpr StringLiteral MangledPrefix = "_Z";     ///< of a name of C++
constexpr unsigned MostLevels = 32;               ///< of structures in structures
constexpr unsigned MostUses = 500;                ///< of one function, and of what it goes through

/// The field of a TBAA structure (name, type, offset, type, offset, ...) that Offset is in.
const MDNode *fieldAt(const MDNode &Type, uint64_t &Offset) {
  const MDNode *Found = nullptr;
  uint64_t Begin = 0;
  for (unsigned I = 1; I + 1 < Type.getNumOperands(); I += 2) {
    auto *At = mdconst::dyn_extract_or_null<ConstantInt>(Type.getOperand(I + 1));
    auto *Field = dyn_cast_or_null<MDNode>(Type.getOperand(I));
    if (!At || !Field || At->getZExtValue() > Offset)
      break;
    Found = Field;
    Begin = At->getZExtValue();
  }
  Offset -= Begin;
  return Found;
}

std::optional<MemberSlot> slotOfTag(const MDNode &Tag) {
  if (Tag.getNumOperands() < 3 || !isa_and_nonnull<MDNode>(Tag.getOperand(0)))
    return std::nullopt;
  const MDNode *Type = cast<MDNode>(Tag.getOperand(0));
  const Metadata *Access = Tag.getOperand(1);
  auto *At = mdconst::dyn_extract_or_null<ConstantInt>(Tag.getOperand(2));
  if (!At || Type == Access)
    return std::nullopt;
  uint64_t Offset = At->getZExtValue();
  for (unsigned I = 0; I < MostLevels; ++I) {
    const uint64_t Place = Offset;
    const MDNode *Field = fieldAt(*Type, Offset);
    if (!Field)
      return std::nullopt;
    if (Field == Access) // files may describe what a member points to differently
      return MemberSlot{Type, Type->getOperand(0).get(), Place};
    Type = Field;
  }
  return std::nullopt;
}

/// The innermost structure that Pointer leads into, and the place of the member there.
std::optional<std::pair<StructType *, uint64_t>> memberAt(const Value *Pointer,
                                                          const DataLayout &DL) {
  std::optional<std::pair<StructType *, uint64_t>> Out;
  auto *Address = dyn_cast<GEPOperator>(Pointer);
  if (!Address)
    return Out;
  for (auto I = gep_type_begin(Address), E = gep_type_end(Address); I != E; ++I) {
    if (StructType *S = I.getStructTypeOrNull())
      Out = {S, DL.getStructLayout(S)->getElementOffset(
                    cast<ConstantInt>(I.getOperand())->getZExtValue())};
    else if (I != gep_type_begin(Address))
      Out.reset(); // an array of pointers
  }
  return Out;
}

/// True if the members of A and B, up to the one that lies at Place, are of the same types.
bool beginAlike(const MDNode *A, const MDNode *B, uint64_t Place) {
  if (!A || !B)
    return A == B;
  for (unsigned I = 1; I + 1 < A->getNumOperands() && I + 1 < B->getNumOperands(); I += 2) {
    if (A->getOperand(I) != B->getOperand(I) || A->getOperand(I + 1) != B->getOperand(I + 1))
      return false;
    auto *At = mdconst::dyn_extract_or_null<ConstantInt>(A->getOperand(I + 1));
    if (At && At->getZExtValue() == Place)
      return true;
  }
  return false;
}

MemberSlot slotOfNote(const MDNode &Note) {
  return {nullptr, Note.getOperand(0),
          mdconst::extract<ConstantInt>(Note.getOperand(1))->getZExtValue()};
}

enum class Holds { Address, Other, Anything };

/// What a scalar's description says of it.
Holds heldBy(const MDNode &Scalar) {
  static constexpr std::pair<StringLiteral, ScalarKind> Kinds[] = {
#define CF_SCALAR_TYPE(Name, Kind, Bytes) {Name, Kind},
#include "callee/ScalarTypes.def"
  };
  const MDNode *Type = &Scalar; // of one pointer, described by that of any
  for (unsigned I = 0; Type && I < MostLevels; ++I) {
    auto *Name = Type->getNumOperands() ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
    const auto *Found = Name ? find_if(Kinds, [&](auto &K) { return K.first == Name->getString(); })
                             : std::end(Kinds);
    if (Found != std::end(Kinds))
      return Found->second == SK_Pointer   ? Holds::Address
             : Found->second == SK_Unknown ? Holds::Anything
                                           : Holds::Other;
    Type = Type->getNumOperands() > 1 ? dyn_cast<MDNode>(Type->getOperand(1)) : nullptr;
  }
  return Holds::Anything;
}

/// What a structure's description says of what lies at Offset. An array is described by its
/// element.
Holds heldAt(const MDNode *Type, uint64_t Offset) {
  constexpr unsigned Scalar = 3; // operands: name, parent, 0
  for (unsigned I = 0; Type && I < MostLevels; ++I) {
    if (Type->getNumOperands() <= Scalar)
      return heldBy(*Type);
    Type = fieldAt(*Type, Offset);
  }
  return Holds::Anything;
}

/// The same of a type.
Holds heldAt(Type *T, uint64_t Offset, const DataLayout &DL) {
  for (unsigned I = 0; I < MostLevels; ++I) {
    auto *S = dyn_cast<StructType>(T);
    auto *Array = dyn_cast<ArrayType>(T);
    if (Offset >= DL.getTypeAllocSize(T).getFixedValue())
      return Holds::Anything;
    if (S) {
      const StructLayout &Layout = *DL.getStructLayout(S);
      const unsigned Index = Layout.getElementContainingOffset(Offset);
      Offset -= Layout.getElementOffset(Index).getFixedValue();
      T = S->getElementType(Index);
    } else if (Array) {
      T = Array->getElementType();
      Offset %= DL.getTypeAllocSize(T).getFixedValue();
    } else {
      return T->isPointerTy()                                 ? Holds::Address
             : T->isIntegerTy(8) || T->isVectorTy() || Offset ? Holds::Anything
                                                              : Holds::Other;
    }
  }
  return Holds::Anything;
}

} // namespace

std::optional<MemberSlot> memberSlotOf(const Instruction &Access) {
  if (const MDNode *Noted = Access.getMetadata(SlotKind))
    return slotOfNote(*Noted);
  if (const MDNode *Tag = Access.getMetadata(LLVMContext::MD_tbaa))
    return slotOfTag(*Tag);
  return std::nullopt;
}

/// True if a type and what is read have names, and these differ. The names of C++ say less.
static bool isOtherwiseNamed(const StructType &S, const MemberSlot &Read) {
  auto *Said = dyn_cast_or_null<MDString>(Read.Name);
  StringRef Name = Said ? Said->getString() : "";
  StringRef Own = S.hasName() ? S.getName() : "";
  Name.consume_front(StructPrefix);
  if (!Own.consume_front(StructPrefix) || Name.empty() || Name.starts_with(MangledPrefix))
    return false;
  return Name.split('.').first != Own.split('.').first; // a linker appends numbers
}

bool mayBeMember(StructType *Structure, int64_t Place, const MemberSlot &Read,
                 const DataLayout &DL) {
  constexpr uint64_t Word = 8;
  if (!Structure || Place != int64_t(Read.Place))
    return false;
  auto *Name = dyn_cast_or_null<MDString>(Read.Name);
  auto *Noted = Read.Type || !Name
                    ? nullptr
                    : StructType::getTypeByName(Structure->getContext(), Name->getString());
  for (uint64_t At = 0; At < Read.Place && (Read.Type || Noted); At += Word) {
    const Holds Here = heldAt(Structure, At, DL);
    const Holds There = Read.Type ? heldAt(Read.Type, At) : heldAt(Noted, At, DL);
    if (Here != There && Here != Holds::Anything && There != Holds::Anything)
      return false;
  }
  return true;
}

bool isLinkedLater(const Module &M) { return M.getModuleFlag("EnableSplitLTOUnit"); }

std::optional<MemberSlot> slotOfCallee(const CallBase &Call) {
  if (const Attribute Noted = Call.getAttributes().getFnAttr(SlotKind); Noted.isValid()) {
    auto [Place, Name] = Noted.getValueAsString().split(' ');
    MemberSlot Slot{nullptr, MDString::get(Call.getContext(), Name), 0};
    Place.getAsInteger(10, Slot.Place);
    return Slot;
  }
  auto *Load = dyn_cast<LoadInst>(Call.getCalledOperand());
  return Load ? memberSlotOf(*Load) : std::nullopt;
}

FunctionType *calleeType(const CallBase &Call) {
  FunctionType *T = Call.getFunctionType();
  if (!T->isVarArg() || T->getNumParams() > 0)
    return T;
  SmallVector<Type *, 8> Params;
  for (const Use &Arg : Call.args())
    Params.push_back(Arg->getType());
  return FunctionType::get(T->getReturnType(), Params, /*isVarArg=*/false);
}

/// What is noted at a load is lost where two loads become one, so a call that follows has it, too:
/// as an attribute, for a call loses metadata where it is inlined and may unwind.
static void noteAtCalls(const LoadInst &Load, StringRef Name, uint64_t Place) {
  const std::string Note = (Twine(Place) + " " + Name).str();
  for (const User *U : Load.users())
    if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledOperand() == &Load)
      const_cast<CallBase *>(Call)->addFnAttr(Attribute::get(Load.getContext(), SlotKind, Note));
}

void noteSlots(Module &M) {
  LLVMContext &Context = M.getContext();
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (!isa<LoadInst, StoreInst>(I) || !getLoadStoreType(&I)->isPointerTy() ||
          I.hasMetadata(LLVMContext::MD_tbaa))
        continue;
      const auto At = memberAt(getLoadStorePointerOperand(&I), M.getDataLayout());
      if (!At)
        continue;
      StringRef Name = At->first->hasName() ? At->first->getName() : "";
      Constant *Place = ConstantInt::get(Type::getInt64Ty(Context), At->second);
      auto *Note =
          MDNode::get(Context, {MDString::get(Context, Name), ConstantAsMetadata::get(Place)});
      I.setMetadata(SlotKind, Note);
      if (auto *Load = dyn_cast<LoadInst>(&I))
        noteAtCalls(*Load, Name, At->second);
    }
}

/// True for the parameter of a function that nobody here calls: a setter of a library.
static bool isOutsiders(const Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  if (auto *Variable = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr) {
    const StoreInst *Only = nullptr; // of a parameter, in code that is not optimised
    for (const User *By : Variable->users()) {
      auto *Store = dyn_cast<StoreInst>(By);
      if (!isa<LoadInst>(By) && (!Store || Only || Store->getValueOperand() == Variable))
        return false;
      Only = Store ? Store : Only;
    }
    V = Only ? Only->getValueOperand() : V;
  }
  auto *Parameter = dyn_cast<Argument>(V);
  const Function *Setter = Parameter ? Parameter->getParent() : nullptr;
  return Setter && !Setter->hasLocalLinkage() && Setter->use_empty();
}

/// What the loads and stores of addresses in members do, each with its member.
static void eachAccess(const Module &M,
                       function_ref<void(const Instruction &, const MemberSlot &)> Do) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (isa<LoadInst, StoreInst>(I) && getLoadStoreType(&I)->isPointerTy())
        if (const std::optional<MemberSlot> S = memberSlotOf(I))
          Do(I, *S);
}

/// A copy, `new->ops->clone = old->ops->clone`, fills a member if somebody fills the other one.
static void fillCopies(ArrayRef<std::pair<MemberKey, MemberKey>> Copies,
                       DenseSet<MemberKey> &Filled) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const auto &[From, To] : Copies)
      if (Filled.contains(From) && Filled.insert(To).second)
        Changed = true;
  }
}

FilledMembers::FilledMembers(const Module &M) {
  std::vector<std::pair<MemberKey, MemberKey>> Copies, CopiesByName; ///< from a member to a member
  eachAccess(M, [&](const Instruction &I, const MemberSlot &S) {
    auto *Store = dyn_cast<StoreInst>(&I);
    const Value *V = Store ? Store->getValueOperand() : nullptr;
    auto *Other = dyn_cast_or_null<LoadInst>(V);
    if (const auto From = Other ? memberSlotOf(*Other) : std::nullopt) {
      Copies.push_back({looseKeyOf(*From), looseKeyOf(S)});
      CopiesByName.push_back({keyOf(*From), keyOf(S)});
    } else if (V && !isa<ConstantPointerNull>(V) && !isOutsiders(V)) {
      Filled.insert(looseKeyOf(S));
      ByName.insert(keyOf(S));
    }
  });
  fillCopies(Copies, Filled);
  fillCopies(CopiesByName, ByName);
}

/// True if V may be loaded from memory of which no member is known, or is what a call returns.
static bool mayBeFromMemory(const Value &V) {
  SmallPtrSet<const Value *, 8> Seen{&V};
  SmallVector<const Value *, 8> Todo{&V};
  auto Add = [&](const Value *From) {
    if (From->getType()->isPointerTy() && Seen.insert(From).second)
      Todo.push_back(From);
  };
  while (!Todo.empty()) {
    const Value *At = Todo.pop_back_val();
    auto *Load = dyn_cast<LoadInst>(At);
    auto *Variable = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
    if (isa<PHINode, SelectInst>(At))
      for_each(cast<Instruction>(At)->operands(), Add);
    if (Variable) {
      for (const User *By : Variable->users()) {
        auto *Store = dyn_cast<StoreInst>(By);
        if (!Store && !isa<LoadInst>(By))
          return true;
        if (Store)
          Add(Store->getValueOperand());
      }
    }
    if (!isa<Constant, Argument, PHINode, SelectInst>(At) && !Variable &&
        !(Load && memberSlotOf(*Load)))
      return true;
  }
  return false;
}

MemberIndex::MemberIndex(const Module &M) : DL(M.getDataLayout()) {
  eachAccess(M, [&](const Instruction &I, const MemberSlot &S) {
    if (isa<LoadInst>(I))
      Loads[keyOf(S)].push_back(const_cast<Instruction *>(&I));
    else if (mayBeFromMemory(*cast<StoreInst>(I).getValueOperand()))
      FromMemory.insert(keyOf(S));
  });
  for (const Function &F : M)
    if (F.hasAddressTaken())
      ByType[F.getFunctionType()].push_back(&F);
}

bool MemberIndex::mayLieWhere(const Function &F, const MemberSlot &Read, bool Prefix) {
  const Places &P = placesOf(F);
  return P.Anywhere || (P.InVariable && FromMemory.contains(keyOf(Read))) ||
         any_of(P.Copied,
                [&](const auto &C) { return mayBeMember(C.first, C.second, Read, DL); }) ||
         any_of(P.Slots, [&](const MemberSlot &S) {
           return S == Read ||
                  (Prefix && S.Place == Read.Place && beginAlike(S.Type, Read.Type, S.Place)) ||
                  !S.Type != !Read.Type; // one file has TBAA, the other has none
         });
}

const MemberIndex::Places &MemberIndex::placesOf(const Function &F) {
  auto [It, New] = Known.try_emplace(&F);
  if (!New)
    return It->second;
  It->second.Anywhere = true; // for itself, while it is looked at
  Places P;
  P.Of = &F;
  P.Left = MostUses;
  follow(P, F);
  P.Seen.clear();
  return Known[&F] = std::move(P);
}

/// A pointer that may be F's address: what is done with it beside calls and comparisons.
void MemberIndex::follow(Places &P, const Value &V) {
  if (P.Anywhere || !P.Seen.insert(&V).second)
    return;
  for (const Use &U : V.uses()) {
    P.Anywhere |= !P.Left;
    if (P.Anywhere)
      return;
    --P.Left;
    const User *By = U.getUser();
    if (auto *G = dyn_cast<GlobalVariable>(By); G && isTable(*G))
      followTable(P, *G);
    else if (G)
      followVariable(P, *G);
    else if (isa<ConstantAggregate, ConstantExpr, GlobalAlias, PHINode, SelectInst>(By))
      follow(P, *By);
    else if (auto *Store = dyn_cast<StoreInst>(By); Store && U.getOperandNo() == 0)
      followStore(P, *Store);
    else if (auto *Call = dyn_cast<CallBase>(By); Call && Call->isArgOperand(&U))
      pass(P, *Call, Call->getArgOperandNo(&U));
    else // the same parameter may be data for other callers
      P.Anywhere |= !isa<ICmpInst, LoadInst, GetElementPtrInst, CallBase, StoreInst>(By);
  }
}

/// A table that is copied as a whole takes the function along; a pointer that is loaded from it may
/// be the function.
void MemberIndex::followTable(Places &P, const GlobalVariable &Table) {
  visitCopies(Table, [&](const LoadInst *Part) {
    if (Part && Part->getType()->isPointerTy())
      return follow(P, *Part);
    functionsIn(Table, [&](const TableEntry &E) {
      if (E.F == P.Of) {
        P.Anywhere |= !E.Structure;
        P.Copied.push_back({E.Structure, E.Place});
      }
    });
  });
}

/// A variable that is a table, `static struct Operations dense = {add, scale}`: in its members, and
/// where what is loaded from such members goes.
void MemberIndex::followVariable(Places &P, const GlobalVariable &G) {
  if (G.isConstant() || G.hasAppendingLinkage())
    return;
  P.Anywhere |= !G.hasDefinitiveInitializer();
  if (P.Anywhere)
    return;
  functionsIn(G, [&](const TableEntry &E) {
    if (E.F != P.Of)
      return;
    P.Anywhere |= !E.Structure;
    if (P.Anywhere)
      return;
    P.InVariable = true;
    P.Copied.push_back({E.Structure, E.Place});
    for (const auto &[Key, All] : Loads)
      for (const WeakVH &Load :
           Key.second == uint64_t(E.Place) ? ArrayRef(All) : ArrayRef<WeakVH>())
        if (const auto Slot = Load ? memberSlotOf(*cast<Instruction>(Load)) : std::nullopt;
            Slot && !isOtherwiseNamed(*E.Structure, *Slot) &&
            mayBeMember(E.Structure, E.Place, *Slot, DL))
          follow(P, *Load);
  });
}

/// What is stored is loaded again: from a local variable, in code that is not optimised, or from a
/// member.
void MemberIndex::followStore(Places &P, const StoreInst &Store) {
  if (auto *Variable = dyn_cast<AllocaInst>(Store.getPointerOperand())) {
    for (const User *By : Variable->users())
      if (auto *Load = dyn_cast<LoadInst>(By))
        follow(P, *Load);
      else
        P.Anywhere |= !isa<StoreInst>(By) || cast<StoreInst>(By)->getValueOperand() == Variable;
    return;
  }
  const std::optional<MemberSlot> S = memberSlotOf(Store);
  P.Anywhere |= !S;
  if (!S || is_contained(P.Slots, *S))
    return;
  P.Slots.push_back(*S);
  if (auto It = Loads.find(keyOf(*S)); It != Loads.end())
    for (const WeakVH &Load : It->second)
      if (Load)
        follow(P, *Load);
}

/// What is passed on goes where the callee, or each function that may be called, puts it.
void MemberIndex::pass(Places &P, const CallBase &Call, unsigned Arg) {
  if (Call.doesNotCapture(Arg) || isa<MemIntrinsic>(Call) || runsAtExit(Call))
    return;
  auto Into = [&](const Function &F) {
    P.Anywhere |= F.isDeclaration() || F.isInterposable();
    if (!P.Anywhere)
      follow(P, *F.getArg(Arg));
  };
  P.Anywhere |= Call.isInlineAsm() || Arg >= calleeType(Call)->getNumParams();
  if (P.Anywhere)
    return;
  if (const Function *Callee = Call.getCalledFunction())
    return Into(*Callee);
  const std::optional<MemberSlot> Read = slotOfCallee(Call);
  const auto Fitting = ByType.find(calleeType(Call));
  if (Fitting == ByType.end())
    return;
  for (const Function *F : Fitting->second)
    if (!Read || mayLieWhere(*F, *Read, /*Prefix=*/true))
      Into(*F);
}

} // namespace contraflow
