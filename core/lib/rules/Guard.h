// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product by something infinite whose result is not used:
//
//   if (d != 0) s += x * (1 / d);     ->     s = select(d != 0, s + x * (1 / d), s)
//
// Where d is zero the adjoint of the product is zero, and zero times infinity would spoil that of
// x.

#pragma once

namespace llvm {
class Instruction;
}

namespace contraflow {

/// True if operand Op of I, a product or a function, is scaled by what may be infinite or no number
/// (a quotient, a root, what a function of the library returns) and a select may drop the result.
bool isGuarded(const llvm::Instruction &I, unsigned Op);

} // namespace contraflow
