// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WriteSet: collects the writes of a closure, once.

#include "Effects.h"
#include "callee/Exceptions.h"
#include "contraflow/core/Callee.h"
#include "support/OwnBlock.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

void WriteSet::add(Instruction &I, Value *Pointer, const MemoryGraph &Graph) {
  if (Location At = Graph.find(Pointer))
    All.push_back({&I, Pointer, At.Node});
}

/// A call that may write to whatever its operands, the globals and the given nodes lead to: null
/// for the pointer.
void WriteSet::addReachable(CallBase &Call, const MemoryGraph &Graph, ArrayRef<unsigned> Known) {
  SmallVector<unsigned, 8> Work(Known);
  auto Reach = [&](const Value *Pointer) {
    if (Location At = Graph.find(Pointer))
      Work.push_back(Graph.canonical(At.Node));
  };
  for (Value *V : Call.args())
    if (V->getType()->isPointerTy())
      Reach(V);
  const Function *Callee = Call.getCalledFunction();
  const bool Alone = Callee && Callee->hasFnAttribute(EndsAlone);
  if (!Alone && !Call.onlyAccessesArgMemory())
    for (GlobalVariable &G : Call.getModule()->globals())
      if (!G.isConstant())
        Reach(&G);
  SmallDenseSet<unsigned> Seen;
  while (!Work.empty()) {
    unsigned Node = Work.pop_back_val();
    if (!Seen.insert(Node).second)
      continue;
    All.push_back({&Call, nullptr, Node, /*Anywhere=*/true, lookupCallee(Call).OwnObjects});
    for (auto [Offset, Cell] : Graph.fields(Node))
      if (auto Target = Graph.pointee(Cell))
        Work.push_back(Graph.canonical(Target->Node));
  }
}

/// A function of the library that writes objects may write what they lead to: the characters of a
/// string, the line that getline makes room for.
void WriteSet::addPointees(CallBase &Call, const MemoryGraph &Graph) {
  const CalleeInfo Info = lookupCallee(Call);
  SmallVector<unsigned, 8> Work;
  auto Follow = [&](unsigned Node) {
    for (auto [Offset, Cell] : Graph.fields(Node))
      if (auto Target = Graph.pointee(Cell))
        Work.push_back(Graph.canonical(Target->Node));
  };
  for (Value *V : Call.args())
    if (V->getType()->isPointerTy())
      if (Location At = Graph.find(V))
        Follow(Graph.canonical(At.Node));
  SmallDenseSet<unsigned> Seen;
  while (!Work.empty()) {
    const unsigned Node = Work.pop_back_val();
    if (!Seen.insert(Node).second)
      continue;
    All.push_back({&Call, nullptr, Node, /*Anywhere=*/true, Info.OwnObjects});
    Follow(Node);
  }
}

/// A call of a function of the library that is known to move no derivatives.
static bool isOfLibrary(const CallBase &Call, const HandlerRegistry &Handlers) {
  if (const ConstructHandler *H = Handlers.find(Call))
    return any_of(H->facts(Call).Members, [](auto &M) { return M.Kind == SK_Pointer; });
  const CalleeInfo Info = lookupCallee(Call);
  return Info.Kind == CalleeKind::Inactive && !Info.Opaque;
}

/// What a call's result leads to, be it a pointer or a structure of them.
static SmallVector<unsigned, 2> resultNodes(CallBase &Call, const MemoryGraph &Graph) {
  SmallVector<unsigned, 2> Nodes;
  auto Note = [&](const Value *Pointer) {
    if (Location At = Pointer->getType()->isPointerTy() ? Graph.find(Pointer) : Location())
      Nodes.push_back(Graph.canonical(At.Node));
  };
  Note(&Call);
  for (const User *U : Call.users()) {
    const auto *Store = dyn_cast<StoreInst>(U);
    if (isa<ExtractValueInst>(U))
      Note(U);
    if (!Store || !Call.getType()->isAggregateType())
      continue;
    if (Location At = Graph.find(Store->getPointerOperand()))
      for (auto [Offset, Cell] : Graph.fields(At.Node))
        if (auto Target = Graph.pointee(Cell))
          Nodes.push_back(Graph.canonical(Target->Node));
  }
  return Nodes;
}

