// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory looks like: a points-to graph by unification (Steensgaard 1996) whose nodes are
// objects and whose fields carry scalar kinds. One pass over a closure of functions, near-linear.
//
//   struct S { double *x; int n; };            node A  { +0: Pointer -> B+0, +8: Int }
//   s->x[i] = 2.0;  s->n = 3;                  node B  { +0 mod 8: Double }
//
// Two addresses that one pointer may hold are the same node. An index of stride s folds a node's
// offsets modulo s, or the node's arrays if it is known where they are (Places.cpp). Integers that
// travel like floats (i64 copies of a double) are cells as well.
//
// Data that moves by itself ties types, not places: after memcpy(y, x, n), or a load and a store of
// an i64, both ends hold the same kinds and lead to the same objects, but remain two cells, of
// which one may be active and the other constant.

#pragma once

#include "Layouts.h"
#include "contraflow/core/Construct.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <set>
#include <tuple>

namespace llvm {
class DataLayout;
class raw_ostream;
} // namespace llvm

namespace contraflow {

/// An address: an object and an offset in bytes. With a stride, it is some multiple of it away, in
/// an array.
struct Location {
  unsigned Node = ~0u;
  int64_t Offset = 0;
  int64_t Stride = 0;
  explicit operator bool() const { return Node != ~0u; }
};

class MemoryGraph {
public:
  explicit MemoryGraph(const llvm::DataLayout &DL) : DL(DL) {}

  // --- Building -----------------------------------------------------------------------------
  /// The location a pointer refers to, created when first asked for.
  Location locate(const llvm::Value *Pointer);
  unsigned cellOf(const llvm::Value *V);
  unsigned fieldCell(Location At);
  unsigned returnCell(const llvm::Function *F);
  Location aggregate(const llvm::Value *V);
  Location returnAggregate(const llvm::Function *F);
  void addKind(unsigned Cell, unsigned Kinds) { typeOf(Cell).Kinds |= Kinds; }
  /// One value may be in both cells: equal kinds, equal targets. True if that is news.
  bool linkCells(unsigned A, unsigned B);
  void unifyLocations(Location A, Location B);
  /// Size bytes (negative: not known) move from one place to the other; numbers are the first ones
  /// so many bytes behind From, or To. What has no location, as null, holds nothing.
  void addCopy(Location From, Location To, int64_t Size, int64_t InFrom = 0, int64_t InTo = 0) {
    if (From && To)
      Copies.push_back({From, To, Size, InFrom, InTo});
  }
  /// Spreads kinds along the copies; to be called when everything is described.
  void settleCopies();
  enum class Reach {
    Place,
    Members, ///< it is kept or handed on, and may lead to every member from there
    Words,   ///< words are moved there, of whatever kind
    Objects, ///< it leads from object to object, if they are no larger than Stride
  };
  /// An index leads from At by multiples of Stride. Where the node's places are known and At is in
  /// an array, the arrays fold; else the node does.
  void fold(Location At, int64_t Stride, Reach Of = Reach::Place);
  void pointTo(unsigned Cell, Location Target);

  // --- Places (Places.cpp) ------------------------------------------------------------------
  /// While it waits, what folds or makes one pointer lead to two places is noted only.
  void setWaiting(bool On) { Waiting = On; }
  /// What has waited, in the order of falling strides; BeforeEach is called before each stride.
  void settleFolds(llvm::function_ref<void()> BeforeEach);
  /// Indices that landed where nothing was known have waited for all else. True if there are any.
  bool foldPutOff();
  /// While what folds is known and has not: arrays behind numbers of their own (Headers.cpp).
  void inferHeaders();
  /// A structure lies here. Nothing, unless it is known where: see Location::Stride.
  void addPlaces(Location At, const LayoutPlaces &L);
  /// An object (of a variable: that one) begins here; nobody says that it is what its places say.
  void addUntypedOrigin(Location At, const llvm::Value *Variable = nullptr);
  void noteElements(Location At, int64_t Size) { Nodes[canonical(At.Node)].Element = Size; }
  /// True if there is an object of which only the arrays fold.
  bool hasArrays() const { return HasArrays; }
  unsigned changes() const { return Changes; }
  void forgetCopies() { Copies.clear(); }
  /// Arrays fold as far as is known by now; where places turn out to be wrong, the node folds.
  /// True if that is news.
  bool settlePlaces();
  /// V, an argument of an emitted function, stands for Original.
  void alias(const llvm::Value *V, const llvm::Value *Original) { Aliases[V] = Original; }
  /// From now on, functions are objects, too: whoever is called shows what was stored.
  void followFunctions() { FollowsFunctions = true; }

