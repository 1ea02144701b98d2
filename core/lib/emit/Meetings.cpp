// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Meetings.h"
#include "contraflow/core/Barrier.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace contraflow {
namespace {

/// What may run between the last barriers and a place.
struct Before {
  bool Waits = false;  ///< a thread may wait there for another one
  bool Shares = false; ///< work is shared out, or done by one thread
};

class Walk {
public:
  explicit Walk(const ReverseSteps &Steps) : Steps(Steps) {}
  Before from(const Instruction &Place);

private:
  void visit(const Instruction &I);
  /// Everything in front of the end, or from the last barrier on.
  void visit(const BasicBlock &Block, BasicBlock::const_iterator End);

  const ReverseSteps &Steps;
  Before Found;
  SmallVector<const BasicBlock *, 16> Work;
};

void Walk::visit(const Instruction &I) {
  const CallSite *Site = Steps.hasWork(I) ? Steps.site(I) : nullptr;
  Found.Waits |= Site && !Site->Recorded.empty();
  Found.Shares |= isMeetingPlace(I) || choosesThread(I) == Chosen::First;
}

void Walk::visit(const BasicBlock &Block, BasicBlock::const_iterator End) {
  while (End != Block.begin()) {
    const Instruction &I = *--End;
    if (isBarrier(I))
      return;
    visit(I);
  }
  append_range(Work, predecessors(&Block));
}

Before Walk::from(const Instruction &Place) {
  visit(*Place.getParent(), Place.getIterator());
  SmallPtrSet<const BasicBlock *, 16> Seen;
  while (!Work.empty())
    if (const BasicBlock *Block = Work.pop_back_val(); Seen.insert(Block).second)
      visit(*Block, Block->end());
  return Found;
}

} // namespace

void chooseMeetings(const Unit &U, const ReverseSteps &Steps) {
  SmallVector<CallBase *, 4> Out;
  for (Instruction &I : instructions(*U.Forward))
    if (isMeetingPlace(I)) {
      const Before Found = Walk(Steps).from(I);
      if (Found.Shares && !Found.Waits)
        Out.push_back(cast<CallBase>(&I));
    }
  for (CallBase *Call : Out)
    markMeeting(*Call);
}

const CallBase *choiceFor(const Instruction &I, const DominatorTree &DT) {
  using namespace PatternMatch;
  for (auto *Node = DT.getNode(I.getParent()); Node; Node = Node->getIDom()) {
    const BasicBlock *Block = Node->getBlock(), *From = Block->getSinglePredecessor();
    auto *Branch = From ? dyn_cast<BranchInst>(From->getTerminator()) : nullptr;
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      continue;
    auto *Test = dyn_cast<ICmpInst>(Branch->getCondition());
    auto *Call = Test ? dyn_cast<CallBase>(Test->getOperand(0)) : nullptr;
    if (Call && choosesThread(*Call) != Chosen::None && Test->isEquality() &&
        match(Test->getOperand(1), m_Zero()) &&
        Block == Branch->getSuccessor(Test->getPredicate() == ICmpInst::ICMP_NE ? 0 : 1))
      return Call;
  }
  return nullptr;
}

} // namespace contraflow
