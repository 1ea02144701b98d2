// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReverseSweep, part two: the reverse of one instruction.

#include "ReverseSweep.h"
#include "BitSets.h"
#include "Remarks.h"
#include "construct/Fields.h"
#include "contraflow/core/Barrier.h"
#include "contraflow/core/Rule.h"
#include "prepare/Indirect.h"
#include "rules/Guard.h"
#include "support/ShadowAlign.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

bool ReverseSweep::shared(const Value *ForwardShadow) const {
  return mayBeShared(In.U, ForwardShadow);
}

bool ReverseSweep::addsPlainly(const Instruction &Load) const {
  return In.Owned.contains(&Load) || any_of(In.Sharing.Loops, [&](const SharedPlan &P) {
           return P.Range < 0 && P.Loop.PlainLoads.contains(&Load);
         });
}

/// True if the update is outside the shared loop of its phase: threads that are in it may add to
/// the same place plainly, but hold the lock then.
bool ReverseSweep::meetsSharedLoop(const Instruction &Load) const {
  return any_of(In.Sharing.Loops, [&](const SharedPlan &P) {
    return (P.Plain || P.Atomic) && P.Outside.contains(&Load);
  });
}

/// True if what threads add is kept until the team meets, and added in their order.
bool ReverseSweep::inOrder() const {
  return In.S.Switch.Deterministic && In.U.InTeam && !In.U.Detached && !In.U.Foreign;
}

void ReverseSweep::addInOrder(Value *Where, Value *Bar, bool Locks) {
  auto *Vec = dyn_cast<FixedVectorType>(Bar->getType());
  for (unsigned E = 0; E < (Vec ? Vec->getNumElements() : 1); ++E) {
    Value *Part = Vec ? B.CreateExtractElement(Bar, E) : Bar;
    Value *Cell = Vec ? B.CreateConstGEP1_64(Vec->getElementType(), Where, E) : Where;
    Type *T = Part->getType();
    runtime(T->isDoubleTy()  ? "omp_ledger_add_f64"
            : T->isFloatTy() ? "omp_ledger_add_f32"
                             : "omp_ledger_add_f80",
            B.getVoidTy(), {Cell, Part, B.getInt32(Locks)});
  }
}

/// In front of a reverse step that reads what the thread may have added to.
void ReverseSweep::takeInOrder(Instruction &Access, Value *Where) {
  if (!inOrder())
    return;
  const Value *Object = getUnderlyingObject(In.Fwd.accessOf(Access), 20);
  if (isa<AllocaInst>(Object) && !PointerMayBeCaptured(Object, /*ReturnCaptures=*/true))
    return;
  auto *Store = dyn_cast<StoreInst>(&Access);
  Value *Pointer = Store ? Store->getPointerOperand() : Access.getOperand(0);
  Type *T = Store ? Store->getValueOperand()->getType() : Access.getType();
  Location At = In.S.Graph.find(Pointer);
  if (!At || In.S.AddedInTeams.contains(In.S.Graph.canonical(At.Node)))
    runtime("omp_ledger_take", B.getVoidTy(),
            {Where, B.getInt64(In.S.Graph.layout().getTypeStoreSize(T))});
}

/// Whether no other thread of a team runs beside this one, asked once in the function. Null where
/// that tells nothing, or where the derivative will be differentiated.
Value *ReverseSweep::alone() {
  if (!In.U.InTeam || In.U.Foreign || !In.S.Switch.Sharing)
    return nullptr;
  if (!Alone) {
    IRBuilder<> Top(Locals->getTerminator());
    Value *Answer = callRuntime(Top, In.S.C.M, "omp_is_alone", Top.getInt32Ty(), {});
    Alone = Top.CreateICmpNE(Answer, Top.getInt32(0), "alone");
  }
  return Alone;
}

