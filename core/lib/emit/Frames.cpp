// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   preheader:  %frame = tape_reserve(tape, 8 * n * m + n)        one frame per nest
//   body:       store %v, %frame + 8 * (i * m + j)
//
//   header:     %cur = tape_reserve(tape, 8 + 8)                  one frame per iteration
//               store %prev, %cur ; store %v, %cur + 8

#include "Frames.h"
#include "ForwardSweep.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace contraflow {

constexpr size_t MaxTagged = 32; ///< columns: each names all others

Type *storedType(Type *T) { return T->isIntegerTy(1) ? Type::getInt8Ty(T->getContext()) : T; }

Value *nestIndex(IRBuilderBase &B, const Slot &Place, function_ref<Value *(const Loop *)> Counter,
                 function_ref<Value *(const Loop *)> Last) {
  Value *Index = nullptr;
  for (Loop *L : Place.Nest) {
    if (!Index) {
      Index = Counter(L);
      continue;
    }
    Value *Trips = B.CreateNUWAdd(Last(L), B.getInt64(1));
    Index = B.CreateNUWAdd(B.CreateNUWMul(Index, Trips), Counter(L));
  }
  return Index;
}

/// Insertion point right after the definition of V.
static void placeBehind(IRBuilderBase &B, Value *V, Function &F) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    B.SetInsertPoint(&*F.getEntryBlock().getFirstInsertionPt());
  else if (isa<PHINode>(I))
    B.SetInsertPoint(&*I->getParent()->getFirstInsertionPt());
  else
    B.SetInsertPoint(I->getNextNode());
}

static Value *asStored(IRBuilderBase &B, Value *V) {
  return V->getType()->isIntegerTy(1) ? B.CreateZExt(V, B.getInt8Ty()) : V;
}

Frame *FrameEmitter::nextFrame() {
  Frame *Deepest = nullptr;
  auto Depth = [](Frame *F) { return F->L ? F->L->getLoopDepth() : 0; };
  for (auto &F : Plan.frames())
    if (!Done.count(F.get()) && (!Deepest || Depth(F.get()) > Depth(Deepest)))
      Deepest = F.get();
  return Deepest;
}

Value *FrameEmitter::trips(IRBuilderBase &B, const Loop *L) {
  LoopFact Fact = S.Loops.lookup(L->getHeader());
  Value *Trips = B.CreateAdd(Fact.Last, B.getInt64(1));
  if (Fact.Reach != CountReach::Clamped)
    return Trips;
  Value *Runs = B.CreateICmpULT(Fact.Last, B.getInt64(Fact.Bound));
  return B.CreateSelect(Runs, Trips, B.getInt64(0));
}

/// The columns of a nest's frame are apart, though all begin somewhere in one piece of memory.
void FrameEmitter::tagColumn(Instruction &Store, const Slot &Place) {
  ArrayRef<Slot *> Columns = Place.Home->Slots;
  if (Place.Home->What != Frame::Nest || Columns.size() < 2 || Columns.size() > MaxTagged)
    return;
  MDBuilder B(Store.getContext());
  SmallVector<Metadata *, 8> &Scopes = ColumnScopes[Place.Home];
  if (Scopes.empty()) {
    MDNode *Domain = B.createAnonymousAliasScopeDomain("cf.columns");
    for (unsigned I = 0; I < Columns.size(); ++I)
      Scopes.push_back(B.createAnonymousAliasScope(Domain, "column"));
  }
  SmallVector<Metadata *, 8> Others(Scopes);
  const auto Own = find(Columns, &Place) - Columns.begin();
  Others.erase(Others.begin() + Own);
  Store.setMetadata(LLVMContext::MD_alias_scope, MDNode::get(Store.getContext(), {Scopes[Own]}));
  Store.setMetadata(LLVMContext::MD_noalias, MDNode::get(Store.getContext(), Others));
}

void FrameEmitter::storeSlot(Slot &Place) {
  IRBuilder<> B(U.Forward->getContext());
  placeBehind(B, Place.V, *U.Forward);
  Value *Address;
  if (Place.Home->What == Frame::Nest) {
    auto Counter = [&](const Loop *L) { return S.Loops.lookup(L->getHeader()).Counter; };
    auto Last = [&](const Loop *L) { return S.Loops.lookup(L->getHeader()).Last; };
    Value *Index = nestIndex(B, Place, Counter, Last);
    Address = B.CreatePtrAdd(Place.Base, B.CreateNUWMul(Index, B.getInt64(Place.Bytes)));
  } else {
    if (auto *I = dyn_cast<Instruction>(Place.Home->Pointer);
        I && I->getParent() == B.GetInsertBlock() && isa<PHINode, Argument>(Place.V))
      B.SetInsertPoint(I->getNextNode());
    Address = B.CreatePtrAdd(Place.Home->Pointer, B.getInt64(Place.Offset));
  }
  const Align Alignment(std::min<int64_t>(Place.Bytes, 8));
  StoreInst *Store = B.CreateAlignedStore(asStored(B, Place.V), Address, Alignment);
  tagColumn(*Store, Place);
  Store->setMetadata(KeptValueKind, MDNode::get(Store->getContext(), {}));
}

