// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two steps. Evidence: which cells hold floats, or integers of their own, or both at different
// times (a union); an integer that is loaded is bits of a float only if nothing else is ever there.
// Then the places of digits (DigitPlaces.h) spread over values and cells until nothing changes.

#include "LostBits.h"
#include "Activity.h"
#include "BitSources.h"
#include "DigitPlaces.h"
#include "OwnIntegers.h"
#include "TextBytes.h"
#include "TextNumbers.h"
#include "contraflow/core/Callee.h"
#include "prepare/Unions.h"
#include "rules/Rounding.h"
#include "rules/Smooth.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

bool isBits(const Value *V) { return V->getType()->isIntOrIntVectorTy(); }
/// Of a structure in registers, the places of all its integers together.
bool mayHold(const Value *V) { return isBits(V) || V->getType()->isAggregateType(); }

unsigned widestInteger(const Type &T) {
  if (!T.isAggregateType())
    return T.isIntOrIntVectorTy() ? T.getScalarSizeInBits() : 0;
  unsigned Widest = 0;
  for (const Type *Member : T.subtypes())
    Widest = std::max(Widest, widestInteger(*Member));
  return Widest;
}

/// A load, or what a store writes: the value that moves, and where.
struct Access {
  const Value *V = nullptr, *Pointer = nullptr;
  bool Reads = false, Writes = false;
};

Access accessOf(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return {Load, Load->getPointerOperand(), true, false};
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return {Store->getValueOperand(), Store->getPointerOperand(), false, true};
  if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return {Update->getValOperand(), Update->getPointerOperand(), true, true};
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return {Exchange->getNewValOperand(), Exchange->getPointerOperand(), false, true};
  return {};
}

/// Cells, and cells that they are copied to.
using CellCopies = std::vector<std::pair<unsigned, unsigned>>;

CellCopies copiesOf(const MemoryGraph &G) {
  CellCopies Out;
  G.eachCopy([&](Location From, Location To, int64_t Size) {
    for (auto [Offset, C] : G.fields(From.Node)) {
      int64_t Away = Offset - From.Offset;
      if (const int64_t Period = G.period(From.Node))
        Away = ((Away % Period) + Period) % Period;
      if (Away < 0 || (Size >= 0 && Away >= Size))
        continue;
      const unsigned Cell = G.canonicalCell(C);
      G.overlapping({To.Node, To.Offset + Away}, 1, [&](unsigned Other) {
        if (Other != Cell)
          Out.push_back({Cell, Other});
      });
    }
  });
  sort(Out);
  Out.erase(llvm::unique(Out), Out.end());
  return Out;
}

enum class Extent { Whole, Part };

/// True if V, or what is counted from it, is an index, chooses a case or is compared with a number
/// that would be no sensible float. As a number by itself, a part of a float is no better.
bool isCount(const Value *V, Extent Of) {
  constexpr unsigned CountBits = 20;
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Todo{V};
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    for (const User *U : Next->users()) {
      auto *Compare = dyn_cast<ICmpInst>(U);
      auto *C = Compare ? dyn_cast<ConstantInt>(Compare->getOperand(1)) : nullptr;
      auto *Sum = dyn_cast<BinaryOperator>(U);
      const bool Counts =
          Sum && isa<ConstantInt>(Sum->getOperand(1)) &&
          (Sum->getOpcode() == Instruction::Add || Sum->getOpcode() == Instruction::Sub);
      const bool IsHalf = isa<TruncInst>(U) && 2 * U->getType()->getScalarSizeInBits() <=
                                                   V->getType()->getScalarSizeInBits();
      if (isa<GetElementPtrInst, SwitchInst>(U) ||
          (Of == Extent::Part && isa<SIToFPInst, UIToFPInst>(U)) ||
          (Of == Extent::Whole && IsHalf && isCount(U, Extent::Part)) ||
          (C && C->getValue().ugt(1) && C->getValue().isSignedIntN(CountBits)))
        return true;
      if (Counts || isa<PHINode, FreezeInst, TruncInst, ZExtInst, SExtInst>(U))
        Todo.push_back(U);
    }
  }
  return false;
}

