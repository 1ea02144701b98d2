// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are put around the one that is prepared for a request.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

class PreparedClosure;

/// F, or a function that calls it if F is called by the closure itself.
llvm::Function *wrapRecursion(llvm::Function &F, PreparedClosure &Out);
/// Notes what the bodies of regions lead to.
void findUsedInTeams(PreparedClosure &Out);
/// A function that calls F and does nothing else, for those without a body.
llvm::Function *callerOf(llvm::Function &F);

} // namespace contraflow
