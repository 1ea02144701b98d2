// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Varied and useful are the two fixed points of one transfer relation "derivatives flow from A to
// B", read forwards and backwards. edges(I) lists the relation of one instruction; both sweeps
// repeat over the closure until nothing changes.

#include "Activity.h"
#include "BitSources.h"
#include "LostBits.h"
#include "Outside.h"
#include "callee/Variables.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Rule.h"
#include "rules/Smooth.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

Type *floatTypeOf(const Value *V, const MemoryGraph &Graph) {
  Type *T = V->getType();
  if (T->isFPOrFPVectorTy())
    return T;
  if (auto *S = dyn_cast<StructType>(T))
    return any_of(S->elements(),
                  [](Type *E) { return E->isFPOrFPVectorTy() || E->isAggregateType(); })
               ? T
               : nullptr;
  if (auto *A = dyn_cast<ArrayType>(T))
    return A->getElementType()->isFPOrFPVectorTy() || A->getElementType()->isAggregateType()
               ? T
               : nullptr;
  if (!T->isIntegerTy() || isa<Constant>(V))
    return nullptr;
  unsigned Kinds = Graph.carried(V);
  if ((Kinds & SK_Double) && T->getIntegerBitWidth() == 64)
    return Type::getDoubleTy(T->getContext());
  if ((Kinds & SK_Float) && T->getIntegerBitWidth() >= 32)
    return Type::getFloatTy(T->getContext());
  return nullptr;
}

/// One end of a flow: an SSA value or a set of memory cells.
struct End {
  const Value *V = nullptr;
  SmallVector<unsigned, 4> Cells;
  bool Always = false;
};

class ActivitySolver {
public:
  ActivitySolver(const ActivityQuestion &Q, const MemoryGraph &G, const HandlerRegistry &H)
      : Q(Q), G(G), H(H), Bits(findLostBits(Q.Closure, G, H)), VariedCells(Bits.PlaceCount),
        UsefulCells(Bits.PlaceCount), FrozenCells(Bits.PlaceCount), RootNodes(G.nodeCount()) {
    for (const Function *F : Q.Closure) {
      auto &Values = Members[F];
      for (const BasicBlock &B : *F)
        if (auto *R = dyn_cast<ReturnInst>(B.getTerminator()); R && R->getReturnValue())
          Values.push_back(R->getReturnValue());
    }
  }
  ActivityResult solve();

private:
  using Visitor = function_ref<void(const End &From, const End &To)>;
  void edges(Instruction &I, Visitor Visit);
  void callEdges(CallBase &I, Visitor Visit);
  void handlerEdges(CallBase &I, const ConstructHandler &Handler, Visitor Visit);
  void unknownEdges(CallBase &I, Visitor Visit);
  void ruleEdges(Instruction &I, Visitor Visit);
  void storeEdges(StoreInst &I, Visitor Visit);
  void atomicEdges(Instruction &I, Visitor Visit);
  void bitEdges(Instruction &I, Visitor Visit);
  void changedBitEdges(StoreInst &I, Visitor Visit);
  End value(const Value *V) { return {V, {}, false}; }
  End end(const LostFlow::End &E) { return {E.Float, {E.Places.begin(), E.Places.end()}, false}; }
  End memory(const Value *Pointer, int64_t Size);
  End pointee(const Value *Pointer, const Place &P);
  End beyond(const Value *Pointer, const BitVector &Without);
  const BitVector &constantNodes();
  End place(CallBase &I, Place P);
  void reach(const Value *Pointer, BitVector &Nodes, function_ref<void(unsigned)> Float);
  void reachFrom(SmallVectorImpl<unsigned> &Work, BitVector &Nodes,
                 function_ref<void(unsigned)> Float);
  const End &reachable(CallBase &I);
  bool holds(const DenseSet<const Value *> &Values, const BitVector &Cells, const End &E);
  bool mark(DenseSet<const Value *> &Values, BitVector &Cells, const End &E);
  void seed();
  void seedPointer(const Value *Pointer);
  void freezeGlobals();
  void findGlobals();
  void findHidden();
  void sweep(bool Forward);
  void finish(ActivityResult &R);
  void keepExternalExact(ActivityResult &R);
  void markRootNodes(ActivityResult &R);

