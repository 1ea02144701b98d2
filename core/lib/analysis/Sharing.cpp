// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the scalar evolution of each address into: the worksharing loop's stride, the extent
// covered by the loops inside, the thread's first iteration times the stride, and a base. The base
// must be the same on every thread. What has no stride is added to by every iteration.

#include "Sharing.h"
#include "TeamPhases.h"
#include "ThroughIndex.h"
#include "support/LastStore.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringRef NotAffine = "an address is not affine in the divided loop";

bool isZero(const Value &V) {
  auto *C = dyn_cast<ConstantInt>(&V);
  return C && C->isZero();
}

/// What the loops inside the divided one add to an address: [Low, High).
struct Extent {
  const SCEV *Low, *High;
};

class Sharer {
public:
  Sharer(const SharingQuestions &Q, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE)
      : Q(Q), LI(LI), DT(DT), SE(SE) {}
  SharingAnswer run();

private:
  Loop *wholeLoop(const Instruction &I) const;
  SmallSetVector<Loop *, 2> wholeLoops() const;
  bool exclude(ArrayRef<Loop *> Loops) const;
  bool describeLoop(SharedLoop &Out);
  const DividedLoop *divisionOf(const Loop &L) const;
  Value *lowerBound(const DividedLoop &D) const;
  const SCEV *tripOf(const DividedLoop &D) const;
  bool isBound(const Value *Memory, const NextPiece &Piece, const Loop &L) const;
  const NextPiece *pieceOf(const Loop &L) const;
  const DealtLoop *dealOf(const Loop &L) const;
  bool isFresh(const LoadInst &Bound, const Loop &Part) const;
  bool isPiece(const Loop &Part, const NextPiece &Piece);
  bool describePart(Instruction &Load, Value *Address, const Loop &Part, SharedLoop &Out);
  bool describeDealt(SharedLoop &Out);
  bool describe(Instruction &Load, Value *Address, SharedLoop &Out);
  bool describeThrough(SharedUpdate U, const SCEV *Pointer, SharedLoop &Out);
  const SCEV *integerOf(const SCEV *Pointer, const Loop *Outer, Extent &E);
  std::optional<Footprint> footprint(const SCEV *S, const Loop *Outer, const Extent &E);
  bool keepsPromises(const SharedLoop &Loop);
  bool loosen(SharedLoop &Loop) const;
  bool mayMeet(const SharedUpdate &U, const SharedUpdate &V);
  bool addExtent(const SCEV *&S, const Loop *Outer, Extent &E);
  bool isDense(const SharedUpdate &U) const;
  SmallVector<const SCEV *, 2> choosePrivate(ArrayRef<SharedLoop> Loops) const;
  bool mayBePrivate(const SharedLoop &Loop, const SCEV *Array) const;
  void classify(SharedLoop &Loop, ArrayRef<const SCEV *> Private) const;
  void uniteVersions(MutableArrayRef<SharedLoop> Loops) const;
  ValueToSCEVMapTy sameLoads(const SharedLoop &From, const SharedLoop &To) const;
  void addFootprints(SmallVectorImpl<Footprint> &Out, ArrayRef<Footprint> New,
                     ValueToSCEVMapTy &Same) const;
  struct Way;
  static bool isVersion(const SharedLoop &A, const SharedLoop &B) {
    return A.Division->Lower == B.Division->Lower;
  }
  bool allEnter(const SharedLoop &Loop, ArrayRef<SharedLoop> Loops) const;
  bool chooseAlike(const SharedLoop &A, const SharedLoop &B) const;
  bool isAlike(Value *Condition, const SharedLoop &Loop, SmallPtrSetImpl<Value *> &Seen) const;
  bool isAlike(Value *Condition, const SharedLoop &Loop) const {
    SmallPtrSet<Value *, 16> Seen;
    return isAlike(Condition, Loop, Seen);
  }
  const SCEV *uniformBase(const SCEV *Start, const SCEV *Stride);
  bool uniform(const SCEV *S) const;
  bool mentions(const SCEV *S, const Value *V) const;

  bool fail(StringRef Reason) {
    Why = Reason;
    return false;
  }

  const SharingQuestions &Q;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  const Loop *Now = nullptr; ///< the divided loop at hand
  Value *FirstIteration = nullptr;
  StringRef Why;
};

