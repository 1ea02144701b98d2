// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of text are the nodes of the memory graph, and descriptors of files. Where characters go
// from one to another (strcpy, fputs, memcpy, members of strings), there is a way; what is
// formatted comes to all places that a way leads to. Streams that may be one are one place.
//
//   snprintf(a, 64, "%g", y)      y -> a        strcpy(b, a)      a -> b
//   fputs(b, out)                 b -> out      fgets(c, n, in)   in -> c     out - in: one name
//   z = strtod(c, 0)              c -> z                                      so y -> z
//   setenv("Y", a, 1)             a -> Y        getenv("Y")          Y -> what it returns
//
// Characters that the program itself copies, one by one, go the same ways, and what it makes of
// them, or of integers that are made of text, are numbers made of text (TextCharacters.h). Numbers
// that the program itself spells, character by character, are not seen.

#include "TextNumbers.h"
#include "BitSources.h"
#include "TextBytes.h"
#include "TextCharacters.h"
#include "callee/Silent.h"
#include "callee/Streams.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr int64_t Anywhere = -1;

/// What makes text of numbers or numbers of text, and the place of the text.
struct TextEnd {
  const Instruction *At;
  unsigned Place;
  SmallVector<LostFlow::End, 2> Numbers;
};

/// True if a call returns what it has read (fgetc, istream::get).
bool givesCharacter(const Instruction &Call, const TextMove &Move) {
  return Move.To == TextMove::Result ||
         (Move.To == TextMove::Others && cast<CallBase>(Call).arg_size() == 1 &&
          Call.getType()->isIntegerTy(32));
}

class Finder {
public:
  Finder(ArrayRef<Function *> Closure, const MemoryGraph &G) : Closure(Closure), G(G) {}

  void run(std::vector<LostFlow> &Flows);

private:
  void visit(const CallBase &Call);
  void visitMember(const CallBase &Call);
  void visitCharacters(const Instruction &I);
  void flowOfWords(const CallBase &Call, const Value &From, const Value &To);
  void wayOfCharacters(const Value &V, std::optional<unsigned> To);
  void addScanner(const Instruction &I, unsigned Place, SmallVector<LostFlow::End, 2> Numbers);
  std::optional<unsigned> placeIn(const Value *V, bool IsStream);
  std::optional<unsigned> place(const Value *V);
  std::optional<unsigned> placeOf(unsigned Node) { return number(Nodes, Node); }
  template <class Map, class Key> unsigned number(Map &Numbers, Key K);
  void way(std::optional<unsigned> From, std::optional<unsigned> To);
  void wayBoth(std::optional<unsigned> A, std::optional<unsigned> B);
  void wayInside(const Value *V, std::optional<unsigned> Place);
  void numbersAt(const Value *V, bool Deep, SmallVectorImpl<LostFlow::End> &Out) const;
  SmallVector<const Value *, 4> operands(const CallBase &Call, int Which, int Other) const;
  DenseSet<unsigned> reached(unsigned Place) const;
  void joinStreams();
  void joinVariables();

  ArrayRef<Function *> Closure;
  const MemoryGraph &G;
  DenseMap<unsigned, unsigned> Nodes, StreamNodes;
  DenseMap<const Value *, unsigned> Values;
  std::vector<SmallVector<unsigned, 2>> Ways;       ///< from place to places
  SetVector<std::pair<const Value *, int>> Streams; ///< and As, if they are of the C library
  DenseSet<unsigned> Scanned; ///< places that calls write integers to that are made of text
  SmallVector<EnvironmentAccess, 2> Variables;
  std::vector<LostFlow> Words; ///< numbers that are moved as text
  SmallVector<TextEnd, 4> Printers, Scanners;
};

template <class Map, class Key> unsigned Finder::number(Map &Numbers, Key K) {
  const auto [Known, IsNew] = Numbers.try_emplace(K, Ways.size());
  if (IsNew)
    Ways.emplace_back();
  return Known->second;
}

/// What is in a stream is not what is in the object that the memory graph takes it for.
std::optional<unsigned> Finder::placeIn(const Value *V, bool IsStream) {
  const Location At = IsStream && V->getType()->isPointerTy() ? G.find(V) : Location();
  return At ? number(StreamNodes, G.canonical(At.Node)) : place(V);
}

