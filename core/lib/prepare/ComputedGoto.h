// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jumps to computed labels become switches.
#ifndef CONTRAFLOW_PREPARE_COMPUTEDGOTO_H
#define CONTRAFLOW_PREPARE_COMPUTEDGOTO_H

namespace llvm {
class Function;
}

namespace contraflow {

bool hasComputedGoto(const llvm::Function &F);

/// Copy is a copy of F, as yet unchanged. A table of labels that is not constant, or that others
/// see, leaves its jumps as they are.
void lowerComputedGotos(const llvm::Function &F, llvm::Function &Copy);

} // namespace contraflow

#endif