/// The outermost loop around I that no barrier divides.
Loop *Sharer::wholeLoop(const Instruction &I) const {
  Loop *Whole = nullptr;
  for (Loop *L = LI.getLoopFor(I.getParent()); L && !Q.Phases.divides(*L); L = L->getParentLoop())
    Whole = L;
  return Whole;
}

/// Those that hold updates.
SmallSetVector<Loop *, 2> Sharer::wholeLoops() const {
  SmallSetVector<Loop *, 2> Loops;
  for (auto &[Load, Address] : Q.Updates)
    if (Loop *L = Q.Owned.contains(Load) ? nullptr : wholeLoop(*Load))
      Loops.insert(L);
  return Loops;
}

/// True if no thread runs two of the loops, or one twice, in one phase.
bool Sharer::exclude(ArrayRef<Loop *> Loops) const {
  for (Loop *A : Loops) {
    SmallVector<BasicBlock *, 2> Exits;
    A->getUniqueExitBlocks(Exits);
    for (Loop *Z : Loops)
      if (any_of(Exits, [&](BasicBlock *Exit) {
            return Exit == Z->getHeader() || Q.Phases.reaches(Exit->front(), *Z->getHeader());
          }))
        return false;
  }
  return true;
}

const DividedLoop *Sharer::divisionOf(const Loop &L) const {
  const DividedLoop *Found = nullptr;
  for (const DividedLoop &D : Q.Loops)
    if (DT.dominates(D.Division, &L.getHeader()->front()) &&
        LI.getLoopFor(D.Division->getParent()) == L.getParentLoop() &&
        Q.Phases.phaseOf(*D.Division->getNextNode()) == Q.Phases.phaseOf(L.getHeader()->front()))
      Found = !Found || DT.dominates(Found->Division, D.Division) ? &D : Found;
  return Found;
}

Value *Sharer::lowerBound(const DividedLoop &D) const {
  Value *Found = nullptr;
  for (User *U : D.Lower->users())
    if (auto *Load = dyn_cast<LoadInst>(U); Load && DT.dominates(D.Division, Load)) {
      if (Found)
        return nullptr;
      Found = Load;
    }
  return Found;
}

/// The construct was given bounds 0..n-1; the last store of n-1 before it tells n.
const SCEV *Sharer::tripOf(const DividedLoop &D) const {
  StoreInst *Low = lastStoreBefore(*D.Lower, *D.Division, DT, LI);
  StoreInst *High = lastStoreBefore(*D.Upper, *D.Division, DT, LI);
  if (!Low || !High || !isZero(*Low->getValueOperand()))
    return nullptr;
  Type *I64 = Type::getInt64Ty(Low->getContext());
  const SCEV *Last = SE.getNoopOrSignExtend(SE.getSCEV(High->getValueOperand()), I64);
  return SE.getAddExpr(Last, SE.getOne(I64));
}

bool Sharer::mentions(const SCEV *S, const Value *V) const {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    auto *U = dyn_cast<SCEVUnknown>(Part);
    return U && U->getValue() == V;
  });
}

bool Sharer::uniform(const SCEV *S) const {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(Part))
      return !Q.SameIteration(*Rec->getLoop(), *Now);
    auto *U = dyn_cast<SCEVUnknown>(Part);
    return isa<SCEVCouldNotCompute>(Part) || (U && !Q.Uniform(U->getValue(), *Now));
  });
}

/// Start - first iteration * Stride, if that is free of the first iteration and uniform.
const SCEV *Sharer::uniformBase(const SCEV *Start, const SCEV *Stride) {
  Type *T = Start->getType();
  const SCEV *First = SE.getSCEV(FirstIteration);
  for (const SCEV *Wide : {SE.getNoopOrSignExtend(First, T), SE.getNoopOrZeroExtend(First, T)}) {
    const SCEV *Base = SE.getMinusSCEV(Start, SE.getMulExpr(Wide, Stride));
    if (!mentions(Base, FirstIteration) && uniform(Base))
      return Base;
  }
  return nullptr;
}

/// Takes off the steps of the loops inside Outer and widens the extent by them.
bool Sharer::addExtent(const SCEV *&S, const Loop *Outer, Extent &E) {
  while (auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
    if (Rec->getLoop()->contains(Outer))
      return true;
    const SCEV *Count = SE.getBackedgeTakenCount(Rec->getLoop());
    if (!Rec->isAffine() || isa<SCEVCouldNotCompute>(Count) || !Outer->contains(Rec->getLoop()))
      return false;
    Type *T = S->getType();
    const SCEV *Step = SE.getNoopOrSignExtend(Rec->getStepRecurrence(SE), T);
    const SCEV *Way = SE.getMulExpr(Step, SE.getTruncateOrZeroExtend(Count, T));
    if (!uniform(Way))
      return false;
    E.Low = SE.getAddExpr(E.Low, SE.getSMinExpr(SE.getZero(T), Way));
    E.High = SE.getAddExpr(E.High, SE.getSMaxExpr(SE.getZero(T), Way));
    S = Rec->getStart();
  }
  return true;
}

