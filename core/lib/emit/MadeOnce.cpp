// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A local variable with static storage is made where control first comes to it (Itanium C++ ABI,
// 3.3.3), and cannot be unmade. What makes it stays done when a derivative call begins again:
//
//   if (__cxa_guard_acquire(&guard)) { table = make(); __cxa_guard_release(&guard); }
//                                      ^ this block, and functions that are called here only

#include "MadeOnce.h"
#include "callee/Variables.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace contraflow {

/// Where control goes if the answer of a guard is that the variable has to be made.
static SmallVector<BasicBlockEdge, 1> makingEdges(const CallBase &Guard) {
  SmallVector<BasicBlockEdge, 1> Found;
  for (const User *Asked : Guard.users()) {
    const auto *Compare = dyn_cast<ICmpInst>(Asked);
    if (!Compare || !Compare->isEquality() ||
        !match(Compare->getOperand(1), PatternMatch::m_Zero()))
      continue;
    const unsigned Made = Compare->getPredicate() == ICmpInst::ICMP_EQ;
    for (const User *U : Compare->users())
      if (const auto *Branch = dyn_cast<BranchInst>(U))
        Found.emplace_back(Branch->getParent(), Branch->getSuccessor(Made));
  }
  return Found;
}

MadeOnce::MadeOnce(ArrayRef<Function *> Closure, FunctionAnalysisManager &FAM) {
  for (Function *F : Closure)
    for (const Instruction &I : instructions(*F))
      if (const auto *Call = dyn_cast<CallBase>(&I);
          Call && Call->getCalledFunction() && isGuardTaken(*Call->getCalledFunction()))
        for (const BasicBlockEdge &Edge : makingEdges(*Call))
          for (const BasicBlock &Block : *F)
            if (FAM.getResult<DominatorTreeAnalysis>(*F).dominates(Edge, &Block))
              Blocks.insert(&Block);
  if (Blocks.empty())
    return;
  for (Function *F : Closure)
    follow(Closure, *F, /*Making=*/true, Makers);
  Others.insert(Closure.front());
  follow(Closure, *Closure.front(), /*Making=*/false, Others);
}

void MadeOnce::follow(ArrayRef<Function *> Closure, const Function &F, bool Making,
                      Functions &Found) const {
  const bool Whole = Making && Found.contains(&F);
  for (const BasicBlock &Block : F) {
    if (!Whole && Blocks.contains(&Block) != Making)
      continue;
    for (const Instruction &I : Block)
      for (const Value *Op : I.operands())
        if (const auto *Named = dyn_cast<Function>(Op);
            Named && is_contained(Closure, Named) && Found.insert(Named).second)
          follow(Closure, *Named, Making, Found);
  }
}

bool MadeOnce::contains(const Instruction &I) const {
  const Function *F = I.getFunction();
  return Blocks.contains(I.getParent()) || (Makers.contains(F) && !Others.contains(F));
}

bool MadeOnce::isMixed(const Instruction &I) const {
  const Function *F = I.getFunction();
  return !Blocks.contains(I.getParent()) && Makers.contains(F) && Others.contains(F);
}

} // namespace contraflow