  // --- Asking -------------------------------------------------------------------------------
  /// The location of a pointer, if the graph has one.
  Location find(const llvm::Value *Pointer) const;
  unsigned canonical(unsigned Node) const;
  /// Kinds of all cells that overlap [At, At + Size).
  unsigned kindsAt(Location At, int64_t Size) const;
  unsigned kindsOf(unsigned Node) const;
  /// Kinds an integer SSA value carries.
  unsigned carried(const llvm::Value *V) const;
  /// Visits the canonical cells overlapping [At, At + Size); Size < 0: the whole node.
  void overlapping(Location At, int64_t Size, llvm::function_ref<void(unsigned)> Visit) const;
  const std::map<int64_t, unsigned> &fields(unsigned Node) const;
  int64_t period(unsigned Node) const { return Nodes[canonical(Node)].Period; }
  std::optional<Location> pointee(unsigned Cell) const;
  unsigned kindsOfCell(unsigned Cell) const { return typeOf(Cell).Kinds; }
  unsigned canonicalCell(unsigned Cell) const { return findCell(Cell); }
  unsigned nodeCount() const { return Nodes.size(); }
  unsigned cellCount() const { return Cells.size(); }
  const llvm::DataLayout &layout() const { return DL; }
  /// Objects that exist before the call or come from outside: two of them may be one.
  void markExternal(Location At);
  /// What global variables lead to, which may be what arguments lead to.
  void followVariables();
  /// What an array has over and over again, by absolute offsets: an array of equal scalars, all of
  /// which are one cell, or bytes in which anything lies. Nothing, if the address is in none.
  struct Repeated {
    int64_t Period;
    llvm::SmallVector<std::pair<int64_t, unsigned>, 2> Fields;
  };
  std::optional<Repeated> repeatedAt(Location At) const;
  /// A float is loaded or stored there, as aligned as its kind wants or not.
  void noteAlignment(Location At, bool AsWanted);
  /// Bytes come from elsewhere, or packed ones lie there, whatever else does. True if it is news.
  bool noteBytes(Location At);
  bool notePacked(Location At);
  /// What lies there is floats by guess alone, and need not have a shadow if it is something else.
  void noteGuess(Location At) { Nodes[canonical(At.Node)].Guessed = true; }
  bool isGuessed(unsigned Node) const { return Nodes[canonical(Node)].Guessed; }
  /// Visits the members in [At, At + Size), or all (Size < 0), known to be of one of these kinds.
  void eachDeclared(unsigned Kinds, Location At, int64_t Size,
                    llvm::function_ref<void(Location, unsigned)> Visit) const;
  /// True if what begins there is known to be a member that is an integer or a pointer.
  bool isDeclaredOther(Location At) const;
  /// A load of, or a store to, a member whose type is an integer: what else lies there does so at
  /// other times, or in other objects. Beside: of a structure that has floats or pointers, too, so
  /// that nobody looks at the bits of a float through it.
  void noteDeclaredInteger(const llvm::Value *Access, bool Beside) { Declared[Access] |= Beside; }
  bool isDeclaredInteger(const llvm::Value *V) const { return Declared.contains(original(V)); }
  bool isIntegerBeside(const llvm::Value *V) const { return Declared.lookup(original(V)); }
  /// Of these, the ones that read or set a count.
  void noteCount(const llvm::Value *Access) { Counts.insert(Access); }
  bool isCount(const llvm::Value *V) const { return Counts.contains(original(V)); }
  /// Floats lie at multiples of their size, as far as the program says.
  bool isAligned(unsigned Node) const {
    const auto &N = Nodes[canonical(Node)];
    return N.Aligned && !N.Unaligned;
  }
  bool isPacked(unsigned Node) const { return Nodes[canonical(Node)].Packed; }
  bool isExternal(unsigned Node) const { return Nodes[canonical(Node)].External; }
  /// Of these, the objects that the caller's arguments lead to.
  bool isCallers(unsigned Node) const { return Nodes[canonical(Node)].Callers; }
  /// Objects that the program may see changed when the function has ended.
  bool outlives(unsigned Node) const {
    const auto &N = Nodes[canonical(Node)];
    return N.Callers || N.Variables;
  }
  /// Of these, what a variable leads to.
  bool isLedTo(unsigned Node) const { return Nodes[canonical(Node)].LedTo; }
  /// Two of these may be one object, if no variable that leads to them is set in this call.
  bool isOutside(unsigned Node) const { return isExternal(Node) || outlives(Node); }
  const llvm::Value *original(const llvm::Value *V) const;
  /// What addCopy has been told, with the locations of now.
  void eachCopy(llvm::function_ref<void(Location, Location, int64_t)> Visit) const {
    for (const Copy &C : Copies)
      Visit(resolve(C.From), resolve(C.To), C.Size);
  }
  void print(llvm::raw_ostream &OS) const;

private:
  /// What cells hold between which values move.
  struct CellType {
    unsigned Parent;
    unsigned Kinds = SK_Unknown;
    Location Target;
  };
  struct Copy {
    Location From, To;
    int64_t Size, InFrom, InTo;
  };
  struct Node {
    unsigned Parent;
    int64_t Shift = 0; ///< offset in Parent = offset here + Shift
    int64_t Period = 0;
    bool External = false;
    bool Callers = false;
    bool Variables = false; ///< a global variable that is no constant, or what one leads to
    bool LedTo = false;     ///< the latter
    bool Aligned = false;   ///< some float is where its alignment wants it
    bool Unaligned = false; ///< some need not be
    bool Bytes = false;     ///< of what comes there from elsewhere nobody says what it is
    bool Packed = false;    ///< some lie anywhere, and nobody shows them
    bool Guessed = false;   ///< nobody says what they are
    std::map<int64_t, unsigned> Fields;
    std::map<int64_t, LayoutPlace> Places;
    bool Mistaken = false;               ///< its places are not what was said
    int64_t Stride = 0;                  ///< its arrays fold, all of them by multiples of this
    std::map<int64_t, int64_t> Landings; ///< where an index leads to, and by multiples of what
    std::set<std::tuple<int64_t, int64_t, unsigned>> UntypedOrigins; ///< + size, kind of an array
    int64_t Element = 0; ///< the size of the structures that the variable is an array of
  };

