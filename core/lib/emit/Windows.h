// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads through indices, in regions whose additions are atomic. What a thread adds to such an array
// in one nest it keeps in a window of its own, which covers the part of the array it comes to, and
// adds when the nest is over:
//
//   for (i) for (k) y[i] += a[i][k] * x[column[k]]
//   reverse:  ... x-bar[column[k]] += ... atomic      ->      window[column[k] - low] += ... plain
//
// The runtime makes the window larger as the thread adds outside of it; what is too far away for
// the work done so far is added atomically. No thread waits for another one within the nest: nobody
// else reads what is still in the window. The thread itself may, where it has written to the array
// as well, so the reverse of a store that may meet the array asks the window first.

#pragma once

#include "SharedSweep.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace contraflow {

struct WindowArray {
  const llvm::Value *Object; ///< of the shadow
  llvm::Type *Scalar;
  llvm::SmallPtrSet<const llvm::Instruction *, 4> Loads;
  llvm::SmallPtrSet<const llvm::Instruction *, 4> Met; ///< by these stores and atomic updates
  int Reach = -1; ///< under which number the forward sweep notes where the thread comes to
};

struct WindowLoop {
  llvm::Loop *L;
  llvm::SmallVector<WindowArray, 2> Arrays;
};

using WindowLoops = llvm::SmallVector<WindowLoop, 2>;

/// Owned: loads whose adjoints are added plainly anyway.
WindowLoops findWindowLoops(RequestState &S, const Unit &U, ForwardSweep &Fwd,
                            const BodyAnalyses &A,
                            const llvm::DenseSet<const llvm::Instruction *> &Owned);

} // namespace contraflow
