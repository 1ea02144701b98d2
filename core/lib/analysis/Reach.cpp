// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reach.h"

#include "MemoryGraph.h"
#include "contraflow/core/Construct.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

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

BitVector reachedByRules(ArrayRef<Function *> Closure, const MemoryGraph &Graph,
                         const HandlerRegistry &Handlers) {
  BitVector Reached(Graph.nodeCount());
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const ConstructHandler *H = Call ? Handlers.find(*Call) : nullptr;
      if (!H || !H->facts(*Call).Opaque)
        continue;
      for (const Value *Operand : Call->args())
        if (Operand->getType()->isPointerTy())
          reach(Graph, Operand, Reached);
    }
  return Reached;
}

} // namespace contraflow
