// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a derivative is wanted whose threads add to adjoints in a fixed order. The core says so
// in the module while it generates one; models then share out work in the same way each time.

#pragma once

#include "llvm/IR/Module.h"

namespace contraflow {

inline constexpr llvm::StringLiteral DeterministicFlag = "contraflow.deterministic";

inline bool isDeterministic(const llvm::Module &M) {
  return M.getNamedMetadata(DeterministicFlag) != nullptr;
}

} // namespace contraflow
