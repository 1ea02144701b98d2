// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects writes once per closure and compares a load with each of them at the level of objects:
// alias analysis of two pointers in a loop speaks of one iteration only, so it is asked about the
// objects that they may point into in any iteration. Between activations of a function, only types
// and objects that are one for all of them tell pointers apart.

#include "Effects.h"
#include "callee/Exceptions.h"
#include "contraflow/core/Barrier.h"
#include "contraflow/core/Callee.h"
#include "support/OwnBlock.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
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

/// Memory that no two activations of a function have in common.
static bool isOneObject(const Value *V) { return isa<GlobalVariable>(V) || isNoAliasCall(V); }

/// A value of the function, or of all.
static bool belongsTo(const Value *V, const Function &F) {
  if (auto *I = dyn_cast_or_null<Instruction>(V))
    return I->getFunction() == &F;
  if (auto *A = dyn_cast_or_null<Argument>(V))
    return A->getParent() == &F;
  return V;
}

bool StableMemory::mayAlias(const WriteSet::Write &W, Instruction &Load, Value *Pointer,
                            Time When) {
  if (W.NoFloats && Load.getType()->isFPOrFPVectorTy())
    return false;
  if (W.Anywhere || !belongsTo(W.Pointer, *W.At->getFunction()))
    return true;
  AAMDNodes WriteTags = isa<CallBase>(W.At) ? AAMDNodes() : W.At->getAAMetadata();
  AAMDNodes LoadTags = Load.getAAMetadata();
  if (When != Time::Loop) {
    WriteTags.Scope = WriteTags.NoAlias = nullptr;
    LoadTags.Scope = LoadTags.NoAlias = nullptr;
  }
  // What is promised of the accesses holds whatever objects they are in: two arrays may change
  // places.
  SimpleAAQueryInfo Query(AA);
  const MemoryLocation LoadAt = MemoryLocation::getBeforeOrAfter(Pointer, LoadTags);
  const MemoryLocation WriteAt = MemoryLocation::getBeforeOrAfter(W.Pointer, WriteTags);
  if (When == Time::Loop &&
      ScopedNoAliasAAResult().alias(LoadAt, WriteAt, Query, nullptr) == AliasResult::NoAlias)
    return false;
  auto Meet = [&](const Value *Read, const Value *Written) {
    return AA.alias(MemoryLocation::getBeforeOrAfter(Read, LoadTags),
                    MemoryLocation::getBeforeOrAfter(Written, WriteTags)) != AliasResult::NoAlias;
  };
  SmallVector<const Value *, 4> Read, Written;
  getUnderlyingObjects(Pointer, Read, nullptr, 0);
  getUnderlyingObjects(W.Pointer, Written, nullptr, 0);
  bool Comparable =
      W.At->getFunction() == Load.getFunction() &&
      (When != Time::Ever || (all_of(Read, isOneObject) && all_of(Written, isOneObject)));
  if (Comparable)
    return any_of(Read,
                  [&](auto *R) { return any_of(Written, [&](auto *V) { return Meet(R, V); }); });
  TypeBasedAAResult ByType(/*UsingTypeSanitizer=*/false);
  return ByType.alias(LoadAt, MemoryLocation::getBeforeOrAfter(Pointer, WriteTags), Query,
                      nullptr) != AliasResult::NoAlias;
}

/// A variable that leads to active memory was set in this call (CF309), which the graph has seen.
bool StableMemory::isOutside(unsigned Node) const {
  const MemoryGraph &G = Activity.memory();
  return !Writes.isApart(Node) &&
         (Activity.hasShadow(Node) ? G.isExternal(Node) : G.isOutside(Node));
}

/// Two objects that exist before the call may be one, unless both are variables of the program.
bool StableMemory::mayBeOneObject(unsigned A, unsigned B) const {
  const MemoryGraph &G = Activity.memory();
  auto IsLedTo = [&](unsigned N) {
    return G.isCallers(N) || (G.isLedTo(N) && !Activity.hasShadow(N));
  };
  return A == B || IsLedTo(A) || IsLedTo(B);
}

