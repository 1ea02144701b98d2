// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is only passed on, copied or cleared: no load and no store says what it holds.
//
//   void f(const double *x, double *y, int n) { memcpy(y, x, n); }     x, y: floats, somewhere
//
// The adjoint of such a copy moves bytes, which can be added to nothing but zeros (CopyFields.cpp),
// unless a type tells: clang's descriptions for alias analysis name the scalars that a loop copies
// and what pointers lead to ("double", "p1 double").

#include "AssumedFloats.h"
#include "Elements.h"
#include "Layouts.h"
#include "MemoryGraph.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

/// A field of 8 bytes of which nobody has said anything, made in an object of which more is known.
bool addFreeField(MemoryGraph &Graph, Location At) {
  constexpr int64_t Width = 8;
  const auto &Fields = Graph.fields(At.Node);
  int64_t Period = Graph.period(At.Node);
  if (Period && Period < Width / 2) { // who looks at bytes does not say what they are parts of
    Graph.addKind(Fields.begin()->second, SK_Double | SK_Guessed);
    return true;
  }
  int64_t End = Period ? Period - Width : Fields.rbegin()->first + Width;
  for (int64_t Offset = 0; Offset <= End; Offset += Width) {
    auto Next = Fields.lower_bound(Offset);
    if (Next != Fields.end() && Next->first < Offset + Width)
      continue;
    Graph.addKind(Graph.fieldCell({Graph.canonical(At.Node), Offset}), SK_Double | SK_Guessed);
    return true;
  }
  return false;
}

/// Where every field is something else, bytes are beside that: packed ones, and those that come
/// from elsewhere to memory of addresses alone. No copy can tell the two apart.
bool addBeside(MemoryGraph &Graph, Location At, bool Packed) {
  const unsigned Known = At ? Graph.kindsOf(At.Node) : unsigned(SK_AnyFloat);
  if ((Known & SK_AnyFloat) || (!Packed && Known != SK_Pointer))
    return false;
  Graph.addKind(Graph.fieldCell(At), SK_Double | SK_Guessed);
  return true;
}

/// Memory that is only passed on: nothing but the call that does it tells what it holds.
bool assumeFloats(MemoryGraph &Graph, const Value *Pointer, ScalarKind Kind) {
  Location At = Graph.locate(Pointer);
  unsigned Known = At ? Graph.kindsOf(At.Node) : unsigned(SK_AnyFloat);
  if (Known & SK_AnyFloat)
    return false;
  if (Known != SK_Unknown)
    return Kind == SK_Unknown && addFreeField(Graph, At);
  unsigned Kinds = Kind == SK_Unknown ? SK_Double | SK_Guessed : unsigned(Kind);
  Graph.fold(At, widthOfKinds(Kinds));
  Graph.addKind(Graph.fieldCell(At), Kinds);
  return true;
}

/// The same for a word, whatever lies beside it.
bool assumeWord(MemoryGraph &Graph, Location At, ScalarKind Kind) {
  const unsigned Kinds = Kind == SK_Unknown ? unsigned(SK_Double) : Kind;
  if (Graph.kindsAt(At, widthOfKinds(Kinds)) != SK_Unknown)
    return false;
  Graph.addKind(Graph.fieldCell(At), Kinds);
  return true;
}

/// The same for bytes, which are integers as well.
bool assumeBytes(MemoryGraph &Graph, Location At) {
  if (Graph.kindsOf(At.Node) & SK_AnyFloat)
    return false;
  Graph.addKind(Graph.fieldCell(At), SK_Double | SK_Guessed);
  return true;
}