/// The address where the loops inside start; null if they do not walk evenly.
const SCEV *Sharer::integerOf(const SCEV *Pointer, const Loop *Outer, Extent &E) {
  const SCEV *S = SE.getPtrToIntExpr(Pointer, Type::getInt64Ty(SE.getContext()));
  return !isa<SCEVCouldNotCompute>(S) && addExtent(S, Outer, E) ? S : nullptr;
}

/// Of an address whose inner loops are in E.
std::optional<Footprint> Sharer::footprint(const SCEV *S, const Loop *Outer, const Extent &E) {
  const SCEV *Base = S, *Stride = SE.getZero(S->getType());
  if (auto *Rec = dyn_cast<SCEVAddRecExpr>(S); Rec && Rec->getLoop() == Outer) {
    Stride = Rec->getStepRecurrence(SE);
    Base = Rec->isAffine() && uniform(Stride) ? uniformBase(Rec->getStart(), Stride) : nullptr;
  } else if (!uniform(S)) {
    Base = nullptr;
  }
  if (!Base)
    return std::nullopt;
  return Footprint{SE.getAddExpr(Base, E.Low), SE.getMinusSCEV(E.High, E.Low), Stride};
}

bool Sharer::describe(Instruction &Load, Value *Address, SharedLoop &Out) {
  const SCEV *Pointer = SE.getSCEV(Address);
  const uint64_t Size = Load.getDataLayout().getTypeStoreSize(Load.getType());
  Type *T = Type::getInt64Ty(Load.getContext());
  Extent E{SE.getZero(T), SE.getConstant(T, Size)};
  const SCEV *S = integerOf(Pointer, Out.L, E);
  // What is outside may run for an earlier or a later iteration of the loops around.
  if (!S || (!Out.L->contains(&Load) && !SE.isLoopInvariant(S, Out.L->getOutermostLoop()) &&
             Out.L->getParentLoop()))
    return false;
  SharedUpdate U{&Load, {}, SE.getPointerBase(Pointer), false};
  auto Bytes = footprint(S, Out.L, E);
  if (!Bytes) {
    U.Through.Low = E.Low;
    U.Through.High = E.High;
    return describeThrough(U, S, Out);
  }
  U.Bytes = *Bytes;
  U.MayWait = Out.L->contains(&Load) && Q.MayWait(Load, *Out.L);
  Out.Updates.push_back(U);
  return true;
}

/// The places that the index is read from stand for what is added to.
bool Sharer::describeThrough(SharedUpdate U, const SCEV *Address, SharedLoop &Out) {
  auto Through = splitAtIndex(Address, SE);
  if (!Through || !Out.L->contains(U.Load) || !Out.L->contains(Through->Index) ||
      !uniform(Through->Rest) || !Q.IsUnwritten(*Through->Index))
    return false;
  const uint64_t Size = Through->Index->getDataLayout().getTypeStoreSize(Through->Index->getType());
  Type *T = Address->getType();
  Extent E{SE.getZero(T), SE.getConstant(T, Size)};
  const SCEV *Pointer = SE.getSCEV(Through->Index->getPointerOperand());
  const SCEV *S = integerOf(Pointer, Out.L, E);
  auto Bytes = S ? footprint(S, Out.L, E) : std::nullopt;
  if (!Bytes || Bytes->Stride->isZero())
    return false;
  U.Bytes = *Bytes;
  U.Through.Index = Through->Index;
  U.Through.Array = SE.getPointerBase(Pointer);
  U.Through.Scale = Through->Scale;
  U.Through.Signed = Through->Signed;
  U.Through.Low = SE.getAddExpr(Through->Rest, U.Through.Low);
  U.Through.High = SE.getAddExpr(Through->Rest, U.Through.High);
  Out.Updates.push_back(U);
  return true;
}

