// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An untied task gives itself back to the library at each place where it may change threads, and
// goes on at the next part when it is entered again. Run at once, it goes on by itself:
//
//   switch (*part) {                        while (1) switch (*part) {
//   case 0: ...; *part = 1; task(self);       case 0: ...; *part = 1; continue;
//           return;                     ->
//   case 1: ...; return;                      case 1: ...; return;
//   }                                       }

#include "parallel/omp/Untied.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

/// What clang keeps in functions of their own at -O0.
void inlineParts(Function &F) {
  constexpr unsigned MostRounds = 4;
  for (unsigned Round = 0; Round < MostRounds; ++Round) {
    SmallVector<CallBase *, 4> Calls;
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && !Callee->isDeclaration() && Callee->hasInternalLinkage() && Callee != &F &&
          is_contained(Call->args(), F.getArg(1)))
        Calls.push_back(Call);
    }
    for (CallBase *Call : Calls) {
      InlineFunctionInfo Info;
      InlineFunction(*Call, Info);
    }
    if (Calls.empty())
      return;
  }
}

/// The load of the part's number, on which the task chooses where to go on.
LoadInst *partOf(Function &F) {
  for (Instruction &I : instructions(F))
    if (auto *Switch = dyn_cast<SwitchInst>(&I))
      if (auto *Load = dyn_cast<LoadInst>(Switch->getCondition());
          Load && Load->getParent() == Switch->getParent() &&
          Load->getPointerOperand()->stripInBoundsConstantOffsets() == F.getArg(1))
        return Load;
  return nullptr;
}

void goOn(CallBase &Call, BasicBlock *Choice) {
  BasicBlock *Block = Call.getParent();
  if (!Call.use_empty())
    Call.replaceAllUsesWith(Constant::getNullValue(Call.getType()));
  for (BasicBlock *Next : successors(Block))
    Next->removePredecessor(Block);
  while (&Block->back() != &Call) {
    Instruction &Last = Block->back();
    Last.replaceAllUsesWith(PoisonValue::get(Last.getType()));
    Last.eraseFromParent();
  }
  BranchInst::Create(Choice, Call.getIterator());
  Call.eraseFromParent();
}

} // namespace

void promoteVariables(Function &F) {
  DominatorTree DT(F);
  SmallVector<AllocaInst *, 8> Cells;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Cell = dyn_cast<AllocaInst>(&I); Cell && isAllocaPromotable(Cell))
      Cells.push_back(Cell);
  PromoteMemToReg(Cells, DT);
}

Function *tiedCopy(Function &Entry, StringRef RunTask) {
  const std::string Name = (Entry.getName() + ".tied").str();
  if (Function *Made = Entry.getParent()->getFunction(Name)) // a task that makes tasks like itself
    return Made;
  ValueToValueMapTy Map;
  Function *F = CloneFunction(&Entry, Map);
  F->setName(Name);
  F->setLinkage(GlobalValue::InternalLinkage);
  inlineParts(*F);
  promoteVariables(*F);
  SmallVector<CallBase *, 4> Suspensions;
  for (Instruction &I : instructions(*F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && Callee->getName() == RunTask && Call->getArgOperand(2) == F->getArg(1))
      Suspensions.push_back(Call);
  }
  LoadInst *Part = partOf(*F);
  if (Part) {
    BasicBlock *Choice = SplitBlock(Part->getParent(), Part->getIterator());
    for (CallBase *Call : Suspensions)
      goOn(*Call, Choice);
    removeUnreachableBlocks(*F);
  }
  return F;
}

} // namespace contraflow::omp
