// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReverseSweep, part five: the buffers of deferred updates, taken from the tape while their loop's
// reverse runs.

#include "ReverseSweep.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

const DeferredLoop *ReverseSweep::deferred(const Loop *L) const {
  for (const DeferredLoop &D : In.Deferred)
    if (D.L == L)
      return &D;
  return nullptr;
}

Value *ReverseSweep::iterations(const Loop *L) {
  return B.CreateNUWAdd(recall(In.S.Loops.lookup(L->getHeader()).Last), B.getInt64(1));
}

/// Address of the buffer's entry for iteration Index.
Value *ReverseSweep::bufferEntry(const DeferredLoop &D, unsigned Number, Value *Index) {
  Value *Memory = B.CreateLoad(B.getPtrTy(), Buffers[D.L]);
  Value *Before = B.CreateNUWMul(B.getInt64(Number), iterations(D.L));
  Value *Start = B.CreateGEP(B.getDoubleTy(), Memory, Before);
  return B.CreateGEP(D.Loads[Number]->getType(), Start, Index);
}

void ReverseSweep::openBuffers(const DeferredLoop &D) {
  Value *Bytes = B.CreateNUWMul(iterations(D.L), B.getInt64(8 * D.Loads.size()));
  B.CreateStore(runtime("tape_reserve", B.getPtrTy(), {In.U.ReverseTape, Bytes}), Buffers[D.L]);
}

bool ReverseSweep::defer(Instruction &Load, Value *Bar) {
  for (const DeferredLoop &D : In.Deferred)
    for (unsigned I = 0; I < D.Loads.size(); ++I)
      if (D.Loads[I] == &Load) {
        StoreInst *Store = B.CreateStore(Bar, bufferEntry(D, I, counter(D.L)));
        Tags.buffer(*Store, I, D.Loads.size());
        return true;
      }
  return false;
}

/// On the way out of the loop, its counter is at iteration 0 again.
void ReverseSweep::closeBuffers(const DeferredLoop &D) {
  for (unsigned I = 0; I < D.Loads.size(); ++I) {
    LoadInst *Load = D.Loads[I];
    Value *To = recall(In.Fwd.accessOf(*Load));
    runtime(Load->getType()->isDoubleTy() ? "add_f64" : "add_f32", B.getVoidTy(),
            {To, bufferEntry(D, I, B.getInt64(0)), iterations(D.L)});
  }
  runtime("tape_release", B.getVoidTy(),
          {In.U.ReverseTape, B.CreateLoad(B.getPtrTy(), Buffers[D.L])});
}

} // namespace contraflow
