// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars of the caller's that the root writes, and puts back in the reverse sweep.

#pragma once

#include "Unit.h"

#include "llvm/IR/IRBuilder.h"

namespace contraflow {

/// Chooses the stores that keep what loops read from being read again (RequestState::TakenBack),
/// and has what they overwrite recorded.
void chooseTakenBack(RequestState &S);

/// What these places hold when the forward sweep is over, and hold again when the reverse is.
class FinalValues {
public:
  /// At Return, before the forward sweep leaves its function.
  FinalValues(const RequestState &S, llvm::ReturnInst &Return);
  void putBack(llvm::IRBuilder<> &B) const;

private:
  struct Final {
    llvm::Value *Place, *V;
    llvm::Align Alignment;
  };
  llvm::SmallVector<Final, 4> All;
};

} // namespace contraflow