std::optional<unsigned> Finder::place(const Value *V) {
  if (!V->getType()->isPointerTy())
    return isa<Constant>(V) ? std::nullopt : std::optional(number(Values, V));
  const Value *Object = getUnderlyingObject(V);
  const auto *Global = dyn_cast<GlobalVariable>(Object);
  if (isa<ConstantPointerNull, UndefValue>(Object) || (Global && Global->isConstant()))
    return std::nullopt;
  if (const Location At = G.find(V))
    return placeOf(G.canonical(At.Node));
  return number(Values, Object);
}

void Finder::way(std::optional<unsigned> From, std::optional<unsigned> To) {
  if (From && To && *From != *To)
    Ways[*From].push_back(*To);
}

void Finder::wayBoth(std::optional<unsigned> A, std::optional<unsigned> B) {
  way(A, B);
  way(B, A);
}

/// An object and the memory that it leads to hold the same text.
void Finder::wayInside(const Value *V, std::optional<unsigned> Place) {
  const Location At = V->getType()->isPointerTy() ? G.find(V) : Location();
  if (!Place || !At)
    return;
  G.overlapping(At, Anywhere, [&](unsigned C) {
    if (const auto To = G.pointee(C))
      wayBoth(Place, placeOf(G.canonical(To->Node)));
  });
}

/// The numbers that V is or that lie where it leads, if Deep in the whole object and those that it
/// leads to.
void Finder::numbersAt(const Value *V, bool Deep, SmallVectorImpl<LostFlow::End> &Out) const {
  if (V->getType()->isFPOrFPVectorTy() && !isa<Constant>(V))
    Out.push_back({V, {}});
  if (V->getType()->isIntegerTy())
    append_range(Out, floatsBehind(*V, G));
  const Location At = V->getType()->isPointerTy() ? G.find(V) : Location();
  if (!At)
    return;
  LostFlow::End Cells;
  auto Add = [&](unsigned C) {
    if ((G.kindsOfCell(C) & SK_AnyFloat) && !(G.kindsOfCell(C) & SK_Pointer))
      Cells.Places.push_back(C);
  };
  G.overlapping(At, Deep ? Anywhere : 1, [&](unsigned C) {
    Add(C);
    if (const auto To = Deep ? G.pointee(C) : std::nullopt)
      G.overlapping(*To, Anywhere, Add);
  });
  if (!Cells.Places.empty())
    Out.push_back(std::move(Cells));
}

SmallVector<const Value *, 4> Finder::operands(const CallBase &Call, int Which, int Other) const {
  if (Which == TextMove::Result)
    return {&Call};
  if (Which >= 0)
    return {Call.getArgOperand(Which)};
  SmallVector<const Value *, 4> Out;
  for (const Use &U : Call.args())
    if (int(U.getOperandNo()) != Other && !isa<Constant>(U))
      Out.push_back(U);
  return Out;
}

void Finder::visit(const CallBase &Call) {
  if (isa<MemTransferInst>(Call))
    return way(place(Call.getArgOperand(1)), place(Call.getArgOperand(0)));
  if (const auto Variable = environmentAccess(Call))
    return Variables.push_back(*Variable);
  const auto Move = textMove(Call);
  if (!Move)
    return visitMember(Call);
  const bool Prints = Move->From == TextMove::Others;
  TextEnd Written{&Call, 0, {}}, Read{&Call, 0, {}};
  for (const Value *To : operands(Call, Move->To, Move->From))
    for (const Value *From : operands(Call, Move->From, Move->To)) {
      const bool IsNumber = To->getType()->isFPOrFPVectorTy();
      const auto Source = IsNumber || !From->getType()->isFPOrFPVectorTy()
                              ? placeIn(From, Move->As & TextMove::FromStream)
                              : std::nullopt;
      const auto Target = IsNumber ? std::nullopt : placeIn(To, Move->As & TextMove::ToStream);
      way(Source, Target);
      wayOfCharacters(*From, Source);
      if (Move->As & TextMove::Behind) {
        if (!(Move->As & TextMove::FromStream))
          wayInside(From, Source);
        if (!(Move->As & TextMove::ToStream))
          wayInside(To, Target);
      }
      if (Move->From >= 0 && Move->To >= 0)
        flowOfWords(Call, *From, *To);
      if (Prints && Target) {
        Written.Place = *Target;
        if ((Move->As & TextMove::Behind) ||
            !From->getType()->isPointerTy()) // "%s" names text alone
          numbersAt(From, true, Written.Numbers);
      } else if (!Prints && Source) {
        Read.Place = *Source;
        numbersAt(To, false, Read.Numbers);
        if (Move->To == TextMove::Others && Target)
          Scanned.insert(*Target);
      }
    }
  if (!Written.Numbers.empty())
    Printers.push_back(std::move(Written));
  addScanner(Call, Read.Place, std::move(Read.Numbers));
  for (auto [Operand, As] :
       {std::pair(Move->To, TextMove::ToStream), std::pair(Move->From, TextMove::FromStream)})
    if (Operand >= 0)
      Streams.insert({getUnderlyingObject(Call.getArgOperand(Operand)), Move->As & As});
  // what is returned is the stream itself, the text, or another name of it
  const bool IsTarget = Move->To >= 0;
  const int Operand = IsTarget ? Move->To : Move->From;
  if (Operand >= 0 && (Call.getType()->isPointerTy() || givesCharacter(Call, *Move)))
    wayBoth(placeIn(&Call, Move->To == TextMove::Result && (Move->As & TextMove::ToStream)),
            placeIn(Call.getArgOperand(Operand),
                    Move->As & (IsTarget ? TextMove::ToStream : TextMove::FromStream)));
}

