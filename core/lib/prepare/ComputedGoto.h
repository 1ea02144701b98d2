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

/// Copy is a copy of F, as yet unchanged. Labels that others see, or tables that are not constant,
/// leave the jumps as they are.
void lowerComputedGotos(const llvm::Function &F, llvm::Function &Copy);

} // namespace contraflow

#endif