  const ActivityQuestion &Q;
  const MemoryGraph &G;
  const HandlerRegistry &H;
  const LostBits Bits;
  DenseMap<const Function *, SmallVector<const Value *, 1>> Members;  ///< and what they return
  DenseMap<const StoreInst *, SmallVector<const Value *, 4>> Changed; ///< see changedBits
  DenseSet<const Value *> Varied, Useful;
  BitVector VariedCells, UsefulCells, FrozenCells; ///< and the places of LostFlow
  BitVector RootNodes, ConstantNodes;
  End Globals;                   ///< floats that other translation units may reach by name
  End HiddenReads, HiddenWrites; ///< and through functions
  DenseMap<const CallBase *, End> Reachable; ///< of the functions that nobody knows
};

End ActivitySolver::memory(const Value *Pointer, int64_t Size) {
  End E;
  G.overlapping(G.find(Pointer), Size, [&](unsigned C) {
    if (G.kindsOfCell(C) & SK_AnyFloat)
      E.Cells.push_back(C);
  });
  return E;
}

End ActivitySolver::pointee(const Value *Pointer, const Place &P) {
  End E;
  auto Floats = [&](unsigned C) {
    if (G.kindsOfCell(C) & SK_AnyFloat)
      E.Cells.push_back(C);
  };
  auto Follow = [&](Location At, int64_t Size, function_ref<void(unsigned)> Visit) {
    G.overlapping(At, Size, [&](unsigned C) {
      if (auto Target = G.pointee(C))
        G.overlapping(*Target, -1, Visit);
    });
  };
  Location At = G.find(Pointer);
  if (At && P.Offset >= 0)
    At.Offset += P.Offset;
  const int64_t Size = P.Offset < 0 ? -1 : sizeof(void *);
  if (!P.Twice)
    Follow(At, Size, Floats);
  else
    Follow(At, Size, [&](unsigned C) {
      if (auto Target = G.pointee(C))
        G.overlapping(*Target, -1, Floats);
    });
  return E;
}

End ActivitySolver::place(CallBase &I, Place P) {
  switch (P.What) {
  case Place::Value:
    return value(I.getArgOperand(P.Operand));
  case Place::Memory:
    return memory(I.getArgOperand(P.Operand), -1);
  case Place::Pointee:
    return pointee(I.getArgOperand(P.Operand), P);
  case Place::Result:
    return value(&I);
  case Place::Outside:
    return {nullptr, {}, true};
  }
  llvm_unreachable("every place is one of five");
}

/// What constant arguments of the request lead to: it has no shadow.
const BitVector &ActivitySolver::constantNodes() {
  if (!ConstantNodes.empty())
    return ConstantNodes;
  ConstantNodes.resize(G.nodeCount());
  for (const Argument &A : Q.Root->args())
    if (A.getType()->isPointerTy() && Q.Spec->Args[A.getArgNo()] == Activity::Const)
      reach(&A, ConstantNodes, [](unsigned) {});
  return ConstantNodes.reset(RootNodes);
}

/// The floats that pointers in memory lead to, from pointer to pointer.
End ActivitySolver::beyond(const Value *Pointer, const BitVector &Without) {
  End E;
  SmallVector<unsigned, 8> Work;
  G.overlapping(G.find(Pointer), -1, [&](unsigned C) {
    if (auto Target = G.pointee(C))
      Work.push_back(G.canonical(Target->Node));
  });
  BitVector Nodes = Without;
  reachFrom(Work, Nodes, [&](unsigned C) { E.Cells.push_back(C); });
  return E;
}

