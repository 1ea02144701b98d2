// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory looks like: a points-to graph by unification (Steensgaard 1996) whose nodes are
// objects and whose fields carry scalar kinds. One pass over a closure of functions, near-linear.
//
//   struct S { double *x; int n; };            node A  { +0: Pointer -> B+0, +8: Int }
//   s->x[i] = 2.0;  s->n = 3;                  node B  { +0 mod 8: Double }
//
// Two addresses that one pointer may hold are the same node. An index of stride s folds a node's
// offsets modulo s. Integers that travel like floats (i64 copies of a double) are cells as well.
//
// Data that moves by itself ties types, not places: after memcpy(y, x, n), or a load and a store of
// an i64, both ends hold the same kinds and lead to the same objects, but remain two cells, of
// which one may be active and the other constant.

#pragma once

#include "contraflow/core/Construct.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace llvm {
class DataLayout;
class raw_ostream;
} // namespace llvm

namespace contraflow {

/// An address: an object and an offset in bytes.
struct Location {
  unsigned Node = ~0u;
  int64_t Offset = 0;
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
  /// Size bytes (negative: not known) move from one place to the other. What has no location, null
  /// or poison in code that never runs, holds nothing.
  void addCopy(Location From, Location To, int64_t Size) {
    if (From && To)
      Copies.push_back({From, To, Size});
  }
  /// Spreads kinds along the copies; to be called when everything is described.
  void settleCopies();
  void fold(Location At, int64_t Stride);
  void pointTo(unsigned Cell, Location Target);
  /// V, an argument of an emitted function, stands for Original.
  void alias(const llvm::Value *V, const llvm::Value *Original) { Aliases[V] = Original; }

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
  /// A float is loaded or stored there, as aligned as its kind wants or not.
  void noteAlignment(Location At, bool AsWanted);
  /// Floats lie at multiples of their size, as far as the program says.
  bool isAligned(unsigned Node) const {
    const auto &N = Nodes[canonical(Node)];
    return N.Aligned && !N.Unaligned;
  }
  bool isExternal(unsigned Node) const { return Nodes[canonical(Node)].External; }
  /// Of these, the objects that the caller's arguments lead to.
  bool isCallers(unsigned Node) const { return Nodes[canonical(Node)].Callers; }
  const llvm::Value *original(const llvm::Value *V) const;
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
    int64_t Size;
  };
  struct Node {
    unsigned Parent;
    int64_t Shift = 0; ///< offset in Parent = offset here + Shift
    int64_t Period = 0;
    bool External = false;
    bool Callers = false;
    bool Aligned = false;   ///< some float is where its alignment wants it
    bool Unaligned = false; ///< some need not be
    std::map<int64_t, unsigned> Fields;
  };

  unsigned newCell();
  unsigned newNode();
  unsigned findCell(unsigned C) const;
  unsigned findType(unsigned T) const;
  CellType &typeOf(unsigned Cell) { return Types[findType(findCell(Cell))]; }
  const CellType &typeOf(unsigned Cell) const { return Types[findType(findCell(Cell))]; }
  void unifyCells(unsigned A, unsigned B);
  bool spread(Location From, Location To, int64_t Size);
  bool isBlurred(unsigned Node) const;
  bool spreadBlurred(Location From, Location To, int64_t Size);
  Location resolve(Location At) const;
  int64_t wrap(const Node &N, int64_t Offset) const;
  void mergeNodes(Location Keep, Location Gone);
  void refold(unsigned Node, int64_t Period);
  Location constantLocation(const llvm::Value *V);
  /// The global variable that a constant pointer refers to, or null.
  const llvm::Value *globalBase(const llvm::Value *V, int64_t &Offset) const;

  const llvm::DataLayout &DL;
  mutable std::vector<unsigned>
      Cells; ///< union-find; the type of cell c is type c, or what that became
  mutable std::vector<CellType> Types;
  std::vector<Node> Nodes;
  std::vector<Copy> Copies;
  llvm::DenseMap<const llvm::Value *, unsigned> ValueCells, ValueNodes;
  llvm::DenseMap<const llvm::Function *, unsigned> ReturnCells, ReturnNodes;
  llvm::DenseMap<const llvm::Value *, const llvm::Value *> Aliases;
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