/// The scalar that a description names, behind Prefix; SK_Unknown if it does not.
ScalarKind kindOfTag(const MDNode *Tag, StringRef Prefix) {
  static constexpr std::pair<StringLiteral, ScalarKind> Kinds[] = {
#define CF_SCALAR_TYPE(Name, Kind, Bytes) {Name, Kind},
#include "callee/ScalarTypes.def"
  };
  auto *Type = Tag && Tag->getNumOperands() > 1 ? dyn_cast<MDNode>(Tag->getOperand(1)) : nullptr;
  auto *Said = Type && Type->getNumOperands() ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
  StringRef Name = Said ? Said->getString() : "";
  if (!Name.consume_front(Prefix))
    return SK_Unknown;
  const auto *Found = find_if(Kinds, [&](auto &K) { return K.first == Name; });
  return Found == std::end(Kinds) ? SK_Unknown : Found->second;
}

ScalarKind kindNamed(const Instruction &Access, StringRef Prefix) {
  return kindOfTag(Access.getMetadata(LLVMContext::MD_tbaa), Prefix);
}

/// Of a variable: numbers of one kind.
ScalarKind kindOfType(const Type *T) {
  while (const auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  return T->isDoubleTy() ? SK_Double : T->isFloatTy() ? SK_Float : SK_Unknown;
}

/// The nodes of places, and what pointers in them lead to.
DenseSet<unsigned> nodesFrom(MemoryGraph &Graph, ArrayRef<Location> Places) {
  SmallVector<unsigned, 16> Todo;
  for (const Location At : Places)
    if (At)
      Todo.push_back(Graph.canonical(At.Node));
  DenseSet<unsigned> Seen;
  while (!Todo.empty()) {
    const unsigned Node = Todo.pop_back_val();
    if (!Seen.insert(Node).second)
      continue;
    for (auto [Offset, C] : Graph.fields(Node))
      if (auto Target = Graph.pointee(C))
        Todo.push_back(Graph.canonical(Target->Node));
  }
  return Seen;
}

/// What the program is given from outside.
SmallVector<Location, 16> outside(MemoryGraph &Graph, const Function &Root,
                                  function_ref<bool(const GlobalVariable &)> Wanted) {
  SmallVector<Location, 16> Places;
  for (const Argument &A : Root.args())
    if (A.getType()->isPointerTy())
      Places.push_back(Graph.locate(&A));
  for (const GlobalVariable &G : Root.getParent()->globals())
    if (!G.isConstant() && Wanted(G))
      Places.push_back(Graph.find(&G));
  return Places;
}

/// Visits the calls that have a handler.
void eachHandled(ArrayRef<Function *> Closure, const HandlerRegistry &Handlers,
                 function_ref<void(const CallBase &, CallFacts)> Visit) {
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (const ConstructHandler *H = Call ? Handlers.find(*Call) : nullptr)
        Visit(*Call, H->facts(*Call));
    }
}

/// Visits the pointers to memory that is copied or cleared as bytes.
void eachMoved(ArrayRef<Function *> Closure, const HandlerRegistry &Handlers,
               function_ref<void(const Value &)> Visit) {
  eachHandled(Closure, Handlers, [&](const CallBase &Call, const CallFacts &Facts) {
    for (const CallFacts::Copy &C : Facts.Copies)
      for (unsigned Operand : {C.From, C.To})
        Visit(*Call.getArgOperand(Operand));
    for (unsigned Operand : Facts.Cleared)
      Visit(*Call.getArgOperand(Operand));
  });
}

/// Appends where a value goes on to: chosen between others, or to another function of the closure.
/// False if anybody looks at it there as an integer.
bool followWord(const Use &U, ArrayRef<Function *> Closure, SmallVectorImpl<const Value *> &To) {
  const User *By = U.getUser();
  if (const auto *Call = dyn_cast<CallBase>(By)) {
    const Function *F = Call->getCalledFunction();
    if (!F || !Call->isArgOperand(&U) || !is_contained(Closure, F) ||
        Call->getArgOperandNo(&U) >= F->arg_size())
      return false;
    To.push_back(F->getArg(Call->getArgOperandNo(&U)));
  } else if (const auto *Return = dyn_cast<ReturnInst>(By)) {
    for (const User *Caller : Return->getFunction()->users())
      if (isa<CallBase>(Caller))
        To.push_back(Caller);
  } else if (isa<PHINode, SelectInst, FreezeInst>(By)) {
    To.push_back(By);
  } else {
    return (isa<StoreInst>(By) && U.getOperandNo() == 0) ||
           (isa<BitCastInst>(By) && By->getType()->isFPOrFPVectorTy());
  }
  return true;
}

