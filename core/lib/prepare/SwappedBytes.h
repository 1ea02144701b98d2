// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a word that are moved one by one, the last one first, are the word's, exchanged:
//
//   to[0] = from[3]; ... to[3] = from[0]          store (bswap (load i32, from)), to
//   to[0] = w >> 24; ... to[3] = w          ->    store (bswap w), to
//   w = from[0] << 24 | ... | from[3]             w = bswap (load i32, from)
#ifndef CONTRAFLOW_PREPARE_SWAPPEDBYTES_H
#define CONTRAFLOW_PREPARE_SWAPPEDBYTES_H

namespace llvm {
class Function;
}

namespace contraflow {

/// True if anything was joined.
bool joinSwappedBytes(llvm::Function &F);

} // namespace contraflow

#endif
