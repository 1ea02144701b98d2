// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions that are not weighted sums with weights that are easily found: prefix products and
// extrema, products of complex numbers, pairs, the user's own operators, everything but sums in
// nonblocking form. Every rank keeps what it contributes. For the derivative all ranks gather all
// contributions and all seeds, and run the chain s_0 o s_1 o ... themselves: memory for all ranks'
// contributions is needed then, but none is on the tape and no rank waits for another one's turn.

#pragma once

#include "mpi/Operation.h"
#include "mpi/Reduction.h"

namespace contraflow::mpi {

/// R: one direction; of which: the first one if R is that of its tangent, and depends on the
/// tangents of what was contributed (WeightDots); else nothing.
std::unique_ptr<Operation> chainTangent(const Reduction &R, const Reduction &First);
/// Takes r-bar; that of the first direction stays.
std::unique_ptr<Operation> chainAdjoint(const Reduction &R, const Reduction &First);

} // namespace contraflow::mpi
