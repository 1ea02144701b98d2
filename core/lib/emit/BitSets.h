// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of bits, as std::vector<bool> and std::bitset have them, in memory that may hold numbers or
// addresses at other times: in one of several classes behind one base, the words lie where another
// one has a vector of doubles.
//
//   %w = load i64, ptr %p ; %m = shl i64 1, %n ; %v = or i64 %w, %m ; store i64 %v, ptr %p
//
// A bit at a place that the program calculates is no part of a number, nor of an address. If it is
// one of a number, a derivative arrives there, and the program ends (CF392).

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Instruction;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace contraflow {

class SweepBuilder;

/// Digits of a number are masked by constants; where an address lies at times, whatever is done is
/// no arithmetic of floats.
enum class Word { MayBeNumber, MayBeAddress };

/// The words of which I sets, clears or takes bits at places that the program calculates, or the
/// two of which it takes common bits, or those of either, if they come from memory. Or none.
llvm::SmallVector<llvm::Value *, 2> wordsOfBits(const llvm::Instruction &I, Word Kind);

/// Where one of them is an address after all, I leads as far from its shadow as from the address.
/// What is none has no shadow.
llvm::Value *shadowOfBits(llvm::IRBuilderBase &B, llvm::Instruction &I,
                          llvm::ArrayRef<llvm::Value *> Words,
                          llvm::function_ref<llvm::Value *(llvm::Value *)> ShadowOf);

/// Ends the program At if a derivative arrives there.
void checkDigits(SweepBuilder &B, llvm::Value *Derivative, const llvm::Instruction &At);

} // namespace contraflow