/// Code of the user's that is not differentiated goes on from pointer to pointer. What it writes to
/// constant memory there, such as room for its work in a constant context, is constant.
void ActivitySolver::handlerEdges(CallBase &I, const ConstructHandler &Handler, Visitor Visit) {
  const CallFacts Facts = Handler.facts(I);
  auto End = [&](const Place &P, const BitVector &Without) {
    return Facts.Opaque && P.What == Place::Pointee ? beyond(I.getArgOperand(P.Operand), Without)
                                                    : place(I, P);
  };
  const BitVector None = Facts.Opaque ? BitVector(G.nodeCount()) : BitVector();
  for (const Flow &F : Facts.Flows)
    Visit(End(F.From, None), End(F.To, Facts.Opaque ? constantNodes() : None));
  if (auto C = Handler.closure(I))
    for (unsigned P = 0; P < C->Operands.size(); ++P)
      if (C->Operands[P] >= 0)
        Visit(value(I.getArgOperand(C->Operands[P])), value(C->Body->getArg(P)));
}

/// True if the call may go to other memory than its arguments lead to.
static bool leavesArguments(const CallBase &I) {
  return !isa<IntrinsicInst>(I) && !I.onlyAccessesArgMemory() &&
         !I.onlyAccessesInaccessibleMemory() && !I.onlyAccessesInaccessibleMemOrArgMem();
}

/// Visits the floats that a pointer leads to, from pointer to pointer. Nodes: where it has been.
void ActivitySolver::reach(const Value *Pointer, BitVector &Nodes,
                           function_ref<void(unsigned)> Float) {
  Location At = G.find(Pointer);
  if (!At)
    return;
  SmallVector<unsigned, 8> Work{G.canonical(At.Node)};
  reachFrom(Work, Nodes, Float);
}

void ActivitySolver::reachFrom(SmallVectorImpl<unsigned> &Work, BitVector &Nodes,
                               function_ref<void(unsigned)> Float) {
  while (!Work.empty()) {
    const unsigned N = Work.pop_back_val();
    if (Nodes.test(N))
      continue;
    Nodes.set(N);
    for (auto [Offset, Cell] : G.fields(N)) {
      const unsigned C = G.canonicalCell(Cell);
      if (G.kindsOfCell(C) & SK_AnyFloat)
        Float(C);
      if (auto Target = G.pointee(C))
        Work.push_back(G.canonical(Target->Node));
    }
  }
}

/// The floats that a function may come to which is called with pointers, or hands one back.
const End &ActivitySolver::reachable(CallBase &I) {
  auto [It, New] = Reachable.try_emplace(&I);
  if (!New)
    return It->second;
  End &Found = It->second;
  BitVector Nodes(G.nodeCount());
  auto Follow = [&](const Value *V) {
    if (V->getType()->isPointerTy())
      reach(V, Nodes, [&](unsigned C) { Found.Cells.push_back(C); });
  };
  for (Value *V : I.args())
    Follow(V);
  Follow(&I);
  return Found;
}

/// A function nobody knows may move derivatives between everything it can reach, and keep them
/// where another call finds them.
void ActivitySolver::unknownEdges(CallBase &I, Visitor Visit) {
  SmallVector<End, 8> From{reachable(I)}, To{reachable(I), value(&I)};
  for (Value *V : I.args())
    if (!V->getType()->isPointerTy())
      From.push_back(value(V));
  if (leavesArguments(I)) {
    From.append({Globals, HiddenReads});
    if (!I.onlyReadsMemory()) {
      To.append({Globals, HiddenWrites});
      To.push_back({nullptr, {}, true});
    }
  }
  for (const End &A : From)
    for (const End &Z : To)
      Visit(A, Z);
}