void Finder::addScanner(const Instruction &I, unsigned Place,
                        SmallVector<LostFlow::End, 2> Numbers) {
  if (!Numbers.empty())
    Scanners.push_back({&I, Place, std::move(Numbers)});
}

/// Numbers whose bytes are taken for text (wmemcpy).
void Finder::flowOfWords(const CallBase &Call, const Value &From, const Value &To) {
  if (!From.getType()->isPointerTy() || !To.getType()->isPointerTy())
    return;
  LostFlow Flow{{}, {}, &Call};
  if (const Location At = G.find(&From); At && G.fields(At.Node).empty())
    Flow.From.Float = dyn_cast<Argument>(getUnderlyingObject(&From)); // if the caller says so
  for (auto [V, End] : {std::pair(&From, &Flow.From), std::pair(&To, &Flow.To)})
    if (const Location At = G.find(V)) {
      const bool OnlyFloats = !(G.kindsOf(At.Node) & ~SK_AnyFloat);
      G.overlapping(At, OnlyFloats ? Anywhere : 1, [&, End = End](unsigned C) {
        const unsigned Kinds = G.kindsOfCell(C);
        if ((Kinds & SK_AnyFloat) && !(Kinds & ~SK_AnyFloat))
          End->Places.push_back(C);
      });
    }
  if ((Flow.From.Float || !Flow.From.Places.empty()) && !Flow.To.Places.empty())
    Words.push_back(std::move(Flow));
}

/// From where characters are loaded, or read from a stream, that V is made of.
void Finder::wayOfCharacters(const Value &V, std::optional<unsigned> To) {
  for (const Instruction *I : charactersIn(V))
    if (auto *Load = dyn_cast<LoadInst>(I))
      way(place(Load->getPointerOperand()), To);
    else if (const auto Move = textMove(cast<CallBase>(*I)); Move && givesCharacter(*I, *Move))
      way(place(I), To);
}

/// Characters that are copied one by one or become numbers, and integers made of text that do.
void Finder::visitCharacters(const Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    const auto Target = place(Store->getPointerOperand());
    return wayOfCharacters(*Store->getValueOperand(), Target);
  }
  if (!I.getType()->isIntegerTy() || I.getType()->isIntegerTy(1))
    return;
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    const auto Place = place(Load->getPointerOperand());
    const bool IsCharacter = I.getType()->isIntegerTy(8) && !typeAccessed(I); // no truth value
    const bool IsScanned = Place && Scanned.contains(*Place);
    if (Place && (IsCharacter || IsScanned))
      addScanner(I, *Place, floatsMadeOf(I, G, IsScanned ? IntegerOf::Text : IntegerOf::Character));
  } else if (auto Known = Values.find(&I); Known != Values.end()) {
    addScanner(I, Known->second, floatsMadeOf(I, G, IntegerOf::Text));
  }
}

