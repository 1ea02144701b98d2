// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block is reached if one of those before it is, and goes there. What is not known in front of
// the nest counts as true, and so does what is too far away: the answer may be yes for a loop that
// is not entered. Of a loop that is passed on the way, it is asked whether it is entered.

#include "Entered.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

class Ways {
public:
  Ways(const Loop &L, const SCEV *Count, Instruction *At, const EntryFacts &In)
      : Top(*L.getOutermostLoop()), In(In), At(At) {
    SCEVExprContains(Count, [&](const SCEV *S) {
      if (isa<SCEVUnknown>(S))
        Parts.insert(S);
      return false;
    });
  }

  /// Null stands for true.
  Value *reached(BasicBlock *To);
  bool Guessed = false; ///< something that is not known was taken for true
  bool Tells = false;   ///< something was asked about what the count is made of

private:
  Value *comesFrom(BasicBlock *From, BasicBlock *To);
  Value *condition(Value *Asked, bool Holds);
  Value *comparison(ICmpInst &Compare, bool Holds);
  Value *guess() {
    Guessed = true;
    return nullptr;
  }
  Value *both(Value *A, Value *B) const {
    return !A ? B : !B ? A : IRBuilder<>(At).CreateAnd(A, B);
  }
  Value *either(Value *A, Value *B) const {
    return !A || !B ? nullptr : IRBuilder<>(At).CreateOr(A, B);
  }

  static constexpr unsigned MostSteps = 64;
  const Loop &Top;
  const EntryFacts &In;
  Instruction *At;
  SmallPtrSet<const SCEV *, 8> Parts;
  DenseMap<BasicBlock *, Value *> Known;
  unsigned Steps = 0;
};

Value *Ways::comparison(ICmpInst &Compare, bool Holds) {
  if (!In.SE.isSCEVable(Compare.getOperand(0)->getType()))
    return guess();
  Value *Sides[2];
  for (unsigned I : {0u, 1u}) {
    const SCEV *Side = In.SE.getSCEV(Compare.getOperand(I));
    if (!In.Expander.isSafeToExpandAt(Side, At))
      return guess();
    Tells |= SCEVExprContains(Side, [&](const SCEV *S) { return Parts.contains(S); });
    Sides[I] = In.Expander.expandCodeFor(Side, Side->getType(), At);
  }
  IRBuilder<> B(At);
  const auto Predicate = Holds ? Compare.getPredicate() : Compare.getInversePredicate();
  return B.CreateFreeze(B.CreateICmp(Predicate, Sides[0], Sides[1]));
}

Value *Ways::condition(Value *Asked, bool Holds) {
  if (++Steps > MostSteps)
    return guess();
  Value *Left, *Right;
  if (match(Asked, m_LogicalAnd(m_Value(Left), m_Value(Right)))) {
    Value *First = condition(Left, Holds), *Second = condition(Right, Holds);
    return Holds ? both(First, Second) : either(First, Second);
  }
  if (match(Asked, m_LogicalOr(m_Value(Left), m_Value(Right)))) {
    Value *First = condition(Left, Holds), *Second = condition(Right, Holds);
    return Holds ? either(First, Second) : both(First, Second);
  }
  if (auto *Compare = dyn_cast<ICmpInst>(Asked))
    return comparison(*Compare, Holds);
  if (!In.DT.dominates(Asked, At))
    return guess();
  Tells = true; // a flag
  IRBuilder<> B(At);
  Asked = B.CreateFreeze(Asked);
  return Holds ? Asked : B.CreateNot(Asked);
}

Value *Ways::comesFrom(BasicBlock *From, BasicBlock *To) {
  const Loop *Passed = nullptr;
  for (Loop *L = In.LI.getLoopFor(From); L && !L->contains(To); L = L->getParentLoop())
    Passed = L;
  if (Passed) {
    Guessed |= !Passed->getUniqueExitBlock();
    return reached(Passed->getLoopPreheader());
  }
  Value *Before = reached(From);
  auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
  if (From->getUniqueSuccessor())
    return Before;
  if (!Branch)
    return guess();
  return both(Before, condition(Branch->getCondition(), Branch->getSuccessor(0) == To));
}

Value *Ways::reached(BasicBlock *To) {
  if (To == Top.getHeader())
    return nullptr;
  if (In.LI.isLoopHeader(To))
    return reached(In.LI.getLoopFor(To)->getLoopPreheader());
  if (auto Found = Known.find(To); Found != Known.end())
    return Found->second;
  if (++Steps > MostSteps)
    return guess();
  Value *Any = nullptr;
  bool First = true;
  for (BasicBlock *From : predecessors(To)) {
    Value *One = comesFrom(From, To);
    Any = First ? One : either(Any, One);
    First = false;
  }
  return Known[To] = Any;
}

} // namespace

EntryAnswer askWhetherEntered(const Loop &L, const SCEV *Count, Instruction *At,
                              const EntryFacts &Facts) {
  Ways Asked(L, Count, At, Facts);
  Value *Runs = Asked.reached(L.getLoopPreheader());
  if (Runs)
    return {false, Asked.Tells ? Runs : nullptr};
  return {!Asked.Guessed, nullptr};
}

} // namespace contraflow
