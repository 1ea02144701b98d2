// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of numbers that are moved as integers (_mm_shuffle_epi32, _mm_unpacklo_epi64 of what was
// loaded through a pointer to __m128i) become loads and stores of one word each, of which the
// memory says what they are.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Function;
class StoreInst;
} // namespace llvm

namespace contraflow {

/// True if something changed.
bool splitMovedLanes(llvm::Function &F);

/// The same of pairs of floats (_mm_loadl_pi, _mm_storel_pi) where doubles may be stored.
bool joinMovedFloats(llvm::Function &F, llvm::function_ref<bool(llvm::StoreInst &)> MayBeDoubles);

} // namespace contraflow
