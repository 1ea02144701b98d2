// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates are ordinary functions that nobody calls. Functions are cloned together: calls between
// templates become calls between clones.

#include "Library.h"
#include "support/Assignments.h"
#include "support/Reached.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {

void CodeReach::add(Function &Primal) {
  ++Requests;
  anyReached(&Primal, [&](Function &F) {
    const unsigned Count = F.getInstructionCount();
    WithSmall += Count;
    Size += Count > SmallCallee ? Count : 0;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction())
        ++Calls[Call->getCalledFunction()];
    return false;
  });
}

Function *declareLike(Function &F, const Twine &Name, ValueToValueMapTy &Map) {
  Function *New = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage,
                                   F.getAddressSpace(), Name, F.getParent());
  Map[&F] = New;
  for (Argument &A : F.args()) {
    Argument *To = New->getArg(A.getArgNo());
    To->setName(A.getName());
    Map[&A] = To;
  }
  return New;
}

void cloneBody(Function &From, ValueToValueMapTy &Map) {
  SmallVector<ReturnInst *, 1> Returns;
  CloneFunctionInto(cast<Function>(Map[&From]), &From, Map,
                    CloneFunctionChangeType::LocalChangesOnly, Returns);
  ownAssignments(*cast<Function>(Map[&From]));
}

/// Gives To, which From is a copy of, the body of From.
static void cloneAgain(Function &From, Function &To, ValueToValueMapTy &Map) {
  const GlobalValue::LinkageTypes Linkage = To.getLinkage();
  To.deleteBody();
  To.setLinkage(Linkage);
  for (Argument &A : From.args())
    Map[&A] = To.getArg(A.getArgNo());
  cloneBody(From, Map);
}

const PreparedLibrary::Template *PreparedLibrary::find(Function &Original) const {
  auto It = Templates.find(&Original);
  const bool Alive = It != Templates.end() && It->second.Original == &Original;
  return Alive ? &It->second : nullptr;
}

void PreparedLibrary::keep(ArrayRef<Copy> Done) {
  ValueToValueMapTy Map;
  SmallVector<Function *, 8> New;
  for (auto [Of, P] : Done) {
    if (const Template *Known = find(*Of)) {
      Map[P] = Known->Body;
      continue;
    }
    Function *T = declareLike(*P, "cf.template." + Of->getName(), Map);
    Templates[Of] = {Of, T};
    Original[T] = Of;
    New.push_back(P);
  }
  for (Function *P : New)
    cloneBody(*P, Map);
  // A clone has the users of a value in another order than what it is cloned from, and what is
  // emitted depends on it: the first request works on a clone as well, or it would have derivatives
  // of its own.
  ValueToValueMapTy Back;
  for (auto [P, T] : Map)
    if (auto *F = dyn_cast<Function>(const_cast<Value *>(P)))
      Back[T] = F;
  for (Function *P : New)
    cloneAgain(*cast<Function>(Map[P]), *P, Back);
}

SmallVector<PreparedLibrary::Copy, 4> PreparedLibrary::instantiate(Function &F,
                                                                   const Copies &Prepared) {
  SmallVector<Copy, 4> Made;
  const Template *First = find(F);
  if (!First)
    return Made;
  ValueToValueMapTy Map;
  SmallVector<Function *, 8> Todo{First->Body}, New;
  SmallPtrSet<Function *, 8> Seen{First->Body};
  while (!Todo.empty()) {
    Function *T = Todo.pop_back_val(), *Of = Original.lookup(T);
    if (Function *Known = Prepared.lookup(Of)) {
      Map[T] = Known;
      continue;
    }
    Made.push_back({Of, declareLike(*T, "cf.prepared." + Of->getName(), Map)});
    New.push_back(T);
    for (Instruction &I : instructions(*T))
      for (Value *Op : I.operands())
        if (auto *Callee = dyn_cast<Function>(Op); Callee && Original.count(Callee))
          if (Seen.insert(Callee).second)
            Todo.push_back(Callee);
  }
  for (Function *T : New)
    cloneBody(*T, Map);
  return Made;
}

void PreparedLibrary::clear() {
  for (auto [T, Of] : Original)
    T->dropAllReferences();
  for (auto [T, Of] : Original)
    T->eraseFromParent();
  Templates.clear();
  Original.clear();
}

} // namespace contraflow