/// Threads take turns where the update may meet plain ones of others.
void ReverseSweep::addBesideOthers(Instruction &Load, Value *Where, Value *Bar, bool Locks) {
  if (Locks)
    runtime("omp_share_enter", B.getVoidTy(), {});
  auto *Vec = dyn_cast<FixedVectorType>(Bar->getType());
  for (unsigned E = 0; E < (Vec ? Vec->getNumElements() : 1); ++E) {
    Value *Part = Vec ? B.CreateExtractElement(Bar, E) : Bar;
    Value *Cell = Vec ? B.CreateConstGEP1_64(Vec->getElementType(), Where, E) : Where;
    if (Part->getType()->isX86_FP80Ty()) // 16 bytes, of which ten are the number
      runtime("add_f80", B.getVoidTy(), {Cell, Part});
    else
      Tags.shadow(*B.CreateAtomicRMW(AtomicRMWInst::FAdd, Cell, Part, MaybeAlign(),
                                     AtomicOrdering::Monotonic),
                  Load);
  }
  if (Locks)
    runtime("omp_share_leave", B.getVoidTy(), {});
}

/// An atomic addition takes ten times as long as a plain one, also where there is one thread.
void ReverseSweep::addAtomically(Instruction &Load, Value *Where, Value *Bar) {
  const bool Locks = meetsSharedLoop(Load);
  if (inOrder())
    return addInOrder(Where, Bar, Locks);
  Value *Plainly = apart(Load);
  if (!Plainly) {
    remarkAtomic(In.S, Load, In.Sharing.whyAtomic(Load));
    Plainly = alone();
  }
  if (!Plainly)
    return addBesideOthers(Load, Where, Bar, Locks);
  BasicBlock *Others = BasicBlock::Create(B.getContext(), "others", In.U.Reverse);
  BasicBlock *Behind = branchIf(Plainly, Others);
  addPlainly(Load, Where, Bar);
  B.CreateBr(Behind);
  B.SetInsertPoint(Others);
  addBesideOthers(Load, Where, Bar, Locks);
  B.CreateBr(Behind);
  B.SetInsertPoint(Behind);
}

/// In front of a reverse step of floats whose place in the shadow may hold an address.
void ReverseSweep::dropAddresses(const Value *Pointer, Value *Where, Type *T) {
  if (!mayMeetAddress(In.S.Graph, Pointer, T))
    return;
  auto *Vec = dyn_cast<FixedVectorType>(T);
  for (unsigned E = 0; E < (Vec ? Vec->getNumElements() : 1); ++E)
    dropAddress(*this, Vec ? B.CreateConstGEP1_64(Vec->getElementType(), Where, E) : Where);
}

void ReverseSweep::accumulate(Instruction &I, Value *Address, Value *Bar) {
  if (defer(I, Bar))
    return;
  Value *Where = recall(Address);
  const Value *Pointer = cast<LoadInst>(I).getPointerOperand();
  if (!mayMeetAddress(In.S.Graph, Pointer, Bar->getType()))
    return accumulateAt(I, Address, Where, Bar);
  // An integer of the caller's, whose shadow is itself, has no adjoint: nothing is written there.
  Value *Differs = B.CreateFCmpUNE(Bar, Constant::getNullValue(Bar->getType()));
  if (Bar->getType()->isVectorTy())
    Differs = B.CreateOrReduce(Differs);
  BasicBlock *Behind = branchIf(Differs, nullptr);
  dropAddresses(Pointer, Where, Bar->getType());
  accumulateAt(I, Address, Where, Bar);
  B.CreateBr(Behind);
  B.SetInsertPoint(Behind);
}

void ReverseSweep::accumulateAt(Instruction &I, Value *Address, Value *Where, Value *Bar) {
  if (Value *Own = privateAddress(I, Where))
    Where = Own;
  else if (addToWindow(cast<LoadInst>(I), Where, Bar))
    return;
  else if (shared(Address) && !addsPlainly(I))
    return addAtomically(I, Where, Bar);
  addPlainly(I, Where, Bar);
}

