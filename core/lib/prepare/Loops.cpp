// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters first, so that scalar evolution can express everything else by them; then trip counts,
// expanded where the loop is entered; then the even steppers.

#include "Loops.h"
#include "Entered.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace contraflow {
namespace {

class LoopNumberer {
public:
  LoopNumberer(Function &F, FunctionAnalysisManager &FAM, LoopFacts &Facts)
      : LI(FAM.getResult<LoopAnalysis>(F)), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), Facts(Facts), Expander(SE, "cf") {}

  void run() {
    for (Loop *L : LI.getLoopsInPreorder())
      Facts[L->getHeader()].Counter = addCounter(*L);
    for (Loop *L : LI.getLoopsInPreorder())
      countIterations(*L);
    for (Loop *L : LI.getLoopsInPreorder())
      rewriteSteppers(*L);
  }

private:
  PHINode *addCounter(Loop &L);
  void countIterations(Loop &L);
  Value *expandCount(const SCEV *Count, Instruction *At);
  void askBefore(const Loop &L, const SCEV *Count, LoopFact &Fact);
  void rewriteSteppers(Loop &L);
  Value *stepper(const SCEVAddRecExpr &Rec, PHINode &Phi, Loop &L);

  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  LoopFacts &Facts;
  SCEVExpander Expander;
};

PHINode *LoopNumberer::addCounter(Loop &L) {
  BasicBlock *Header = L.getHeader();
  Type *I64 = Type::getInt64Ty(Header->getContext());
  PHINode *Counter = PHINode::Create(I64, 2, "cf.iv");
  Counter->insertBefore(Header->begin());
  IRBuilder<> B(L.getLoopLatch()->getTerminator());
  Value *Next = B.CreateAdd(Counter, ConstantInt::get(I64, 1), "cf.iv.next", true, true);
  Counter->addIncoming(ConstantInt::get(I64, 0), L.getLoopPreheader());
  Counter->addIncoming(Next, L.getLoopLatch());
  return Counter;
}

/// True if S, which may be negative elsewhere, is not where L is entered.
bool isNonNegativeInside(const SCEV *S, ScalarEvolution &SE, const DominatorTree &DT,
                         const Loop &L) {
  constexpr unsigned Most = 32;
  if (SE.isKnownNonNegative(SE.applyLoopGuards(S, &L)))
    return true;
  Type *Wide = Type::getInt64Ty(SE.getContext());
  if (SE.getTypeSizeInBits(S->getType()) < 64)
    S = SE.getSignExtendExpr(S, Wide);
  bool Joins = true; // scalar evolution goes no further up than where ways join
  const auto *At = DT.getNode(L.getLoopPreheader());
  for (unsigned I = 0; At && I < Most; ++I, At = At->getIDom()) {
    if (Joins &&
        SE.isBasicBlockEntryGuardedByCond(At->getBlock(), CmpInst::ICMP_SGE, S, SE.getZero(Wide)))
      return true;
    Joins = !At->getBlock()->getSinglePredecessor();
  }
  return false;
}

/// What hides the sign of a count where the loop is not entered: pointers that advance by 8 are
/// (end - begin) / 8 iterations apart, which is about 2^61 where the end is in front.
struct HiddenSigns {
  ScalarEvolution &SE;
  const DominatorTree &DT;
  const Loop &L;
  uint64_t Divisor = 1;
  unsigned Extended = 64; ///< bits from which the count is extended
  bool Known = true;
  bool Unsure = false; ///< what is extended may be negative, or a number without a sign