/// True for a word that is stored, and that nobody looks at as an integer.
bool isOnlyStored(const LoadInst &Load, ArrayRef<Function *> Closure) {
  constexpr unsigned MaxSteps = 16;
  SmallVector<const Value *, 4> Todo{&Load};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Todo.empty()) {
    const Value *V = Todo.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (Seen.size() > MaxSteps ||
        !all_of(V->uses(), [&](const Use &U) { return followWord(U, Closure, Todo); }))
      return false;
  }
  return !Load.use_empty();
}

/// The words, or bytes, that an instruction loads or stores, as bits; 0 if it does not.
unsigned wordOf(const Instruction &I) {
  const Type *T = getLoadStoreType(&I);
  const unsigned Bits = T && T->isIntegerTy() ? T->getScalarSizeInBits() : 0;
  return is_contained({8U, 32U, 64U}, Bits) ? Bits : 0;
}

/// True if what is stored may be a word that was loaded, or is what memset leaves: half a word of
/// zeros may be a count as well.
bool mayBeMoved(const StoreInst &Store) {
  const Value *V = Store.getValueOperand();
  if (const auto *Zero = dyn_cast<ConstantInt>(V))
    return Zero->isZero() && (Zero->getBitWidth() == 64 || wasMovedAsBytes(Store));
  return isa<LoadInst, PHINode, SelectInst, FreezeInst, Argument, CallBase>(V);
}

/// True for the bits of zero, or of a number that is neither tiny nor huge, as counts would be.
bool isOfNumber(const APInt &Bits) {
  constexpr int MostExponent = 100;
  const bool IsDouble = Bits.getBitWidth() == 64;
  if (Bits.isZero())
    return true;
  if (!IsDouble && Bits.getBitWidth() != 32)
    return false;
  const APFloat Number(IsDouble ? APFloat::IEEEdouble() : APFloat::IEEEsingle(), Bits);
  return Number.isFiniteNonZero() && std::abs(ilogb(Number)) <= MostExponent;
}

/// True for constant bits that may be a float's, or those of two.
bool mayBeNumber(const StoreInst &Store) {
  const auto *Bits = dyn_cast<ConstantInt>(Store.getValueOperand());
  if (!Bits || !is_contained({32U, 64U}, Bits->getBitWidth()))
    return false;
  const APInt &All = Bits->getValue();
  return isOfNumber(All) || (All.getBitWidth() == 64 && isOfNumber(All.trunc(32)) &&
                             isOfNumber(All.lshr(32).trunc(32)));
}

/// Visits the accesses of words that are loaded and stored, and nothing else, or constant: what
/// becomes of a copy of 4 or 8 bytes, and to bytes that are, and says whether somebody looks at
/// such a word of the same memory. Where that is the same place, it is left out.
void eachMovedWord(const MemoryGraph &Graph, ArrayRef<Function *> Closure,
                   function_ref<void(const Instruction &, unsigned, bool)> Visit) {
  DenseSet<unsigned> Seen;
  DenseSet<std::pair<unsigned, int64_t>> SeenPlaces;
  SmallVector<const Instruction *, 16> Accesses;
  for (Function *F : Closure)
    for (const Instruction &I : instructions(*F)) {
      if (!isa<LoadInst, StoreInst>(I) || !wordOf(I))
        continue;
      const Location At = Graph.find(getLoadStorePointerOperand(&I));
      const auto *Load = dyn_cast<LoadInst>(&I);
      const auto *Store = dyn_cast<StoreInst>(&I);
      if (At && Load && !isOnlyStored(*Load, Closure)) {
        Seen.insert(Graph.canonical(At.Node));
        SeenPlaces.insert({Graph.canonical(At.Node), At.Offset});
      } else if (At && (Load || mayBeMoved(*Store) || mayBeNumber(*Store))) {
        Accesses.push_back(&I);
      }
    }
  for (const Instruction *I : Accesses) {
    const Location At = Graph.find(getLoadStorePointerOperand(I));
    const unsigned Node = Graph.canonical(At.Node);
    if (!SeenPlaces.contains({Node, At.Offset}))
      Visit(*I, wordOf(*I) / 8, Seen.contains(Node));
  }
}