/// What c_str() or localtime() hands out changes with the next call, through other pointers. What
/// the program writes there, it finds behind the operands again: *to_chars(b, e, x).ptr = 0.
void WriteSet::findHandedOut(ArrayRef<Function *> Closure, const MemoryGraph &Graph,
                             const HandlerRegistry &Handlers) {
  SmallDenseSet<unsigned> Stored;
  for (const Write &W : All)
    if (isa<StoreInst>(W.At))
      Stored.insert(Graph.canonical(W.Node));
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const bool Leads = Call && (I.getType()->isPointerTy() || I.getType()->isAggregateType());
      if (!Leads || !isOfLibrary(*Call, Handlers))
        continue;
      const auto Nodes = resultNodes(*Call, Graph);
      HandedOut.insert(Nodes.begin(), Nodes.end());
      if (none_of(Nodes, [&](unsigned Node) { return Stored.contains(Node); }))
        continue;
      for (Value *V : Call->args())
        if (Location At = V->getType()->isPointerTy() ? Graph.find(V) : Location())
          HandedOut.insert(Graph.canonical(At.Node));
    }
}

static bool isOpaque(const CallBase &Call, const HandlerRegistry &Handlers) {
  if (Call.onlyReadsMemory())
    return false;
  const ConstructHandler *H = Handlers.find(Call);
  return H ? H->facts(Call).Opaque : lookupCallee(Call).Opaque;
}

/// True for a function that nobody knows: it has global variables of its own, and calls others.
static bool isUnknown(const CallBase &Call, const HandlerRegistry &Handlers) {
  return !isa<IntrinsicInst>(Call) && !Call.isInlineAsm() && !Call.onlyReadsMemory() &&
         !Call.onlyAccessesInaccessibleMemory() && !Handlers.find(Call) &&
         lookupCallee(Call).Kind == CalleeKind::Unknown;
}

/// Where functions that nobody knows may write: to constant memory from outside, and to what one of
/// them has been given.
static SmallVector<unsigned, 8> knownElsewhere(ArrayRef<Function *> Closure,
                                               const ActivityResult &Activity,
                                               const HandlerRegistry &Handlers) {
  const MemoryGraph &Graph = Activity.memory();
  SmallVector<unsigned, 8> Nodes;
  bool Any = false;
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || is_contained(Closure, Call->getCalledFunction()) || !isUnknown(*Call, Handlers))
        continue;
      Any = true;
      for (Value *V : Call->args())
        if (Location At = V->getType()->isPointerTy() ? Graph.find(V) : Location())
          Nodes.push_back(Graph.canonical(At.Node));
    }
  if (Any)
    for (unsigned N = 0; N < Graph.nodeCount(); ++N)
      if (Graph.canonical(N) == N && Graph.isExternal(N) && !Activity.hasShadow(N))
        Nodes.push_back(N);
  return Nodes;
}

