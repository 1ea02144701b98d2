// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much is read and how much is written is estimated as the plan does it: bytes, times 16 per
// level of loops, those around the calls of a function as well. What is written stands for the size
// of the memory. What is freed once costs no more than the program has at one time anyway; what is
// freed again and again piles up, so it has to be read several times as often.

#include "LaterFrees.h"
#include "Reach.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Memory of one node.
struct Block {
  uint64_t Read = 0, Written = 0;
  unsigned Freed = 0;  ///< in how many loops
  bool Users = false;  ///< a function of the program takes it back, and may be unable to later
  bool InLoop = false; ///< it is read in a loop
};

class FreeFinder {
public:
  FreeFinder(ArrayRef<Function *> Closure, const ActivityResult &Activity,
             const HandlerRegistry &Handlers, FunctionAnalysisManager &FAM)
      : Closure(Closure), Activity(Activity), Handlers(Handlers), FAM(FAM) {}
  DenseSet<unsigned> run(bool Estimate);

private:
  bool findFrees();
  void findCalls();
  unsigned depthOf(const Function &F);
  unsigned depthOf(const Instruction &I);
  Block *blockOf(const Value *Pointer);
  void look(Instruction &I);
  void lookAtCall(CallBase &Call);
  bool isWanted(const Instruction &Load) const;
  uint64_t weight(uint64_t Bytes, unsigned Depth) const { return Bytes << 4 * std::min(Depth, 8u); }

  ArrayRef<Function *> Closure;
  const ActivityResult &Activity;
  const HandlerRegistry &Handlers;
  FunctionAnalysisManager &FAM;
  DenseMap<unsigned, Block> Blocks;
  DenseMap<const Function *, SmallVector<const CallBase *, 2>> Calls;
  DenseMap<const Function *, unsigned> Depths;
};

bool FreeFinder::findFrees() {
  const MemoryGraph &Graph = Activity.memory();
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || lookupCallee(*Call).Kind != CalleeKind::Free || !Handlers.find(*Call))
        continue;
      if (Location At = Graph.find(Call->getArgOperand(0)); At && !Activity.hasShadow(At.Node))
        Blocks[Graph.canonical(At.Node)].Users |= lookupCallee(*Call).FreeKind == FreeByUser;
    }
  return !Blocks.empty();
}

void FreeFinder::findCalls() {
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      if (Function *Callee = Call->getCalledFunction(); Callee && !Callee->isDeclaration())
        Calls[Callee].push_back(Call);
      if (const ConstructHandler *H = Handlers.find(*Call))
        if (auto C = H->closure(*Call))
          Calls[C->Body].push_back(Call);
    }
}

/// In how many loops a function is called; one that calls itself is in one more.
unsigned FreeFinder::depthOf(const Function &F) {
  auto [It, New] = Depths.try_emplace(&F, 1);
  if (!New)
    return It->second;
  unsigned Deepest = 0;
  for (const CallBase *Call : Calls.lookup(&F))
    Deepest = std::max(Deepest, depthOf(*Call));
  return Depths[&F] = Deepest;
}

unsigned FreeFinder::depthOf(const Instruction &I) {
  Function &F = *const_cast<Function *>(I.getFunction());
  return std::min(8u, depthOf(F) + FAM.getResult<LoopAnalysis>(F).getLoopDepth(I.getParent()));
}

Block *FreeFinder::blockOf(const Value *Pointer) {
  const Location At = Activity.memory().find(Pointer);
  auto It = At ? Blocks.find(Activity.memory().canonical(At.Node)) : Blocks.end();
  return It == Blocks.end() ? nullptr : &It->second;
}