void ReverseSweep::addPlainly(Instruction &I, Value *Where, Value *Bar) {
  const Align Alignment = shadowAlign(cast<LoadInst>(I).getAlign());
  LoadInst *Old = B.CreateAlignedLoad(Bar->getType(), Where, Alignment);
  Value *Sum = sumOf(Old, Bar, mayBeFloat(In.S.Activity, &I));
  if (auto *Add = dyn_cast<Instruction>(Sum); Add && isa<FPMathOperator>(Add))
    Add->setHasNoSignedZeros(true); // 0 + Bar, where the shadow has just been consumed, is Bar
  StoreInst *New = B.CreateAlignedStore(Sum, Where, Alignment);
  Old->setVolatile(In.S.C.HasViews);
  New->setVolatile(In.S.C.HasViews);
  Tags.shadow(*Old, I);
  Tags.shadow(*New, I);
  if (MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa)) {
    Old->setMetadata(LLVMContext::MD_tbaa, Tag);
    New->setMetadata(LLVMContext::MD_tbaa, Tag);
  }
}

/// Bits that are V's address or adjoint.
Value *ReverseSweep::holdsAddress(const Value *V, Value *Bits) {
  if (!In.Fwd.carriesFloat(V))
    return isAddress(B, Bits);
  return B.CreateIsNotNull(runtime("is_address_not_floats", B.getInt32Ty(), {Bits}));
}

/// True if the numbers of an object, as far as it is known, reach into each other.
static bool numbersMeet(const MemoryGraph &Graph, unsigned Node) {
  int64_t First = INT64_MAX, End = INT64_MIN;
  for (auto [Offset, Cell] : Graph.fields(Node)) {
    const unsigned Floats = Graph.kindsOfCell(Cell) & SK_AnyFloat;
    if (!Floats)
      continue;
    if (Offset < End)
      return true;
    First = std::min(First, Offset);
    End = Offset + widthOfKinds(Floats);
  }
  const int64_t Period = Graph.period(Node);
  return Period && First < End && End - Period > First;
}

/// A quick answer for most memory: where numbers have places of their own.
bool ReverseSweep::mayMoveAsBytes(Location At) {
  constexpr int64_t Widest = 16;
  if (!At)
    return false;
  const MemoryGraph &Graph = In.S.Graph;
  const unsigned Node = Graph.canonical(At.Node);
  const auto [Known, IsNew] = MovesAsBytes.try_emplace(Node, false);
  if (IsNew) {
    const int64_t Period = Graph.period(Node);
    constexpr unsigned TwoWidths = SK_Float | SK_Double;
    const unsigned Kinds = Graph.kindsOf(Node);
    Known->second = (Period && Period < Widest) || Graph.isPacked(Node) || (Kinds & SK_Guessed) ||
                    (Kinds & TwoWidths) == TwoWidths || numbersMeet(Graph, Node);
  }
  return Known->second;
}

/// Among bytes that may lie anywhere, there is a number here: what several messages brought back
/// for it is added before it is read.
void ReverseSweep::settleBytes(Value *Pointer, Value *Where, Type *T) {
  Type *Number = T->getScalarType();
  const bool IsNumber = Number->isFloatTy() || Number->isDoubleTy() || Number->isX86_FP80Ty();
  if (In.S.Spec.Again || !IsNumber || !mayMoveAsBytes(In.S.Graph.find(Pointer)) ||
      !movesAsBytes(layout(Pointer)))
    return;
  auto *Vec = dyn_cast<FixedVectorType>(T);
  const unsigned Kind = Number->isFloatTy() ? 0 : Number->isDoubleTy() ? 1 : 2; // of a cf_field
  runtime("bytes_settle", B.getVoidTy(),
          {Where, B.getInt32(Kind), B.getInt64(Vec ? Vec->getNumElements() : 1)});
}

