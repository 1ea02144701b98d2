// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the forward sweep notes of the addresses that a thread adds to through indices: for each
// phase the range of all of them, which tells whether affine updates are apart, and for each window
// of a shared loop the range and the number of additions, so that it can be there from the
// beginning.

#pragma once

#include "SharedSweep.h"
#include "Windows.h"

namespace contraflow {

/// Gives the windows of shared loops, and the loose updates without one, numbers for their ranges.
void numberReaches(llvm::MutableArrayRef<SharedPlan> Plans, WindowLoops &Windows);

/// The window loop that is the shared loop itself; null if there is none.
const WindowLoop *windowsOf(const SharedPlan &Plan, llvm::ArrayRef<WindowLoop> Windows);

/// Has the forward sweep note the addresses of loose updates. Comes after the plan: nothing of this
/// is known to the analyses.
void noteRanges(const RequestState &S, Unit &U, llvm::ArrayRef<SharedPlan> Plans,
                llvm::ArrayRef<WindowLoop> Windows);

} // namespace contraflow
