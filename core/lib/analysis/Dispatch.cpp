// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code is prepared with indirect calls that lead nowhere. What lies where the callee is loaded
// from, or in the tables of the objects that a virtual call may be of, as far as the memory graph
// knows, is added, and the code is prepared anew, until nothing is added. Whoever is wrong here
// ends the program (CF307), since the choice of a call has no branch for what is left out.

#include "Dispatch.h"
#include "MemoryGraph.h"
#include "contraflow/core/Callee.h"
#include "prepare/Prepare.h"
#include "prepare/Tables.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostDepth = 4; ///< of choices between pointers

class Callees {
public:
  Callees(const PreparedClosure &Closure, const Compilation &C);
  /// May Pointer be F? What comes from outside may.
  bool mayBe(const Value *Pointer, bool IsVirtual, const Function &F, unsigned Depth = 0) const;

private:
  void markOutside(const PreparedClosure &Closure, const Compilation &C);
  bool isOfOwnObject(const Value *Table, unsigned Depth = 0) const;
  bool mayHold(Location Slot, const Function &F) const;
  bool isInTable(const Value *Pointer, const Function &F) const;
  bool isStored(const Value *Pointer, const Function &F) const;

  const Module &M;
  MemoryGraph Graph;
};

Callees::Callees(const PreparedClosure &Closure, const Compilation &C)
    : M(C.M), Graph(C.M.getDataLayout()) {
  Graph.followFunctions();
  describeMemory(Graph, Closure.Functions, C.Handlers);
  markOutside(Closure, C);
}

/// What the caller gives, what variables lead to, and what functions return that are not seen.
void Callees::markOutside(const PreparedClosure &Closure, const Compilation &C) {
  for (const Argument &A : Closure.Root->args())
    if (A.getType()->isPointerTy())
      Graph.markExternal(Graph.find(&A));
  for (const Function *F : Closure.Functions)
    for (const Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && Callee->isDeclaration() && I.getType()->isPointerTy() &&
          !passesPointer(*Call) && !C.Handlers.find(*Call) && !unseenCall(*Call) &&
          lookupCallee(*Call).Kind != CalleeKind::Allocate)
        Graph.markExternal(Graph.find(&I));
    }
  Graph.followVariables();
}

/// True if a table that may be there has F at Slot.
bool Callees::mayHold(Location Slot, const Function &F) const {
  const int64_t Period = Graph.period(Slot.Node);
  return any_of(M.globals(), [&](const GlobalVariable &G) {
    const Location Begin = isTable(G) ? Graph.find(&G) : Location();
    bool Holds = false;
    if (Begin && Begin.Node == Slot.Node)
      functionsIn(G, [&](const TableEntry &E) {
        const int64_t Apart = Begin.Offset + E.At - Slot.Offset;
        Holds |= E.F == &F && (Slot.Stride || (Period ? Apart % Period == 0 : Apart == 0));
      });
    return Holds;
  });
}

/// True of the table of an object that does not come from outside.
bool Callees::isOfOwnObject(const Value *Table, unsigned Depth) const {
  Table = Table->stripInBoundsConstantOffsets();
  if (auto *Phi = dyn_cast<PHINode>(Table); Phi && Depth < MostDepth)
    return all_of(Phi->incoming_values(),
                  [&](const Use &U) { return isOfOwnObject(U.get(), Depth + 1); });
  auto *Load = dyn_cast<LoadInst>(Table);
  const Location Object = Load ? Graph.find(Load->getPointerOperand()) : Location();
  return isa<Constant>(Table) || (Object && !Graph.outlives(Object.Node));
}

/// True if Pointer may be loaded from a table that has F there.
bool Callees::isInTable(const Value *Pointer, const Function &F) const {
  auto *Load = dyn_cast<LoadInst>(Pointer);
  const Location Slot = Load ? Graph.find(Load->getPointerOperand()) : Location();
  return !Slot || !isOfOwnObject(Load->getPointerOperand()) || mayHold(Slot, F);
}

/// What is stored somewhere and may come to Pointer is one object with what that leads to.
bool Callees::isStored(const Value *Pointer, const Function &F) const {
  const Location Held = Graph.find(Pointer), Stored = Graph.find(&F);
  if (!Held || !isa<LoadInst, PHINode, SelectInst, Argument, CallBase>(Pointer))
    return true;
  return Graph.outlives(Held.Node) || (Stored && Stored.Node == Held.Node);
}

bool Callees::mayBe(const Value *Pointer, bool IsVirtual, const Function &F, unsigned Depth) const {
  if (auto *Phi = dyn_cast<PHINode>(Pointer); Phi && Depth < MostDepth)
    return any_of(Phi->incoming_values(),
                  [&](const Use &U) { return mayBe(U.get(), IsVirtual, F, Depth + 1); });
  if (isa<Constant>(Pointer))
    return Pointer == &F;
  return IsVirtual ? isInTable(Pointer, F) : isStored(Pointer, F);
}

} // namespace

/// True if something was added.
static bool addCalled(CalledFunctions &Called, const PreparedClosure &Closure,
                      const Compilation &C) {
  const Callees Known(Closure, C);
  bool News = false;
  for (const Function *F : Closure.Functions)
    for (const Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const auto Unseen = Call ? unseenCall(*Call) : std::nullopt;
      if (!Unseen)
        continue;
      for (const Function *Callee : Unseen->Functions)
        if (Known.mayBe(Unseen->Pointer, Unseen->IsVirtual, *Callee))
          News |= Called[Unseen->Number].insert(Callee).second;
    }
  return News;
}

std::optional<CalledFunctions> findCalled(Function &Primal, Compilation &C) {
  constexpr unsigned MostRounds = 24;
  CalledFunctions Called;
  C.Called = &Called;
  C.LooksForCallees = true;
  bool Found = false, Failed = false;
  for (unsigned Round = 0; !Found && !Failed && Round < MostRounds; ++Round) {
    auto Closure = prepareClosure(Primal, C, NestVersions::One);
    Failed = !Closure;
    if (Closure)
      Found = !addCalled(Called, *Closure, C);
    else
      consumeError(Closure.takeError());
  }
  C.Called = nullptr;
  C.LooksForCallees = false;
  if (!Found)
    return std::nullopt;
  return Called;
}

} // namespace contraflow
