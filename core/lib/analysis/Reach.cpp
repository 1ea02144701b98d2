// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reach.h"

#include "MemoryGraph.h"

#include "llvm/ADT/SmallVector.h"

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

} // namespace contraflow