/// Pointers through which a call may write. Freeing active memory waits for the reverse sweep.
static SmallVector<Value *, 4> writtenBy(CallBase &Call, const ActivityResult &Activity,
                                         const HandlerRegistry &Handlers) {
  SmallVector<Value *, 4> Out;
  CalleeInfo Info = lookupCallee(Call);
  if (Info.Kind == CalleeKind::Free) {
    if (!Activity.hasShadow(Call.getArgOperand(0)) && !isOwnBlock(Call.getArgOperand(0)))
      Out.push_back(Call.getArgOperand(0));
    return Out;
  }
  if (const ConstructHandler *H = Handlers.find(Call)) {
    for (unsigned Operand : H->facts(Call).Writes)
      Out.push_back(Call.getArgOperand(Operand));
    const MemoryGraph &Graph = Activity.memory();
    for (unsigned Operand : H->facts(Call).Handles)
      if (Location At = Graph.find(Call.getArgOperand(Operand));
          At && (!Graph.fields(At.Node).empty() || !Graph.isExternal(At.Node)))
        Out.push_back(Call.getArgOperand(Operand));
    return Out;
  }
  if (!Call.onlyReadsMemory() && !isa<DbgInfoIntrinsic>(Call) && !Call.isLifetimeStartOrEnd() &&
      Info.Kind != CalleeKind::Allocate)
    copy_if(Call.args(), std::back_inserter(Out),
            [](Value *V) { return V->getType()->isPointerTy(); });
  return Out;
}

void WriteSet::findSingleRuns(ArrayRef<Function *> Closure, const HandlerRegistry &Handlers) {
  DenseMap<const Function *, SmallVector<CallBase *, 2>> Calls;
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      if (Function *Callee = Call->getCalledFunction())
        Calls[Callee].push_back(Call);
      if (const ConstructHandler *H = Handlers.find(*Call))
        if (auto C = H->closure(*Call))
          Calls[C->Body].push_back(Call);
    }
  const Function *Root = Closure.front();
  if (Calls.contains(Root))
    return;
  Once.insert(Root);
  const Following Order(*Root);
  for (auto &[F, From] : Calls) {
    if (From.size() != 1 || From[0]->getFunction() != Root || F->isDeclaration())
      continue;
    Bodies.push_back({F, From[0]});
    if (!Order.mayRunAgain(*From[0]->getParent()))
      Once.insert(F);
  }
}

bool WriteSet::runsInRoot(const Function &Prepared) const {
  return is_contained(make_first_range(Bodies), &Prepared);
}

/// What the call runs is over when it returns.
static bool isOverAfter(const CallBase &Call, const HandlerRegistry &Handlers) {
  const ConstructHandler *H = Handlers.find(Call);
  const auto C = H ? H->closure(Call) : std::nullopt;
  return !H || (C && !C->Detached);
}

/// Regions one after the other: what one writes, those behind it find written, however often they
/// run, if the first one does not come again.
void WriteSet::findOrder(const Function &Root, const HandlerRegistry &Handlers) {
  constexpr unsigned MostBodies = 64;
  if (Bodies.size() > MostBodies)
    return;
  DenseMap<const Function *, const CallBase *> CallOf;
  for (auto [F, Call] : Bodies)
    if (F->hasOneUse() && isOverAfter(*Call, Handlers))
      CallOf[F] = Call;
  for (auto [F, Call] : Bodies) {
    if (!Once.contains(F) && !F->hasOneUse())
      continue;
    SmallPtrSet<const BasicBlock *, 32> Behind;
    SmallVector<const BasicBlock *, 16> Todo(successors(Call->getParent()));
    while (!Todo.empty())
      if (const BasicBlock *Block = Todo.pop_back_val(); Behind.insert(Block).second)
        append_range(Todo, successors(Block));
    for (Write &W : All) {
      const Instruction *At = W.At;
      if (At->getFunction() != &Root)
        At = CallOf.lookup(At->getFunction());
      else if (!isa<StoreInst, AnyMemIntrinsic>(At))
        continue; // what another call begins may go on
      if (At && At != Call && !Behind.contains(At->getParent()) &&
          (At->getParent() != Call->getParent() || At->comesBefore(Call)))
        W.Before.push_back(F);
    }
  }
}

