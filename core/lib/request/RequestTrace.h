// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks through what a front end puts between a name in a derivative call and its value.

#pragma once

#include "llvm/ADT/SetVector.h"

#include <cstdint>
#include <optional>

namespace llvm {
class Argument;
class Function;
class Value;
} // namespace llvm

namespace contraflow {

struct MarkerSpelling;

/// The function that V certainly is, or null.
llvm::Function *traceFunction(llvm::Value *V);

/// Adds the functions that V may be. True if it can be no others.
bool traceFunctions(llvm::Value *V, llvm::SmallSetVector<llvm::Function *, 8> &Functions);

/// The parameter of the function around it that V certainly is, or null.
llvm::Argument *traceParameter(llvm::Value *V);

/// The integer that V certainly is, or the one behind a reference V.
std::optional<uint64_t> traceInteger(llvm::Value *V);

/// The marker that V is (its value, its address, or metadata of its name), or null.
const MarkerSpelling *traceMarker(llvm::Value *V);

} // namespace contraflow
