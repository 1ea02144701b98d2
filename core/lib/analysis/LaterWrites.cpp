// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both are in some loops together. Of two executions, the store's is later if it is in a later
// iteration of one of these, and in the same iteration of those around it, or if both are in the
// same iteration of all, and control comes to the store behind the load. For each case the bytes
// that loops further inside make of either are compared:
//
//   later in k    a[i][k] is left of column k + 1, where later stores begin, in rows of 8 n bytes
//   later in i    the same columns, other rows
//
// Bytes are apart if one range is behind the other, or if both walk in steps of S bytes and are
// apart modulo S. Addresses do not wrap around, nor do counts and indices of what is accessed.

#include "LaterWrites.h"
#include "support/AccessRange.h"

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

/// What a store, a memset or a memcpy writes; none for anything else.
static std::optional<std::pair<Value *, uint64_t>> writtenBy(Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    const TypeSize Size = I.getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType());
    if (!Size.isScalable())
      return std::pair{Store->getPointerOperand(), uint64_t(Size.getFixedValue())};
  }
  if (auto *Memory = dyn_cast<MemIntrinsic>(&I))
    if (auto *Length = dyn_cast<ConstantInt>(Memory->getLength()))
      return std::pair{Memory->getRawDest(), Length->getZExtValue()};
  return std::nullopt;
}

std::optional<LaterWrites::Two> LaterWrites::describe(LoadInst &Load, Instruction &Store) const {
  const auto Written = writtenBy(Store);
  if (!Written || Load.getType()->isScalableTy())
    return std::nullopt;
  const SCEV *From = SE.getSCEV(Load.getPointerOperand()), *To = SE.getSCEV(Written->first);
  if (SE.getPointerBase(From) != SE.getPointerBase(To))
    return std::nullopt;
  Type *T = Type::getInt64Ty(Load.getContext());
  auto Describe = [&](const SCEV *S, const Instruction &I, uint64_t Size) {
    return Access{SE.getPtrToIntExpr(S, T), LI.getLoopFor(I.getParent()), Size};
  };
  const uint64_t Read = Load.getDataLayout().getTypeStoreSize(Load.getType()).getFixedValue();
  Two Out{Describe(From, Load, Read), Describe(To, Store, Written->second)};
  if (isa<SCEVCouldNotCompute>(Out.Load.Address) || isa<SCEVCouldNotCompute>(Out.Store.Address))
    return std::nullopt;
  return Out;
}

/// A summand as a number times something.
static std::pair<APInt, const SCEV *> factorsOf(ScalarEvolution &SE, const SCEV *Summand) {
  if (auto *Number = dyn_cast<SCEVConstant>(Summand))
    return {Number->getAPInt(), SE.getOne(Summand->getType())};
  auto *Product = dyn_cast<SCEVMulExpr>(Summand);
  auto *Number = Product ? dyn_cast<SCEVConstant>(Product->getOperand(0)) : nullptr;
  if (!Number)
    return {APInt(64, 1), Summand};
  SmallVector<const SCEV *, 4> Others(drop_begin(Product->operands()));
  return {Number->getAPInt(), SE.getMulExpr(Others)};
}

/// S less multiples of the cycle.
const SCEV *LaterWrites::reduced(const SCEV *S, const SCEV *Cycle) const {
  if (auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
    SmallVector<const SCEV *, 4> Parts;
    for (const SCEV *Part : Sum->operands())
      Parts.push_back(reduced(Part, Cycle));
    return SE.getAddExpr(Parts);
  }
  const auto [Times, What] = factorsOf(SE, S);
  const auto [Each, Of] = factorsOf(SE, Cycle);
  if (What != Of || Each.isZero())
    return S;
  APInt Rest = Times.srem(Each);
  const APInt Size = Each.abs();
  if ((Rest + Rest).sgt(Size))
    Rest -= Size;
  else if ((Rest + Rest).slt(-Size))
    Rest += Size;
  return SE.getMulExpr(SE.getConstant(Rest), What);
}

