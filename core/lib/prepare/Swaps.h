// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in the other order of bytes (files and messages that are big-endian): the bytes are
// exchanged before they are stored, and again before anybody calculates with them. In between the
// shadow is that of the number, in the usual order, so the exchange is a move:
//
//   %s = llvm.bswap.i64(bits of %x)   ->   %s = freeze (bits of %x), !annotation
//
// and what is marked so is an exchange again once the derivative is there.
#ifndef CONTRAFLOW_PREPARE_SWAPS_H
#define CONTRAFLOW_PREPARE_SWAPS_H

namespace llvm {
class Function;
class Value;
class Module;
} // namespace llvm

namespace contraflow {

/// For analyses; nothing may simplify F before restoreSwaps. Integers that are calculated with stay
/// as they are.
void hideSwaps(llvm::Function &F);
void restoreSwaps(llvm::Function &F);
void restoreSwaps(llvm::Module &M);

/// True for an exchange that is hidden.
bool isSwap(const llvm::Value *V);

} // namespace contraflow

#endif
