// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lanes of integer vectors are as masks of floats.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace contraflow {

/// What a constant does to the bits of a float of its width.
enum class LaneMask { Zero, Ones, Sign, Magnitude, Mantissa, SignedMantissa, Exponent, Other };

/// The lanes of V as floats of T have them; empty if V is not constant.
llvm::SmallVector<LaneMask, 8> laneMasks(llvm::Value *V, llvm::Type *T);

/// V without casts of its bits.
llvm::Value *withoutBitcasts(llvm::Value *V);

/// i1 per lane of T where V is all ones in a lane or all zero, else null.
llvm::Value *asCondition(llvm::Value *V, llvm::Type *T, llvm::IRBuilderBase &B);

/// True if nothing but the sign of each lane of T may be set in V.
bool isSignOnly(llvm::Value *V, llvm::Type *T);

/// The type of the bits of T, lane by lane, and that of a condition.
llvm::Type *bitsOf(llvm::Type *T);

/// Lanes of a vector; 1 of anything else.
unsigned lanesOf(const llvm::Type *T);

} // namespace contraflow