class Evidence {
public:
  Evidence(ArrayRef<Function *> Closure, const MemoryGraph &G, const CellCopies &Copies);
  /// An integer that is read from cell C is bits of a float.
  bool isFloat(unsigned C) const { return Floats.test(C) && !Integers.test(C); }
  /// Integers of a type of their own are stored in C, which the language keeps apart from floats
  /// that are stored there as such: another place, as far as that is known.
  bool isTyped(unsigned C) const { return Accessed.test(C) && Typed.test(C); }
  /// Floats are stored in C as such.
  bool holdsFloats(unsigned C) const { return Floats.test(C); }
  /// So are floats or constants other than zero, from which the bits of any float may be set.
  bool holdsNumbers(unsigned C) const { return Floats.test(C) || Constants.test(C); }

private:
  void visit(const Instruction &I);
  bool isDerived(const Value *V) const;
  bool mayBeOwn(const Value *V) const;
  void visitOutside();
  void markNode(unsigned Node);
  void spread(const CellCopies &Copies);

  const MemoryGraph &G;
  BitVector Floats, Integers, Constants;
  BitVector Accessed,
      Typed; ///< by loads and stores: as floats; as integers, which the language says
};

/// True if V is calculated from bits of floats, or from memory that may hold them.
bool Evidence::isDerived(const Value *V) const {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Todo{V};
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val();
    auto *I = dyn_cast<Instruction>(Next);
    if (!isBits(Next) || isa<Constant, CmpInst>(Next) || !Seen.insert(Next).second)
      continue;
    if ((!I || (isa<CallBase>(I) && !isa<IntrinsicInst>(I))) && floatTypeOf(Next, G))
      return true;
    if (!I)
      continue;
    if (isa<BitCastInst>(I) && I->getOperand(0)->getType()->isFPOrFPVectorTy())
      return true;
    if (const Access A = accessOf(*I); A.Reads) {
      const int64_t Size = G.layout().getTypeStoreSize(I->getType()).getFixedValue();
      const Location At = G.find(A.Pointer);
      if (At && (G.kindsAt(At, Size) & SK_AnyFloat))
        return true;
    } else if (!isa<CallBase>(I) || isa<IntrinsicInst>(I)) {
      append_range(Todo, I->operand_values());
    }
  }
  return false;
}

/// True if V, where it is chosen so, is calculated from nothing that may be bits of floats.
bool Evidence::mayBeOwn(const Value *V) const {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Todo{V};
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    if (auto *C = dyn_cast<Constant>(Next)) {
      if (isBits(C) && !C->isNullValue())
        return true;
    } else if (auto *Phi = dyn_cast<PHINode>(Next)) {
      append_range(Todo, Phi->incoming_values());
    } else if (auto *Choice = dyn_cast<SelectInst>(Next)) {
      Todo.append({Choice->getTrueValue(), Choice->getFalseValue()});
    } else if (auto *Cast = dyn_cast<BitCastInst>(Next); Cast && isBits(Cast->getOperand(0))) {
      Todo.push_back(Cast->getOperand(0));
    } else if (auto *Call = dyn_cast<CallBase>(Next); Call && isSmooth(*Call)) {
      Todo.push_back(Call->getArgOperand(1));
    } else if (isBits(Next) && !isDerived(Next)) {
      return true;
    }
  }
  return false;
}

