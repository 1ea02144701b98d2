// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic in int is done in 64 bits, as far as it cannot overflow:
//
//   sext(i * n + j)   ->   sext(i) * sext(n) + sext(j)
//
// An overflow of the narrow arithmetic would have been undefined, so this is the same program; but
// what a nest of loops touches can be told now.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Steps behind an index that is rounded down, p[zext(i * 8 | 3)], become p[zext(i * 8)] and 3
/// more.
void separateSteps(llvm::Function &F);

/// True if something changed.
bool widenIndices(llvm::Function &F);

} // namespace contraflow