static int64_t layOut(Frame &F, int64_t Start) {
  int64_t Offset = Start;
  for (Slot *Place : F.Slots) {
    Place->Offset = alignTo(Offset, std::min<int64_t>(PowerOf2Ceil(Place->Bytes), 8));
    Offset = Place->Offset + Place->Bytes;
  }
  return (Offset + 15) / 16 * 16;
}

void FrameEmitter::emitRoot(Frame &F) {
  int64_t Size = std::max<int64_t>(16, layOut(F, 0));
  BasicBlock &Entry = U.Forward->getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstInsertionPt());
  F.Pointer = SweepBuilder::reserve(B, U.Tape, B.getInt64(Size));
  U.Frame = F.Pointer;
}

void FrameEmitter::emitNest(Frame &F) {
  IRBuilder<> B(F.L->getLoopPreheader()->getTerminator());
  SmallVector<Value *, 8> Offsets;
  Value *Total = B.getInt64(0);
  for (Slot *Place : F.Slots) {
    Offsets.push_back(Total);
    Value *Bytes = B.getInt64(Place->Bytes);
    for (Loop *L : Place->Nest)
      Bytes = B.CreateMul(Bytes, trips(B, L));
    Bytes = B.CreateAnd(B.CreateAdd(Bytes, B.getInt64(63)), B.getInt64(-64));
    Total = B.CreateAdd(Total, Bytes);
  }
  Value *Memory = SweepBuilder::reserve(B, U.Tape, Total);
  for (unsigned I = 0; I < F.Slots.size(); ++I) {
    F.Slots[I]->Base = I == 0 ? Memory : B.CreatePtrAdd(Memory, Offsets[I]);
    Plan.require(F.Slots[I]->Base, Q);
  }
}

void FrameEmitter::emitIteration(Frame &F) {
  int64_t Size = layOut(F, 8);
  BasicBlock *Header = F.L->getHeader();
  IRBuilder<> B(Header, Header->begin());
  PHINode *Previous = B.CreatePHI(B.getPtrTy(), 2, "cf.prev");
  B.SetInsertPoint(Header, Header->getFirstInsertionPt());
  F.Pointer = SweepBuilder::reserve(B, U.Tape, B.getInt64(Size));
  B.CreateStore(Previous, F.Pointer);
  Previous->addIncoming(ConstantPointerNull::get(B.getPtrTy()), F.L->getLoopPreheader());
  Previous->addIncoming(F.Pointer, F.L->getLoopLatch());
  recordLastFrames(F);
}

void FrameEmitter::recordLastFrames(Frame &F) {
  for (auto &[Block, Step] : Shape.steps())
    for (BasicBlock *Target : Step.Targets) {
      if (!is_contained(Shape.entered(Block, Target), F.L))
        continue;
      Value *&Last = LastFrames[{Block, F.L}];
      if (Last)
        continue;
      PHINode *Phi = PHINode::Create(F.Pointer->getType(), pred_size(Block), "cf.lastframe");
      Phi->insertBefore(Block->begin());
      Value *None = ConstantPointerNull::get(cast<PointerType>(F.Pointer->getType()));
      for (BasicBlock *P : predecessors(Block))
        Phi->addIncoming(F.L->contains(P) ? F.Pointer : None, P);
      Last = Phi;
      Plan.require(Phi, Q);
    }
}

void FrameEmitter::keep(Value *V) {
  BasicBlock &Entry = U.Forward->getEntryBlock();
  IRBuilder<> B(&Entry, Entry.begin());
  AllocaInst *Keeper = B.CreateAlloca(V->getType(), nullptr, "cf.keep");
  Keepers[V] = Keeper;
  placeBehind(B, V, *U.Forward);
  if (auto *I = dyn_cast<Instruction>(V); I && I->getParent() == &Entry && !isa<PHINode>(I))
    B.SetInsertPoint(I->getNextNode());
  B.CreateStore(V, Keeper);
}

void FrameEmitter::run() {
  while (Frame *F = nextFrame()) {
    Done.insert(F);
    U.UsesTape = true;
    if (F->What == Frame::Root)
      emitRoot(*F);
    else if (F->What == Frame::Nest)
      emitNest(*F);
    else
      emitIteration(*F);
  }
  if (U.Kind == SweepKind::Split && !U.Frame) {
    Frame Empty;
    emitRoot(Empty);
  }
  for (auto &F : Plan.frames())
    for (Slot *Place : F->Slots)
      storeSlot(*Place);
  for (Value *V : Plan.kept())
    keep(V);
}

} // namespace contraflow
