// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of Rust's library, whose symbols carry hashes that differ between compilers:
//
//   _RNvCsfLfy6EI15iL_7___rustc12___rust_alloc     is known as      __rustc::__rust_alloc

#pragma once

#include "llvm/IR/Module.h"

namespace contraflow {

/// Has the tables know Rust's functions by their paths (attr::Like).
void nameRustFunctions(llvm::Module &M);

/// The function "alloc" or "dealloc" of the allocator that `F`, of kind ReallocateSized, belongs
/// to.
llvm::FunctionCallee allocatorOf(llvm::Function &F, llvm::StringRef Last,
                                 llvm::FunctionType *Prototype);

} // namespace contraflow