void Evidence::visit(const Instruction &I) {
  const Access A = accessOf(I);
  if (!A.Pointer || A.V->getType()->isAggregateType())
    return;
  const bool IsFloat = A.V->getType()->isFPOrFPVectorTy();
  auto *C = dyn_cast<Constant>(A.V);
  const bool Derived = A.Writes && !C && isBits(A.V) && isDerived(A.V);
  const bool MovesFloat = IsFloat || (Derived && floatTypeOf(A.V, G));
  const bool Reads = !A.Writes && isBits(A.V) && !I.hasMetadata(LowHalfKind);
  const bool IsOwn = A.Writes ? mayBeOwn(A.V) : Reads && isCount(A.V, Extent::Whole);
  const bool IsNumber = Reads && !IsOwn && isCount(A.V, Extent::Part);
  const int64_t Size = G.layout().getTypeStoreSize(A.V->getType()).getFixedValue();
  G.overlapping(G.find(A.Pointer), Size, [&](unsigned Cell) {
    const bool IsPart = Size < widthOfKinds(G.kindsOfCell(Cell) & SK_AnyFloat);
    if (IsFloat)
      Accessed.set(Cell);
    if (A.Writes && isBits(A.V) && typeAccessed(I))
      Typed.set(Cell);
    if (MovesFloat && A.Writes && !C)
      Floats.set(Cell);
    if (IsFloat && A.Writes && C && !C->isNullValue())
      Constants.set(Cell);
    // A count that starts from zero, where floats are at other times.
    if (IsOwn || (IsPart && IsNumber) || (C && A.Writes && isBits(A.V) && Accessed.test(Cell)))
      Integers.set(Cell);
  });
}

/// What may have been stored before the call: floats where floats are; integers as well, except in
/// an array, or elements of one, that has nothing but floats of one width.
void Evidence::markNode(unsigned Node) {
  const auto &Fields = G.fields(Node);
  const unsigned Kinds = G.kindsOf(Node);
  const bool IsArray =
      has_single_bit(Kinds & SK_AnyFloat) &&
      all_of(Fields, [&](const auto &F) { return G.kindsOfCell(F.second) == Kinds; }) &&
      (!G.period(Node) || G.period(Node) == widthOfKinds(Kinds));
  for (auto [Offset, C] : Fields) {
    const unsigned Cell = G.canonicalCell(C);
    if (G.kindsOfCell(C) & SK_AnyFloat)
      Floats.set(Cell);
    if (!IsArray)
      Integers.set(Cell);
  }
}

void Evidence::spread(const CellCopies &Copies) {
  for (bool News = true; News;) {
    News = false;
    for (auto [From, To] : Copies)
      for (BitVector *Set : {&Floats, &Integers, &Constants})
        if (Set->test(From) && !Set->test(To)) {
          Set->set(To);
          News = true;
        }
  }
}

Evidence::Evidence(ArrayRef<Function *> Closure, const MemoryGraph &G, const CellCopies &Copies)
    : G(G), Floats(G.cellCount()), Integers(G.cellCount()), Constants(G.cellCount()),
      Accessed(G.cellCount()), Typed(G.cellCount()) {
  BitVector Own(G.nodeCount());
  for (unsigned Pass = 0; Pass < 2; ++Pass) // floats that are accessed are known in the second
    for (const Function *F : Closure)
      for (const Instruction &I : instructions(*F)) {
        visit(I);
        if (isa<AllocaInst>(I) || isNoAliasCall(&I))
          if (const Location At = G.find(&I))
            Own.set(G.canonical(At.Node));
      }
  for (unsigned N = 0; N < G.nodeCount(); ++N)
    if (G.canonical(N) == N && (G.isExternal(N) || !Own.test(N)))
      markNode(N);
  spread(Copies);
}

class Finder {
public:
  Finder(ArrayRef<Function *> Closure, const MemoryGraph &G, const HandlerRegistry &H)
      : Closure(Closure), G(G), H(H), Copies(copiesOf(G)), Known(Closure, G, Copies),
        Held(G.cellCount()) {
    for (const Function *F : Closure)
      for (const BasicBlock &B : *F)
        if (auto *Return = dyn_cast<ReturnInst>(B.getTerminator());
            Return && Return->getReturnValue())
          Returned[F].push_back(Return->getReturnValue());
  }
  LostBits run();

private:
  struct Content {
    DigitPlaces Places;
    unsigned Width = 0;   ///< of the integers stored; 0: none, 1: several
    bool AnyType = false; ///< stored as what the language allows to be read as a float
  };
  using Cells = SmallVector<unsigned, 2>;