/// A variable of the program that a pointer leads into, and nowhere else.
static const GlobalVariable *variableOf(const Value *Pointer) {
  return Pointer ? dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer, 0)) : nullptr;
}

void StableMemory::sortWrites() {
  const Function &F = *DT.getRoot()->getParent();
  const MemoryGraph &G = Activity.memory();
  ByNode.clear();
  for (const bool Shadow : {false, true}) {
    FromOutside[Shadow].clear();
    ByVariable[Shadow].clear();
  }
  Sorted = Writes.writes().size();
  for (unsigned I = 0; I < Sorted; ++I) {
    const WriteSet::Write &W = Writes.writes()[I];
    const unsigned Node = G.canonical(W.Node);
    ByNode[Node].push_back(I);
    if (!isOutside(Node))
      continue;
    const bool Shadow = Activity.hasShadow(Node);
    const bool Known = !W.Anywhere && W.At->getFunction() == &F;
    if (const GlobalVariable *Variable = Known ? variableOf(W.Pointer) : nullptr)
      ByVariable[Shadow][Variable].push_back(I);
    else
      FromOutside[Shadow].push_back(I);
  }
}

bool StableMemory::anyWrite(Value *Pointer, function_ref<bool(const WriteSet::Write &)> Met) {
  if (Sorted != Writes.writes().size())
    sortWrites();
  const MemoryGraph &G = Activity.memory();
  const unsigned Node = G.canonical(G.find(Pointer).Node);
  auto AnyOf = [&](ArrayRef<unsigned> Numbers) {
    return any_of(Numbers, [&](unsigned I) {
      const WriteSet::Write &W = Writes.writes()[I];
      return mayBeOneObject(G.canonical(W.Node), Node) && Met(W);
    });
  };
  if (!isOutside(Node)) {
    auto It = ByNode.find(Node);
    return It != ByNode.end() && AnyOf(It->second);
  }
  const bool Shadow = Activity.hasShadow(Node);
  if (AnyOf(FromOutside[Shadow]))
    return true;
  if (const GlobalVariable *Variable = variableOf(Pointer)) {
    auto It = ByVariable[Shadow].find(Variable);
    return It != ByVariable[Shadow].end() && AnyOf(It->second);
  }
  return any_of(ByVariable[Shadow], [&](auto &List) { return AnyOf(List.second); });
}

/// The barriers of a body that each of its threads comes to once, having been at as many others:
/// two branches may have barriers of their own, which meet.
static SmallVector<const Instruction *, 4> commonBarriers(Function &F, const Following &Order) {
  SmallVector<const Instruction *, 4> All, Out;
  for (const Instruction &I : instructions(F))
    if (isBarrier(I))
      All.push_back(&I);
  if (All.empty())
    return All;
  const PostDominatorTree Always(F);
  SmallPtrSet<const Instruction *, 4> Once;
  for (const Instruction *I : All)
    if (!Order.mayRunAgain(*I->getParent()) && Always.dominates(I->getParent(), &F.getEntryBlock()))
      Once.insert(I);
  copy_if(All, std::back_inserter(Out), [&](const Instruction *I) {
    return Once.contains(I) && all_of(All, [&](const Instruction *Before) {
             return Once.contains(Before) || !Order.mayFollow(*Before, *I);
           });
  });
  return Out;
}

const Following &StableMemory::order() {
  if (!Order) {
    Function &F = *DT.getRoot()->getParent();
    Order.emplace(F);
    Barriers = commonBarriers(F, *Order);
  }
  return *Order;
}

/// True if whatever thread of a team writes has done so when another one comes to the load: all of
/// them wait for each other in between, and none comes to the write again.
bool StableMemory::isOverBefore(Instruction &Write, Instruction &Load) {
  if (!isa<StoreInst, AnyMemIntrinsic>(Write)) // what another call begins may go on
    return false;
  const Following &Order = order();
  return any_of(Barriers, [&](const Instruction *Barrier) {
    return DT.dominates(Barrier, &Load) && !Order.mayFollow(*Barrier, Write);
  });
}

