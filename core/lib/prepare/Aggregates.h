// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures and arrays in registers are chosen between member by member.
#ifndef CONTRAFLOW_PREPARE_AGGREGATES_H
#define CONTRAFLOW_PREPARE_AGGREGATES_H

namespace llvm {
class Function;
}

namespace contraflow {

/// True if anything changed.
bool splitAggregates(llvm::Function &F);

} // namespace contraflow

#endif