/// U goes through a promised index: true if V may add to the same place at another place of the
/// index, or without one.
bool Sharer::mayMeet(const SharedUpdate &U, const SharedUpdate &V) {
  auto Same = [](const SCEV *A, const SCEV *B) {
    auto *First = dyn_cast<SCEVUnknown>(A), *Second = dyn_cast<SCEVUnknown>(B);
    return First && Second ? isSamePointer(First->getValue(), Second->getValue()) : std::nullopt;
  };
  std::optional<bool> SameArray = Same(U.Array, V.Array);
  if (!SameArray.value_or(true))
    return false;
  if (!SameArray || !V.Through.Index || !Same(U.Through.Array, V.Through.Array).value_or(false) ||
      U.Through.Scale != V.Through.Scale)
    return true;
  auto *Width = dyn_cast<SCEVConstant>(SE.getMinusSCEV(V.Through.High, U.Through.Low));
  const APInt Scale = cast<SCEVConstant>(U.Through.Scale)->getAPInt().abs();
  return !Width || Width->getAPInt().sgt(Scale);
}

bool Sharer::keepsPromises(const SharedLoop &Loop) {
  return all_of(Loop.Updates, [&](const SharedUpdate &U) {
    return !U.Through.Index ||
           none_of(Loop.Updates, [&](const SharedUpdate &V) { return mayMeet(U, V); });
  });
}

/// Whatever else is added to the arrays of loose updates is loose as well.
bool Sharer::loosen(SharedLoop &Loop) const {
  constexpr unsigned Most = 16;
  SmallPtrSet<const SCEV *, 4> Arrays;
  for (const LooseUpdate &U : Loop.Loose)
    Arrays.insert(SE.getPointerBase(SE.getSCEV(U.Address)));
  for (const SharedUpdate &U : Loop.Updates)
    if (U.Through.Index)
      return false;
  erase_if(Loop.Updates, [&](const SharedUpdate &U) {
    if (!Arrays.contains(U.Array) || !Loop.L->contains(U.Load))
      return false;
    auto *Known = find_if(Q.Updates, [&](auto &Update) { return Update.first == U.Load; });
    Loop.Loose.push_back({U.Load, Known->second});
    return true;
  });
  return Loop.Loose.size() <= Most;
}

/// True if one of the loops inside walks the array in small steps, or none walks it.
bool Sharer::isDense(const SharedUpdate &U) const {
  constexpr uint64_t LargestStep = 64;
  const SCEV *Address = SE.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(U.Load)));
  bool Walks = false;
  while (auto *Rec = dyn_cast<SCEVAddRecExpr>(Address)) {
    auto *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
    if (Step && Step->getAPInt().abs().ule(LargestStep))
      return true;
    Walks = true;
    Address = Rec->getStart();
  }
  return !Walks;
}

/// True if every iteration adds to the array, all its updates may wait, they are of one type, and
/// no two of them overlap in parts of a number.
bool Sharer::mayBePrivate(const SharedLoop &Loop, const SCEV *Array) const {
  if (!isa<SCEVUnknown>(Array))
    return false;
  const SharedUpdate *First = nullptr;
  bool EveryIteration = false;
  for (const SharedUpdate &U : Loop.Updates) {
    if (U.Array != Array || !Loop.L->contains(U.Load))
      continue;
    First = First ? First : &U;
    Type *T = U.Load->getType()->getScalarType();
    const bool StandsStill = U.Bytes.Stride->isZero();
    EveryIteration |= StandsStill;
    if (U.Through.Index || !U.MayWait || T != First->Load->getType()->getScalarType() ||
        (!T->isDoubleTy() && !T->isFloatTy()) || (StandsStill && !isDense(U)))
      return false;
    const SCEV *Away = SE.getMinusSCEV(U.Bytes.Base, First->Bytes.Base);
    for (const SCEV *Part : {Away, U.Bytes.Stride, U.Bytes.Extent})
      if (!Part->isZero() && SE.getConstantMultiple(Part).urem(T->getPrimitiveSizeInBits() / 8))
        return false;
  }
  return EveryIteration;
}

/// The arrays that are private in one version of the loop at least and known in all.
SmallVector<const SCEV *, 2> Sharer::choosePrivate(ArrayRef<SharedLoop> Loops) const {
  constexpr unsigned Most = 8;
  SmallSetVector<const SCEV *, 2> Out;
  auto IsKnown = [&](const SharedLoop &Loop, const SCEV *Array) {
    return any_of(Loop.Updates, [&](const SharedUpdate &U) {
      return U.Array == Array && Loop.L->contains(U.Load);
    });
  };
  for (const SharedLoop &Loop : Loops)
    for (const SharedUpdate &U : Loop.Updates)
      if (Out.size() < Most && !Out.contains(U.Array) && mayBePrivate(Loop, U.Array) &&
          all_of(Loops, [&](const SharedLoop &Other) { return IsKnown(Other, U.Array); }))
        Out.insert(U.Array);
  return Out.takeVector();
}