void ActivitySolver::callEdges(CallBase &I, Visitor Visit) {
  if (const ConstructHandler *Handler = H.find(I))
    return handlerEdges(I, *Handler, Visit);
  Function *F = I.getCalledFunction();
  auto Member = F ? Members.find(F) : Members.end();
  if (Member == Members.end()) {
    if (findRule(I))
      return ruleEdges(I, Visit);
    if (isRugged(I)) { // its last operand is what it is
      for (Value *V : drop_end(I.args()))
        Visit(value(V), value(&I));
      return;
    }
    auto *II = dyn_cast<IntrinsicInst>(&I);
    bool Moves = II ? !II->isAssumeLikeIntrinsic() : lookupCallee(I).Kind == CalleeKind::Unknown;
    return Moves ? unknownEdges(I, Visit) : void();
  }
  for (Argument &A : F->args())
    if (A.getArgNo() < I.arg_size())
      Visit(value(I.getArgOperand(A.getArgNo())), value(&A));
  for (const Value *V : Member->second)
    Visit(value(V), value(&I));
}

void ActivitySolver::ruleEdges(Instruction &I, Visitor Visit) {
  Rule R = findRule(I);
  if (!R)
    return;
  for (unsigned Op = 0; Op < R.operands(); ++Op)
    if (!R.isZero(Op))
      Visit(value(I.getOperand(Op)), value(&I));
}

void ActivitySolver::storeEdges(StoreInst &I, Visitor Visit) {
  Value *V = I.getValueOperand();
  int64_t Size = G.layout().getTypeStoreSize(V->getType());
  End To = memory(I.getPointerOperand(), Size);
  Visit(value(V), To);
  if (auto *L = dyn_cast<LoadInst>(V); L && !floatTypeOf(L, G)) // bytes of floats
    Visit(memory(L->getPointerOperand(), Size), To);
}

/// What an exchange hands out goes where it cannot be followed.
void ActivitySolver::atomicEdges(Instruction &I, Visitor Visit) {
  auto *Update = dyn_cast<AtomicRMWInst>(&I);
  Value *V = Update ? Update->getValOperand() : cast<AtomicCmpXchgInst>(I).getNewValOperand();
  End Cells = memory(I.getOperand(0), G.layout().getTypeStoreSize(V->getType()));
  Visit(value(V), Cells);
  Visit(Cells, Update ? value(&I) : End{nullptr, {}, true});
}

/// Bits of floats that one integer was calculated from, where a float may be stored.
void ActivitySolver::changedBitEdges(StoreInst &I, Visitor Visit) {
  const DataLayout &DL = G.layout();
  const Value *V = I.getValueOperand();
  if (!V->getType()->isIntegerTy() || isa<Constant>(V) || floatTypeOf(V, G))
    return;
  const End To = memory(I.getPointerOperand(), DL.getTypeStoreSize(V->getType()));
  if (To.Cells.empty())
    return;
  auto [It, New] = Changed.try_emplace(&I);
  if (New)
    It->second = changedBits(V, G);
  for (const Value *From : It->second)
    if (auto *Load = dyn_cast<LoadInst>(From); Load && !floatTypeOf(Load, G))
      Visit(memory(Load->getPointerOperand(), DL.getTypeStoreSize(Load->getType())), To);
    else
      Visit(value(From), To);
}

/// Bits of floats that integers were calculated from: see BitSources.
void ActivitySolver::bitEdges(Instruction &I, Visitor Visit) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    changedBitEdges(*Store, Visit);
  const Value *Bits = calculatedBits(I, G);
  if (!Bits)
    return;
  const DataLayout &DL = G.layout();
  auto *Store = dyn_cast<StoreInst>(&I);
  const End To =
      Store ? memory(Store->getPointerOperand(), DL.getTypeStoreSize(Bits->getType())) : value(&I);
  for (const Value *From : bitSources(Bits))
    if (auto *Load = dyn_cast<LoadInst>(From); Load && !floatTypeOf(Load, G))
      Visit(memory(Load->getPointerOperand(), DL.getTypeStoreSize(Load->getType())), To);
    else
      Visit(value(From), To);
}

