// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of different objects that are only given back; see Freed.cpp.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Gives each of several objects back by itself, where the optimiser has joined the calls.
void splitFrees(llvm::Function &F);

} // namespace contraflow
