// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The union-find part of the memory graph: cells (scalars) and nodes (objects). Merging two nodes
// at a shift moves the fields of one into the other; a field that meets another is unified with
// it, which may merge further nodes. Every merge removes a node or a cell, so the work is bounded.

#include "MemoryGraph.h"
#include "PlaceList.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace llvm;

namespace contraflow {

int64_t widthOfKinds(unsigned Kinds) {
  if (Kinds & SK_LongDouble)
    return 16;
  if (Kinds & (SK_Double | SK_Pointer))
    return 8;
  if (Kinds & SK_Float)
    return 4;
  return Kinds & SK_Half ? 2 : 1;
}

unsigned kindOfType(const Type *T) {
  T = T->getScalarType();
  if (T->isDoubleTy())
    return SK_Double;
  if (T->isFloatTy())
    return SK_Float;
  if (T->isHalfTy() || T->isBFloatTy())
    return SK_Half;
  if (T->isFloatingPointTy())
    return SK_LongDouble;
  return T->isPointerTy() ? SK_Pointer : SK_Unknown;
}

unsigned MemoryGraph::newCell() {
  unsigned C = Cells.size();
  Cells.push_back(C);
  Types.push_back({C, SK_Unknown, {}});
  return C;
}

unsigned MemoryGraph::newNode() {
  Nodes.emplace_back();
  Nodes.back().Parent = Nodes.size() - 1;
  return Nodes.size() - 1;
}

unsigned MemoryGraph::findCell(unsigned C) const {
  while (Cells[C] != C)
    C = Cells[C] = Cells[Cells[C]];
  return C;
}

unsigned MemoryGraph::findType(unsigned T) const {
  while (Types[T].Parent != T)
    T = Types[T].Parent = Types[Types[T].Parent].Parent;
  return T;
}

Location MemoryGraph::resolve(Location At) const {
  while (Nodes[At.Node].Parent != At.Node) {
    const Node &N = Nodes[At.Node];
    At.Offset += N.Shift;
    At.Node = N.Parent;
  }
  const Node &N = Nodes[At.Node];
  At.Offset = wrap(N, At.Offset);
  if (N.Period && At.Stride % N.Period == 0)
    At.Stride = 0;
  return At;
}

unsigned MemoryGraph::canonical(unsigned Node) const {
  while (Nodes[Node].Parent != Node)
    Node = Nodes[Node].Parent;
  return Node;
}

int64_t MemoryGraph::wrap(const Node &N, int64_t Offset) const {
  if (!N.Period)
    return Offset;
  int64_t Rest = Offset % N.Period;
  return Rest < 0 ? Rest + N.Period : Rest;
}

const Value *MemoryGraph::original(const Value *V) const {
  auto It = Aliases.find(V);
  return It == Aliases.end() ? V : It->second;
}

unsigned MemoryGraph::cellOf(const Value *V) {
  V = original(V);
  auto [It, New] = ValueCells.try_emplace(V, 0);
  if (New)
    It->second = newCell();
  return findCell(It->second);
}

unsigned MemoryGraph::returnCell(const Function *F) {
  auto [It, New] = ReturnCells.try_emplace(F, 0);
  if (New)
    It->second = newCell();
  return findCell(It->second);
}

Location MemoryGraph::returnAggregate(const Function *F) {
  auto [It, New] = ReturnNodes.try_emplace(F, 0);
  if (New)
    It->second = newNode();
  return resolve({It->second, 0});
}

Location MemoryGraph::aggregate(const Value *V) {
  auto [It, New] = ValueNodes.try_emplace(original(V), 0);
  if (New)
    It->second = newNode();
  return resolve({It->second, 0});
}

const Value *MemoryGraph::globalBase(const Value *V, int64_t &Offset) const {
  APInt Bytes(DL.getIndexTypeSizeInBits(V->getType()), 0);
  const Value *Base = V->stripAndAccumulateConstantOffsets(DL, Bytes, /*AllowNonInbounds=*/true);
  Offset = Bytes.getSExtValue();
  return isa<GlobalVariable>(Base) || (FollowsFunctions && isa<Function>(Base)) ? Base : nullptr;
}

Location MemoryGraph::constantLocation(const Value *V) {
  int64_t Offset = 0;
  const Value *Base = globalBase(V, Offset);
  if (!Base)
    return {};
  auto [It, New] = ValueNodes.try_emplace(Base, 0);
  if (New) {
    unsigned N = newNode();
    It->second = N;
    auto *G = dyn_cast<GlobalVariable>(Base);
    Nodes[N].External = G;
    Nodes[N].Variables = G && !G->isConstant() && !isVirtualTable(*G) && !isTypeDescription(*G);
  }
  return resolve({It->second, Offset});
}

Location MemoryGraph::locate(const Value *Pointer) {
  if (isa<Constant>(Pointer))
    return constantLocation(Pointer);
  CellType &T = typeOf(cellOf(Pointer));
  T.Kinds |= SK_Pointer;
  if (!T.Target)
    T.Target = {newNode(), 0};
  return resolve(T.Target);
}

Location MemoryGraph::find(const Value *Pointer) const {
  if (isa<Constant>(Pointer)) {
    int64_t Offset = 0;
    auto Found = ValueNodes.find(globalBase(Pointer, Offset));
    return Found == ValueNodes.end() ? Location() : resolve({Found->second, Offset});
  }
  auto It = ValueCells.find(original(Pointer));
  if (It == ValueCells.end())
    return {};
  Location Target = typeOf(It->second).Target;
  return Target ? resolve(Target) : Location();
}

unsigned MemoryGraph::fieldCell(Location At) {
  At = resolve(At);
  auto [It, New] = Nodes[At.Node].Fields.try_emplace(At.Offset, 0);
  if (New)
    It->second = newCell();
  return findCell(It->second);
}

void MemoryGraph::widen(Location &At, int64_t Stride) {
  Stride = std::gcd(At.Stride, Stride);
  Changes += Stride != At.Stride;
  At.Stride = Stride;
}

void MemoryGraph::pointTo(unsigned C, Location Target) {
  typeOf(C).Kinds |= SK_Pointer;
  if (!Target)
    return;
  const Location Old = typeOf(C).Target;
  const int64_t Apart = relate(Old, Target);
  CellType &T = typeOf(C); // another one, if the old one led to itself
  if (!T.Target)
    T.Target = Target;
  widen(T.Target, std::gcd(Target.Stride, Apart));
}

bool MemoryGraph::linkCells(unsigned A, unsigned B) {
  A = findType(findCell(A));
  B = findType(findCell(B));
  if (A == B)
    return false;
  Types[B].Parent = A;
  Types[A].Kinds |= Types[B].Kinds;
  Location Ta = Types[A].Target, Tb = Types[B].Target;
  if (!Ta)
    Types[A].Target = Tb;
  const int64_t Apart = relate(Ta, Tb);
  widen(Types[findType(A)].Target, std::gcd(Tb.Stride, Apart));
  return true;
}

void MemoryGraph::unifyCells(unsigned A, unsigned B) {
  linkCells(A, B);
  Cells[findCell(B)] = findCell(A);
}

void MemoryGraph::unifyLocations(Location A, Location B) {
  if (!A || !B)
    return;
  A = resolve(A);
  B = resolve(B);
  if (A.Node != B.Node)
    return mergeNodes(A, B);
  if (A.Offset != B.Offset)
    refold(A.Node, A.Offset - B.Offset);
}

void MemoryGraph::mergeNodes(Location Keep, Location Gone) {
  ++Changes;
  Node &G = Nodes[Gone.Node];
  auto Fields = std::move(G.Fields);
  G.Fields.clear();
  G.Parent = Keep.Node;
  G.Shift = Keep.Offset - Gone.Offset;
  int64_t Shift = G.Shift, Period = G.Period;
  Nodes[Keep.Node].External |= G.External;
  Nodes[Keep.Node].Callers |= G.Callers;
  Nodes[Keep.Node].Variables |= G.Variables;
  Nodes[Keep.Node].LedTo |= G.LedTo;
  Nodes[Keep.Node].Aligned |= G.Aligned;
  Nodes[Keep.Node].Unaligned |= G.Unaligned;
  Nodes[Keep.Node].Bytes |= G.Bytes;
  Nodes[Keep.Node].Packed |= G.Packed;
  Nodes[Keep.Node].Guessed |= G.Guessed;
  if (Period)
    refold(Keep.Node, Period);
  mergePlaces(Keep.Node, Gone.Node, Shift);
  for (auto [Offset, C] : Fields)
    unifyCells(fieldCell({Keep.Node, Offset + Shift}), C);
}

void MemoryGraph::noteAlignment(Location At, bool AsWanted) {
  Node &N = Nodes[canonical(At.Node)];
  (AsWanted ? N.Aligned : N.Unaligned) = true;
}

bool MemoryGraph::noteBytes(Location At) {
  return At && !std::exchange(Nodes[canonical(At.Node)].Bytes, true);
}

bool MemoryGraph::notePacked(Location At) {
  return At && !std::exchange(Nodes[canonical(At.Node)].Packed, true);
}

void MemoryGraph::refold(unsigned N, int64_t Stride) {
  N = canonical(N);
  int64_t Period = std::gcd(Nodes[N].Period, Stride);
  if (Period == Nodes[N].Period || Period == 0)
    return;
  Nodes[N].Period = Period;
  auto Fields = std::move(Nodes[N].Fields);
  Nodes[N].Fields.clear();
  wrapPlaces(N);
  ++Changes;
  for (auto [Offset, C] : Fields)
    unifyCells(fieldCell({N, Offset}), C);
}

/// An object in which places are not told apart, since an index may lead between them.
bool MemoryGraph::isBlurred(unsigned Node) const {
  constexpr int64_t MostWidth = 8;
  const unsigned Kinds = kindsOf(Node);
  const int64_t Period = period(Node);
  return Period && Period < MostWidth && (Kinds == SK_Unknown || Period < widthOfKinds(Kinds));
}

namespace {
/// What moves through a blurred object, if all of it is equally wide.
struct Scalars {
  unsigned Kinds;
  int64_t Width;
};
} // namespace

static std::optional<Scalars> scalarsOf(unsigned Kinds) {
  const unsigned Moving = Kinds & (SK_AnyFloat | SK_Pointer);
  constexpr unsigned Wide = SK_Double | SK_Pointer;
  if (Moving == SK_Float)
    return Scalars{SK_Float, sizeof(float)};
  if (Moving && !(Moving & ~Wide))
    return Scalars{Wide, sizeof(double)};
  return std::nullopt;
}

/// Where such scalars lie in an object, modulo their width, if that is one place.
static std::optional<int64_t> residueOf(const MemoryGraph &Graph, unsigned Node, Scalars S) {
  std::optional<int64_t> Residue;
  if (Graph.period(Node) % S.Width)
    return std::nullopt;
  for (auto [Offset, C] : Graph.fields(Node)) {
    if (!(Graph.kindsOfCell(C) & S.Kinds))
      continue;
    if (Residue && (Offset - *Residue) % S.Width)
      return std::nullopt;
    Residue = Offset;
  }
  return Residue;
}

/// Adds a field wherever a scalar may come to by a copy of Size bytes, though nobody looks there:
/// it may go on from there by another copy. Where it is not known which places these are, To is no
/// sharper than From. True if that is news.
static bool makeRoom(MemoryGraph &Graph, Location From, Location To, int64_t Size) {
  constexpr int64_t MostPlaces = 64;
  const int64_t OldPeriod = Graph.period(To.Node);
  auto Fold = [&](int64_t Stride) {
    Graph.fold(To, Stride);
    return Graph.period(To.Node) != OldPeriod;
  };
  const std::optional<Scalars> S = scalarsOf(Graph.kindsOf(From.Node));
  const std::optional<int64_t> Residue = S ? residueOf(Graph, To.Node, *S) : std::nullopt;
  if (!Residue)
    return Fold(Graph.period(From.Node));
  const int64_t Bytes = OldPeriod ? OldPeriod : Size;
  if (Bytes < 0 || Bytes > MostPlaces * S->Width)
    return Fold(S->Width);
  const int64_t Begin = OldPeriod ? 0 : To.Offset;
  const int64_t Away = ((*Residue - Begin) % S->Width + S->Width) % S->Width;
  bool News = false;
  for (int64_t At = Begin + Away; At + S->Width <= Begin + Bytes; At += S->Width) {
    const auto &Fields = Graph.fields(To.Node);
    auto Next = Fields.lower_bound(At);
    if (Next != Fields.end() && Next->first < At + S->Width)
      continue;
    Graph.fieldCell({Graph.canonical(To.Node), At});
    News = true;
  }
  return News;
}

/// True if what a blurred object of this period brings to [At, At + Size) would have no place
/// there: the members are known of other parts of the object, and nobody names any here.
static bool hasNoPlaceFor(const MemoryGraph &Graph, const Places &Known, Location At, int64_t Size,
                          int64_t Period) {
  bool Named = false;
  Graph.overlapping(At, Size, [&](unsigned) { Named = true; });
  return !Named && isPadding(Known, At.Offset, Period);
}

/// As spread, from a blurred object: what it holds may be in each place that To has there. Between
/// such places, To has nothing but integers. The first number is Ahead bytes behind From.
bool MemoryGraph::spreadBlurred(Location From, Location To, int64_t Size, int64_t Ahead) {
  const unsigned Kinds = kindsOf(From.Node);
  if (Kinds == SK_Unknown)
    return false;
  bool News = false;
  if (fields(To.Node).empty()) {
    refold(To.Node, widthOfKinds(Kinds));
    fieldCell({To.Node, To.Offset + Ahead});
    News = true;
  } else if (Kinds & (SK_AnyFloat | SK_Pointer)) {
    News = makeRoom(*this, From, To, Size);
    To = resolve(To);
    if (!isBlurred(To.Node) && (!scalarsOf(Kinds) || hasNoPlaceFor(*this, Nodes[To.Node].Places, To,
                                                                   Size, period(From.Node)))) {
      mistake(To.Node, period(From.Node));
      To = resolve(To);
      News = true;
    }
  }
  const std::optional<Scalars> S = scalarsOf(Kinds);
  const std::optional<int64_t> Residue = S ? residueOf(*this, To.Node, *S) : std::nullopt;
  SmallVector<unsigned, 16> Cells;
  bool Between = false;
  for (auto [Offset, C] : fields(To.Node)) {
    if (!period(To.Node) && (Offset < To.Offset || (Size >= 0 && Offset >= To.Offset + Size)))
      continue;
    if (Residue && (Offset - *Residue) % S->Width && kindsOfCell(C) == SK_Int)
      Between = true;
    else
      Cells.push_back(C);
  }
  SmallVector<unsigned, 4> Sources;
  for (auto [Offset, C] : fields(From.Node))
    Sources.push_back(C);
  if (Between && !(Kinds & SK_Int)) {
    addKind(Sources.front(), SK_Int);
    News = true;
  }
  for (unsigned C : Cells)
    for (unsigned Source : Sources)
      News |= linkCells(C, Source);
  return News;
}

/// The fields of [From, From + Size) are fields of To as well. True if that is news.
bool MemoryGraph::spread(Location From, Location To, int64_t Size, int64_t Ahead) {
  constexpr int64_t MaxRepeats = 64;
  From = resolve(From);
  To = resolve(To);
  int64_t Period = Nodes[From.Node].Period, OldPeriod = Nodes[To.Node].Period;
  SmallVector<std::pair<int64_t, unsigned>, 16> Fields(fields(From.Node).begin(),
                                                       fields(From.Node).end());
  if (const auto Array = Size < 0 ? repeatedAt(From) : std::nullopt) { // it does not go beyond
    Fields.assign(Array->Fields.begin(), Array->Fields.end());
    Period = Array->Period;
  }
  if (From.Node != To.Node) {
    if (isBlurred(From.Node))
      return spreadBlurred(From, To, Size, Ahead);
    if (isBlurred(To.Node) && kindsOf(To.Node) != SK_Unknown)
      return false; // the other direction sees to it
  }
  bool Repeats = Period && (Size < 0 || Size > MaxRepeats * Period);
  if (Repeats)
    fold(To, Period);
  bool News = period(To.Node) != OldPeriod;
  for (auto [Offset, C] : Fields) {
    int64_t At = Offset - From.Offset, Step = Period && !Repeats ? Period : 0;
    if (Step && (At %= Step) < 0)
      At += Step;
    do {
      bool Inside = Repeats || (At >= 0 && (Size < 0 || At < Size));
      unsigned Count = cellCount();
      if (Inside)
        News |= linkCells(fieldCell({To.Node, To.Offset + At}), C) || cellCount() != Count;
      At += Step;
    } while (Step && At < Size);
  }
  return News;
}

/// Packed bytes stay packed where they are copied to, and were so where they came from if they came
/// there from elsewhere. What is taken out one by one is packed no more.
bool MemoryGraph::spreadBytes(const Copy &C) {
  if (C.Size >= 0 && C.Size <= int64_t{sizeof(double)})
    return false;
  const Node &From = Nodes[canonical(C.From.Node)];
  bool News = From.Bytes && noteBytes(C.To);
  News |= From.Packed && notePacked(C.To);
  News |= From.Bytes && isPacked(C.To.Node) && notePacked(C.From);
  return News;
}

void MemoryGraph::settleCopies() {
  constexpr unsigned MaxRounds = 8;
  bool Changed = true;
  for (unsigned Round = 0; Changed; ++Round) {
    Changed = false;
    for (const Copy &C : Copies) {
      bool News = spread(C.From, C.To, C.Size, C.InFrom);
      News |= spread(C.To, C.From, C.Size, C.InTo);
      News |= spreadBytes(C);
      if (News && Round >= MaxRounds) // data that wanders: one object for both
        unifyLocations(C.From, C.To);
      Changed |= News;
    }
  }
}

void MemoryGraph::markExternal(Location At) {
  if (!At)
    return;
  SmallVector<unsigned, 8> Work{canonical(At.Node)};
  while (!Work.empty()) {
    unsigned N = Work.pop_back_val();
    if (Nodes[N].Callers)
      continue;
    Nodes[N].External = Nodes[N].Callers = true;
    for (auto [Offset, C] : Nodes[N].Fields)
      if (Location T = typeOf(C).Target)
        Work.push_back(canonical(T.Node));
  }
}

void MemoryGraph::followVariables() {
  SmallVector<unsigned, 8> Work;
  for (unsigned N = 0; N < Nodes.size(); ++N)
    if (Nodes[N].Variables && canonical(N) == N)
      Work.push_back(N);
  while (!Work.empty())
    for (auto [Offset, C] : Nodes[Work.pop_back_val()].Fields)
      if (Location T = typeOf(C).Target) {
        const unsigned To = canonical(T.Node);
        Nodes[To].LedTo = true;
        if (!std::exchange(Nodes[To].Variables, true))
          Work.push_back(To);
      }
}

const std::map<int64_t, unsigned> &MemoryGraph::fields(unsigned Node) const {
  return Nodes[canonical(Node)].Fields;
}

std::optional<Location> MemoryGraph::pointee(unsigned C) const {
  Location T = typeOf(C).Target;
  if (!T)
    return std::nullopt;
  return resolve(T);
}

void MemoryGraph::overlapping(Location At, int64_t Size, function_ref<void(unsigned)> Visit) const {
  if (!At)
    return;
  At = resolve(At);
  constexpr int64_t Widest = 16;
  const Node &N = Nodes[At.Node];
  bool All = Size < 0 || (N.Period && Size >= N.Period);
  const bool Near = !All && !N.Period;
  for (auto Next = Near ? N.Fields.lower_bound(At.Offset - Widest) : N.Fields.begin();
       Next != N.Fields.end() && !(Near && Next->first >= At.Offset + Size); ++Next) {
    const auto [Offset, C] = *Next;
    int64_t Width = widthOfKinds(typeOf(C).Kinds);
    bool Meets = Offset < At.Offset + Size && At.Offset < Offset + Width;
    if (!Meets && N.Period) // the range or the field may wrap around
      Meets = (Offset + N.Period < At.Offset + Size) || (At.Offset + N.Period < Offset + Width);
    if (All || Meets)
      Visit(findCell(C));
  }
}

unsigned MemoryGraph::kindsAt(Location At, int64_t Size) const {
  unsigned Kinds = 0;
  overlapping(At, Size, [&](unsigned C) { Kinds |= typeOf(C).Kinds; });
  return Kinds;
}

unsigned MemoryGraph::kindsOf(unsigned Node) const { return kindsAt({canonical(Node), 0}, -1); }

unsigned MemoryGraph::carried(const Value *V) const {
  auto It = ValueCells.find(original(V));
  return It == ValueCells.end() ? unsigned(SK_Unknown) : typeOf(It->second).Kinds;
}

std::string kindNames(unsigned Kinds) {
  static constexpr std::pair<unsigned, StringRef> Names[] = {{SK_Int, "int"},
                                                             {SK_Pointer, "pointer"},
                                                             {SK_Float, "float"},
                                                             {SK_Double, "double"},
                                                             {SK_Half, "half"},
                                                             {SK_Guessed, "guessed"},
                                                             {SK_LongDouble, "long double"}};
  SmallVector<StringRef, 4> Words;
  for (auto [Kind, Name] : Names)
    if (Kinds & Kind)
      Words.push_back(Name);
  return Words.empty() ? "unknown" : join(Words, " or ");
}

void MemoryGraph::print(raw_ostream &OS) const {
  for (unsigned N = 0; N < Nodes.size(); ++N) {
    if (Nodes[N].Parent != N || Nodes[N].Fields.empty())
      continue;
    OS << "object " << N << (Nodes[N].External ? " from outside" : "");
    if (Nodes[N].Period)
      OS << " every " << Nodes[N].Period << " bytes";
    if (Nodes[N].Stride)
      OS << " with arrays";
    OS << "\n";
    for (auto [Offset, C] : Nodes[N].Fields) {
      const CellType &F = typeOf(C);
      OS << "  +" << Offset << ": " << kindNames(F.Kinds);
      if (F.Target)
        OS << " -> object " << resolve(F.Target).Node << " +" << resolve(F.Target).Offset;
      OS << "\n";
    }
  }
}

} // namespace contraflow