/// All versions tell the runtime of the same arrays, whatever each of them may do.
void Sharer::classify(SharedLoop &Loop, ArrayRef<const SCEV *> Private) const {
  for (const SCEV *Array : Private) {
    PrivateArray New{cast<SCEVUnknown>(Array)->getValue(), nullptr, {}, {}};
    bool May = mayBePrivate(Loop, Array);
    for (const SharedUpdate &U : Loop.Updates) {
      if (U.Array != Array || !Loop.L->contains(U.Load))
        continue;
      New.Scalar = U.Load->getType()->getScalarType();
      New.Groups.push_back(U.Bytes);
      if (May)
        New.Loads.insert(U.Load);
    }
    Loop.Private.push_back(std::move(New));
  }
  for (const SharedUpdate &U : Loop.Updates) {
    if (Loop.L->contains(U.Load) && is_contained(Private, U.Array))
      continue;
    bool Plain = !U.Bytes.Stride->isZero();
    (Plain ? Loop.Plain : Loop.Atomic).push_back(U.Bytes);
    if (Plain)
      Loop.PlainLoads.insert(U.Load);
  }
}

/// The captured values that footprints are computed from.
static SmallSetVector<LoadInst *, 8> loadsIn(const SharedLoop &Loop) {
  SmallSetVector<LoadInst *, 8> Out;
  auto Collect = [&](const SCEV *Part) {
    auto *U = dyn_cast<SCEVUnknown>(Part);
    if (auto *Load = U ? dyn_cast<LoadInst>(U->getValue()) : nullptr)
      Out.insert(Load);
    return false;
  };
  for (const SharedUpdate &U : Loop.Updates)
    for (const SCEV *Part : {U.Bytes.Base, U.Bytes.Extent, U.Bytes.Stride})
      SCEVExprContains(Part, Collect);
  return Out;
}

/// What one version loads, as another one has loaded it.
ValueToSCEVMapTy Sharer::sameLoads(const SharedLoop &From, const SharedLoop &To) const {
  ValueToSCEVMapTy Same;
  for (LoadInst *Theirs : loadsIn(From))
    for (LoadInst *Own : loadsIn(To))
      if (Theirs->getPointerOperand() == Own->getPointerOperand() &&
          Theirs->getType() == Own->getType() && Q.IsUnwritten(*Theirs) && Q.IsUnwritten(*Own))
        Same[Theirs] = SE.getSCEV(Own);
  return Same;
}

void Sharer::addFootprints(SmallVectorImpl<Footprint> &Out, ArrayRef<Footprint> New,
                           ValueToSCEVMapTy &Same) const {
  auto Here = [&](const SCEV *S) { return SCEVParameterRewriter::rewrite(S, SE, Same); };
  for (const Footprint &F : New)
    Out.push_back({Here(F.Base), Here(F.Extent), Here(F.Stride)});
}

/// Threads may run different versions at the same time, chosen by what only they know:
///
///   for (i ...) if (mine) y[i] = x[i-1]; else y[i] = x[i+1]   ->   one loop for each
///
/// So each is told what all of them add to. Loops that were two in the program have divisions of
/// their own, and no two threads are in different ones.
void Sharer::uniteVersions(MutableArrayRef<SharedLoop> Loops) const {
  const SmallVector<SharedLoop, 2> Own(Loops.begin(), Loops.end());
  for (SharedLoop &To : Loops)
    for (const SharedLoop &From : Own) {
      if (To.L == From.L || !isVersion(From, To) || chooseAlike(To, From))
        continue;
      ValueToSCEVMapTy Same = sameLoads(From, To);
      addFootprints(To.Plain, From.Plain, Same);
      addFootprints(To.Atomic, From.Atomic, Same);
      for (auto [Array, Other] : zip_equal(To.Private, From.Private))
        addFootprints(Array.Groups, Other.Groups, Same);
    }
}

