// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways on which digits of floats become integers, are calculated with, lie in memory as integers,
// and become floats again, where no derivative follows them:
//
//   h[i] = bits(x) >> 13       a float, taken for an integer   ->  an integer in h
//   y = float(h[i] << 13)      an integer in h                 ->  a float
//
// Activity takes these ways, so that what lies on one is refused and not taken for constant.

#pragma once

#include "MemoryGraph.h"

namespace contraflow {

/// Digits go from one end to the other. An end is a float, or places: cells of the memory graph, as
/// far as they hold floats; from MemoryGraph::cellCount() on the same cells, as far as they hold
/// integers; then integers that are values.
struct LostFlow {
  struct End {
    const llvm::Value *Float = nullptr;
    llvm::SmallVector<unsigned, 2> Places;
  };
  End From, To;
  const llvm::Instruction *Sink = nullptr; ///< the end is a float, made here
};

struct LostBits {
  std::vector<LostFlow> Flows;
  unsigned PlaceCount = 0;
};

LostBits findLostBits(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                      const HandlerRegistry &Handlers);

} // namespace contraflow