/// True if the loop calls a function whose writes are elsewhere: generated functions are internal.
bool StableMemory::callsOut(const Loop &L) {
  auto IsInternal = [](const Use &U) {
    auto *F = dyn_cast<Function>(U.get());
    return F && F->hasLocalLinkage();
  };
  auto [It, New] = CallsOut.try_emplace(&L, false);
  if (New)
    It->second = any_of(L.blocks(), [&](BasicBlock *Block) {
      return any_of(*Block, [&](Instruction &I) {
        return isa<CallBase>(I) && any_of(I.operands(), IsInternal);
      });
    });
  return It->second;
}

bool StableMemory::promisesInside(const Loop &L) {
  auto [It, New] = Promises.try_emplace(&L, false);
  if (New)
    It->second = any_of(L.blocks(), [](BasicBlock *Block) {
      return any_of(*Block, [](Instruction &I) { return isa<NoAliasScopeDeclInst>(I); });
    });
  return It->second;
}

Loop *StableMemory::nestOf(const Instruction &I) const {
  Loop *L = LI.getLoopFor(I.getParent());
  return L ? L->getOutermostLoop() : nullptr;
}

/// True if the two are in one outermost loop, for all of which promises about it hold.
bool StableMemory::inOneNest(Instruction &Load, Instruction &Write) {
  if (Load.getFunction() != Write.getFunction())
    return false;
  Loop *L = nestOf(Load);
  return L && L->contains(&Write) && !promisesInside(*L);
}

static bool callsWriters(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *Block) {
    return any_of(*Block, [](const Instruction &I) {
      return isa<CallBase>(I) && !isa<IntrinsicInst>(I) && I.mayWriteToMemory();
    });
  });
}

/// Where the ways out of a loop meet again with those around it.
static const BasicBlock *blockAfter(const Loop &L) {
  const BasicBlock *Exit = L.getExitBlock(); // of this loop alone: phis and a branch
  return Exit ? Exit->getSingleSuccessor() : nullptr;
}

/// True if the two are in two nests of which a thread runs one or the other, nothing before it and
/// nothing after it: no thread can wait in between until another one has written.
bool StableMemory::inOtherVersion(Instruction &Load, Instruction &Write) const {
  if (Load.getFunction() != Write.getFunction())
    return false;
  Loop *A = nestOf(Load), *Z = nestOf(Write);
  if (!A || !Z || A == Z || !A->getLoopPreheader() || !Z->getLoopPreheader())
    return false;
  BasicBlock *Fork = A->getLoopPreheader()->getSinglePredecessor();
  const BasicBlock *After = blockAfter(*A);
  return Fork && Fork == Z->getLoopPreheader()->getSinglePredecessor() && After &&
         After == blockAfter(*Z) && !callsWriters(*A) && !callsWriters(*Z);
}

/// True if what the loop writes later is not where the load has read.
bool StableMemory::leaves(Instruction &Load, const WriteSet::Write &W) {
  auto *Read = dyn_cast<LoadInst>(&Load);
  return Read && Later.leave(*Read, *W.At);
}

/// The call that has made the object which a pointer leads into, if its last run has.
static const CallBase *madeBy(const Value *Pointer) {
  const auto *Call = Pointer ? dyn_cast<CallBase>(getUnderlyingObject(Pointer, 0)) : nullptr;
  return Call && lookupCallee(*Call).Kind == CalleeKind::Allocate ? Call : nullptr;
}

