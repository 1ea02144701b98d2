// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler in front of LLVM may make code that LLVM's verifier rejects: clang 22 does for the
// reduction of an array that is scanned (OpenMP, inscan). No release of a compiler looks. Passes
// may do anything with such code, ours too.

#pragma once

#include "llvm/Support/Error.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// An error if the body of F is no valid code. Wrong notes for debuggers are no reason.
llvm::Error checkValid(llvm::Function &F);

} // namespace contraflow
