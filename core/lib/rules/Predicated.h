// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CONTRAFLOW_RULES_PREDICATED_H
#define CONTRAFLOW_RULES_PREDICATED_H

namespace llvm {
class CallInst;
class Function;
} // namespace llvm

namespace contraflow {

/// Replaces what works on some lanes of vectors by what works on all of them.
bool expandPredicated(llvm::Function &F);

/// vector.compress: the lanes that are on, one behind the other.
bool expandCompress(llvm::CallInst &Call);

} // namespace contraflow

#endif