void ActivitySolver::edges(Instruction &I, Visitor Visit) {
  const DataLayout &DL = G.layout();
  bitEdges(I, Visit);
  if (auto *L = dyn_cast<LoadInst>(&I))
    return Visit(memory(L->getPointerOperand(), DL.getTypeStoreSize(I.getType())), value(&I));
  if (auto *S = dyn_cast<StoreInst>(&I))
    return storeEdges(*S, Visit);
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return atomicEdges(I, Visit);
  if (isa<CallBase>(I))
    return callEdges(cast<CallBase>(I), Visit);
  if (isa<SelectInst>(I)) {
    Visit(value(I.getOperand(1)), value(&I));
    return Visit(value(I.getOperand(2)), value(&I));
  }
  if (auto *Logic = dyn_cast<BinaryOperator>(&I); Logic && dropsDigits(*Logic))
    return; // exponents and signs do not vary
  bool Moves = isa<PHINode>(I) || isa<FreezeInst>(I) || isa<BitCastInst>(I) || isa<TruncInst>(I) ||
               isa<ZExtInst>(I) || isa<ExtractValueInst>(I) || isa<InsertValueInst>(I) ||
               isa<ExtractElementInst>(I) || isa<InsertElementInst>(I) ||
               isa<ShuffleVectorInst>(I) ||
               (isa<BinaryOperator>(I) && I.getType()->isIntOrIntVectorTy());
  if (!Moves)
    return ruleEdges(I, Visit);
  for (Value *V : I.operands())
    Visit(value(V), value(&I));
}

bool ActivitySolver::holds(const DenseSet<const Value *> &Values, const BitVector &Cells,
                           const End &E) {
  if (E.Always)
    return true;
  if (E.V)
    return !isa<Constant>(E.V) && Values.contains(E.V);
  return any_of(E.Cells, [&](unsigned C) { return Cells.test(C); });
}

bool ActivitySolver::mark(DenseSet<const Value *> &Values, BitVector &Cells, const End &E) {
  if (E.V)
    return !isa<Constant>(E.V) && floatTypeOf(E.V, G) && Values.insert(E.V).second;
  bool Changed = false;
  for (unsigned C : E.Cells) {
    if (FrozenCells.test(C))
      continue;
    Changed |= !Cells.test(C);
    Cells.set(C);
  }
  return Changed;
}

void ActivitySolver::sweep(bool Forward) {
  bool Changed = true;
  auto Step = [&](const End &From, const End &To) {
    if (Forward && holds(Varied, VariedCells, From))
      Changed |= mark(Varied, VariedCells, To);
    if (!Forward && holds(Useful, UsefulCells, To))
      Changed |= mark(Useful, UsefulCells, From);
  };
  while (Changed) {
    Changed = false;
    for (const LostFlow &F : Bits.Flows)
      Step(end(F.From), end(F.To));
    for (Function *F : Q.Closure) {
      if (Forward) {
        for (Instruction &I : instructions(*F))
          edges(I, Step);
        continue;
      }
      for (BasicBlock &B : reverse(*F))
        for (Instruction &I : reverse(B))
          edges(I, Step);
    }
  }
}

void ActivitySolver::seedPointer(const Value *Pointer) {
  reach(Pointer, RootNodes, [&](unsigned C) {
    VariedCells.set(C);
    UsefulCells.set(C);
  });
}

/// What the user has declared inactive stays so, whatever is stored there.
void ActivitySolver::freezeGlobals() {
  for (GlobalVariable &Global : Q.Root->getParent()->globals())
    if (Location At = Global.hasAttribute(attr::Inactive) ? G.find(&Global) : Location())
      for (auto [Offset, Cell] : G.fields(At.Node))
        FrozenCells.set(G.canonicalCell(Cell));
}

