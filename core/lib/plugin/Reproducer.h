// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that shows a fault of ours once more, without the rest of the user's program.

#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace contraflow {

/// Writes the functions that hold the requests, and all that they lead to, to a new file in the
/// folder for temporary files (.ll; its first line is the command). The path, or nothing if it
/// could not be written.
std::string writeReproducer(const llvm::Module &M, llvm::ArrayRef<llvm::Function *> Holders);

} // namespace contraflow
