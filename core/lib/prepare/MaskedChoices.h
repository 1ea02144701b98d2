// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is chosen by a mask is a choice. Bits of floats that are moved so have a derivative then,
// wherever they come from and go to.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// True if something changed.
bool restoreChoices(llvm::Function &F);

} // namespace contraflow
