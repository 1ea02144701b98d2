// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant tables of functions.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace llvm {
class Function;
class GlobalVariable;
class LoadInst;
} // namespace llvm

namespace contraflow {

/// A global that never changes and whose contents are known.
bool isTable(const llvm::GlobalVariable &G);

/// Visits what copies a table's contents, `object->operations = table`: nothing for all of it, or
/// a load of some of it. A load that only calls what it finds copies nothing.
void visitCopies(const llvm::GlobalVariable &Table,
                 llvm::function_ref<void(const llvm::LoadInst *)> Visit);
/// True of a table whose functions may be called through other memory.
bool isCopied(const llvm::GlobalVariable &Table);

/// A function in a table: how far it is from the table's beginning in bytes, and its place in the
/// innermost structure there; -1 in none.
struct TableEntry {
  llvm::Function *F;
  int64_t At;
  llvm::StructType *Structure;
  int64_t Place;
};
void functionsIn(const llvm::GlobalVariable &Table,
                 llvm::function_ref<void(const TableEntry &)> Visit);

} // namespace contraflow
