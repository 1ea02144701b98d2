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

/// Each function of a table, with its distance from the beginning in bytes.
void functionsIn(const llvm::GlobalVariable &Table,
                 llvm::function_ref<void(llvm::Function *, int64_t)> Visit);

/// The places of F in the innermost structures of a table; -1 of one in no structure.
void placesIn(const llvm::GlobalVariable &Table, const llvm::Function &F,
              llvm::function_ref<void(int64_t)> Visit);

} // namespace contraflow