  bool follow(const SCEV *S) {
    if (const auto *Quotient = dyn_cast<SCEVUDivExpr>(S))
      divide(*Quotient);
    else if (const auto *From = dyn_cast<SCEVZeroExtendExpr>(S))
      extend(From->getOperand());
    return Known &&
           !isa<SCEVTruncateExpr>(S); // a number of its own, as a member of a packed structure
  }
  bool isDone() const { return !Known; }

private:
  void divide(const SCEVUDivExpr &Quotient) {
    constexpr uint64_t Most = 1 << 16;
    const auto *By = dyn_cast<SCEVConstant>(Quotient.getRHS());
    const SCEV *Of = Quotient.getLHS();
    auto Hides = [&](const SCEV *S) {
      const auto *From = dyn_cast<SCEVZeroExtendExpr>(S);
      return From && !SE.isKnownNonNegative(From->getOperand());
    };
    if (SE.isKnownNonNegative(Of) && !SCEVExprContains(Of, Hides))
      return;
    if (SE.getTypeSizeInBits(Of->getType()) < 64 && !isNonNegativeInside(Of, SE, DT, L)) {
      Unsure = true;
      return;
    }
    Known = By && By->getAPInt().ult(Most) && Divisor < Most;
    if (Known)
      Divisor *= By->getAPInt().getZExtValue();
  }
  void extend(const SCEV *From) {
    if (SE.isKnownNonNegative(From))
      return;
    if (!isNonNegativeInside(From, SE, DT, L))
      Unsure = true;
    else
      Extended = std::min<unsigned>(Extended, SE.getTypeSizeInBits(From->getType()));
  }
};

/// What S, a part of L's count, is at most wherever L is entered, if nothing that is extended is
/// negative there.
uint64_t mostOf(const SCEV *S, ScalarEvolution &SE, const Loop &L) {
  if (SE.isKnownNonPositive(S))
    return 0;
  if (const auto *Quotient = dyn_cast<SCEVUDivExpr>(S))
    if (const auto *By = dyn_cast<SCEVConstant>(Quotient->getRHS()))
      return mostOf(Quotient->getLHS(), SE, L) / By->getAPInt().getLimitedValue();
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
    uint64_t Most = 0;
    for (const SCEV *Part : Sum->operands())
      Most = SaturatingAdd(Most, mostOf(Part, SE, L));
    return Most;
  }
  if (const auto *Rec = dyn_cast<SCEVAddRecExpr>(S);
      Rec && SE.isKnownNonPositive(Rec->getStepRecurrence(SE)))
    return mostOf(Rec->getStart(), SE, L);
  const uint64_t Most = SE.getUnsignedRangeMax(SE.applyLoopGuards(S, &L)).getLimitedValue();
  const auto *Wide = dyn_cast<SCEVZeroExtendExpr>(S);
  const unsigned Bits = Wide ? SE.getTypeSizeInBits(Wide->getOperand()->getType()) : 64;
  return std::min(Most, (uint64_t(1) << (Bits - 1)) - 1);
}

/// A number that Count, of so many bits, is less than wherever the loop is entered, and is not
/// where it is negative or made of what is; 0: none is known. What is made of something extended
/// that is negative may be as small as half of what such a type holds.
uint64_t boundOf(const SCEV *Count, unsigned Width, uint64_t Most, const HiddenSigns &Signs) {
  const uint64_t Narrow = (uint64_t(1) << (Signs.Extended - 1)) / Signs.Divisor;
  if (Signs.Extended != 64 && Most >= Narrow)
    return 0;
  const unsigned Bits = std::min(Width, Signs.Extended);
  const uint64_t Bound = (uint64_t(1) << (Bits - 1)) / Signs.Divisor;
  if (Signs.Divisor == 1 || isa<SCEVUDivExpr>(Count))
    return std::min(Bound, SaturatingAdd(Most, uint64_t(1)));
  return Bits == 64 ? Bound / 2 : 0; // a sum of quotients
}

/// Count in 64 bits, as far in front of At as it is known.
Value *LoopNumberer::expandCount(const SCEV *Count, Instruction *At) {
  Value *Last = Expander.expandCodeFor(Count, Count->getType(), At);
  IRBuilder<> B(At);
  if (auto *I = dyn_cast<Instruction>(Last); I && I->getNextNode() && !isa<PHINode>(I))
    B.SetInsertPoint(I->getNextNode());
  else if (!isa<PHINode>(Last) && (isa<Argument>(Last) || isa<Constant>(Last)))
    B.SetInsertPoint(&*At->getFunction()->getEntryBlock().getFirstInsertionPt());
  if (Last->getType()->isPointerTy())
    Last = B.CreatePtrToInt(Last, B.getInt64Ty());
  return Last->getType()->isIntegerTy(64) ? Last : B.CreateZExt(Last, B.getInt64Ty(), "cf.last");
}