  unsigned newCell();
  unsigned newNode();
  unsigned findCell(unsigned C) const;
  unsigned findType(unsigned T) const;
  CellType &typeOf(unsigned Cell) { return Types[findType(findCell(Cell))]; }
  const CellType &typeOf(unsigned Cell) const { return Types[findType(findCell(Cell))]; }
  void unifyCells(unsigned A, unsigned B);
  bool spreadBytes(const Copy &C);
  bool spread(Location From, Location To, int64_t Size, int64_t Ahead);
  bool isBlurred(unsigned Node) const;
  bool spreadBlurred(Location From, Location To, int64_t Size, int64_t Ahead);
  Location resolve(Location At) const;
  int64_t wrap(const Node &N, int64_t Offset) const;
  void mergeNodes(Location Keep, Location Gone);
  void refold(unsigned Node, int64_t Period);
  void foldElements(unsigned At);
  bool addLanding(Node &N, int64_t Offset, int64_t Stride);
  void widen(Location &At, int64_t Stride);
  int64_t relate(Location A, Location B);
  void foldNow(Location At, Location Other, int64_t Stride);
  void foldMembersNow(Location At, int64_t Stride);
  void foldWordsNow(Location At, int64_t Stride);
  struct Fold {
    Location At, Other; ///< Other: one pointer leads to both
    int64_t Stride;
    Reach Of = Reach::Place;
  };
  void foldNow(const Fold &F);
  bool leavesObject(unsigned Node, int64_t Stride) const;
  void addPlace(Node &N, int64_t Offset, const LayoutPlace &P);
  void mergePlaces(unsigned Keep, unsigned Gone, int64_t Shift);
  void wrapPlaces(unsigned Node);
  void mistake(unsigned Node, int64_t Stride);
  void foldWhole(unsigned Node, int64_t Stride);
  unsigned kindsIn(const Node &N, int64_t Offset, const LayoutPlace &P) const;
  bool fits(int64_t Field, unsigned Kinds, int64_t Offset, const LayoutPlace &P) const;
  bool isMixed(const Node &N, int64_t Offset, const LayoutPlace &P) const;
  void relateAddresses(unsigned Node, llvm::ArrayRef<int64_t> Elements);
  bool isReached(const Node &N, int64_t Offset, unsigned Kinds) const;
  bool reachesMixedMember(const Node &N) const;
  bool isMistaken(const Node &N) const;
  llvm::SmallVector<int64_t, 16> elements(const Node &N, unsigned Kind) const;
  bool unifyFields(unsigned Node, llvm::ArrayRef<int64_t> Offsets);
  unsigned withMixed(const Node &N, unsigned Kinds) const;
  std::optional<std::map<int64_t, LayoutPlace>> bytesWith(const Node &N, unsigned Kinds) const;
  void foldMixed(unsigned Node, unsigned Kinds);
  void foldArrays(unsigned Node);
  void foldUnknown(unsigned N);
  Location constantLocation(const llvm::Value *V);
  /// The variable, or followed function, that a constant pointer refers to, or null.
  const llvm::Value *globalBase(const llvm::Value *V, int64_t &Offset) const;