  void visit(const Instruction &I);
  void visitCall(const CallBase &Call);
  void visitLoad(const Instruction &I, const Value *Pointer);
  void visitFloatLoad(const Instruction &I, const Value *Pointer);
  void visitStore(const Instruction &I, const Access &A);
  void visitFloatSink(const Instruction &I);
  void visitSource(const Instruction &I);
  void copies();
  void set(const Value *V, DigitPlaces P);
  void hold(unsigned Cell, const Content &C);
  void flow(LostFlow::End From, LostFlow::End To, const Instruction *Sink = nullptr);
  void move(const Value *From, const Value *To);
  DigitPlaces of(const Value *V) const { return Places.lookup(V); }
  Cells cellsAt(const Value *Pointer, const Type *T) const;
  unsigned integersOf(unsigned Cell) const { return G.cellCount() + Cell; }
  LostFlow::End integer(const Value *V);
  bool isOwn(const Value &V) {
    if (!Own)
      Own.emplace(Closure, G);
    return Own->isOwn(&V);
  }

  ArrayRef<Function *> Closure;
  const MemoryGraph &G;
  const HandlerRegistry &H;
  const CellCopies Copies;
  const Evidence Known;
  std::optional<OwnIntegers> Own; ///< when first asked for
  DenseMap<const Function *, SmallVector<const Value *, 1>> Returned;
  DenseMap<const Value *, DigitPlaces> Places;
  DenseMap<const Value *, unsigned> Numbers; ///< of places that are values
  std::vector<Content> Held;
  LostBits Out;
  bool News = false, Recording = false;
};

void Finder::set(const Value *V, DigitPlaces P) {
  if (!P)
    return;
  DigitPlaces &Now = Places[V];
  const DigitPlaces Before = Now;
  Now |= P;
  News |= !(Now == Before);
}

void Finder::hold(unsigned Cell, const Content &C) {
  constexpr unsigned Several = 1;
  Content &Now = Held[Cell];
  const Content Before = Now;
  Now.Places |= C.Places;
  Now.AnyType |= C.AnyType;
  Now.Width = !Now.Width || Now.Width == C.Width ? C.Width : Several;
  News |=
      !(Now.Places == Before.Places) || Now.Width != Before.Width || Now.AnyType != Before.AnyType;
}

void Finder::flow(LostFlow::End From, LostFlow::End To, const Instruction *Sink) {
  if (Recording)
    Out.Flows.push_back({std::move(From), std::move(To), Sink});
}

LostFlow::End Finder::integer(const Value *V) {
  return {nullptr, {2 * G.cellCount() + Numbers.try_emplace(V, Numbers.size()).first->second}};
}

void Finder::move(const Value *From, const Value *To) {
  if (!mayHold(From) || !mayHold(To) || !of(From))
    return;
  set(To, of(From));
  flow(integer(From), integer(To));
}

Finder::Cells Finder::cellsAt(const Value *Pointer, const Type *T) const {
  Cells Out;
  const int64_t Size = G.layout().getTypeStoreSize(const_cast<Type *>(T)).getFixedValue();
  G.overlapping(G.find(Pointer), Size, [&](unsigned C) { Out.push_back(C); });
  return Out;
}

/// The places of digits in an integer of so many bits that is read where floats of Kinds are.
uint64_t digitsOfKinds(unsigned Kinds, unsigned Width, LLVMContext &C) {
  Kinds &= SK_AnyFloat;
  if (Kinds == SK_Float && Width >= 32)
    return digitsOfFloats(Type::getFloatTy(C), Width);
  if (Kinds == SK_Double && Width >= 64)
    return digitsOfFloats(Type::getDoubleTy(C), Width);
  return ~uint64_t(0) >> (Width < MostPlaces ? MostPlaces - Width : 0);
}