struct Told {
  const Value *Pointer;
  ScalarKind Kind;
  int64_t Size = -1; ///< of a word
};

/// What a structure that is copied as a whole consists of, where that is numbers of one kind. Of a
/// piece that begins in padding, the optimiser tells what lies behind it.
ScalarKind kindCopied(const Instruction &Copy) {
  const MDNode *Parts = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
  if (!Parts || Parts->getNumOperands() == 0 ||
      !mdconst::extract<ConstantInt>(Parts->getOperand(0))->isZero())
    return SK_Unknown;
  ScalarKind All = SK_Unknown;
  for (unsigned I = 2; I < Parts->getNumOperands(); I += 3) {
    const ScalarKind Kind = kindOfTag(dyn_cast<MDNode>(Parts->getOperand(I)), "");
    if (Kind == SK_Unknown || (All != SK_Unknown && Kind != All))
      return SK_Unknown;
    All = Kind;
  }
  return All;
}

/// The pointers of which the description of an access tells what they lead to.
void addTold(const Instruction &I, SmallVectorImpl<Told> &Out) {
  if (const auto *Moves = dyn_cast<MemIntrinsic>(&I)) {
    const ScalarKind Said = kindNamed(I, ""), Kind = Said ? Said : kindCopied(I);
    Out.push_back({Moves->getRawDest(), Kind});
    if (auto *Copies = dyn_cast<MemTransferInst>(&I))
      Out.push_back({Copies->getRawSource(), Kind});
  } else if (isa<LoadInst>(I) && I.getType()->isPointerTy()) {
    Out.push_back({&I, kindNamed(I, "p1 ")});
  } else if (isa<StoreInst>(I) && I.getOperand(0)->getType()->isPointerTy()) {
    Out.push_back({I.getOperand(0), kindNamed(I, "p1 ")});
  } else if (isa<LoadInst, StoreInst>(I) && wordOf(I)) {
    const ScalarKind Kind = kindNamed(I, ""); // who looks at numbers as integers calls them that
    Out.push_back(
        {getLoadStorePointerOperand(&I), Kind == SK_Int ? SK_Unknown : Kind, wordOf(I) / 8});
  } else if (const auto *Variable = dyn_cast<AllocaInst>(&I)) {
    Out.push_back({&I, kindOfType(Variable->getAllocatedType())});
  }
}

/// What types say of memory of which nothing else is known.
bool assumeTold(MemoryGraph &Graph, ArrayRef<Function *> Closure, const DenseSet<unsigned> &Moved) {
  SmallVector<Told, 16> All;
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F))
      addTold(I, All);
  for (const GlobalVariable &G : Closure.front()->getParent()->globals())
    All.push_back({&G, kindOfType(G.getValueType())});
  bool News = false;
  for (const Told &T : All) {
    const Location At = T.Kind == SK_Unknown ? Location() : Graph.find(T.Pointer);
    if (!At || !Moved.contains(Graph.canonical(At.Node)) ||
        (Graph.kindsOf(At.Node) & (SK_AnyFloat | T.Kind)))
      continue;
    if (T.Size < 0)
      Graph.fold(At, widthOfKinds(T.Kind));
    Graph.addKind(Graph.fieldCell(At), T.Kind);
    News = true;
  }
  return News;
}

