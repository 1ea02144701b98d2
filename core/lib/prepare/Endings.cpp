// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   void fail() { throw Failure(); }          call @fail() noreturn
//   if (n < 0) fail();                  ->    unreachable
//
// The optimiser infers the attribute; at -O0 nobody has. A call that itself never returns ends the
// path through it.

#include "Endings.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {

constexpr unsigned MostDepth = 64; ///< of calls that are looked at

bool Endings::neverReturns(const CallBase &Call) {
  if (Call.doesNotReturn())
    return true;
  const Function *F = Call.getCalledFunction();
  return F && Depth < MostDepth && !F->isDeclaration() && !F->isInterposable() &&
         lookupCallee(*F).Kind == CalleeKind::Unknown && neverReturns(*F);
}

bool Endings::neverReturns(const Function &F) {
  auto [At, New] = Known.try_emplace(&F, false); // a function that is being looked at may return
  if (!New)
    return At->second;
  const SaveAndRestore Deeper(Depth, Depth + 1);
  SmallPtrSet<const BasicBlock *, 16> Seen;
  Seen.insert(&F.getEntryBlock());
  SmallVector<const BasicBlock *, 16> Todo{&F.getEntryBlock()};
  while (!Todo.empty()) {
    const BasicBlock *B = Todo.pop_back_val();
    const bool Ends = any_of(*B, [&](const Instruction &I) {
      const auto *Call = dyn_cast<CallInst>(&I);
      return Call && neverReturns(*Call);
    });
    if (Ends)
      continue;
    const Instruction *End = B->getTerminator();
    if (isa<ReturnInst>(End))
      return false;
    const auto *Invoke = dyn_cast<InvokeInst>(End);
    const bool Throws = Invoke && neverReturns(*Invoke);
    for (const BasicBlock *Next : successors(B))
      if (!(Throws && Next == Invoke->getNormalDest()) && Seen.insert(Next).second)
        Todo.push_back(Next);
  }
  Known[&F] = true;
  return true;
}

void Endings::mark(Function &F) {
  SmallVector<CallBase *, 8> Calls; // the first one of a block: what follows goes
  for (BasicBlock &B : F) {
    auto At = find_if(B, [&](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      return Call && neverReturns(*Call);
    });
    if (At != B.end())
      Calls.push_back(cast<CallBase>(&*At));
  }
  for (CallBase *Call : Calls) {
    Call->setDoesNotReturn();
    if (auto *Plain = dyn_cast<CallInst>(Call))
      changeToUnreachable(Plain->getNextNode());
  }
}

bool returnAfterEnd(Function &F) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || !Call->doesNotReturn())
      continue;
    changeToUnreachable(Call->getNextNode());
    Instruction *End = Call->getParent()->getTerminator();
    Type *T = F.getReturnType();
    IRBuilder<> B(End);
    T->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Constant::getNullValue(T));
    End->eraseFromParent();
    return true;
  }
  return false;
}

} // namespace contraflow
