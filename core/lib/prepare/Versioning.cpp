// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outermost nests first: a nest qualifies if all its trip counts are known on entry, it calls
// nothing that writes (but for errno), and each array it touches is walked evenly, so that the
// bytes touched are known. Inner trip counts may follow from outer counters (triangles), if every
// access is bounded.

#include "Versioning.h"
#include "RegionInputs.h"
#include "Twin.h"
#include "contraflow/core/Callee.h"
#include "support/AccessRange.h"
#include "support/Always.h"
#include "support/LastStore.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostGroups = 24, MostChecks = 48, MostAccesses = 400, MostBounds = 64;

/// Accesses through one base pointer, and the bytes they touch in the whole nest.
struct Group {
  SmallVector<Instruction *, 8> Accesses;
  SmallSetVector<const SCEV *, 8> Begins, Ends;
  bool Written = false;
};

class NestVersioner {
public:
  NestVersioner(Function &F, FunctionAnalysisManager &FAM, const HandlerRegistry &Handlers)
      : F(F), Handlers(Handlers), Inputs(RegionInputs::of(F, Handlers, FAM)),
        LI(FAM.getResult<LoopAnalysis>(F)), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), AA(FAM.getResult<AAManager>(F)) {}
  bool run();

private:
  bool version(Loop &L);
  bool qualifies(Loop &L);
  bool collect(Loop &L);
  bool addAccess(Loop &L, Instruction &I, Value *Pointer);
  bool isBoundedInside(Loop &L, Instruction &I, Value *Pointer, uint64_t Size);
  bool choosePairs();
  void findDivisions();
  ValueToSCEVMapTy boundsOfAll(const Loop &L) const;
  Value *emitChecks(Loop &L);
  Loop *holdsIn(Loop &L) const;
  void annotate(Instruction &Where, StringRef DomainName);

  Function &F;
  const HandlerRegistry &Handlers;
  std::optional<RegionInputs> Inputs;   ///< of a region that a loop runs
  SmallVector<CallBase *, 4> Divisions; ///< of its loops, in one piece for each thread
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  AAResults &AA;
  MapVector<Value *, Group> Groups;
  bool Uneven = false; ///< how often inner loops run follows from outer counters
  SmallVector<std::pair<unsigned, unsigned>, 16> Pairs; ///< to be checked at run time
};

bool NestVersioner::qualifies(Loop &L) {
  if (!L.isLoopSimplifyForm() || !L.getExitBlock())
    return false;
  Uneven = false;
  for (Loop *Inner : L.getLoopsInPreorder()) {
    const SCEV *Count = SE.getBackedgeTakenCount(Inner);
    if (isa<SCEVCouldNotCompute>(Count))
      return false;
    Uneven |= !SE.isLoopInvariant(Count, &L);
  }
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if ((I.mayWriteToMemory() && !isa<StoreInst>(I) && !I.isLifetimeStartOrEnd() &&
           !isPlainMath(I)) ||
          I.isVolatile() || I.isAtomic() || isa<AllocaInst>(I))
        return false;
  return true;
}

/// Of inner loops that run unevenly more may be known one by one.
bool NestVersioner::isBoundedInside(Loop &L, Instruction &I, Value *Pointer, uint64_t Size) {
  for (Loop *Inner = LI.getLoopFor(I.getParent()); Inner != &L; Inner = Inner->getParentLoop())
    if (accessBase(SE, *Inner, Pointer) && accessHull(SE, *Inner, Pointer, Size))
      return true;
  return false;
}

/// False if a store cannot be bounded. A load that cannot be bounded, not in an inner loop either,
/// stays without annotation.
bool NestVersioner::addAccess(Loop &L, Instruction &I, Value *Pointer) {
  bool Writes = isa<StoreInst>(I);
  Type *T = Writes ? cast<StoreInst>(I).getValueOperand()->getType() : I.getType();
  Value *Base = accessBase(SE, L, Pointer);
  const uint64_t Size = F.getDataLayout().getTypeStoreSize(T);
  auto Range = accessHull(SE, L, Pointer, Size);
  if (!Base || !Range)
    return !Writes && !(Uneven && isBoundedInside(L, I, Pointer, Size));
  Group &G = Groups[Base];
  G.Accesses.push_back(&I);
  G.Written |= Writes;
  G.Begins.insert(Range->Begin);
  G.Ends.insert(Range->End);
  return G.Begins.size() <= MostBounds;
}