bool isKnownFloat(unsigned Kinds) { return (Kinds & SK_AnyFloat) && !(Kinds & SK_Guessed); }

/// True if floats are known to lie where a call moves characters: at their beginning, or among them
/// if the program looks at bytes there. What is only guessed proves nothing.
bool carriesFloatsAsCharacters(MemoryGraph &Graph, const CallBase &Call, const CallFacts &Facts) {
  constexpr int64_t Widest = 8;
  return any_of(Facts.Carries, [&](auto &Carried) {
    const Location At =
        Carried.second == SK_Int ? Graph.locate(Call.getArgOperand(Carried.first)) : Location();
    if (!At || !isKnownFloat(Graph.kindsOf(At.Node)))
      return false;
    const int64_t Period = Graph.period(At.Node);
    if (Period && Period <= Widest)
      return true;
    return any_of(Graph.fields(At.Node), [&](auto &Field) {
      return Field.first == At.Offset && isKnownFloat(Graph.kindsOfCell(Field.second));
    });
  });
}

/// True for a call that does not look at what a pointer among its arguments leads to.
bool isBlind(const CallBase &Call, ArrayRef<Function *> Closure) {
  if (isa<IntrinsicInst>(Call) || is_contained(Closure, Call.getCalledFunction()))
    return true;
  switch (lookupCallee(Call).Kind) {
  case CalleeKind::Allocate:
  case CalleeKind::Reallocate:
  case CalleeKind::ReallocateSized:
  case CalleeKind::AllocateInto:
  case CalleeKind::Free:
    return true;
  default:
    return false;
  }
}

/// The nodes that others may look into: those that are handed to other calls than those that carry
/// them (text is read and printed), or come from such calls (of a string), and those of other
/// modules.
DenseSet<unsigned> nodesOfOthers(MemoryGraph &Graph, ArrayRef<Function *> Closure,
                                 const HandlerRegistry &Handlers) {
  SmallVector<Location, 16> Places =
      outside(Graph, *Closure.front(), [](auto &G) { return !G.hasLocalLinkage(); });
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isBlind(*Call, Closure))
        continue;
      if (Call->getType()->isPointerTy())
        Places.push_back(Graph.find(Call));
      const ConstructHandler *H = Handlers.find(*Call);
      const CallFacts Facts = H ? H->facts(*Call) : CallFacts();
      for (unsigned Operand = 0; Operand < Call->arg_size(); ++Operand)
        if (Call->getArgOperand(Operand)->getType()->isPointerTy() &&
            none_of(Facts.Carries, [&](auto &Carried) { return Carried.first == Operand; }))
          Places.push_back(Graph.find(Call->getArgOperand(Operand)));
    }
  return nodesFrom(Graph, Places);
}

/// Characters are text, of which nothing follows, unless some of them are the bytes of floats, or
/// nobody here looks at them: they may be those of who sends or receives them. Who looks at
/// integers in front of others (a header) need not know what follows; who looks at bytes in a loop
/// reads text.
class Characters {
public:
  Characters(MemoryGraph &Graph, ArrayRef<Function *> Closure, const HandlerRegistry &Handlers,
             bool AreBytes)
      : Graph(Graph), AreBytes(AreBytes),
        Text(AreBytes ? DenseSet<unsigned>() : nodesOfOthers(Graph, Closure, Handlers)) {}
  void decide(CallFacts &Facts, const CallBase &Call) const {
    erase_if(Facts.Carries, [&](auto &Carried) {
      return Carried.second == SK_Int && !AreBytes && isText(Call.getArgOperand(Carried.first));
    });
    for (auto &Carried : Facts.Carries)
      if (Carried.second == SK_Int)
        Carried.second = SK_Unknown;
  }

private:
  bool isText(const Value *Pointer) const {
    const Location At = Graph.locate(Pointer);
    if (!At)
      return false;
    constexpr int64_t Word = 4;
    const int64_t Period = Graph.period(At.Node);
    return Text.contains(Graph.canonical(At.Node)) || (Graph.kindsOf(At.Node) & ~SK_Int) ||
           (Period && Period < Word);
  }

