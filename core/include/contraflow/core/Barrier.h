// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls at which all threads of a team wait for each other, and at the mirrored place of the
// reverse sweep: models mark them, the sharing analysis cuts a body there.

#pragma once

#include "llvm/IR/InstrTypes.h"

namespace contraflow {

inline constexpr llvm::StringLiteral BarrierMark = "cf.barrier";

inline void markBarrier(llvm::CallBase &Call) {
  Call.addFnAttr(llvm::Attribute::get(Call.getContext(), BarrierMark));
}

inline bool isBarrier(const llvm::Instruction &I) {
  auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
  return Call && Call->getAttributes().hasFnAttr(BarrierMark);
}

} // namespace contraflow
