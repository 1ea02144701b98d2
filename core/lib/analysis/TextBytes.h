// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of floats that a string takes and gives back. Strings are inactive, and what their members
// hand out is memory of its own each time:
//
//   s.append((const char *)&x, 8);  memcpy(&y, s.data(), 8);      y depends on x
//
// And bytes that are written to a file and read from it again.

#pragma once

#include "LostBits.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace contraflow {

/// Adds a flow from what a string is given to what is read from one that may be the same.
void addTextFlows(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                  std::vector<LostFlow> &Flows);
void addStreamFlows(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                    std::vector<LostFlow> &Flows);

/// Which calls may come after which. What runs once is the root alone, unless it calls itself.
class CallOrder {
public:
  explicit CallOrder(llvm::ArrayRef<llvm::Function *> Closure);
  bool mayFollow(const llvm::Instruction &Later, const llvm::Instruction &Earlier) const;

private:
  const llvm::Function *Once = nullptr; ///< the root, if it runs once
  llvm::DominatorTree DT;
  llvm::LoopInfo Loops;
};

} // namespace contraflow