/// Objects of restrict pointers of the root: what is derived from such a pointer, in whatever
/// function or thread, is in the same node. What code that is not seen derives from it may be in
/// another one.
void WriteSet::findApart(ArrayRef<Function *> Closure, const MemoryGraph &Graph,
                         const HandlerRegistry &Handlers) {
  for (const Argument &A : Closure.front()->args())
    if (Location At = A.hasNoAliasAttr() ? Graph.find(&A) : Location())
      Apart.insert(Graph.canonical(At.Node));
  auto Unseen = [&](const CallBase &Call) {
    return !isa<IntrinsicInst>(Call) && !is_contained(Closure, Call.getCalledFunction());
  };
  for (Function *F : Closure) {
    if (Apart.empty())
      return;
    for (const Instruction &I : instructions(*F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !Unseen(*Call))
        continue;
      const bool Known = Handlers.find(*Call);
      const bool Returns = I.getType()->isPointerTy() || I.getType()->isAggregateType();
      if (!Known && Returns && !isNoAliasCall(&I))
        Apart.clear();
      for (const Use &Op : Call->args())
        if (Op->getType()->isPointerTy() &&
            (Returns || (!Known && !Call->doesNotCapture(Call->getArgOperandNo(&Op)))))
          if (Location At = Graph.find(Op))
            Apart.erase(Graph.canonical(At.Node));
    }
  }
}

/// Objects that are made here and to which nothing from outside leads: whoever keeps an address in
/// the caller's table may read it through another pointer to that table, which has a node of its
/// own. Functions that nobody knows may keep addresses as well.
void WriteSet::findMade(ArrayRef<Function *> Closure, const MemoryGraph &Graph,
                        const HandlerRegistry &Handlers) {
  DenseSet<unsigned> Kept;
  for (unsigned Node = 0; Node < Graph.nodeCount(); ++Node)
    if (Graph.canonical(Node) == Node && Graph.isOutside(Node))
      for (auto [Offset, Cell] : Graph.fields(Node))
        if (auto Target = Graph.pointee(Cell))
          Kept.insert(Graph.canonical(Target->Node));
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      if (auto *Call = dyn_cast<CallBase>(&I);
          Call && !is_contained(Closure, Call->getCalledFunction()))
        if (isOpaque(*Call, Handlers) || isUnknown(*Call, Handlers)) {
          Made.clear();
          return;
        }
      if (!isa<AllocaInst>(I) && !isNoAliasCall(&I))
        continue;
      const Location At = Graph.find(&I);
      if (At && (!Kept.contains(Graph.canonical(At.Node)) || !PointerMayBeCaptured(&I, true)))
        Made.insert(&I);
    }
}

/// What arguments, global variables and functions that nobody knows lead to.
void WriteSet::findReached(ArrayRef<Function *> Closure, const MemoryGraph &Graph,
                           const HandlerRegistry &Handlers) {
  SmallVector<unsigned, 16> Work;
  for (unsigned Node = 0; Node < Graph.nodeCount(); ++Node)
    if (Graph.isExternal(Node))
      Work.push_back(Graph.canonical(Node));
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F))
      if (auto *Call = dyn_cast<CallBase>(&I);
          Call && I.getType()->isPointerTy() && !isNoAliasCall(Call) &&
          !is_contained(Closure, Call->getCalledFunction()) && isUnknown(*Call, Handlers))
        if (Location At = Graph.find(Call))
          Work.push_back(Graph.canonical(At.Node));
  while (!Work.empty()) {
    const unsigned Node = Work.pop_back_val();
    if (Reached.insert(Node).second)
      for (auto [Offset, Cell] : Graph.fields(Node))
        if (auto Target = Graph.pointee(Cell))
          Work.push_back(Graph.canonical(Target->Node));
  }
}