Error ReverseSweep::reverseStore(StoreInst &I) {
  Type *T = storedFloat(In.S.Activity, I);
  Value *V = I.getValueOperand();
  Value *Where = recall(In.Fwd.accessOf(I));
  settleBytes(I.getPointerOperand(), Where, T);
  takeInOrder(I, Where);
  takeFromWindows(I, Where, T);
  dropAddresses(I.getPointerOperand(), Where, T);
  const Align Alignment = shadowAlign(I.getAlign());
  LoadInst *Bar = B.CreateAlignedLoad(T, Where, Alignment);
  StoreInst *Zero = B.CreateAlignedStore(Constant::getNullValue(T), Where, Alignment);
  Tags.shadow(*Bar, I);
  Tags.shadow(*Zero, I);
  if (MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa)) {
    Bar->setMetadata(LLVMContext::MD_tbaa, Tag);
    Zero->setMetadata(LLVMContext::MD_tbaa, Tag);
  }
  if (isa<Constant>(V) || V->getType()->isPtrOrPtrVectorTy() || !In.S.Activity.active(V))
    return Error::success();
  if (floatType(V) != T && In.S.Graph.isCount(&I))
    return Error::success();
  if (floatType(V) != T)
    return diffError(DiagId::UnknownType, I, "an integer store of active memory");
  if (!In.Fwd.carriesEither(V))
    addAdjoint(V, Bar);
  else
    addAdjoint(V, B.CreateSelect(holdsAddress(V, B.CreateBitCast(Bar, B.getInt64Ty())),
                                 Constant::getNullValue(T), Bar));
  return Error::success();
}

Error ReverseSweep::reverseAtomic(AtomicRMWInst &I) {
  auto Op = I.getOperation();
  if ((Op != AtomicRMWInst::FAdd && Op != AtomicRMWInst::FSub) ||
      (In.S.Activity.active(&I) && !I.use_empty()))
    return diffError(DiagId::UnsupportedInstruction, I, "atomic update other than x += v, x -= v");
  Value *Where = recall(In.Fwd.accessOf(I));
  settleBytes(I.getPointerOperand(), Where, I.getType());
  takeInOrder(I, Where);
  takeFromWindows(I, Where, I.getType());
  dropAddresses(I.getPointerOperand(), Where, I.getType());
  LoadInst *Bar = B.CreateAlignedLoad(I.getType(), Where, I.getAlign());
  Bar->setAtomic(AtomicOrdering::Monotonic);
  addAdjoint(I.getValOperand(), Op == AtomicRMWInst::FSub ? B.CreateFNeg(Bar) : cast<Value>(Bar));
  return Error::success();
}

/// True if no more than the first float of a vector is read.
static bool readsFirst(const Instruction &I) {
  return !I.getType()->isVectorTy() || all_of(I.users(), [](const User *U) {
    auto *Element = dyn_cast<ExtractElementInst>(U);
    auto *Index = Element ? dyn_cast<ConstantInt>(Element->getIndexOperand()) : nullptr;
    return Index && Index->isZero();
  });
}

/// Instructions that hand a float on unchanged.
bool ReverseSweep::reverseMove(Instruction &I) {
  if (auto *Select = dyn_cast<SelectInst>(&I)) {
    Value *Bar = takeAdjoint(&I), *Cond = recall(Select->getCondition());
    Value *Zero = Constant::getNullValue(Bar->getType());
    addAdjoint(Select->getTrueValue(), B.CreateSelect(Cond, Bar, Zero));
    addAdjoint(Select->getFalseValue(), B.CreateSelect(Cond, Zero, Bar));
    return true;
  }
  if (!isa<FreezeInst, BitCastInst, TruncInst, ZExtInst>(I))
    return false;
  Value *From = I.getOperand(0);
  if (isa<Constant>(From) || !In.S.Activity.active(From))
    return (void)takeAdjoint(&I), true;
  Value *Bar = takeAdjoint(&I);
  if (floatType(From) != Bar->getType())
    Bar = In.S.Activity.mixedWords().Any && readsFirst(I) ? asWordOf(B, Bar, floatType(From))
                                                          : nullptr;
  if (Bar)
    addAdjoint(From, Bar);
  return Bar;
}