/// True if the reverse sweep may ask for what is loaded: an address of active memory follows from
/// it, or it is a factor of active numbers.
bool FreeFinder::isWanted(const Instruction &Load) const {
  constexpr unsigned Most = 128;
  SmallPtrSet<const User *, 16> Seen;
  SmallVector<const Instruction *, 16> Todo{&Load};
  while (!Todo.empty() && Seen.size() < Most) {
    const Instruction *I = Todo.pop_back_val();
    for (const User *U : I->users()) {
      const auto *Next = cast<Instruction>(U);
      if (!Seen.insert(Next).second)
        continue;
      if (const Value *At = getLoadStorePointerOperand(Next)) {
        if (At == I && Activity.hasShadow(At))
          return true;
        if (At == I && isa<LoadInst>(Next))
          Todo.push_back(Next);
      } else if (Activity.active(Next)) {
        if (!is_contained({Instruction::FAdd, Instruction::FSub}, Next->getOpcode()))
          return true;
      } else if (!Next->getType()->isVoidTy() &&
                 (!isa<CallBase>(Next) || isa<IntrinsicInst>(Next))) {
        Todo.push_back(Next);
      }
    }
  }
  return false;
}

void FreeFinder::lookAtCall(CallBase &Call) {
  const CalleeInfo Info = lookupCallee(Call);
  constexpr uint64_t Some = 8;
  const unsigned Depth = depthOf(Call);
  auto Fill = [&](Block *At, const Value *Length) {
    const auto *Known = dyn_cast_or_null<ConstantInt>(Length);
    if (At)
      At->Written +=
          Known ? weight(Known->getLimitedValue(1 << 20), Depth) : weight(Some, Depth + 1);
  };
  if (Info.Kind == CalleeKind::Free) {
    if (Block *At = blockOf(Call.getArgOperand(0)))
      At->Freed = std::max(At->Freed, Depth);
  } else if (Info.Kind == CalleeKind::Allocate && Info.Zeroed) {
    Fill(blockOf(&Call), nullptr);
  } else if (auto *Memory = dyn_cast<AnyMemIntrinsic>(&Call)) {
    auto *Move = dyn_cast<AnyMemTransferInst>(Memory);
    Block *To = blockOf(Memory->getRawDest());
    if (!Move || To != blockOf(Move->getRawSource())) // not an array that grows
      Fill(To, Memory->getLength());
  } else if (const ConstructHandler *H = Handlers.find(Call)) {
    const CallFacts Facts = H->facts(Call);
    for (unsigned Operand : Facts.Writes)
      Fill(blockOf(Call.getArgOperand(Operand)), nullptr);
  }
}

void FreeFinder::look(Instruction &I) {
  const DataLayout &DL = I.getDataLayout();
  if (auto *Call = dyn_cast<CallBase>(&I))
    return lookAtCall(*Call);
  auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load && !isa<StoreInst>(I))
    return;
  Block *At = blockOf(getLoadStorePointerOperand(&I));
  if (!At)
    return;
  const uint64_t Weight =
      weight(DL.getTypeStoreSize(getLoadStoreType(&I)).getFixedValue(), depthOf(I));
  if (!Load) {
    At->Written += Weight;
  } else if (Load->isSimple() && isWanted(*Load)) {
    At->Read += Weight;
    At->InLoop |= depthOf(I) > 0;
  }
}

DenseSet<unsigned> FreeFinder::run(bool Estimate) {
  DenseSet<unsigned> Out;
  if (!findFrees())
    return Out;
  findCalls();
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F))
      look(I);
  const BitVector Asked = reachedByRules(Closure, Activity.memory(), Handlers);
  for (const auto &[Node, B] : Blocks)
    if (const bool Pays = Estimate && B.InLoop && (B.Freed == 0 || B.Read >= 4 * B.Written);
        !B.Users && (Pays || Asked.test(Node)))
      Out.insert(Node);
  return Out;
}

} // namespace

DenseSet<unsigned> findLaterFrees(ArrayRef<Function *> Closure, const ActivityResult &Activity,
                                  const HandlerRegistry &Handlers, FunctionAnalysisManager &FAM,
                                  bool Estimate) {
  return FreeFinder(Closure, Activity, Handlers, FAM).run(Estimate);
}

} // namespace contraflow
