// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fast logarithms, exponentials and roots calculate with the bits of floats. The bits of x, taken
// for an integer, are a logarithm of x that is linear between powers of two, with the slope
// 1 / ulp(x); what is made of them is a staircase that follows such lines:
//
//   %i = bitcast float %x to i32             %line = %x / ulp(%x) * 2^-23
//   %y = sitofp i32 %i to float        ->    %y = call @contraflow.smooth(%line, bits of %y)
//
// The value is the staircase's, the derivative the line's. docs/design/digits.md has the rule.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// True if something changed.
bool smoothDigits(llvm::Function &F);

} // namespace contraflow
