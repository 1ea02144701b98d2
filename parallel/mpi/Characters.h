// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Characters in messages: text, or the bytes of numbers (Characters.cpp).

#pragma once

#include "contraflow/core/Construct.h"
#include "parallel/mpi/Rows.h"

namespace contraflow::mpi {

/// Says what the memory behind an argument holds, as far as the datatype of a buffer tells.
void carry(CallFacts &Facts, const Row &R, const llvm::CallBase &Call, Role Buffer,
           unsigned Argument);

/// Tells the runtime, once and for all, that characters are bytes in this program, if a buffer of a
/// call holds numbers that may travel as characters.
void announceCharacters(SweepBuilder &B, llvm::CallBase &Call, Role Buffer,
                        const MemoryLayout &Layout);

} // namespace contraflow::mpi