bool ReverseSweep::reverseVector(Instruction &I) {
  if (auto *E = dyn_cast<ExtractElementInst>(&I)) {
    Value *Bar = takeAdjoint(&I);
    Value *Zero = Constant::getNullValue(E->getVectorOperandType());
    addAdjoint(E->getVectorOperand(),
               B.CreateInsertElement(Zero, Bar, recall(E->getIndexOperand())));
    return true;
  }
  if (isa<InsertElementInst>(I)) {
    Value *Bar = takeAdjoint(&I), *Index = recall(I.getOperand(2));
    addAdjoint(I.getOperand(1), B.CreateExtractElement(Bar, Index));
    Value *Zero = Constant::getNullValue(I.getOperand(1)->getType());
    addAdjoint(I.getOperand(0), B.CreateInsertElement(Bar, Zero, Index));
    return true;
  }
  auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I);
  if (!Shuffle)
    return false;
  Value *Bar = takeAdjoint(&I);
  Type *In = Shuffle->getOperand(0)->getType();
  int Width = cast<FixedVectorType>(In)->getNumElements();
  ArrayRef<int> Mask = Shuffle->getShuffleMask();
  for (unsigned E = 0; E < Mask.size(); ++E) {
    if (Mask[E] < 0)
      continue;
    Value *Part = B.CreateInsertElement(Constant::getNullValue(In), B.CreateExtractElement(Bar, E),
                                        uint64_t(Mask[E] % Width));
    addAdjoint(Shuffle->getOperand(Mask[E] / Width), Part);
  }
  return true;
}

bool ReverseSweep::reverseAggregate(Instruction &I) {
  if (auto *E = dyn_cast<ExtractValueInst>(&I)) {
    Value *Zero = Constant::getNullValue(E->getAggregateOperand()->getType());
    addAdjoint(E->getAggregateOperand(),
               B.CreateInsertValue(Zero, takeAdjoint(&I), E->getIndices()));
    return true;
  }
  auto *Insert = dyn_cast<InsertValueInst>(&I);
  if (!Insert)
    return false;
  Value *Bar = takeAdjoint(&I), *V = Insert->getInsertedValueOperand();
  if (V->getType()->isFPOrFPVectorTy() || V->getType()->isAggregateType())
    addAdjoint(V, B.CreateExtractValue(Bar, Insert->getIndices()));
  addAdjoint(Insert->getAggregateOperand(),
             B.CreateInsertValue(Bar, Constant::getNullValue(V->getType()), Insert->getIndices()));
  return true;
}

Value *ReverseSweep::recallFactor(Instruction &I) {
  if (I.getOpcode() != Instruction::FDiv || In.Plan.decisionFor(&I) != Decision::Recompute)
    return recall(&I);
  Value *Dividend = recall(I.getOperand(0));
  return divideAsFactor(B, Dividend, recall(I.getOperand(1)));
}

void ReverseSweep::reverseRule(Instruction &I) {
  Rule R = findRule(I);
  Value *Bar = takeAdjoint(&I);
  for (unsigned Op = 0; Op < R.operands(); ++Op) {
    if (R.isZero(Op) || !In.S.Activity.active(I.getOperand(Op)))
      continue;
    SmallVector<Value *, 3> Values(R.operands(), nullptr);
    for (unsigned Read = 0; Read < R.operands(); ++Read)
      if (R.readsOperand(Op, Read))
        Values[Read] = recall(I.getOperand(Read));
    Value *Result = R.readsResult(Op) ? recallFactor(I) : nullptr;
    Value *Part = R.scale(B, Op, Bar, {Values, Result});
    if (isGuarded(I, Op)) {
      Value *Zero = Constant::getNullValue(Bar->getType());
      Part = B.CreateSelect(B.CreateFCmpOEQ(Bar, Zero), Zero, Part);
    }
    addAdjoint(I.getOperand(Op), Part);
  }
}

