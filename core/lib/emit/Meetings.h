// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worksharing constructs that no barrier divides are divided in the reverse sweep:
//
//   for nowait (i) y[i] = f(x[i], x[i-1])         forward: as it is
//   for        (i) z[i] = g(x[i], x[i+1])         reverse: loop of z, barrier, loop of y
//
// All threads of a team come to the same worksharing constructs in the same order, so where one
// begins they may wait for each other in the reverse sweep, which costs less than atomic additions.
//
// Nobody is waited for in vain: a place is chosen only if, back from it to the barriers in front,
// no critical section, lock or call is met. Between two barriers a thread then comes to all its
// turns before it comes, backwards, to the first place. So whoever waits at a place has no turn
// left that another thread waits for, and those that have turns left do not wait at a place.

#pragma once

#include "SharedSweep.h"

namespace contraflow {

/// Marks the calls of the forward function where the reverse sweep waits for all threads.
void chooseMeetings(const Unit &U, const ReverseSteps &Steps);

/// The call that has let in one thread of the team, which alone comes to I; or null.
const llvm::CallBase *choiceFor(const llvm::Instruction &I, const llvm::DominatorTree &DT);

} // namespace contraflow