void LoopNumberer::countIterations(Loop &L) {
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  Instruction *At = L.getLoopPreheader()->getTerminator();
  if (isa<SCEVCouldNotCompute>(Count) || SE.getTypeSizeInBits(Count->getType()) > 64 ||
      !Expander.isSafeToExpandAt(Count, At))
    return;
  LoopFact &Fact = Facts[L.getHeader()];
  const unsigned Width = SE.getTypeSizeInBits(Count->getType());
  HiddenSigns Signs{SE, DT, L};
  visitAll(Count, Signs);
  const bool Hides = Signs.Divisor != 1 || Signs.Extended != 64;
  Signs.Unsure |= Width < 64 && !isNonNegativeInside(Count, SE, DT, L);
  if (Signs.Known && !Signs.Unsure && !Hides && SE.isKnownNonNegative(Count))
    Fact.Reach = CountReach::Anywhere;
  else if (Signs.Known && !Signs.Unsure &&
           (Fact.Bound = boundOf(Count, Width, mostOf(Count, SE, L), Signs)))
    Fact.Reach = CountReach::Clamped;
  Fact.Last = expandCount(Count, At);
  if (Fact.Reach == CountReach::Inside)
    askBefore(L, Count, Fact);
}

/// Where a count alone does not tell whether the loop runs, what leads there is asked as well, in
/// front of all loops in which the count is the same.
void LoopNumberer::askBefore(const Loop &L, const SCEV *Count, LoopFact &Fact) {
  if (L.isOutermost())
    return;
  Instruction *At = nullptr;
  for (Loop *Outer = L.getParentLoop(); Outer; Outer = Outer->getParentLoop()) {
    Instruction *Before = Outer->getLoopPreheader()->getTerminator();
    if (!SE.isLoopInvariant(Count, Outer) || !Expander.isSafeToExpandAt(Count, Before))
      break;
    At = Before;
  }
  if (!At)
    return;
  const EntryAnswer Answer = askWhetherEntered(L, Count, At, {LI, DT, SE, Expander});
  if (Answer.Always)
    Fact.Reach = CountReach::Anywhere;
  if (!Answer.Runs)
    return;
  IRBuilder<> B(At);
  Fact.Last = B.CreateSelect(Answer.Runs, expandCount(Count, At), B.getInt64(-1), "cf.last");
  Fact.Bound = ~uint64_t(0);
  Fact.Reach = CountReach::Clamped;
}

Value *LoopNumberer::stepper(const SCEVAddRecExpr &Rec, PHINode &Phi, Loop &L) {
  Instruction *Entry = L.getLoopPreheader()->getTerminator();
  const SCEV *Step = Rec.getStepRecurrence(SE);
  if (!Expander.isSafeToExpandAt(Step, Entry))
    return nullptr;
  Value *Start = Phi.getIncomingValueForBlock(L.getLoopPreheader());
  Value *StepV = Expander.expandCodeFor(Step, Step->getType(), Entry);
  IRBuilder<> B(&*L.getHeader()->getFirstInsertionPt());
  Value *Count = B.CreateZExtOrTrunc(Facts[L.getHeader()].Counter, StepV->getType());
  Value *Offset = B.CreateMul(Count, StepV);
  if (Phi.getType()->isPointerTy())
    return B.CreatePtrAdd(Start, Offset, Phi.getName() + ".at");
  return B.CreateAdd(Start, Offset, Phi.getName() + ".at");
}

void LoopNumberer::rewriteSteppers(Loop &L) {
  SmallVector<PHINode *, 4> Phis;
  for (PHINode &Phi : L.getHeader()->phis())
    if (&Phi != Facts[L.getHeader()].Counter && SE.isSCEVable(Phi.getType()))
      Phis.push_back(&Phi);
  for (PHINode *Phi : Phis) {
    auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Phi));
    if (!Rec || Rec->getLoop() != &L || !Rec->isAffine())
      continue;
    Value *At = stepper(*Rec, *Phi, L);
    if (!At)
      continue;
    SE.forgetValue(Phi);
    Phi->replaceAllUsesWith(At);
    RecursivelyDeleteDeadPHINode(Phi);
  }
}

} // namespace

void numberLoops(Function &F, FunctionAnalysisManager &FAM, LoopFacts &Facts) {
  LoopNumberer(F, FAM, Facts).run();
  PreservedAnalyses PA = PreservedAnalyses::none();
  PA.preserveSet<CFGAnalyses>();
  FAM.invalidate(F, PA);
}

} // namespace contraflow