void ReverseSweep::reverseClosureCall(const CallSite &Site) {
  auto *Call = cast<CallInst>(Site.Anchor);
  Unit *Callee = nullptr;
  for (auto &[F, Other] : In.S.Units)
    if (Other->Split.Augmented == Call->getCalledFunction())
      Callee = Other.get();
  SmallVector<Value *, 3> Args;
  const Value *Original = In.S.Graph.original(Call);
  if (Callee->Reverse->arg_size() == 3)
    Args.push_back(takeAdjoint(const_cast<Value *>(Original)));
  Args.push_back(recall(Site.Recorded[0]));
  Args.push_back(In.U.ReverseTape);
  Value *Bars = B.CreateCall(Callee->Split.Reverse, Args);
  for (unsigned I = 0; I < Callee->Split.ActiveArgs.size(); ++I)
    addAdjoint(Site.Operands[Callee->Split.ActiveArgs[I]], B.CreateExtractValue(Bars, I));
}

Error ReverseSweep::reverseSite(const CallSite &Site) {
  if (!Site.Handler) {
    reverseClosureCall(Site);
    return Error::success();
  }
  if (inOrder() && !Site.OnlyWaits) {
    remarkUnordered(In.S, *Site.Anchor);
    runtime("omp_ledger_flush", B.getVoidTy(), {});
  }
  SmallVector<Value *, 4> Recalled;
  for (Value *V : Site.Recorded)
    Recalled.push_back(recall(V));
  return Site.Handler->adjoint(*this, Site, Recalled);
}

Error ReverseSweep::reverseValue(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    if (mayHoldTwoFloats(In.S.Activity, *Load) ||
        (In.S.Activity.mixedWords().Stored && isFloatOrDouble(In.S.Activity, *Load) &&
         shared(In.Fwd.accessOf(*Load))))
      return diffError(DiagId::UnknownType, I,
                       "a word is a float at one time and a double at another");
    if (In.S.Activity.activeAt(In.S.Graph.find(Load->getPointerOperand()),
                               In.S.Graph.layout().getTypeStoreSize(I.getType())))
      accumulate(I, In.Fwd.accessOf(*Load), takeAdjoint(&I));
    return Error::success();
  }
  if (reverseMove(I) || reverseVector(I) || reverseAggregate(I))
    return Error::success();
  if (auto *Call = dyn_cast<CallBase>(&I); Call && isIndirect(*Call)) // nobody came back from it
    return (void)takeAdjoint(&I), Error::success();
  if (!findRule(I) &&
      !wordsOfBits(I, In.S.Activity.hasShadow(&I) ? Word::MayBeAddress : Word::MayBeNumber).empty())
    return checkDigits(*this, takeAdjoint(&I), I), Error::success();
  if (!findRule(I))
    return diffError(DiagId::UnsupportedInstruction, I, I.getOpcodeName());
  reverseRule(I);
  return Error::success();
}

Error ReverseSweep::reverse(Instruction &I) {
  if (isa<PHINode>(I) || !In.Steps.hasWork(I))
    return Error::success();
  B.SetCurrentDebugLocation(I.getDebugLoc());
  if (isMeeting(I)) {
    runtime("omp_barrier", B.getVoidTy(), {});
    return Error::success();
  }
  if (const CallSite *Site = In.Steps.site(I))
    return reverseSite(*Site);
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return reverseStore(*Store);
  if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    return reverseAtomic(*Atomic);
  return reverseValue(I);
}

} // namespace contraflow
