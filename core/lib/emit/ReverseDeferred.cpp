// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReverseSweep, part five: the buffers of deferred updates, taken from the tape while their loop's
// reverse runs.

#include "ReverseSweep.h"
#include "support/ShadowAlign.h"

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

/// Address of the entry of buffer `Number` for iteration Index.
Value *ReverseSweep::bufferEntry(const DeferredLoop &D, unsigned Number, Value *Index) {
  Value *Memory = B.CreateLoad(B.getPtrTy(), Buffers[D.L]);
  Value *Entries = B.CreateNUWAdd(iterations(D.L), B.getInt64(2 * D.padding()));
  Value *Start = B.CreateGEP(B.getDoubleTy(), Memory, B.CreateNUWMul(B.getInt64(Number), Entries));
  Value *First = B.CreateConstGEP1_64(D.Buffers[Number], Start, D.padding());
  return B.CreateGEP(D.Buffers[Number], First, Index);
}

void ReverseSweep::openBuffers(const DeferredLoop &D) {
  Value *Entries = B.CreateNUWAdd(iterations(D.L), B.getInt64(2 * D.padding()));
  Value *Bytes = B.CreateNUWMul(Entries, B.getInt64(8 * D.Buffers.size()));
  B.CreateStore(reserve(B, In.U.ReverseTape, Bytes), Buffers[D.L]);
  for (unsigned I = 0; D.padding() != 0 && I < D.Buffers.size(); ++I) {
    const uint64_t Pad = D.padding() * (D.Buffers[I]->isDoubleTy() ? 8 : 4);
    for (Value *From : {static_cast<Value *>(B.getInt64(-D.padding())), iterations(D.L)})
      Tags.buffer(*B.CreateMemSet(bufferEntry(D, I, From), B.getInt8(0), Pad, MaybeAlign()), I,
                  D.Buffers.size());
  }
}

bool ReverseSweep::defer(Instruction &Load, Value *Bar) {
  for (const DeferredLoop &D : In.Deferred)
    for (const auto &Window : D.Windows)
      for (const DeferredUpdate &Update : Window)
        if (Update.Load == &Load) {
          StoreInst *Store = B.CreateStore(Bar, bufferEntry(D, Update.Buffer, counter(D.L)));
          Tags.buffer(*Store, Update.Buffer, D.Buffers.size());
          return true;
        }
  return false;
}

void ReverseSweep::addAlone(const DeferredLoop &D, const DeferredUpdate &Update) {
  Value *To = recall(In.Fwd.accessOf(*Update.Load));
  runtime(Update.Load->getType()->isDoubleTy() ? "add_f64" : "add_f32", B.getVoidTy(),
          {To, bufferEntry(D, Update.Buffer, B.getInt64(0)), iterations(D.L)});
}

///   for e in [0, iterations + widest shift): to[e] += buffer[e - shift] + ...
void ReverseSweep::addWindow(const DeferredLoop &D, ArrayRef<DeferredUpdate> Window) {
  LoadInst *First = Window.front().Load;
  Type *T = First->getType();
  Value *To = recall(In.Fwd.accessOf(*First));
  Value *End = B.CreateNUWAdd(iterations(D.L), B.getInt64(Window.back().Shift));
  SmallVector<Value *, 4> From;
  for (const DeferredUpdate &Update : Window)
    From.push_back(bufferEntry(D, Update.Buffer, B.getInt64(-Update.Shift)));
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Body = BasicBlock::Create(B.getContext(), "window", In.U.Reverse);
  BasicBlock *After = BasicBlock::Create(B.getContext(), "window.end", In.U.Reverse);
  B.CreateBr(Body);
  B.SetInsertPoint(Body);
  PHINode *Element = B.CreatePHI(B.getInt64Ty(), 2);
  Value *Where = B.CreateGEP(T, To, Element);
  LoadInst *Old = B.CreateAlignedLoad(T, Where, shadowAlign(First->getAlign()));
  Tags.shadow(*Old, *First);
  Value *Sum = Old;
  for (auto [Update, Start] : zip(Window, From)) {
    LoadInst *Part = B.CreateLoad(T, B.CreateGEP(T, Start, Element));
    Tags.buffer(*Part, Update.Buffer, D.Buffers.size());
    Sum = B.CreateFAdd(Sum, Part);
  }
  Tags.shadow(*B.CreateAlignedStore(Sum, Where, shadowAlign(First->getAlign())), *First);
  Value *Next = B.CreateNUWAdd(Element, B.getInt64(1));
  Element->addIncoming(B.getInt64(0), Before);
  Element->addIncoming(Next, Body);
  B.CreateCondBr(B.CreateICmpEQ(Next, End), After, Body);
  B.SetInsertPoint(After);
}

/// The pass over a window also touches what is between its updates: with fewer iterations than the
/// widest gap that need not be an array's.
void ReverseSweep::addUpdates(const DeferredLoop &D, ArrayRef<DeferredUpdate> Window) {
  auto AddEach = [&] {
    for (const DeferredUpdate &Update : Window)
      addAlone(D, Update);
  };
  if (Window.size() == 1)
    return AddEach();
  int64_t Gap = 1;
  for (auto [One, Other] : zip(Window, drop_begin(Window)))
    Gap = std::max(Gap, Other.Shift - One.Shift);
  if (Gap == 1)
    return addWindow(D, Window);
  for (const DeferredUpdate &Update : Window) // before the branch, so that both sides know it
    recall(In.Fwd.accessOf(*Update.Load));
  BasicBlock *Few = BasicBlock::Create(B.getContext(), "few", In.U.Reverse);
  BasicBlock *Many = BasicBlock::Create(B.getContext(), "many", In.U.Reverse);
  BasicBlock *Done = BasicBlock::Create(B.getContext(), "updated", In.U.Reverse);
  B.CreateCondBr(B.CreateICmpULT(iterations(D.L), B.getInt64(Gap)), Few, Many);
  B.SetInsertPoint(Few);
  AddEach();
  B.CreateBr(Done);
  B.SetInsertPoint(Many);
  addWindow(D, Window);
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
}

/// On the way out of the loop, its counter is at iteration 0 again.
void ReverseSweep::closeBuffers(const DeferredLoop &D) {
  for (const auto &Window : D.Windows)
    addUpdates(D, Window);
  runtime("tape_release", B.getVoidTy(),
          {In.U.ReverseTape, B.CreateLoad(B.getPtrTy(), Buffers[D.L])});
}

} // namespace contraflow
