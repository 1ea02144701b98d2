// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What prepare/Versioning.cpp has found out about a nest of a region's body, if it is the same in
// every run of the region: the region is in a loop, and what the check in front of the nest looks
// at stays as it is while that loop runs.
//
//   for (step)  parallel { if (x and y are apart) for (i) y[i] += x[i] else ... }

#pragma once

#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"

namespace contraflow {

/// Of the scopes of such a nest (!alias.scope), and of any other nest with two versions.
inline constexpr llvm::StringLiteral AlwaysDomain = "cf.apart.always", ApartDomain = "cf.apart";

/// On the branch between the two versions.
inline constexpr llvm::StringLiteral AlwaysBranch = "contraflow.always";

inline void markAlways(llvm::Instruction &Branch) {
  Branch.setMetadata(AlwaysBranch, llvm::MDNode::get(Branch.getContext(), {}));
}
inline bool isAlways(const llvm::Instruction &Branch) { return Branch.hasMetadata(AlwaysBranch); }

} // namespace contraflow