/// True for a call of a function that nobody knows, which may go anywhere.
static bool leavesProgram(const CallBase &Call, const HandlerRegistry &H) {
  return leavesArguments(Call) && !Call.isInlineAsm() && !H.find(Call) && !findRule(Call) &&
         lookupCallee(Call).Kind == CalleeKind::Unknown;
}

/// Floats in global variables that other translation units may use, and in what those lead to; and
/// in those that they use through functions.
void ActivitySolver::findGlobals() {
  BitVector Seen(G.nodeCount());
  for (GlobalVariable &Global : Q.Root->getParent()->globals())
    if (!Global.isConstant() && !Global.hasAttribute(attr::Inactive) && !Global.hasLocalLinkage())
      reach(&Global, Seen, [&](unsigned C) { Globals.Cells.push_back(C); });
  auto Leaves = [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && !Members.contains(Call->getCalledFunction()) && leavesProgram(*Call, H);
  };
  if (any_of(Q.Closure, [&](const Function *F) { return any_of(instructions(*F), Leaves); }))
    findHidden();
}

/// Of variables that only this file can name.
void ActivitySolver::findHidden() {
  const OutsideFunctions Functions(*Q.Spec->Primal, H);
  for (const GlobalVariable &Global : Q.Root->getParent()->globals()) {
    const Location At = G.find(&Global);
    if (!At || Global.isConstant() || Global.hasAttribute(attr::Inactive) ||
        !Global.hasLocalLinkage())
      continue;
    const OutsideUse Use = Functions.useOf(Global);
    const auto Add = [&](unsigned C, bool Reads, bool Writes) {
      if (Reads)
        HiddenReads.Cells.push_back(C);
      if (Writes)
        HiddenWrites.Cells.push_back(C);
    };
    BitVector Nodes(G.nodeCount()), Own(G.cellCount());
    for (auto [Offset, C] : G.fields(At.Node))
      Own.set(G.canonicalCell(C));
    reach(&Global, Nodes, [&](unsigned C) {
      Add(C, Own.test(C) ? Use.Reads : Use.ReadsBehind,
          Own.test(C) ? Use.Writes : Use.WritesBehind);
    });
  }
}

void ActivitySolver::seed() {
  for (Argument &A : Q.Root->args()) {
    Activity Kind = Q.Spec->Args[A.getArgNo()];
    if (Kind == Activity::Const)
      continue;
    if (A.getType()->isPointerTy())
      seedPointer(&A);
    if (const Location At = G.find(&A);
        !A.getType()->isPointerTy() || (At && G.kindsOf(At.Node) == SK_Unknown))
      Varied.insert(&A); // or what it leads to, which nobody has taken for anything
  }
  for (GlobalVariable &Global : Q.Root->getParent()->globals())
    if (givenShadow(Global) && G.find(&Global))
      seedPointer(&Global);
  if (Q.Spec->Result == Activity::Const)
    return;
  for (BasicBlock &B : *Q.Root)
    if (auto *R = dyn_cast<ReturnInst>(B.getTerminator()))
      if (Value *V = R->getReturnValue(); V && !isa<Constant>(V))
        V->getType()->isPointerTy() ? seedPointer(V) : (void)Useful.insert(V);
}

/// Memory from outside has a shadow only if the user gave one, whatever the switches say.
void ActivitySolver::keepExternalExact(ActivityResult &R) {
  for (unsigned N = 0; N < G.nodeCount(); ++N)
    if (G.canonical(N) == N && G.isExternal(N))
      for (auto [Offset, Cell] : G.fields(N)) {
        unsigned C = G.canonicalCell(Cell);
        if (!VariedCells.test(C) || !UsefulCells.test(C))
          R.Cells.reset(C);
      }
}

