// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableMemory: compares a load with each write at the level of objects. Alias analysis of two
// pointers in a loop speaks of one iteration only, so it is asked about the objects that they may
// point into in any iteration. Between activations of a function, only types and objects that are
// one for all of them tell pointers apart.

#include "BitSources.h"
#include "Effects.h"
#include "contraflow/core/Barrier.h"
#include "contraflow/core/Callee.h"
#include "support/Always.h"
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

using namespace llvm;

namespace contraflow {

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

/// True if nothing but floats is copied or set, as far as anybody says, and the load is of a type
/// that is told from theirs. What is copied keeps its type (C17 6.5p6), and what is set has that of
/// its readers, so this holds as it does for a store.
static bool writesOtherType(const MemoryGraph &G, const WriteSet::Write &W, const Instruction &Load,
                            const Value *Pointer) {
  if (!isa<AnyMemIntrinsic>(W.At) || !Load.getType()->isIntOrIntVectorTy() || !typeAccessed(Load))
    return false;
  auto OnlyFloats = [&](unsigned Node) {
    const unsigned Kinds = G.kindsOf(Node);
    return Kinds && !(Kinds & ~unsigned(SK_AnyFloat));
  };
  if (auto *Copy = dyn_cast<AnyMemTransferInst>(W.At))
    if (const Location From = G.find(Copy->getRawSource()); !From || !OnlyFloats(From.Node))
      return false;
  const Location At = G.find(Pointer);
  const int64_t Size = G.layout().getTypeStoreSize(Load.getType()).getFixedValue();
  return At && OnlyFloats(W.Node) && !(G.kindsAt(At, Size) & SK_AnyFloat);
}

bool StableMemory::mayAlias(const WriteSet::Write &W, Instruction &Load, Value *Pointer,
                            Time When) {
  if (W.NoFloats && Load.getType()->isFPOrFPVectorTy())
    return false;
  if (W.Anywhere || !belongsTo(W.Pointer, *W.At->getFunction()))
    return true;
  if (writesOtherType(Activity.memory(), W, Load, Pointer))
    return false;
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

/// True if what a pointer leads to was made in this call (WriteSet::isMadeInCall).
bool StableMemory::isMadeInCall(const Value *Pointer) const {
  if (!Pointer)
    return false;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, nullptr, 0);
  return all_of(Objects, [&](const Value *V) { return Writes.isMadeInCall(V); });
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
    if (!isOutside(Node) || (!W.Anywhere && isMadeInCall(W.Pointer)))
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
  if (!isOutside(Node) || isMadeInCall(Pointer)) {
    auto It = ByNode.find(Node);
    return It != ByNode.end() && AnyOf(It->second);
  }
  const bool Shadow = Activity.hasShadow(Node);
  if (auto It = ByNode.find(Node); It != ByNode.end() && AnyOf(It->second)) // made in the call, too
    return true;
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

/// Where control chooses between two nests, if the two instructions are in these and a thread runs
/// one or the other, nothing before it and nothing after it: no thread can wait in between until
/// another one has written. Else null.
Instruction *StableMemory::forkToVersions(Instruction &Load, Instruction &Write) const {
  if (Load.getFunction() != Write.getFunction())
    return nullptr;
  Loop *A = nestOf(Load), *Z = nestOf(Write);
  if (!A || !Z || A == Z || !A->getLoopPreheader() || !Z->getLoopPreheader())
    return nullptr;
  BasicBlock *Fork = A->getLoopPreheader()->getSinglePredecessor();
  const BasicBlock *After = blockAfter(*A);
  const bool Either = Fork && Fork == Z->getLoopPreheader()->getSinglePredecessor() && After &&
                      After == blockAfter(*Z) && !callsWriters(*A) && !callsWriters(*Z);
  return Either ? Fork->getTerminator() : nullptr;
}

/// Those scopes only that are told apart in all runs of a region.
static MDNode *scopesOfAllRuns(MDNode *Scopes) {
  SmallVector<Metadata *, 8> Kept;
  for (Metadata *M : Scopes ? Scopes->operands() : MDNode::op_range{nullptr, nullptr})
    if (const auto *Scope = dyn_cast<MDNode>(M))
      if (const MDNode *Domain = AliasScopeNode(Scope).getDomain();
          Domain && Domain->getNumOperands() > 1)
        if (const auto *Name = dyn_cast<MDString>(Domain->getOperand(1));
            Name && Name->getString() == AlwaysDomain)
          Kept.push_back(M);
  return Kept.empty() ? nullptr : MDNode::get(Scopes->getContext(), Kept);
}

/// True if no run of the region, in whatever version of a nest, writes where another one reads.
bool StableMemory::areApartInAllRuns(Instruction &Load, Instruction &Write) {
  if (const Instruction *Fork = forkToVersions(Load, Write))
    return isAlways(*Fork);
  if (!inOneNest(Load, Write) || isa<CallBase>(Write))
    return false;
  const auto TagsOf = [](const Instruction &I) {
    AAMDNodes Tags;
    Tags.Scope = scopesOfAllRuns(I.getMetadata(LLVMContext::MD_alias_scope));
    Tags.NoAlias = scopesOfAllRuns(I.getMetadata(LLVMContext::MD_noalias));
    return Tags;
  };
  const MemoryLocation LoadAt =
      MemoryLocation(nullptr, LocationSize::beforeOrAfterPointer(), TagsOf(Load));
  const MemoryLocation WriteAt =
      MemoryLocation(nullptr, LocationSize::beforeOrAfterPointer(), TagsOf(Write));
  SimpleAAQueryInfo Query(AA);
  return ScopedNoAliasAAResult().alias(LoadAt, WriteAt, Query, nullptr) == AliasResult::NoAlias;
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

/// True if W may change what Load has read.
bool StableMemory::mayChange(Instruction &Load, Value *Pointer, const WriteSet::Write &W,
                             Activations Runs) {
  if (Runs.Once && forkToVersions(Load, *W.At))
    return false;
  if (!Runs.Once && Runs.Body && Writes.runsInRoot(*Runs.Body) && areApartInAllRuns(Load, *W.At))
    return false;
  if (W.At == &Load && Runs.Once && !LI.getLoopFor(Load.getParent()))
    return false; // a call: what it reads is apart from what it writes
  const Time Always = Runs.CallerFollows ? Time::Ever : Time::Activation;
  if (!mayAlias(W, Load, Pointer, Runs.Once && inOneNest(Load, *W.At) ? Time::Loop : Always))
    return false;
  if (is_contained(W.Before, Runs.Body) || isToNewObject(Load, Pointer, W))
    return false;
  if (W.At->getFunction() != Load.getFunction())
    return true;
  return Runs.CallerFollows ? !Runs.Once || !isOverBefore(*W.At, Load)
                            : order().mayFollow(Load, *W.At) && !leaves(Load, W);
}

/// A load is read again while the same run of its loop, or of its function, is reversed: what is
/// written before or after that has been put back, or has not. What a loop hands out is recorded.
/// Addresses are not among what is put back, and their shadows would have to be as well. Where the
/// store runs as often as the load, it is the load that is recorded.
bool StableMemory::isTakenBackFor(const Instruction &Load, const WriteSet::Write &W) const {
  if (!W.TakenBack || !isa<LoadInst>(Load) || Load.getType()->isPtrOrPtrVectorTy() ||
      (Activity.memory().carried(&Load) & SK_Pointer))
    return false;
  const Loop *L = LI.getLoopFor(Load.getParent());
  return W.At->getFunction() != Load.getFunction() ||
         (L && !L->contains(W.At) && LI.getLoopDepth(W.At->getParent()) < L->getLoopDepth());
}

bool StableMemory::isStable(Instruction &Load, Value *Pointer, Activations Runs,
                            SmallPtrSetImpl<const Instruction *> *Relied) {
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
  return !anyWrite(Pointer, [&](const WriteSet::Write &W) {
    if (!mayChange(Load, Pointer, W, Runs))
      return false;
    if (!isTakenBackFor(Load, W))
      return true;
    if (Relied)
      Relied->insert(W.At);
    return false;
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
