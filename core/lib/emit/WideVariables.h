// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adjoints that live across a large function; see WideVariables.cpp.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Adjoints that are zero for most of a large function become zero where they are first added to.
void clearLate(llvm::Function &F);

/// Keeps variables of F in memory which would have many times more phis than they have accesses.
void keepWideVariables(llvm::Function &F);

} // namespace contraflow