/// True if the condition is the same for all threads, or asks whether there are iterations.
bool Sharer::isAlike(Value *Condition, const SharedLoop &Loop,
                     SmallPtrSetImpl<Value *> &Seen) const {
  if (!Seen.insert(Condition).second || Q.Uniform(Condition, *Loop.L))
    return true;
  auto *I = dyn_cast<Instruction>(Condition);
  if (auto *Load = dyn_cast_or_null<LoadInst>(I))
    return is_contained({Loop.Division->Lower, Loop.Division->Upper}, Load->getPointerOperand());
  if (!I ||
      !isa<BinaryOperator, CastInst, CmpInst, SelectInst, FreezeInst, MinMaxIntrinsic, PHINode>(
          I) ||
      LI.isLoopHeader(I->getParent()))
    return false;
  if (isa<PHINode>(I)) {
    const BasicBlock *Fork = DT.getNode(I->getParent())->getIDom()->getBlock();
    auto *Branch = dyn_cast<BranchInst>(Fork->getTerminator());
    if (!Branch || !Branch->isConditional() || !isAlike(Branch->getCondition(), Loop, Seen) ||
        any_of(predecessors(I->getParent()), [&](const BasicBlock *From) {
          return From != Fork && From->getSinglePredecessor() != Fork;
        }))
      return false;
  }
  return all_of(I->operands(),
                [&](Value *Op) { return isa<Function>(Op) || isAlike(Op, Loop, Seen); });
}

/// The blocks between a division and the versions of its loop.
struct Sharer::Way {
  BasicBlock *Start;
  SmallPtrSet<BasicBlock *, 4> Headers;
  SmallSetVector<BasicBlock *, 16> Blocks;

  Way(const SharedLoop &Loop, ArrayRef<SharedLoop> Loops)
      : Start(Loop.Division->Division->getParent()) {
    for (const SharedLoop &Version : Loops)
      if (isVersion(Version, Loop))
        Headers.insert(Version.L->getHeader());
    SmallSetVector<BasicBlock *, 16> Behind; // the division, and not behind a version
    Behind.insert(Start);
    for (unsigned I = 0; I < Behind.size(); ++I)
      for (BasicBlock *Next : successors(Behind[I]))
        if (!Headers.contains(Next))
          Behind.insert(Next);
    SmallVector<BasicBlock *, 16> Work(Headers.begin(), Headers.end());
    while (!Work.empty())
      for (BasicBlock *From : predecessors(Work.pop_back_val()))
        if (Behind.contains(From) && Blocks.insert(From) && From != Start)
          Work.push_back(From);
  }
  /// To a version, and not to the next time that the division is made.
  bool leadsOn(BasicBlock *Next) const {
    return Headers.contains(Next) || (Blocks.contains(Next) && Next != Start);
  }
};

/// True if every thread that has iterations comes to a version of the loop, where it is waited for,
/// and does not pass by all of them for reasons of its own.
bool Sharer::allEnter(const SharedLoop &Loop, ArrayRef<SharedLoop> Loops) const {
  const Way To(Loop, Loops);
  return all_of(To.Blocks, [&](BasicBlock *Block) {
    if (all_of(successors(Block), [&](BasicBlock *Next) { return To.leadsOn(Next); }))
      return true;
    auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
    return Branch && Branch->isConditional() && isAlike(Branch->getCondition(), Loop);
  });
}

/// True if no thread runs one version while another one runs the other.
bool Sharer::chooseAlike(const SharedLoop &A, const SharedLoop &B) const {
  const Way To(A, {A, B});
  return all_of(To.Blocks, [&](BasicBlock *Block) {
    auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
    return count_if(successors(Block), [&](BasicBlock *Next) { return To.leadsOn(Next); }) < 2 ||
           (Branch && Q.Uniform(Branch->getCondition(), *A.L));
  });
}

bool Sharer::describeLoop(SharedLoop &Out) {
  const DividedLoop *D = Out.Division = divisionOf(*Out.L);
  if (!D)
    return fail("no loop of the region is divided among the threads in one piece each");
  if (Out.L->getExitingBlock() != Out.L->getLoopLatch())
    return fail("the divided loop may be left early");
  Now = Out.L;
  FirstIteration = lowerBound(*D);
  Out.Trip = tripOf(*D);
  if (!FirstIteration || !Out.Trip || !uniform(Out.Trip))
    return fail("the bounds of the divided loop may differ from thread to thread");
  for (auto &[Load, Address] : Q.Updates) {
    Loop *L = wholeLoop(*Load);
    if ((L && L != Out.L) || (!L && Q.Owned.contains(Load)) || describe(*Load, Address, Out))
      continue;
    if (!Q.MayBeLoose || !Out.L->contains(Load))
      return fail(NotAffine);
    Out.Loose.push_back({Load, Address});
  }
  if (!Out.Loose.empty() && !loosen(Out))
    return fail(NotAffine);
  if (!keepsPromises(Out))
    return fail("what is reached through an index may be reached in another way as well");
  return Out.Updates.size() <= 400 || fail("too many addresses");
}

