// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding by adding and subtracting a number so large that the sum has no digits behind the point.

#pragma once

namespace llvm {
class CallBase;
class Function;
class Value;
} // namespace llvm

namespace contraflow {

/// Makes such pairs of F known as roundings, whose derivative is zero; true if there was one.
bool expandRoundings(llvm::Function &F);

/// True if Call converts its first operand to an integer (lrint, an instruction of the machine).
bool convertsToInteger(const llvm::CallBase &Call);

/// True if V is a sum with such a number: its bits do not vary.
bool isRoundingSum(const llvm::Value *V);

} // namespace contraflow
