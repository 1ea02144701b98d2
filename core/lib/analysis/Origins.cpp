// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the caller's pointers lead to has no variable and no allocation that one could look at. It
// is what members are declared to lead to, and what is done with all that is loaded from there:
//
//   p = load s->bodies        a pointer to structures, here and everywhere else
//   p[i].x[d] += ...          so x has three elements, and is no array of numbers that p leads to

#include "Origins.h"

#include "ElementUses.h"
#include "MemoryGraph.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

class Origins {
public:
  Origins(MemoryGraph &Graph, LayoutReader &Layouts, ArrayRef<Function *> Functions,
          ArrayRef<Function *> Models, const TypedPointers &Typed)
      : Graph(Graph), Layouts(Layouts), Functions(Functions), Models(Models),
        Closure(Functions.begin(), Functions.end()), Typed(Typed) {}
  void note();

private:
  void begin(const Value &V, bool Outside);
  void follow();
  void readPointee(const Instruction &I);
  void readPointees();
  bool isStructure(unsigned Cell, Location At) const;

  MemoryGraph &Graph;
  LayoutReader &Layouts;
  ArrayRef<Function *> Functions, Models;
  SmallPtrSet<const Function *, 8> Closure;
  const TypedPointers &Typed;
  SmallVector<unsigned, 16> Outside;

  using Place = std::pair<unsigned, int64_t>; ///< node, offset
  using Loads = SmallVector<const Instruction *, 2>;
  DenseMap<Place, const LayoutPlaces *> Pointees; ///< null: several
  DenseMap<unsigned, Loads> LoadsOf;              ///< of a cell, of which nothing is said
  DenseMap<Place, Loads> LoadsTo;                 ///< and the same by what they lead to
  DenseSet<unsigned> Loaded;                      ///< cells
};

void Origins::begin(const Value &V, bool IsOutside) {
  const Location At = Graph.find(&V);
  if (!At)
    return;
  if (!Typed.contains(&V))
    Graph.addUntypedOrigin(At, &V);
  if (IsOutside)
    Outside.push_back(Graph.canonical(At.Node));
}

/// True for an address that comes from memory, or from what was loaded otherwise.
static bool isLoaded(const Instruction &I) {
  return I.getType()->isPointerTy() &&
         (I.mayReadFromMemory() || isa<IntToPtrInst, ExtractValueInst, ExtractElementInst>(I)) &&
         !isa<CallBase>(I);
}

void Origins::readPointee(const Instruction &I) {
  const Location At = isLoaded(I) ? Graph.find(&I) : Location();
  if (!At)
    return;
  const LayoutPlaces *Leads = Layouts.pointee(I);
  const Place To{At.Node, At.Offset};
  if (const LayoutPlaces *Is = Leads ? Leads : Typed.lookup(&I))
    if (const auto [It, New] = Pointees.try_emplace(To, Is); !New && It->second != Is)
      It->second = nullptr;
  if (!Leads)
    LoadsTo[To].push_back(&I);
  auto NoteCell = [&](unsigned Cell) {
    Loaded.insert(Cell);
    if (!Leads)
      LoadsOf[Cell].push_back(&I);
  };
  if (const Value *From = getPointerOperand(&I))
    Graph.overlapping(Graph.find(From), Graph.layout().getPointerSize(), NoteCell);
}

void Origins::readPointees() {
  for (const auto List : {Functions, Models})
    for (const Function *F : List)
      for (const Instruction &I : instructions(*F))
        readPointee(I);
}

/// Loads of other cells lead there as well, if they may have got their addresses from this one.
/// Where no load leads to, nobody goes.
bool Origins::isStructure(unsigned Cell, Location At) const {
  const Place To{At.Node, At.Offset};
  const LayoutPlaces *Places = Pointees.lookup(To);
  if (!Places)
    return !Pointees.contains(To) && !LoadsTo.contains(To);
  const ElementUses Uses{Closure, Layouts, *Places};
  const Loads Unsaid = Loaded.count(Cell) ? LoadsOf.lookup(Cell) : LoadsTo.lookup(To);
  return all_of(Unsaid, [&](const Instruction *Load) { return Uses.areOf(*Load); });
}

/// What the caller's pointers lead to, and what the pointers there lead to.
void Origins::follow() {
  SmallDenseSet<unsigned> Seen;
  while (!Outside.empty()) {
    const unsigned Node = Outside.pop_back_val();
    if (!Seen.insert(Node).second)
      continue;
    for (auto [Offset, C] : Graph.fields(Node))
      if (auto Target = Graph.pointee(C)) {
        if (!isStructure(Graph.canonicalCell(C), *Target))
          Graph.addUntypedOrigin(*Target);
        Outside.push_back(Target->Node);
      }
  }
}

void Origins::note() {
  const Function &Root = *Functions.front();
  for (const Argument &A : Root.args())
    if (A.getType()->isPointerTy())
      begin(A, /*IsOutside=*/true);
  for (const GlobalVariable &G : Root.getParent()->globals())
    begin(G, /*IsOutside=*/true);
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const bool Returns = Call && I.getType()->isPointerTy() && !passesPointer(*Call) &&
                           !Closure.count(Call->getCalledFunction());
      if (isa<AllocaInst>(I) || Returns)
        begin(I, Returns && lookupCallee(*Call).Kind != CalleeKind::Allocate);
    }
  readPointees();
  follow();
}

} // namespace

void noteOrigins(MemoryGraph &Graph, LayoutReader &Layouts, ArrayRef<Function *> Closure,
                 ArrayRef<Function *> Models, const TypedPointers &Typed) {
  Origins(Graph, Layouts, Closure, Models, Typed).note();
}

} // namespace contraflow
