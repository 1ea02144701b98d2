// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that copy or exchange bytes one by one, where nothing says whether the two places overlap:
//
//   while (n--) *to++ = *from++;                           ->   memmove(to, from, n)
//   while (n--) { char c = *a; *a++ = *b; *b++ = c; }      ->   three copies, through a buffer
//   for (i = 0; i < n; i++) to[i] = bytes[s->at++];        ->   memmove(to, bytes + s->at, n);
//   s->at += n

#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class CallBase;
class Loop;
class SCEVAddRecExpr;
class ScalarEvolution;
} // namespace llvm

namespace contraflow {

/// A pointer that goes up or down by one byte with each iteration; null: it does not.
const llvm::SCEVAddRecExpr *byteWalk(const llvm::Value *Pointer, const llvm::Loop &L,
                                     llvm::ScalarEvolution &SE);

/// True if the loop stores for every byte how far it has come.
bool keepsPosition(const llvm::Loop &L);

/// True of a call of the runtime that copies bytes which it reads itself afterwards.
bool repeatsBytes(const llvm::CallBase &Call);

/// True if something changed.
bool joinByteMoves(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace contraflow
