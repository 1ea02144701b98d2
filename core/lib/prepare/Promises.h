// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotations of numbers are calls; the optimiser need not know. While a function is simplified
// they are calls without effects, which it may join and move, and afterwards marks on loads. A
// mark would be lost where two loads become one.
//
//   %k = load i32, ptr %p                              %k = load i32, ptr %p, !contraflow.disjoint
//   %d = call i32 @llvm.annotation(i32 %k, "...")  ->
//   use(%d)                                            use(%k)

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Before the function is simplified. Annotations that mean nothing here go.
void relaxAnnotations(llvm::Function &F);

/// Afterwards; returns whether there was one.
bool markPromises(llvm::Function &F);

} // namespace contraflow