/// Nobody but those who ask for pieces writes the memory of a bound while the loop runs.
bool Sharer::isBound(const Value *Memory, const NextPiece &Piece, const Loop &L) const {
  return isa<AllocaInst>(Memory) && all_of(Memory->users(), [&](const User *U) {
           auto *I = cast<Instruction>(U);
           if (auto *Store = dyn_cast<StoreInst>(I))
             return Store->getPointerOperand() == Memory && !L.contains(I);
           return isa<LoadInst>(I) || I->isLifetimeStartOrEnd() ||
                  any_of(Q.Pieces, [&](const NextPiece &Other) {
                    return Other.Call == I && Other.Lower == Piece.Lower &&
                           Other.Upper == Piece.Upper;
                  });
         });
}

/// What L asks for in each iteration; null: several things, or nothing.
const NextPiece *Sharer::pieceOf(const Loop &L) const {
  const NextPiece *Found = nullptr;
  for (const NextPiece &P : Q.Pieces) {
    if (!L.contains(P.Call))
      continue;
    if (LI.getLoopFor(P.Call->getParent()) != &L || (Found && Found->Lower != P.Lower))
      return nullptr;
    Found = &P;
  }
  return Found && Found->Lower != Found->Upper && isBound(Found->Lower, *Found, L) &&
                 isBound(Found->Upper, *Found, L)
             ? Found
             : nullptr;
}

/// The last one before L.
const DealtLoop *Sharer::dealOf(const Loop &L) const {
  const DealtLoop *Found = nullptr;
  for (const DealtLoop &D : Q.Deals)
    if (DT.dominates(D.Deal, &L.getHeader()->front()) &&
        (!Found || DT.dominates(Found->Deal, D.Deal)))
      Found = &D;
  auto *First = Found ? dyn_cast<ConstantInt>(Found->Lower) : nullptr;
  return First && !First->isNegative() &&
                 LI.getLoopFor(Found->Deal->getParent()) == L.getParentLoop() &&
                 Q.Phases.phaseOf(*Found->Deal->getNextNode()) ==
                     Q.Phases.phaseOf(L.getHeader()->front())
             ? Found
             : nullptr;
}

/// True if no other piece is asked for between the load of a bound and the loop over the piece.
bool Sharer::isFresh(const LoadInst &Bound, const Loop &Part) const {
  const Loop *All = Part.getParentLoop();
  if (LI.getLoopFor(Bound.getParent()) != All || !Bound.isSimple() ||
      !DT.dominates(Bound.getParent(), Part.getHeader()))
    return false;
  SmallPtrSet<BasicBlock *, 1> NextTime{All->getHeader()};
  return none_of(Q.Pieces, [&](const NextPiece &P) {
    return All->contains(P.Call) && !DT.dominates(P.Call, &Bound) &&
           (P.Call->getParent() == All->getHeader() ||
            isPotentiallyReachable(P.Call->getParent(), Part.getHeader(), &NextTime, &DT, &LI));
  });
}

/// True if a loop runs from the lower to the upper bound of the piece at hand. Its first iteration
/// is known then.
bool Sharer::isPiece(const Loop &Part, const NextPiece &Piece) {
  const SCEV *Count = SE.getBackedgeTakenCount(&Part);
  if (isa<SCEVCouldNotCompute>(Count))
    return false;
  auto LoadsOf = [&](Value *Memory) {
    SmallVector<LoadInst *, 2> Out;
    for (User *U : Memory->users())
      if (auto *Load = dyn_cast<LoadInst>(U); Load && isFresh(*Load, Part))
        Out.push_back(Load);
    return Out;
  };
  for (LoadInst *First : LoadsOf(Piece.Lower))
    for (LoadInst *Last : LoadsOf(Piece.Upper)) {
      if (First->getType() != Last->getType() ||
          SE.getTypeSizeInBits(Count->getType()) < SE.getTypeSizeInBits(First->getType()))
        continue;
      FirstIteration = First;
      if (SE.getTruncateOrNoop(Count, First->getType()) ==
          SE.getMinusSCEV(SE.getSCEV(Last), SE.getSCEV(First)))
        return true;
    }
  return false;
}

