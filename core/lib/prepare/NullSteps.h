// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends of empty arrays: null and so many elements, which the optimiser makes once for all arrays of
// a size. Each use gets one of its own, so that arrays with nothing else in common stay apart.
//
//   %e = getelementptr double, ptr null, i64 %n      ->    store of one, store of another
//   u.end = %e ; v.end = %e

#pragma once

namespace llvm {
class Function;
}

namespace contraflow {

void splitNullSteps(llvm::Function &F);

} // namespace contraflow