/// True if bits are set and cleared where Pointer leads, in an integer of type T.
bool leadsToFlags(const Value *Pointer, const Type *T, const MemoryGraph &G) {
  return any_of(Pointer->users(), [&](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return Store && Store->getPointerOperand() == Pointer &&
           Store->getValueOperand()->getType() == T && changesFlags(*Store, G);
  });
}

/// True if U puts parts together, V among them, or hands V on.
bool joinsParts(const User *U) {
  if (isa<ZExtInst, PHINode, FreezeInst>(U))
    return true;
  auto *Op = dyn_cast<BinaryOperator>(U);
  return Op && (Op->getOpcode() == Instruction::Or ||
                (Op->getOpcode() == Instruction::Shl && isa<ConstantInt>(Op->getOperand(1))));
}

/// True if Bits, a byte, is put where floats are. A wider integer may be a count that lies there at
/// other times.
bool isPutIntoFloat(const StoreInst &Store, const Value *Bits, const MemoryGraph &G) {
  const Location At = G.find(Store.getPointerOperand());
  return At && Bits->getType()->isIntegerTy(8) && Store.getValueOperand() == Bits &&
         (G.kindsAt(At, 1) & SK_AnyFloat);
}

/// True if what I reads becomes a part of floats and nothing else: together with other parts in a
/// register, or in memory.
bool isPartOfFloat(const Instruction &I, const MemoryGraph &G) {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Todo{&I};
  bool Becomes = false;
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    for (const User *U : Next->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (joinsParts(U))
        Todo.push_back(U);
      else if ((isa<BitCastInst>(U) && U->getType()->isFloatingPointTy()) ||
               (Store && isPutIntoFloat(*Store, Next, G)))
        Becomes = true;
      else
        return false;
    }
  }
  return Becomes;
}

void Finder::visitLoad(const Instruction &I, const Value *Pointer) {
  const bool AreFlags = leadsToFlags(Pointer, I.getType(), G);
  const unsigned Width = I.getType()->getScalarSizeInBits();
  const uint64_t All = ~uint64_t(0) >> (Width < MostPlaces ? MostPlaces - Width : 0);
  const bool IsPart = isPartOfFloat(I, G);
  LostFlow::End Bits, Integers;
  for (unsigned C : cellsAt(Pointer, I.getType())) {
    const unsigned Kinds = G.kindsOfCell(C);
    const bool PartHere =
        IsPart && Known.holdsFloats(C) && Width < 8 * widthOfKinds(Kinds & SK_AnyFloat);
    if (Kinds & SK_Pointer)
      continue; // an address at other times
    if ((Kinds & SK_AnyFloat) && (Known.isFloat(C) || PartHere) && !AreFlags &&
        !(Known.isTyped(C) && typeAccessed(I)) &&
        !(Width < 8 * widthOfKinds(Kinds & SK_AnyFloat) && isOwn(I))) {
      set(&I, {digitsOfKinds(Kinds, Width, I.getContext()), 0, false});
      Bits.Places.push_back(C);
    }
    DigitPlaces There = Held[C].Places;
    if (!There)
      continue;
    if (Held[C].Width != Width)
      There = {There.Digits ? All : 0, There.Converted ? All : 0, true};
    set(&I, There);
    Integers.Places.push_back(integersOf(C));
  }
  for (LostFlow::End &From : {std::ref(Bits), std::ref(Integers)})
    if (!From.Places.empty() && of(&I))
      flow(From, integer(&I));
}

/// A float that is read where integers are: if no floats are stored there, or the language lets it
/// be the same place, it is made of these.
void Finder::visitFloatLoad(const Instruction &I, const Value *Pointer) {
  LostFlow::End From;
  for (unsigned C : cellsAt(Pointer, I.getType())) {
    if (G.kindsOfCell(C) & SK_Pointer)
      continue; // an address at other times
    Content There = Held[C];
    if (!There.Places.Changed)
      There.Places.Digits = 0; // moved: followed as what it is
    if (Known.holdsNumbers(C))
      There.Places.Converted = 0; // a count, at another time
    if (Known.holdsFloats(C) && !There.AnyType)
      There.Places.Digits = 0;
    if (There.Places && (There.Width != I.getType()->getScalarSizeInBits() ||
                         becomeDigits(There.Places, There.Width, I.getType())))
      From.Places.push_back(integersOf(C));
  }
  if (!From.Places.empty())
    flow(From, {&I, {}}, &I);
}