bool NestVersioner::collect(Loop &L) {
  Groups.clear();
  unsigned Count = 0;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      Value *Pointer = getLoadStorePointerOperand(&I);
      if (Pointer && (++Count > MostAccesses || !addAccess(L, I, Pointer)))
        return false;
    }
  return Groups.size() <= MostGroups;
}

/// Pairs of arrays, one of them written, that may overlap; at least one must be worth it.
bool NestVersioner::choosePairs() {
  Pairs.clear();
  auto Entry = Groups.begin();
  for (unsigned A = 0; A < Groups.size(); ++A)
    for (unsigned Z = A + 1; Z < Groups.size(); ++Z) {
      auto &[BaseA, GroupA] = Entry[A];
      auto &[BaseZ, GroupZ] = Entry[Z];
      if (!GroupA.Written && !GroupZ.Written)
        continue;
      MemoryLocation LocA =
          MemoryLocation::getBeforeOrAfter(BaseA, GroupA.Accesses[0]->getAAMetadata());
      MemoryLocation LocZ =
          MemoryLocation::getBeforeOrAfter(BaseZ, GroupZ.Accesses[0]->getAAMetadata());
      if (AA.alias(LocA, LocZ) != AliasResult::NoAlias)
        Pairs.push_back({A, Z});
    }
  bool ReadOnlyArray = any_of(Pairs, [&](auto P) {
    return !Entry[P.first].second.Written || !Entry[P.second].second.Written;
  });
  return ReadOnlyArray && Pairs.size() <= MostChecks;
}

void NestVersioner::findDivisions() {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ConstructHandler *H = Call ? Handlers.find(*Call) : nullptr;
    const auto Divided = H ? H->division(*Call) : std::nullopt;
    if (Divided && Divided->What == Division::Piece)
      Divisions.push_back(Call);
  }
}

/// In place of a thread's piece of a divided loop, which L runs: the first and the last iteration
/// of all threads, by the loads of that piece's bounds.
ValueToSCEVMapTy NestVersioner::boundsOfAll(const Loop &L) const {
  ValueToSCEVMapTy Map;
  CallBase *Last = nullptr;
  for (CallBase *Call : Divisions)
    if (DT.dominates(Call, L.getHeader()) &&
        LI.getLoopFor(Call->getParent()) == L.getParentLoop() &&
        (!Last || DT.dominates(Last, Call)))
      Last = Call;
  if (!Last)
    return Map;
  const auto Divided = Handlers.find(*Last)->division(*Last);
  for (unsigned Bound : {Divided->Lower, Divided->Upper}) {
    Value *Memory = Last->getArgOperand(Bound);
    StoreInst *Given = lastStoreBefore(*Memory, *Last, DT, LI);
    Value *OfAll = Given ? Given->getValueOperand() : nullptr;
    for (User *U : Memory->users())
      if (auto *Load = dyn_cast<LoadInst>(U);
          OfAll && Load && DT.dominates(Last, Load) && Load->getType() == OfAll->getType())
        Map[Load] = SE.getSCEV(OfAll);
  }
  return Map;
}

Value *NestVersioner::emitChecks(Loop &L) {
  Instruction *At = L.getLoopPreheader()->getTerminator();
  SCEVExpander Expander(SE, "cf.apart");
  SmallVector<std::pair<const SCEV *, const SCEV *>, 8> Ranges;
  ValueToSCEVMapTy OfAll = boundsOfAll(L);
  const auto ByAll = [&](const SCEV *S) { return SCEVParameterRewriter::rewrite(S, SE, OfAll); };
  for (auto &[Base, G] : Groups) {
    SmallVector<const SCEV *, 8> Begins(map_range(G.Begins, ByAll));
    SmallVector<const SCEV *, 8> Ends(map_range(G.Ends, ByAll));
    Ranges.push_back({SE.getUMinExpr(Begins), SE.getUMaxExpr(Ends)});
    if (!Expander.isSafeToExpandAt(Ranges.back().first, At) ||
        !Expander.isSafeToExpandAt(Ranges.back().second, At))
      return nullptr;
  }
  Type *I64 = Type::getInt64Ty(F.getContext());
  SmallVector<std::pair<Value *, Value *>, 8> Values;
  for (auto [Begin, End] : Ranges)
    Values.push_back(
        {Expander.expandCodeFor(Begin, I64, At), Expander.expandCodeFor(End, I64, At)});
  IRBuilder<> B(At);
  Value *Apart = B.getTrue();
  for (auto [A, Z] : Pairs)
    Apart = B.CreateAnd(Apart, B.CreateOr(B.CreateICmpULE(Values[A].second, Values[Z].first),
                                          B.CreateICmpULE(Values[Z].second, Values[A].first)));
  return Apart;
}

