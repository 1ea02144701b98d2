// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signs of floats that are changed as bits are changed by the operations for it again.
#ifndef CONTRAFLOW_PREPARE_SIGNBITS_H
#define CONTRAFLOW_PREPARE_SIGNBITS_H

namespace llvm {
class Function;
}

namespace contraflow {

/// True if anything changed.
bool restoreSigns(llvm::Function &F);

} // namespace contraflow

#endif