void ActivitySolver::finish(ActivityResult &R) {
  R.Graph = &G;
  R.Varied = VariedCells;
  R.Useful = UsefulCells;
  auto IsActive = [&](unsigned C) { return VariedCells.test(C) && UsefulCells.test(C); };
  R.GlobalsAreActive = any_of(Globals.Cells, IsActive) || any_of(HiddenWrites.Cells, IsActive);
  R.Cells = VariedCells;
  if (Q.AllActive) {
    for (unsigned C = 0; C < G.cellCount(); ++C)
      if ((G.kindsOfCell(C) & SK_AnyFloat) && !FrozenCells.test(C))
        R.Cells.set(C);
    keepExternalExact(R);
  } else {
    R.Cells &= UsefulCells;
  }
  auto Add = [&](const Value *V) {
    if (floatTypeOf(V, G) && !isa<PtrToIntInst>(V) && // a word where floats may be, but an address
        (Q.AllActive || (Varied.contains(V) && Useful.contains(V))))
      R.Active.insert(V);
  };
  for (Function *F : Q.Closure) {
    for (Argument &A : F->args())
      if (F != Q.Root || Q.Spec->Args[A.getArgNo()] != Activity::Const)
        Add(&A);
    for (Instruction &I : instructions(*F))
      if (auto *Call = dyn_cast<CallBase>(&I);
          !Call || lookupCallee(*Call).Kind != CalleeKind::Inactive)
        Add(&I);
  }
  R.Mixed = findMixedWords(R, Q.Closure);
  for (const LostFlow &F : Bits.Flows)
    if (F.Sink && holds(Varied, VariedCells, end(F.From)) &&
        holds(Useful, UsefulCells, end(F.To)) && !is_contained(R.Lost, F.Sink))
      R.Lost.push_back(F.Sink);
  markRootNodes(R);
}

void ActivitySolver::markRootNodes(ActivityResult &R) {
  R.ShadowNodes = RootNodes;
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (unsigned N = 0; N < G.nodeCount(); ++N) {
      if (G.canonical(N) != N || R.ShadowNodes.test(N))
        continue;
      for (auto [Offset, Cell] : G.fields(N)) {
        auto Target = G.pointee(Cell);
        if (R.activeCell(Cell) || (Target && R.ShadowNodes.test(Target->Node))) {
          R.ShadowNodes.set(N);
          Changed = true;
        }
      }
    }
  }
}

ActivityResult ActivitySolver::solve() {
  freezeGlobals();
  findGlobals();
  seed();
  sweep(/*Forward=*/true);
  sweep(/*Forward=*/false);
  ActivityResult R;
  finish(R);
  return R;
}

bool ActivityResult::active(const Value *V) const {
  return !isa<Constant>(V) && Active.contains(Graph->original(V));
}

bool ActivityResult::activeCell(unsigned Cell) const {
  return Cells.test(Graph->canonicalCell(Cell));
}

bool ActivityResult::hasShadow(unsigned Node) const {
  return ShadowNodes.test(Graph->canonical(Node));
}

bool ActivityResult::hasShadow(const Value *Pointer) const {
  Location At = Graph->find(Pointer);
  return At && hasShadow(At.Node);
}

bool ActivityResult::holds(const BitVector &Among, unsigned Node) const {
  return any_of(Graph->fields(Node),
                [&](auto &Field) { return Among.test(Graph->canonicalCell(Field.second)); });
}

bool ActivityResult::meetsGlobals(const CallBase &Call) const {
  return GlobalsAreActive && leavesArguments(Call) && !Call.doesNotAccessMemory();
}

bool ActivityResult::activeAt(Location At, int64_t Size) const {
  bool Found = false;
  Graph->overlapping(At, Size, [&](unsigned C) { Found |= activeCell(C); });
  return Found;
}

ActivityResult computeActivity(const ActivityQuestion &Question, const MemoryGraph &Graph,
                               const HandlerRegistry &Handlers) {
  return ActivitySolver(Question, Graph, Handlers).solve();
}

} // namespace contraflow