/// Members of strings and the like: from all operands to the first one, which is the object, or
/// what is returned. Functions that only print: from any object to any other. What makes text of
/// values is given them in memory.
void Finder::visitMember(const CallBase &Call) {
  const CalleeInfo Info = lookupCallee(Call);
  const Function *F = Call.getCalledFunction();
  const bool IsSilent = Call.hasFnAttr(SilentMark);
  const bool IsNumber = Call.getType()->isFloatingPointTy(); // stod
  const bool IsUnknown =
      IsNumber && F && F->isDeclaration() && Info.Kind == CalleeKind::Unknown && !F->isIntrinsic();
  const bool IsMember = Info.Kind == CalleeKind::Inactive && Info.OwnObjects && !Info.Opaque;
  if ((!IsMember && !IsSilent && !IsUnknown) || Call.arg_empty())
    return;
  const auto First = place(Call.getArgOperand(0));
  const bool IsDirected = IsMember && !Info.Text && !exchangesText(Call);
  SmallVector<LostFlow::End, 2> Written;
  std::optional<unsigned> Target = First;
  auto Join = [&](const Value *V) {
    const auto Other = place(V);
    wayBoth(Other, placeIn(V, /*IsStream=*/true));
    way(Other, First);
    if (!IsDirected || !is_contained(Call.args(), V))
      way(First, Other);
    wayInside(V, Other);
    if (!Target)
      Target = Other;
  };
  for (const Value *V : Call.args()) {
    if (V->getType()->isPointerTy())
      Join(V);
    if (Info.Text || IsSilent || V->getType()->isFPOrFPVectorTy())
      numbersAt(V, true, Written);
  }
  if (Call.getType()->isPointerTy())
    Join(&Call);
  if (Call.getType()->isStructTy()) // a view: pointer and size
    for (const User *Part : Call.users())
      if (isa<ExtractValueInst>(Part) && Part->getType()->isPointerTy())
        Join(Part);
  if (IsNumber && First)
    addScanner(Call, *First, {{&Call, {}}});
  else if (Target && !Written.empty())
    Printers.push_back({&Call, *Target, std::move(Written)});
}

void Finder::joinStreams() {
  for (auto [Stream, IsC] : Streams)
    if (const auto M = streamMemory(Stream)) {
      const auto Text = place(M->Pointer);
      wayBoth(placeIn(Stream, IsC), Text);
      wayInside(M->Pointer, Text);
    }
  for (auto [A, IsC] : Streams)
    for (auto [B, IsOtherC] : Streams)
      if (A != B && A->getType() == B->getType() && mayBeOneStream(A, B))
        way(placeIn(A, IsC), placeIn(B, IsOtherC));
}

/// Variables of the environment whose names are constant and differ are two.
void Finder::joinVariables() {
  for (const EnvironmentAccess &Write : Variables)
    for (const EnvironmentAccess &Read : Variables)
      if (!Write.IsRead && Read.IsRead && mayBeOneVariable(Write, Read))
        way(place(Write.Text), place(Read.Text));
}

DenseSet<unsigned> Finder::reached(unsigned Place) const {
  DenseSet<unsigned> Out = {Place};
  SmallVector<unsigned, 8> List = {Place};
  while (!List.empty())
    for (unsigned Next : Ways[List.pop_back_val()])
      if (Out.insert(Next).second)
        List.push_back(Next);
  return Out;
}

void Finder::run(std::vector<LostFlow> &Flows) {
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        visit(*Call);
  append_range(Flows, Words);
  if (Printers.empty())
    return;
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F))
      visitCharacters(I);
  if (Scanners.empty())
    return;
  joinStreams();
  joinVariables();
  const CallOrder Order(Closure);
  for (const TextEnd &Printer : Printers) {
    const DenseSet<unsigned> Places = reached(Printer.Place);
    for (const TextEnd &Scanner : Scanners) {
      if (!Places.contains(Scanner.Place) || !Order.mayFollow(*Scanner.At, *Printer.At))
        continue;
      for (const LostFlow::End &From : Printer.Numbers)
        for (const LostFlow::End &To : Scanner.Numbers)
          Flows.push_back({From, To, Scanner.At});
    }
  }
}

} // namespace

void addNumberTexts(ArrayRef<Function *> Closure, const MemoryGraph &G,
                    std::vector<LostFlow> &Flows) {
  Finder(Closure, G).run(Flows);
}

} // namespace contraflow
