// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector code calculates with the bits of floats: it moves lanes as integers of another width,
// flips signs by xor, and selects by masks. That is written with floats again:
//
//   %i = bitcast <2 x double> %x to <4 x i32>
//   %s = shufflevector %i, <2, 3, 0, 1>             ->   %y = shufflevector %x, <1, 0>
//   %y = bitcast %s to <2 x double>
//
//   %y = bitcast (xor (bitcast %x), <0, signbit>)   ->   %y = select <0, 1>, (fneg %x), %x

#pragma once

namespace llvm {
class Constant;
class Function;
} // namespace llvm

namespace contraflow {

inline constexpr unsigned AddressBits = 48; ///< user space lies below

/// The number that a constant of an address's type is, which no address is: part of a variable that
/// holds addresses at other times. Null for others.
llvm::Constant *numberOf(llvm::Constant &C);

/// True if something changed. What is not understood stays as it is.
bool restoreFloats(llvm::Function &F);

} // namespace contraflow