/// True if what is written behind the load is in an object that was allocated meanwhile.
///
///   for (t)  p = malloc(n) ; p[i] = ... ; ... = p[i]        each step writes memory of its own
bool StableMemory::isToNewObject(Instruction &Load, Value *Pointer, const WriteSet::Write &W) {
  const CallBase *Made = W.Anywhere ? nullptr : madeBy(Pointer);
  if (!Made || Made != madeBy(W.Pointer) || Made->getFunction() != Load.getFunction() ||
      W.At->getFunction() != Load.getFunction())
    return false;
  const BasicBlock *From = Load.getParent(), *To = W.At->getParent(), *Last = Made->getParent();
  auto [It, New] = SameObject.try_emplace({From, Made});
  auto &Behind = It->second;
  if (New && (From != Last || Made->comesBefore(&Load))) {
    SmallVector<const BasicBlock *, 16> Todo(successors(From));
    while (!Todo.empty())
      if (const BasicBlock *Block = Todo.pop_back_val();
          Behind.insert(Block).second && Block != Last)
        append_range(Todo, successors(Block));
  }
  if (From == To && Load.comesBefore(W.At))
    return From == Last && Load.comesBefore(Made) && Made->comesBefore(W.At);
  return !Behind.contains(To) || (To == Last && Made->comesBefore(W.At));
}

bool StableMemory::isStable(Instruction &Load, Value *Pointer, Activations Runs) {
  Location At = Activity.memory().find(Pointer);
  if (!At)
    return isa<Constant>(Pointer);
  if (Writes.isTransient(At.Node))
    return false;
  if (Writes.isHandedOut(Activity.memory().canonical(At.Node)))
    return false;
  if (Load.hasMetadata(LLVMContext::MD_invariant_load))
    return true;
  if (isOwnBlock(getUnderlyingObject(Pointer, 0)))
    return true; // it lives until the reverse of its allocation
  if (Writes.mayChangeBetween(Activity.memory().canonical(At.Node))) {
    auto *Global = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer));
    return Global && Global->isConstant();
  }
  Time Always = Runs.CallerFollows ? Time::Ever : Time::Activation;
  return !anyWrite(Pointer, [&](const WriteSet::Write &W) {
    if (Runs.Once && inOtherVersion(Load, *W.At))
      return false;
    if (W.At == &Load && Runs.Once && !LI.getLoopFor(Load.getParent()))
      return false; // a call: what it reads is apart from what it writes
    Time When = Runs.Once && inOneNest(Load, *W.At) ? Time::Loop : Always;
    if (!mayAlias(W, Load, Pointer, When))
      return false;
    if (is_contained(W.Before, Runs.Body) || isToNewObject(Load, Pointer, W))
      return false;
    if (W.At->getFunction() != Load.getFunction())
      return true;
    return Runs.CallerFollows ? !Runs.Once || !isOverBefore(*W.At, Load)
                              : order().mayFollow(Load, *W.At) && !leaves(Load, W);
  });
}

bool StableMemory::isUnchangedIn(const Loop &L, Instruction &Load, Value *Pointer) {
  Location At = Activity.memory().find(Pointer);
  if (!At)
    return isa<Constant>(Pointer);
  if (Writes.isHandedOut(Activity.memory().canonical(At.Node)))
    return false;
  bool Out = callsOut(L);
  Time Inside = promisesInside(L) ? Time::Activation : Time::Loop;
  return !anyWrite(Pointer, [&](const WriteSet::Write &W) {
    if (Out)
      return mayAlias(W, Load, Pointer, Time::Ever);
    auto *Read = dyn_cast<LoadInst>(&Load);
    return L.contains(W.At) && mayAlias(W, Load, Pointer, Inside) &&
           !(Read && Later.leaveIn(L, *Read, *W.At));
  });
}

static bool ordersOthers(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return isStrongerThanMonotonic(Load->getOrdering());
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return isStrongerThanMonotonic(Update->getOrdering());
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return isStrongerThanMonotonic(Exchange->getMergedOrdering());
  return isa<FenceInst>(I);
}

bool mayWait(const Loop &L, function_ref<bool(const CallBase &)> IsHandled) {
  return any_of(L.blocks(), [&](const BasicBlock *Block) {
    return any_of(*Block, [&](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      return ordersOthers(I) || (Call && !isa<IntrinsicInst>(Call) && IsHandled(*Call));
    });
  });
}

} // namespace contraflow
