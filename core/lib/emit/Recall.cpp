// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReverseSweep, part one: getting a primal value back, wherever the plan put it. Within one block
// of the reverse sweep each value is fetched once.

#include "ReverseSweep.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

ReverseSweep::ReverseSweep(const Inputs &In)
    : In(In), B(In.U.Forward->getContext()), Tags(In.U.Forward->getContext()) {
  FastMathFlags Flags;
  Flags.setAllowContract(true);
  B.setFastMathFlags(Flags);
}

AllocaInst *ReverseSweep::local(Type *T, const Twine &Name, bool Zero) {
  BasicBlock &Entry = In.U.Reverse->getEntryBlock();
  IRBuilder<> Top(&Entry, Entry.begin());
  AllocaInst *A = Top.CreateAlloca(T, nullptr, Name);
  if (Zero) {
    Top.SetInsertPoint(Locals->getTerminator());
    Top.CreateStore(Constant::getNullValue(T), A);
  }
  return A;
}

Value *ReverseSweep::counter(const Loop *L) { return B.CreateLoad(B.getInt64Ty(), Counters[L]); }

Value *ReverseSweep::loadSlot(const Slot &Place) {
  Value *Address;
  if (Place.Home->What == Frame::Root) {
    Address = B.CreatePtrAdd(In.U.ReverseFrame, B.getInt64(Place.Offset));
  } else if (Place.Home->What == Frame::Iteration) {
    Value *Frame = B.CreateLoad(B.getPtrTy(), IterationFrames[Place.Home->L]);
    Address = B.CreatePtrAdd(Frame, B.getInt64(Place.Offset));
  } else {
    auto Counter = [&](const Loop *L) { return counter(L); };
    auto Last = [&](const Loop *L) { return recall(In.S.Loops.lookup(L->getHeader()).Last); };
    Value *Index = nestIndex(B, Place, Counter, Last);
    Address = B.CreatePtrAdd(recall(Place.Base), B.CreateNUWMul(Index, B.getInt64(Place.Bytes)));
  }
  Type *T = Place.V->getType();
  LoadInst *V =
      B.CreateAlignedLoad(storedType(T), Address, Align(std::min<int64_t>(Place.Bytes, 8)));
  Tags.tape(*V);
  return T->isIntegerTy(1) ? B.CreateTrunc(V, T) : V;
}

Value *ReverseSweep::loadSnapshot(LoadInst &Load, const Snapshot &From) {
  Value *Address = B.CreatePtrToInt(recall(Load.getPointerOperand()), B.getInt64Ty());
  Value *Where = B.CreatePtrAdd(recall(From.Memory), B.CreateSub(Address, recall(From.Begin)));
  LoadInst *Copy = B.CreateAlignedLoad(Load.getType(), Where, Load.getAlign());
  Tags.tape(*Copy);
  return Copy;
}

Value *ReverseSweep::recompute(Instruction &I) {
  if (auto *Phi = dyn_cast<PHINode>(&I))
    return recall(In.S.Carried.lookup(Phi));
  SmallVector<Value *, 4> Operands;
  for (Value *Op : I.operands())
    Operands.push_back(isa<Function>(Op) || isa<MetadataAsValue>(Op) ? Op : recall(Op));
  Instruction *Copy = I.clone();
  for (unsigned Op = 0; Op < Operands.size(); ++Op)
    Copy->setOperand(Op, Operands[Op]);
  B.Insert(Copy, I.hasName() ? I.getName() + ".again" : "");
  Copy->dropLocation();
  if (isa<LoadInst>(Copy) && !In.Fwd.mirrored(&I))
    Tags.primal(*Copy);
  else if (isa<LoadInst>(Copy) && I.getType()->isPointerTy())
    Tags.pointer(*Copy);
  return Copy;
}

Value *ReverseSweep::recallNew(Value *V) {
  if (isa<Constant>(V) || isa<BasicBlock>(V) || isa<MetadataAsValue>(V))
    return V;
  switch (In.Plan.decisionFor(V)) {
  case Decision::Keep:
    return B.CreateLoad(V->getType(), In.Frames.keeper(V));
  case Decision::Store:
    return loadSlot(*In.Plan.slotFor(V));
  case Decision::Recompute:
    if (const Snapshot *From = In.Snapshots.find(V))
      return loadSnapshot(*cast<LoadInst>(V), *From);
    return recompute(*cast<Instruction>(V));
  case Decision::Available:
    break;
  }
  if (auto *Phi = dyn_cast<PHINode>(V))
    for (auto &[L, Slot] : Counters)
      if (In.S.Loops.lookup(L->getHeader()).Counter == Phi)
        return B.CreateLoad(B.getInt64Ty(), Slot);
  return V;
}

Value *ReverseSweep::recall(Value *V) {
  Value *&Found = Known[V];
  if (Found)
    return Found;
  Value *New = recallNew(V);
  return Known[V] = New;
}

