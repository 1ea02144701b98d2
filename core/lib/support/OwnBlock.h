// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that prepare/Blocks.cpp adds to a task: written once, in front of the nest that reads it,
// and known to nobody else. It lasts until its allocation is reversed, whether it is active or not.

#pragma once

#include "llvm/IR/InstrTypes.h"

namespace contraflow {

inline constexpr llvm::StringLiteral OwnBlockAttribute = "contraflow_block";

inline bool isOwnBlock(const llvm::Value *Object) {
  auto *Call = llvm::dyn_cast<llvm::CallBase>(Object);
  return Call && Call->hasFnAttr(OwnBlockAttribute);
}

/// A free of inactive memory that waits until the derivative call is over (analysis/LaterFrees.h).
inline constexpr llvm::StringLiteral FreedLaterAttribute = "contraflow_freed_later";

inline bool isFreedLater(const llvm::CallBase &Free) { return Free.hasFnAttr(FreedLaterAttribute); }

/// Where a derivative call runs again: a free, or a realloc, of what may be the caller's. It ends
/// what the call has allocated and leaves the rest alone; all of what is allocated has an end.
inline constexpr llvm::StringLiteral SparesOthersAttribute = "contraflow_spares_others";
inline constexpr llvm::StringLiteral EndsInReverseAttribute = "contraflow_ends_in_reverse";

inline bool sparesOthers(const llvm::CallBase &Free) {
  return Free.hasFnAttr(SparesOthersAttribute);
}
inline bool endsInReverse(const llvm::CallBase &Allocation) {
  return Allocation.hasFnAttr(EndsInReverseAttribute);
}

} // namespace contraflow
