// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that are calculated with as numbers become pointers and distances.
#ifndef CONTRAFLOW_PREPARE_ADDRESSES_H
#define CONTRAFLOW_PREPARE_ADDRESSES_H

namespace llvm {
class Function;
}

namespace contraflow {

void restoreAddresses(llvm::Function &F);

/// Nothing is concluded from pointers that lead before where an array begins.
void allowStepsBefore(llvm::Function &F);

} // namespace contraflow

#endif
