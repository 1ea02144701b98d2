// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a type of the front end's says of the scalars of an object.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace llvm {
class ArrayType;
class DataLayout;
class StructType;
class Type;
} // namespace llvm

namespace contraflow {

/// Metadata of a copy in the standard library whose members (!tbaa.struct) are the program's.
inline constexpr llvm::StringLiteral MembersOfProgram = "cf.members";

/// True of what clang makes of a union: its type is that of one of the members.
bool isUnion(const llvm::StructType &T);

/// Visits each scalar of T, which lies at Offset, and where it lies, until Visit says no. AtArray
/// says how it ends with an array; nothing: by its elements. False if it ended early, or if there
/// is a union.
bool eachScalar(llvm::Type *T, uint64_t Offset, const llvm::DataLayout &DL,
                llvm::function_ref<std::optional<bool>(const llvm::ArrayType &)> AtArray,
                llvm::function_ref<bool(llvm::Type *, uint64_t)> Visit);

} // namespace contraflow