/// The steps of a walk, each less multiples of the cycle, from another start. Null if a step or the
/// start is not the same all the time.
const SCEV *LaterWrites::residue(const SCEV *Walk, const SCEV *Start, const SCEV *Cycle) const {
  SmallVector<std::pair<const Loop *, const SCEV *>, 4> Ways;
  for (auto *Rec = dyn_cast<SCEVAddRecExpr>(Walk); Rec; Rec = dyn_cast<SCEVAddRecExpr>(Walk)) {
    const SCEV *Step = Rec->getStepRecurrence(SE);
    if (!Rec->isAffine() ||
        SCEVExprContains(Step, [](const SCEV *Part) { return isa<SCEVAddRecExpr>(Part); }))
      return nullptr;
    Ways.push_back({Rec->getLoop(), reduced(Step, Cycle)});
    Walk = Rec->getStart();
  }
  for (auto [L, Step] : reverse(Ways)) {
    if (Step->isZero())
      continue;
    if (!SE.isAvailableAtLoopEntry(Start, L) || !SE.isAvailableAtLoopEntry(Step, L))
      return nullptr;
    Start = SE.getAddRecExpr(Start, Step, L, SCEV::FlagAnyWrap);
  }
  return Start;
}

static const SCEV *startOf(const SCEV *Walk) {
  while (auto *Rec = dyn_cast<SCEVAddRecExpr>(Walk))
    Walk = Rec->getStart();
  return Walk;
}

std::optional<LaterWrites::Two> LaterWrites::modulo(const Two &T, const SCEV *Cycle) const {
  Two Out = T;
  Out.Cycle = Cycle;
  Out.Load.Left = startOf(T.Load.Address);
  Out.Store.Left = startOf(T.Store.Address);
  const SCEV *Between = SE.getMinusSCEV(Out.Store.Left, Out.Load.Left);
  Out.Load.Address = residue(T.Load.Address, SE.getZero(Cycle->getType()), Cycle);
  Out.Store.Address = residue(T.Store.Address, reduced(Between, Cycle), Cycle);
  if (!Out.Load.Address || !Out.Store.Address)
    return std::nullopt;
  return Out;
}

/// False if what a residue leaves out may be another in each iteration: row and width of
/// a[row[i] * width[i] + k].
bool LaterWrites::isFixedIn(const Loop &L, const Access &A, const SCEV *Cycle) const {
  return !Cycle || (SE.isLoopInvariant(A.Left, &L) && SE.isLoopInvariant(Cycle, &L));
}

/// What is touched by all loops inside of one, or (null) of the function.
std::optional<LaterWrites::Bytes> LaterWrites::bytes(const Access &A, const Loop *Outside,
                                                     const SCEV *Cycle) const {
  const SCEV *Low = A.Address, *High = A.Address;
  for (const Loop *L = A.Inside; L != Outside; L = L->getParentLoop()) {
    if (!isFixedIn(*L, A, Cycle))
      return std::nullopt;
    Low = extremeIn(SE, Low, *L, Extreme::Lowest);
    High = Low ? extremeIn(SE, High, *L, Extreme::Highest) : nullptr;
    if (!High)
      return std::nullopt;
  }
  return Bytes{Low, SE.getAddExpr(High, SE.getConstant(High->getType(), A.Size))};
}

bool LaterWrites::atMost(const SCEV *Low, const SCEV *High, const Two &T) const {
  const SCEV *Rest = SE.getMinusSCEV(High, Low);
  if (isNonNegative(SE, Rest))
    return true;
  return T.Load.Inside && isNonNegative(SE, SE.applyLoopGuards(Rest, T.Load.Inside));
}

/// True if the second is behind the first, and not in its next turn.
bool LaterWrites::fits(const Bytes &First, const Bytes &Second, const Two &T) const {
  return atMost(First.second, Second.first, T) &&
         (!T.Cycle || atMost(Second.second, SE.getAddExpr(First.first, T.Cycle), T));
}

bool LaterWrites::apartWithin(const Loop *Outside, const Two &T) const {
  const auto Read = bytes(T.Load, Outside, T.Cycle), Written = bytes(T.Store, Outside, T.Cycle);
  return Read && Written && (fits(*Read, *Written, T) || fits(*Written, *Read, T));
}