AllocaInst *ReverseSweep::barSlot(Value *V) {
  AllocaInst *&Slot = Bars[In.S.Graph.original(V)];
  if (!Slot)
    Slot = local(floatType(V), V->getName() + ".bar", true);
  return Slot;
}

Value *ReverseSweep::takeAdjoint(Value *V) {
  Type *T = floatType(V);
  if (!In.S.Activity.active(V))
    return Constant::getNullValue(T);
  AllocaInst *Slot = barSlot(V);
  Value *Bar = B.CreateLoad(T, Slot);
  B.CreateStore(Constant::getNullValue(T), Slot);
  return Bar;
}

void ReverseSweep::addAdjoint(Value *V, Value *Bar) {
  if (isa<Constant>(V) || !In.S.Activity.active(V))
    return;
  if (auto *Zero = dyn_cast<Constant>(Bar); Zero && Zero->isNullValue())
    return;
  AllocaInst *Slot = barSlot(V);
  // Contributions have no order of their own: a sum over a loop may be reordered to be vectorised.
  // Nor does the sign of a zero matter, so that the first one needs no addition.
  IRBuilder<>::FastMathFlagGuard Keep(B);
  FastMathFlags Flags = B.getFastMathFlags();
  Flags.setAllowReassoc();
  Flags.setNoSignedZeros();
  B.setFastMathFlags(Flags);
  B.CreateStore(sumOf(B.CreateLoad(Bar->getType(), Slot), Bar, mayBeFloat(In.S.Activity, V)), Slot);
}

/// Doubles, or floats with zeros behind them, which as doubles are next to nothing.
static Value *sumOfNumbers(IRBuilderBase &B, Value *Old, Value *Bar) {
  auto Like = [Old](Type *T) {
    auto *Vec = dyn_cast<VectorType>(Old->getType());
    return Vec ? VectorType::get(T, Vec) : T;
  };
  Type *Words = Like(B.getInt64Ty()), *Halves = Like(B.getInt32Ty()),
       *Floats = Like(B.getFloatTy());
  Value *OldBits = B.CreateBitCast(Old, Words), *BarBits = B.CreateBitCast(Bar, Words);
  auto Low = [&](Value *Bits) { return B.CreateBitCast(B.CreateTrunc(Bits, Halves), Floats); };
  Value *Sum = B.CreateFAdd(Low(OldBits), Low(BarBits));
  Value *Lower = B.CreateZExt(B.CreateBitCast(Sum, Halves), Words);
  Value *AreFloats =
      B.CreateICmpULT(B.CreateOr(OldBits, BarBits), ConstantInt::get(Words, uint64_t{1} << 32));
  return B.CreateSelect(AreFloats, B.CreateBitCast(Lower, Old->getType()), B.CreateFAdd(Old, Bar));
}

/// Of structures and arrays, those within them too, the numbers are added.
Value *ReverseSweep::sumOf(Value *Old, Value *Bar, bool MayBeFloat) {
  Type *T = Bar->getType();
  if (MayBeFloat && T->getScalarType()->isDoubleTy())
    return sumOfNumbers(B, Old, Bar);
  if (T->isFPOrFPVectorTy())
    return B.CreateFAdd(Old, Bar);
  if (!T->isAggregateType())
    return Old;
  Value *Sum = Old;
  const unsigned Count = T->isArrayTy() ? T->getArrayNumElements() : T->getStructNumElements();
  for (unsigned I = 0; I < Count; ++I)
    if (Type *Part = ExtractValueInst::getIndexedType(T, I);
        Part->isFPOrFPVectorTy() || Part->isAggregateType())
      Sum = B.CreateInsertValue(
          Sum, sumOf(B.CreateExtractValue(Old, I), B.CreateExtractValue(Bar, I), MayBeFloat), I);
  return Sum;
}

CallInst *ReverseSweep::runtime(StringRef Name, Type *Result, ArrayRef<Value *> Args) {
  return SweepBuilder::callRuntime(B, In.S.C.M, Name, Result, Args);
}

Value *ReverseSweep::shadow(Value *) { llvm_unreachable("record the shadow in augment()"); }
void ReverseSweep::setShadow(Value *, Value *) { llvm_unreachable("shadows are made forwards"); }
Value *ReverseSweep::tangent(Value *) { llvm_unreachable("tangents only in tangent mode"); }
void ReverseSweep::setTangent(Value *, Value *) { llvm_unreachable("only in tangent mode"); }

void ReverseSweep::replaceCall(CallBase &, Value *) {
  llvm_unreachable("the forward sweep is finished");
}

Expected<SplitDerivative> ReverseSweep::split(Function &Body) { return In.S.unitFor(Body).Split; }

Expected<Function *> ReverseSweep::tangentOf(Function &Body, SmallVectorImpl<bool> &) {
  return diffError(DiagId::Internal, Body, "tangent asked for in a reverse sweep");
}

} // namespace contraflow
