// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One buffer holds records that begin with two integers, and plain doubles at another time. To the
// memory graph, these integers may be halves of doubles, and so may all that is copied from there.
// What the program does tells otherwise:
//
//   id[i] = buffer[k].id     a member declared as an integer, beside floats: no half of one
//   buffer[k].id = id[j]     from an array into which only such integers, or constants, go
//
// So cells are marked into which anything else is stored, until nothing changes; integers that are
// loaded from the others are the program's own. Asked only of stores that would be refused.

#include "OwnIntegers.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {

/// What V hands on if that is integers alone.
static bool passesOn(const Instruction &I) {
  return isa<BinaryOperator, PHINode, SelectInst, FreezeInst, TruncInst, ZExtInst, SExtInst,
             MinMaxIntrinsic>(I);
}

static bool readsConstant(const LoadInst &Load) {
  auto *Table = dyn_cast<GlobalVariable>(getUnderlyingObject(Load.getPointerOperand()));
  return Table && Table->isConstant();
}

/// What the callers of a function give it; false if some are not known.
bool OwnIntegers::handsOver(const Argument &A, SmallVectorImpl<const Value *> &Out) const {
  constexpr unsigned CountBits = 32; // a word may be a structure of a float and a count
  const Function *F = A.getParent();
  if (F == Closure.front()) // of integers nobody asks for a derivative
    return A.getType()->getIntegerBitWidth() <= CountBits;
  return !F->use_empty() && all_of(F->uses(), [&](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || A.getArgNo() >= Call->arg_size())
      return false;
    Out.push_back(Call->getArgOperand(A.getArgNo()));
    return true;
  });
}

bool OwnIntegers::isOwn(const Value *V) const {
  constexpr unsigned Most = 64; // of what is looked at
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Todo{V};
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val();
    if (!Seen.insert(Next).second || isa<Constant, CmpInst, FPToSIInst, FPToUIInst>(Next))
      continue;
    if (!Next->getType()->isIntegerTy() || Seen.size() > Most)
      return false;
    if (auto *A = dyn_cast<Argument>(Next)) {
      if (!handsOver(*A, Todo))
        return false;
    } else if (auto *Load = dyn_cast<LoadInst>(Next)) {
      if (G.isIntegerBeside(Load) || readsConstant(*Load))
        continue;
      const Location At = G.find(Load->getPointerOperand());
      bool Known = false, Own = true;
      G.overlapping(At, G.layout().getTypeStoreSize(Load->getType()), [&](unsigned Cell) {
        Known = true;
        Own &= !Others.test(Cell);
      });
      if (!Known || !Own)
        return false;
    } else if (auto *I = dyn_cast<Instruction>(Next); I && passesOn(*I)) {
      for (const Value *Operand : I->operand_values())
        if (!isa<SelectInst>(I) || Operand != cast<SelectInst>(I)->getCondition())
          Todo.push_back(Operand);
    } else {
      return false;
    }
  }
  return true;
}

/// True if that is news.
bool OwnIntegers::taint(Location At, int64_t Size) {
  bool News = false;
  G.overlapping(At, Size, [&](unsigned Cell) {
    News |= !Others.test(Cell);
    Others.set(Cell);
  });
  return News;
}

/// A function that is not seen may put anything where its arguments lead to.
bool OwnIntegers::taintByCall(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (isa<IntrinsicInst>(Call) || (F && is_contained(Closure, F)) ||
      lookupCallee(Call).Kind != CalleeKind::Unknown)
    return false;
  bool News = false;
  for (const Use &Argument : Call.args())
    if (Argument->getType()->isPointerTy() &&
        !Call.onlyReadsMemory(Call.getArgOperandNo(&Argument)))
      News |= taint(G.find(Argument.get()), -1);
  return News;
}

/// Once over all stores, and over what is copied as memory.
bool OwnIntegers::spread() {
  bool News = false;
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F)) {
      const Value *V = nullptr;
      if (auto *Call = dyn_cast<CallBase>(&I))
        News |= taintByCall(*Call);
      if (auto *Store = dyn_cast<StoreInst>(&I))
        V = Store->getValueOperand();
      else if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
        V = Update->getValOperand();
      else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
        V = Exchange->getNewValOperand();
      if (V && !V->getType()->isPointerTy() && !isOwn(V))
        News |= taint(G.find(I.getOperand(isa<StoreInst>(I) ? 1 : 0)),
                      G.layout().getTypeStoreSize(V->getType()).getFixedValue());
    }
  G.eachCopy([&](Location From, Location To, int64_t) {
    if (any_of(G.fields(From.Node),
               [&](const auto &Field) { return Others.test(G.canonicalCell(Field.second)); }))
      News |= taint(To, -1);
  });
  return News;
}

/// The nodes of tables that nobody writes.
static BitVector tablesOf(const Module &M, const MemoryGraph &G) {
  BitVector Tables(G.nodeCount()), Others(G.nodeCount());
  for (const GlobalVariable &Global : M.globals())
    if (const Location At = G.find(&Global))
      (Global.isConstant() ? Tables : Others).set(G.canonical(At.Node));
  return Tables.reset(Others);
}

OwnIntegers::OwnIntegers(ArrayRef<Function *> Closure, const MemoryGraph &Graph)
    : Closure(Closure), G(Graph), Others(Graph.cellCount()) {
  const BitVector Tables = tablesOf(*Closure.front()->getParent(), G);
  for (unsigned Node = 0; Node < G.nodeCount(); ++Node)
    if (G.canonical(Node) == Node && G.isExternal(Node) &&
        (G.isCallers(Node) || !Tables.test(Node)))
      for (const auto &Field : G.fields(Node))
        Others.set(G.canonicalCell(Field.second));
  while (spread()) {
  }
}

} // namespace contraflow