/// The outermost loop in which the same bytes are touched each time that L runs: what is found out
/// once holds for all of it.
Loop *NestVersioner::holdsIn(Loop &L) const {
  Loop *Widest = &L;
  auto Stays = [&](const Loop &Outer) {
    return all_of(Groups, [&](auto &Entry) {
      return all_of(concat<const SCEV *const>(Entry.second.Begins, Entry.second.Ends),
                    [&](const SCEV *S) { return SE.isLoopInvariant(S, &Outer); });
    });
  };
  for (Loop *Outer = L.getParentLoop(); Outer && Stays(*Outer); Outer = Outer->getParentLoop())
    if (Outer->getLoopPreheader())
      Widest = Outer;
  return Widest;
}

/// Tells alias analysis which arrays are apart, each time that control comes to Where.
void NestVersioner::annotate(Instruction &Where, StringRef DomainName) {
  MDBuilder MDB(F.getContext());
  MDNode *Domain = MDB.createAnonymousAliasScopeDomain(DomainName);
  SmallVector<MDNode *, 8> Scopes;
  SmallVector<SmallVector<Metadata *, 8>, 8> Others(Groups.size());
  for (unsigned I = 0; I < Groups.size(); ++I)
    Scopes.push_back(MDB.createAnonymousAliasScope(Domain));
  for (auto [A, Z] : Pairs) {
    Others[A].push_back(Scopes[Z]);
    Others[Z].push_back(Scopes[A]);
  }
  LLVMContext &C = F.getContext();
  auto Add = [&](Instruction &I, unsigned Kind, ArrayRef<Metadata *> More) {
    if (!More.empty())
      I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind), MDNode::get(C, More)));
  };
  for (unsigned I = 0; I < Groups.size(); ++I)
    for (Instruction *Access : Groups.begin()[I].second.Accesses) {
      Add(*Access, LLVMContext::MD_alias_scope, {Scopes[I]});
      Add(*Access, LLVMContext::MD_noalias, Others[I]);
    }
  IRBuilder<> B(&Where);
  for (MDNode *Scope : Scopes)
    B.CreateNoAliasScopeDeclaration(MDNode::get(C, {Scope}));
}

bool NestVersioner::version(Loop &L) {
  if (!qualifies(L) || !collect(L) || !choosePairs())
    return false;
  Value *Apart = emitChecks(L);
  if (!Apart)
    return false;
  Loop *Holds = holdsIn(L);
  const bool Always = Inputs && Inputs->alwaysSame(*Apart);
  makeTwin(L, Apart, {"apart", ".overlap"}, DT, LI);
  if (Always)
    markAlways(*L.getLoopPreheader()->getSinglePredecessor()->getTerminator());
  annotate(*Holds->getLoopPreheader()->getTerminator(), Always ? AlwaysDomain : ApartDomain);
  SE.forgetAllLoops();
  return true;
}

bool NestVersioner::run() {
  bool Changed = false;
  if (Inputs)
    findDivisions();
  SmallVector<Loop *, 16> Todo(LI.begin(), LI.end());
  while (!Todo.empty()) {
    Loop *L = Todo.pop_back_val();
    if (version(*L))
      Changed = true;
    else
      append_range(Todo, L->getSubLoops());
  }
  return Changed;
}

} // namespace

bool versionNests(Function &F, FunctionAnalysisManager &FAM, const HandlerRegistry &Handlers) {
  bool Changed = NestVersioner(F, FAM, Handlers).run();
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}

} // namespace contraflow