  MemoryGraph &Graph;
  const bool AreBytes;
  const DenseSet<unsigned> Text;
};

bool assumeCarried(MemoryGraph &Graph, const CallBase &Call, const CallFacts &Facts) {
  bool Changed = false;
  for (auto [Operand, Kind] : Facts.Carries)
    Changed |= assumeFloats(Graph, Call.getArgOperand(Operand), Kind);
  for (auto [Operand, Kind] : Facts.Carries)
    if (Kind == SK_Unknown)
      Changed |= Graph.noteBytes(Graph.locate(Call.getArgOperand(Operand)));
  for (unsigned Operand : Facts.Packed)
    Changed |= Graph.notePacked(Graph.locate(Call.getArgOperand(Operand)));
  const bool FromElsewhere =
      any_of(Facts.Flows, [](const Flow &F) { return F.From.What == Place::Outside; });
  for (auto [Operand, Kind] : Facts.Carries)
    if (Kind == SK_Unknown && FromElsewhere)
      Changed |= addBeside(Graph, Graph.locate(Call.getArgOperand(Operand)),
                           is_contained(Facts.Packed, Operand));
  return Changed;
}

} // namespace

bool assumeCarried(MemoryGraph &Graph, ArrayRef<Function *> Closure,
                   const HandlerRegistry &Handlers) {
  SmallVector<std::pair<const CallBase *, CallFacts>, 8> Calls;
  eachHandled(Closure, Handlers, [&](const CallBase &Call, CallFacts Facts) {
    if (!Facts.Carries.empty() || !Facts.Packed.empty())
      Calls.emplace_back(&Call, std::move(Facts));
  });
  const bool Bytes = any_of(Calls, [&](auto &Entry) {
    return carriesFloatsAsCharacters(Graph, *Entry.first, Entry.second);
  });
  if (Calls.empty())
    return false;
  const Characters Moved(Graph, Closure, Handlers, Bytes);
  bool Changed = false;
  for (auto &[Call, Facts] : Calls) {
    Moved.decide(Facts, *Call);
    Changed |= assumeCarried(Graph, *Call, Facts);
  }
  return Changed;
}

/// Visits the floats among the members of structures that are copied as a whole, as the front end
/// describes the copies.
static void eachDescribed(MemoryGraph &Graph, ArrayRef<Function *> Closure,
                          function_ref<void(Location Member, ScalarKind Kind)> Visit) {
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F)) {
      const auto *Copy = dyn_cast<MemTransferInst>(&I);
      const MDNode *Parts = Copy ? Copy->getMetadata(LLVMContext::MD_tbaa_struct) : nullptr;
      for (unsigned P = 0; Parts && P + 2 < Parts->getNumOperands(); P += 3) {
        const ScalarKind Kind = kindOfTag(dyn_cast<MDNode>(Parts->getOperand(P + 2)), "");
        const auto Offset = mdconst::extract<ConstantInt>(Parts->getOperand(P))->getSExtValue();
        for (const Value *End : {Copy->getRawDest(), Copy->getRawSource()})
          if (const Location At = Kind & SK_AnyFloat ? Graph.find(End) : Location())
            Visit({At.Node, At.Offset + Offset}, Kind);
      }
    }
}

/// Members that move with the object, or alone, and that the program declares as floats.
static bool assumeDeclared(MemoryGraph &Graph, ArrayRef<Function *> Closure, ArrayRef<Told> Moves) {
  SmallVector<std::pair<Location, int64_t>, 16> Ranges;
  Graph.eachCopy(
      [&](Location From, Location To, int64_t Size) { Ranges.append({{From, Size}, {To, Size}}); });
  for (const Told &T : Moves)
    Ranges.push_back({Graph.find(T.Pointer), T.Size});
  SmallVector<std::pair<Location, unsigned>, 16> Found;
  auto Declare = [&](Location Member, unsigned Kind) {
    if (Graph.kindsAt(Member, widthOfKinds(Kind)) == SK_Unknown)
      Found.push_back({Member, Kind});
  };
  for (auto [At, Size] : Ranges)
    if (At)
      Graph.eachDeclared(SK_AnyFloat, At, Size, Declare);
  eachDescribed(Graph, Closure, Declare);
  for (auto [Member, Kind] : Found)
    Graph.addKind(Graph.fieldCell(Member), Kind);
  return !Found.empty();
}