void Finder::visitStore(const Instruction &I, const Access &A) {
  const DigitPlaces P = of(A.V);
  if (!P)
    return;
  const unsigned Width = A.V->getType()->getScalarSizeInBits();
  // Several words moved at once are followed as what they are, in any case.
  const bool IsWord = A.V->getType()->isIntegerTy() && Width <= MostPlaces;
  if (!P.Changed && (!IsWord || floatTypeOf(A.V, G)))
    return;
  const bool AnyType = !typeAccessed(I) && !G.isIntegerBeside(&I);
  const Content C{{P.Digits, P.Converted, true}, Width, AnyType};
  LostFlow::End To;
  for (unsigned Cell : cellsAt(A.Pointer, A.V->getType())) {
    hold(Cell, C);
    To.Places.push_back(integersOf(Cell));
  }
  flow(integer(A.V), To);
}

/// Integers that become floats: as they are, or converted.
void Finder::visitFloatSink(const Instruction &I) {
  const Value *From = I.getOperand(0);
  const DigitPlaces P = of(From);
  if (!P)
    return;
  const bool Followed = isa<BitCastInst>(I) && !P.Changed && floatTypeOf(From, G);
  const bool Ends = isa<BitCastInst>(I)
                        ? becomeDigits(P, From->getType()->getScalarSizeInBits(), I.getType())
                        : P.Digits != 0;
  if (Ends && !Followed)
    flow(integer(From), {&I, {}}, &I);
}

/// Floats that become integers.
void Finder::visitSource(const Instruction &I) {
  const Type *From = I.getOperand(0)->getType();
  const unsigned Width = I.getType()->getScalarSizeInBits();
  if (isa<BitCastInst>(I))
    set(&I, {digitsOfFloats(From, Width), 0, false});
  else
    set(&I, {0, ~uint64_t(0) >> (Width < MostPlaces ? MostPlaces - Width : 0), true});
  flow({I.getOperand(0), {}}, integer(&I));
}

void Finder::visitCall(const CallBase &Call) {
  if (const ConstructHandler *Handler = H.find(Call)) {
    if (auto C = Handler->closure(const_cast<CallBase &>(Call)))
      for (unsigned P = 0; P < C->Operands.size(); ++P)
        if (C->Operands[P] >= 0)
          move(Call.getArgOperand(C->Operands[P]), C->Body->getArg(P));
    return;
  }
  const Function *F = Call.getCalledFunction();
  if (F && is_contained(Closure, F)) {
    for (const Argument &A : F->args())
      if (A.getArgNo() < Call.arg_size())
        move(Call.getArgOperand(A.getArgNo()), &A);
    for (const Value *V : Returned[F])
      move(V, &Call);
    return;
  }
  if (!isBits(&Call) || Call.arg_empty())
    return;
  if (convertsToInteger(Call))
    visitSource(Call);
  else if (isa<IntrinsicInst>(Call))
    for (const Value *V : Call.args())
      if (isBits(V) && of(V)) {
        set(&Call, afterwards(Call, of(V), {}));
        flow(integer(V), integer(&Call));
      }
}