  const llvm::DataLayout &DL;
  mutable std::vector<unsigned> Cells; ///< union-find; cell c's type is c, or what that became
  mutable std::vector<CellType> Types;
  std::vector<Node> Nodes;
  std::vector<Copy> Copies;
  llvm::DenseMap<const llvm::Value *, unsigned> ValueCells, ValueNodes;
  llvm::DenseMap<const llvm::Function *, unsigned> ReturnCells, ReturnNodes;
  llvm::DenseMap<const llvm::Value *, const llvm::Value *> Aliases;
  llvm::DenseMap<const llvm::Value *, bool> Declared;
  llvm::DenseSet<const llvm::Value *> Counts;
  bool Waiting = false, HasArrays = false, FollowsFunctions = false, Patient = true;
  unsigned Changes = 0; ///< counts what an index or a pointer that walks may have led to
  std::vector<Fold> Folds, PutOff;
  std::set<std::tuple<unsigned, int64_t, const LayoutPlaces *>> Told;
};

/// "double", "pointer or int", "unknown".
std::string kindNames(unsigned Kinds);
/// Widest scalar at a field: how far a cell of these kinds reaches.
int64_t widthOfKinds(unsigned Kinds);
/// The kind of an IR scalar type; 0 for integers, whose use has to tell.
unsigned kindOfType(const llvm::Type *T);

/// True for intrinsics whose result points into the object of their first operand.
bool passesPointer(const llvm::CallBase &Call);

/// Adds everything that the functions of a closure say about memory.
void describeMemory(MemoryGraph &Graph, llvm::ArrayRef<llvm::Function *> Closure,
                    const HandlerRegistry &Handlers);

} // namespace contraflow
