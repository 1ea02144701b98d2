// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a call hands out the iterations of a loop among the threads of a team: each of them once, to
// one thread.

#pragma once

namespace contraflow {

struct Division {
  enum Kind {
    Piece, ///< one contiguous piece each. The operands are memory: of all, and then of the thread's
    Deal,  ///< smaller pieces, as they are asked for. The operands are the bounds of all
    Next   ///< the next one of those: its bounds are written to memory
  };
  /// Operands that stand for the first and for the last iteration.
  unsigned Lower, Upper;
  Kind What = Piece;
  bool IsSigned = true;
};

} // namespace contraflow