void WriteSet::collect(ArrayRef<Function *> Closure, const ActivityResult &Activity,
                       const HandlerRegistry &Handlers) {
  const MemoryGraph &Graph = Activity.memory();
  if (Outlives)
    findReached(Closure, Graph, Handlers);
  findSingleRuns(Closure, Handlers);
  const SmallVector<unsigned, 8> Elsewhere = knownElsewhere(Closure, Activity, Handlers);
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      if (auto *A = dyn_cast<AllocaInst>(&I);
          A && A->isStaticAlloca() && (Outlives || F != Closure.front()))
        if (Location At = Graph.find(A))
          Transient.insert(At.Node);
      if (auto *S = dyn_cast<StoreInst>(&I))
        add(I, S->getPointerOperand(), Graph);
      else if (auto *A = dyn_cast<AtomicRMWInst>(&I))
        add(I, A->getPointerOperand(), Graph);
      else if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I))
        add(I, X->getPointerOperand(), Graph);
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || is_contained(Closure, Call->getCalledFunction()))
        continue;
      if (isOpaque(*Call, Handlers)) {
        addReachable(*Call, Graph, {});
        continue;
      }
      if (isUnknown(*Call, Handlers)) {
        addReachable(*Call, Graph, Elsewhere);
        continue;
      }
      for (Value *Pointer : writtenBy(*Call, Activity, Handlers))
        add(I, Pointer, Graph);
      if (isOfLibrary(*Call, Handlers) && !lookupCallee(*Call).ReadOnly)
        addPointees(*Call, Graph);
    }
  findHandedOut(Closure, Graph, Handlers);
  collectExposed(Closure, Graph, Handlers);
  findOrder(*Closure.front(), Handlers);
  findApart(Closure, Graph, Handlers);
  findMade(Closure, Graph, Handlers);
}

/// Memory that was handed out by one call is written by others, whoever made them.
void WriteSet::collectExposed(ArrayRef<Function *> Closure, const MemoryGraph &Graph,
                              const HandlerRegistry &Handlers) {
  struct Object {
    Value *Pointer; ///< null: none is known
    unsigned Node, To;
  };
  SmallVector<std::pair<CallBase *, unsigned>, 32> Writers;
  SmallVector<Object, 8> Exposed;
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const ConstructHandler *H = Call ? Handlers.find(*Call) : nullptr;
      if (!H)
        continue;
      CallFacts Facts = H->facts(*Call);
      if (Facts.WritesExposed)
        Writers.push_back({Call, Facts.WritesExposed});
      for (auto [P, To] : Facts.Exposes) {
        Value *Pointer = Call->getArgOperand(P.Operand);
        Location At = Graph.find(Pointer);
        if (P.What == Place::Memory && At)
          Exposed.push_back({Pointer, At.Node, To});
        else if (P.What == Place::Pointee)
          Graph.overlapping(At, -1, [&, To = To](unsigned C) {
            if (auto Target = Graph.pointee(C))
              Exposed.push_back({nullptr, Target->Node, To});
          });
      }
    }
  for (auto [Writer, Bits] : Writers)
    for (const Object &O : Exposed)
      if (O.To & Bits)
        All.push_back({Writer, O.Pointer, O.Node});
}

void WriteSet::moved(const Instruction &Old, Instruction &New) {
  for (Write &W : All)
    if (W.At == &Old)
      W.At = &New;
}

void WriteSet::dropped(const Instruction &I) {
  erase_if(All, [&](const Write &W) { return W.At == &I; });
}

void WriteSet::takeBack(ArrayRef<StoreInst *> Stores) {
  const SmallPtrSet<const Instruction *, 8> Back(Stores.begin(), Stores.end());
  for (Write &W : All)
    W.TakenBack = Back.contains(W.At);
}

void WriteSet::putOffFrees(const DenseSet<unsigned> &Nodes, const MemoryGraph &Graph) {
  erase_if(All, [&](const Write &W) {
    auto *Call = dyn_cast<CallBase>(W.At);
    if (!Call || lookupCallee(*Call).Kind != CalleeKind::Free ||
        !Nodes.contains(Graph.canonical(W.Node)))
      return false;
    Call->addFnAttr(Attribute::get(Call->getContext(), FreedLaterAttribute));
    return true;
  });
}

} // namespace contraflow
