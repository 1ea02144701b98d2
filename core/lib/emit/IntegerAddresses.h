// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that are calculated with as integers: they lead nowhere, or a number of bytes further.

#pragma once

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace contraflow {

/// True if the integer I, and what is calculated from it, is only compared and reported: nothing
/// asks for its shadow.
bool isOnlyCompared(const llvm::Instruction &I);

/// True if the integer I, times something and a constant more, is what an allocation is asked for:
/// a number of elements or bytes. A difference may be part of an address behind null.
bool sizesMemory(const llvm::Instruction &I);

/// The operand of a sum that is an address, where the other one is a number of bytes; else null.
llvm::Value *addressInSum(const llvm::Instruction &I);

} // namespace contraflow