bool Sharer::describePart(Instruction &Load, Value *Address, const Loop &Part, SharedLoop &Out) {
  const SCEV *Pointer = SE.getSCEV(Address);
  const uint64_t Size = Load.getDataLayout().getTypeStoreSize(Load.getType());
  Type *T = Type::getInt64Ty(Load.getContext());
  Extent E{SE.getZero(T), SE.getConstant(T, Size)};
  const SCEV *S = integerOf(Pointer, &Part, E);
  auto Bytes = S ? footprint(S, &Part, E) : std::nullopt;
  if (Bytes)
    Out.Updates.push_back({&Load, *Bytes, SE.getPointerBase(Pointer), false});
  return Bytes.has_value();
}

///   while (next(&lower, &upper))  for (i = lower; i <= upper; ++i)  ...
bool Sharer::describeDealt(SharedLoop &Out) {
  const NextPiece *Piece = pieceOf(*Out.L);
  const DealtLoop *Deal = dealOf(*Out.L);
  if (!Piece || !Deal)
    return fail("no loop of the region is divided among the threads in one piece each");
  Now = Out.L;
  Type *I64 = Type::getInt64Ty(Deal->Deal->getContext());
  const SCEV *Last = SE.getSCEV(Deal->Upper);
  Out.Trip = SE.getAddExpr(SE.getOne(I64), Deal->IsSigned ? SE.getNoopOrSignExtend(Last, I64)
                                                          : SE.getNoopOrZeroExtend(Last, I64));
  if (!uniform(Out.Trip))
    return fail("the bounds of the divided loop may differ from thread to thread");
  for (auto &[Load, Address] : Q.Updates) {
    if (Q.Owned.contains(Load))
      continue;
    Loop *Part = LI.getLoopFor(Load->getParent());
    while (Part && Part->getParentLoop() != Out.L)
      Part = Part->getParentLoop();
    if (!Part || !isPiece(*Part, *Piece))
      return fail("an update is outside of the iterations that are dealt out");
    if (describePart(*Load, Address, *Part, Out))
      continue;
    if (!Q.MayBeLoose)
      return fail(NotAffine);
    Out.Loose.push_back({Load, Address});
  }
  if (!Out.Loose.empty() && !loosen(Out))
    return fail(NotAffine);
  classify(Out, {});
  if (Out.Plain.empty())
    return fail(Out.Loose.empty() ? "every iteration adds to the same memory" : NotAffine);
  return Out.Plain.size() <= 128 || fail("too many addresses");
}

SharingAnswer Sharer::run() {
  SharingAnswer Out;
  SmallSetVector<Loop *, 2> Loops = wholeLoops();
  if (Loops.empty())
    return {{}, "the update is outside loops"};
  if (!exclude(Loops.getArrayRef()))
    return {{}, "several loops add to shared memory, and no barrier is between them"};
  if (Loops.size() == 1 && !divisionOf(*Loops[0])) {
    Out.Loops.emplace_back();
    Out.Loops.back().L = Loops[0];
    Out.Loops.back().Phase = Q.Phases.phaseOf(Loops[0]->getHeader()->front());
    return describeDealt(Out.Loops.back()) ? std::move(Out) : SharingAnswer{{}, Why};
  }
  for (Loop *L : Loops) {
    Out.Loops.emplace_back();
    Out.Loops.back().L = L;
    Out.Loops.back().Phase = Q.Phases.phaseOf(L->getHeader()->front());
    if (!describeLoop(Out.Loops.back()))
      return {{}, Why};
  }
  SmallVector<const SCEV *, 2> Private = choosePrivate(Out.Loops);
  for (SharedLoop &Loop : Out.Loops)
    classify(Loop, Private);
  uniteVersions(Out.Loops);
  for (const SharedLoop &Loop : Out.Loops) {
    if (!allEnter(Loop, Out.Loops))
      return {{}, "a thread may pass by the divided loop"};
    if (Loop.Plain.empty() && Loop.Private.empty() && Loop.Loose.empty())
      return {{}, "every iteration adds to the same memory"};
    if (Loop.Plain.size() > 128)
      return {{}, "too many addresses"};
  }
  return Out;
}

} // namespace

SharingAnswer findSharedLoops(const SharingQuestions &Q, LoopInfo &LI, DominatorTree &DT,
                              ScalarEvolution &SE) {
  return Sharer(Q, LI, DT, SE).run();
}

} // namespace contraflow
