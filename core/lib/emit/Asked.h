// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that registered derivatives may look at: what their arguments lead to.
//
// Shadows need no integers, but these may look for them there, as they would in the primal: the
// number of rows of a matrix, the size of a view.
//
//   v->size = n ; v->data = x ; norm(v)         v'->size = n ; v'->data = x' ; norm_aug(v, v')
//
// A registered reverse function gets the addresses of its primal again. What the derivative call
// has made, on the stack or the heap, is as it was by then: the reverse sweep takes back what was
// written there since. What lies on the stack of a function whose reverse is another one goes to
// the tape. The memory of others keeps what the forward sweep has left there (CF111).
//
//   for (i)  v->data = x + i        forward:  old = v->data, v'->data ; v->data = x + i ; ...
//            norm(v)                reverse:  norm_rev(v, v') ; v->data, v'->data = old

#pragma once

namespace llvm {
class AllocaInst;
class StoreInst;
class Value;
} // namespace llvm

namespace contraflow {

struct RequestState;
struct Unit;

/// Finds such memory, and what is written there to take back; before the sweeps are emitted.
void prepareAsked(RequestState &S);

/// True if the shadow of what is behind Pointer has the integers of the primal.
bool isAsked(const RequestState &S, const llvm::Value *Pointer);
/// True if what is written there is taken back, as far as that can be done.
bool isTakenBack(const RequestState &S, const llvm::Value *Pointer);
/// True if a reverse sweep may not find there what the call had found. Pointer may be one of a
/// rule.
bool isOverwritten(const RequestState &S, const llvm::Value *Pointer);
/// True of an object on the stack whose place is the tape: as the memory of a function whose
/// reverse is another one, or for its size, which is known at run time.
bool goesToTape(const RequestState &S, const Unit &U, const llvm::AllocaInst &A);
/// True of a store of an integer to such memory, and of nothing else.
bool movesAskedInteger(const RequestState &S, const llvm::StoreInst &I);

} // namespace contraflow