/// What the arguments of the root lead to directly: what is given as floats has a shadow.
static DenseSet<unsigned> givenNodes(const MemoryGraph &Graph, const Function &Root) {
  DenseSet<unsigned> Given;
  for (const Argument &A : Root.args())
    if (const Location At = A.getType()->isPointerTy() ? Graph.find(&A) : Location())
      Given.insert(Graph.canonical(At.Node));
  return Given;
}

bool assumeMoved(MemoryGraph &Graph, ArrayRef<Function *> Closure,
                 const HandlerRegistry &Handlers) {
  SmallVector<Told, 16> Moves;
  eachMoved(Closure, Handlers,
            [&](const Value &Pointer) { Moves.push_back({&Pointer, SK_Unknown}); });
  SmallVector<Told, 16> Words, Declared = Moves;
  eachMovedWord(Graph, Closure, [&](const Instruction &I, unsigned Bytes, bool IsSeen) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    const Told Word{Pointer, Bytes == 4 ? SK_Float : SK_Unknown, Bytes};
    Declared.push_back(Word);
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (!IsSeen && (!Store || mayBeMoved(*Store)))
      Moves.push_back(Word);
    if (namesNoType(I))
      Words.push_back(Word);
  });
  if (assumeDeclared(Graph, Closure, Declared))
    return true;
  const DenseSet<unsigned> Outside =
      nodesFrom(Graph, outside(Graph, *Closure.front(), [](auto &) { return true; }));
  Elements Assumed(Graph);
  SmallVector<Elements::Range, 16> Alone;
  for (const Told &T : Words)
    Alone.push_back({Graph.locate(T.Pointer), T.Size});
  Assumed.noteIntegers(Alone);
  Assumed.notePointers();
  if (Assumed.News)
    return true;
  for (const Told &T : Words)
    if (const Location At = Graph.locate(T.Pointer);
        At && Outside.contains(Graph.canonical(At.Node)))
      Assumed.assume(At, T.Size);
  Assumed.assumeCopied();
  if (Assumed.News)
    return true;
  DenseSet<unsigned> Moved;
  erase_if(Moves, [&](const Told &T) {
    const Location At = Graph.locate(T.Pointer);
    const unsigned Known = At ? Graph.kindsOf(At.Node) & ~(T.Size == 1 ? SK_Int : 0) : SK_Pointer;
    if (Known != SK_Unknown || Graph.isDeclaredOther(At))
      return true;
    Moved.insert(Graph.canonical(At.Node));
    return false;
  });
  if (Moved.empty())
    return false;
  if (assumeTold(Graph, Closure, Moved))
    return true;
  const DenseSet<unsigned> Given = givenNodes(Graph, *Closure.front());
  bool News = false;
  for (const Told &T : Moves) {
    const Location At = Graph.locate(T.Pointer);
    const bool IsText = T.Size == 1 && !Given.contains(Graph.canonical(At.Node));
    if (!Outside.contains(Graph.canonical(At.Node)) || IsText)
      continue;
    if (!Given.contains(Graph.canonical(At.Node)))
      Graph.noteGuess(At);
    News |= T.Size < 0    ? assumeFloats(Graph, T.Pointer, T.Kind)
            : T.Size == 1 ? assumeBytes(Graph, At)
                          : assumeWord(Graph, At, T.Kind);
  }
  return News;
}

} // namespace contraflow