/// Its value one iteration later, which no later one is below (above); null if that is not known.
const SCEV *LaterWrites::inNext(const SCEV *S, const Loop &L, bool Rising) const {
  if (SE.isLoopInvariant(S, &L))
    return S;
  const auto Walked = walkIn(SE, S, L);
  return Walked && Walked->Rises == Rising ? Walked->Rec->getPostIncExpr(SE) : nullptr;
}

bool LaterWrites::apartLater(const Loop &L, const Two &T) const {
  const auto Read = bytes(T.Load, &L, T.Cycle), Written = bytes(T.Store, &L, T.Cycle);
  if (!Read || !Written || !isFixedIn(L, T.Load, T.Cycle))
    return false;
  Bytes Ever;
  if (T.Cycle) {
    const auto All = bytes(T.Store, L.getParentLoop(), T.Cycle);
    if (!All)
      return false;
    Ever = *All;
  }
  const SCEV *Begin = inNext(Written->first, L, true), *End = inNext(Written->second, L, false);
  return (Begin && fits(*Read, {Begin, Ever.second}, T)) ||
         (End && fits({Ever.first, End}, *Read, T));
}

/// Asks of the addresses, and of their residues modulo the steps of the load.
template <typename Question> bool LaterWrites::any(const Two &T, Question Q) const {
  constexpr uint64_t LeastCycle = 9;
  if (Q(T))
    return true;
  for (auto *Rec = dyn_cast<SCEVAddRecExpr>(T.Load.Address); Rec;
       Rec = dyn_cast<SCEVAddRecExpr>(Rec->getStart())) {
    const SCEV *Step = Rec->getStepRecurrence(SE);
    auto *Number = dyn_cast<SCEVConstant>(Step);
    if (isa<SCEVAddRecExpr>(Step) || (Number && Number->getAPInt().abs().ult(LeastCycle)))
      continue;
    const SCEV *Guarded = SE.applyLoopGuards(Step, Rec->getLoop());
    const bool Rises = isNonNegative(SE, Guarded);
    if (!Rises && !isNonNegative(SE, SE.getNegativeSCEV(Guarded)))
      continue;
    const auto Residues = modulo(T, Rises ? Step : SE.getNegativeSCEV(Step));
    if (Residues && Q(*Residues))
      return true;
  }
  return false;
}

/// True if control may come from the load to the store in one iteration.
bool LaterWrites::mayFollowInIteration(const Loop &L, Instruction &Load, Instruction &Store) const {
  if (Load.getParent() == Store.getParent() && LI.getLoopFor(Load.getParent()) == &L)
    return Load.comesBefore(&Store);
  SmallPtrSet<BasicBlock *, 1> Header = {L.getHeader()};
  SmallVector<BasicBlock *, 4> Todo(successors(Load.getParent()));
  return isPotentiallyReachableFromMany(Todo, Store.getParent(), &Header, &DT);
}

bool LaterWrites::leave(LoadInst &Load, Instruction &Store) {
  if (!Left)
    return false;
  const auto T = describe(Load, Store);
  if (!T)
    return false;
  --Left;
  SmallVector<const Loop *, 4> Common;
  for (const Loop *L = T->Load.Inside; L; L = L->getParentLoop())
    if (L->contains(&Store))
      Common.push_back(L);
  const Loop *Outside = nullptr;
  for (const Loop *L : reverse(Common)) {
    if (any(*T, [&](const Two &A) { return apartWithin(Outside, A); }))
      return true;
    if (!any(*T, [&](const Two &A) { return apartLater(*L, A); }))
      return false;
    Outside = L;
  }
  return (Outside && !mayFollowInIteration(*Outside, Load, Store)) ||
         any(*T, [&](const Two &A) { return apartWithin(Outside, A); });
}

bool LaterWrites::leaveIn(const Loop &L, LoadInst &Load, Instruction &Store) {
  if (!Left)
    return false;
  const auto T = describe(Load, Store);
  if (!T || !SE.isLoopInvariant(SE.getPointerBase(SE.getSCEV(Load.getPointerOperand())), &L))
    return false;
  --Left;
  return any(*T, [&](const Two &A) { return apartWithin(L.getParentLoop(), A); });
}

} // namespace contraflow