void Finder::visit(const Instruction &I) {
  const Access A = accessOf(I);
  if (A.Writes && isBits(A.V))
    visitStore(I, A);
  if (A.Reads && isBits(&I))
    visitLoad(I, A.Pointer);
  if (A.Reads && I.getType()->isFPOrFPVectorTy())
    visitFloatLoad(I, A.Pointer);
  if (A.Pointer)
    return;
  if (auto *Call = dyn_cast<CallBase>(&I))
    return visitCall(*Call);
  const bool FromFloat = I.getNumOperands() && I.getOperand(0)->getType()->isFPOrFPVectorTy();
  if (isa<CastInst>(I) && FromFloat && isBits(&I))
    return visitSource(I);
  if (isa<CastInst>(I) && I.getType()->isFPOrFPVectorTy() && isBits(I.getOperand(0)))
    return visitFloatSink(I);
  if (isa<ExtractValueInst>(I) && isBits(&I) &&
      I.getType()->getScalarSizeInBits() < widestInteger(*I.getOperand(0)->getType()))
    return; // a count beside the bits
  if (isa<InsertValueInst, ExtractValueInst>(I) || I.getType()->isAggregateType()) {
    for (const Value *V : I.operand_values())
      move(V, &I);
    if (DigitPlaces P = of(&I); P && isBits(&I) && !floatTypeOf(I.getOperand(0), G)) {
      P.Changed = true; // nothing follows what moves in a structure of integers
      set(&I, P);
    }
    return;
  }
  if (!isBits(&I) || isa<CmpInst>(I))
    return;
  if (auto *Cast = dyn_cast<BitCastInst>(&I)) {
    DigitPlaces P = of(Cast->getOperand(0));
    const unsigned From = Cast->getSrcTy()->getScalarSizeInBits();
    const unsigned To = I.getType()->getScalarSizeInBits();
    P.Digits = regrouped(P.Digits, From, To);
    P.Converted = regrouped(P.Converted, From, To);
    set(&I, P);
  } else if (isa<BinaryOperator>(I)) {
    set(&I, afterwards(I, of(I.getOperand(0)), of(I.getOperand(1))));
  } else {
    for (const Use &V : I.operands())
      if (isBits(V) && !(isa<SelectInst>(I) && V.getOperandNo() == 0) &&
          !(isa<ExtractElementInst, InsertElementInst>(I) &&
            V == I.getOperand(I.getNumOperands() - 1)))
        set(&I, afterwards(I, of(V), {}));
  }
  if (of(&I))
    for (const Value *V : I.operand_values())
      if (of(V))
        flow(integer(V), integer(&I));
}

void Finder::copies() {
  for (auto [From, To] : Copies) {
    if (!Held[From].Places)
      continue;
    Content C = Held[From];
    C.AnyType = true;
    hold(To, C);
    flow({nullptr, {integersOf(From)}}, {nullptr, {integersOf(To)}});
  }
}

LostBits Finder::run() {
  auto Round = [&] {
    News = false;
    for (const Function *F : Closure)
      for (const Instruction &I : instructions(*F))
        visit(I);
    copies();
  };
  do
    Round();
  while (News);
  Recording = true;
  Round();
  Out.PlaceCount = 2 * G.cellCount() + Numbers.size();
  return std::move(Out);
}

/// True if I makes an integer of a float, or of memory that may hold floats.
bool isSource(const Instruction &I, const MemoryGraph &G) {
  if (!isBits(&I))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    const Location At = G.find(Load->getPointerOperand());
    return At && (G.kindsAt(At, G.layout().getTypeStoreSize(I.getType())) & SK_AnyFloat);
  }
  auto *Call = dyn_cast<CallBase>(&I);
  return Call ? convertsToInteger(*Call)
              : isa<CastInst>(I) && I.getOperand(0)->getType()->isFPOrFPVectorTy();
}

} // namespace

LostBits findLostBits(ArrayRef<Function *> Closure, const MemoryGraph &Graph,
                      const HandlerRegistry &Handlers) {
  LostBits Out;
  Out.PlaceCount = Graph.cellCount();
  const bool Any = any_of(Closure, [&](const Function *F) {
    return any_of(instructions(*F), [&](const Instruction &I) { return isSource(I, Graph); });
  });
  if (Any)
    Out = Finder(Closure, Graph, Handlers).run();
  addTextFlows(Closure, Graph, Out.Flows);
  addStreamFlows(Closure, Graph, Out.Flows);
  addNumberTexts(Closure, Graph, Out.Flows);
  return Out;
}

} // namespace contraflow
