// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the arguments of a call say about the memory behind them (Arguments.cpp).

#pragma once

#include "contraflow/core/Construct.h"
#include "parallel/mpi/Rows.h"

namespace contraflow::mpi {

/// Who writes to exposed memory.
constexpr unsigned Anyone = 1, Completion = 2;

/// What a datatype argument says about memory; unknown unless it is a predefined datatype.
ScalarKind kindOfDatatype(const llvm::CallBase &Call, int Argument);

/// True if the datatype is that of characters, which may be the bytes of numbers.
bool isOfCharacters(const llvm::CallBase &Call, int Argument);
/// True for such a datatype itself, a handle.
bool isCharacters(const llvm::Value *Datatype);

/// What a buffer of a function is said to hold: to functions that move it, characters are bytes.
ScalarKind kindOfBuffer(const Row &R, const llvm::CallBase &Call, Role Buffer);

/// Bytes of a predefined datatype, at least.
int64_t sizeOfDatatype(const llvm::CallBase &Call, int Argument);

/// True if values of any datatype lie at any place of the buffer.
bool isPacked(const llvm::CallBase &Call, Role Buffer);

/// True if the count beside the buffer is the constant zero: whatever it points to stays as it is.
bool isEmpty(const llvm::CallBase &Call, Role Buffer);

/// True if the operator may combine values in a window in another way than Operators.def says.
bool mayMerge(const llvm::CallBase &Call, Role Operator);

/// True if nobody writes behind a pointer: a sentinel, or a handle that is the address of a
/// variable of the library's, of which the program does not know what it is.
bool isHandle(const llvm::Value *Pointer);

} // namespace contraflow::mpi
