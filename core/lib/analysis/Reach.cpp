// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reach.h"

#include "MemoryGraph.h"
#include "contraflow/core/Construct.h"
#include "support/Home.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

void reach(const MemoryGraph &Graph, const Value *Pointer, BitVector &Reached) {
  const Location At = Graph.find(Pointer);
  SmallVector<unsigned, 8> Todo;
  if (At)
    Todo.push_back(Graph.canonical(At.Node));
  while (!Todo.empty()) {
    const unsigned Node = Todo.pop_back_val();
    if (Reached.test(Node))
      continue;
    Reached.set(Node);
    for (auto [Offset, Cell] : Graph.fields(Node))
      if (auto Target = Graph.pointee(Cell))
        Todo.push_back(Graph.canonical(Target->Node));
  }
}

/// Calls of registered rules, with what is known about them.
static void eachRule(ArrayRef<Function *> Closure, const HandlerRegistry &Handlers,
                     function_ref<void(const CallBase &, const CallFacts &)> Visit) {
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const ConstructHandler *H = Call ? Handlers.find(*Call) : nullptr;
      if (!H)
        continue;
      if (const CallFacts Facts = H->facts(*Call); Facts.Opaque)
        Visit(*Call, Facts);
    }
}

BitVector reachedByRules(ArrayRef<Function *> Closure, const MemoryGraph &Graph,
                         const HandlerRegistry &Handlers) {
  BitVector Reached(Graph.nodeCount());
  eachRule(Closure, Handlers, [&](const CallBase &Call, const CallFacts &) {
    for (const Value *Operand : Call.args())
      if (Operand->getType()->isPointerTy())
        reach(Graph, Operand, Reached);
  });
  return Reached;
}

static bool isUsed(const Argument &A) {
  return any_of(A.uses(), [](const Use &U) {
    const AllocaInst *Home = homeOf(U);
    return !Home || any_of(Home->users(), [](const User *V) { return !isa<StoreInst>(V); });
  });
}

BitVector reachedInReverse(ArrayRef<Function *> Closure, const MemoryGraph &Graph,
                           const HandlerRegistry &Handlers) {
  BitVector Reached(Graph.nodeCount());
  eachRule(Closure, Handlers, [&](const CallBase &Call, const CallFacts &Facts) {
    const auto *Reverse = find_if(Facts.Models, [](auto &Model) { return Model.Detached; });
    SmallSet<int, 8> Primals;
    for (unsigned I = 0; I < Call.arg_size() && Reverse == Facts.Models.end(); ++I)
      if (Call.getArgOperand(I)->getType()->isPointerTy())
        reach(Graph, Call.getArgOperand(I), Reached); // its body is not there
    for (unsigned I = 0; Reverse != Facts.Models.end() && I < Reverse->Operands.size(); ++I) {
      const int Operand = Reverse->Operands[I];
      const bool OfShadow = Operand >= 0 && !Primals.insert(Operand).second;
      const Location At = Operand < 0 ? Location() : Graph.find(Call.getArgOperand(Operand));
      if (At && isUsed(*Reverse->Body->getArg(I)) &&
          !(OfShadow && !(Graph.kindsOf(At.Node) & SK_Pointer)))
        reach(Graph, Call.getArgOperand(Operand), Reached);
    }
  });
  return Reached;
}

} // namespace contraflow
