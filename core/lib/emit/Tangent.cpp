// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tangent of one unit: one walk, each instruction followed by the propagation of tangents.
//
//   %r = fmul double %a, %b        %r.dot = a-dot * b + a * b-dot

#include "BitSets.h"
#include "ForwardSweep.h"
#include "Steps.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Rule.h"
#include "support/ShadowAlign.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

class TangentSweep : public ForwardSweep {
public:
  TangentSweep(RequestState &S, Unit &U) : ForwardSweep(S, U), DotLanes(S.Spec.Width) {
    for (auto [Map, Params] : zip(DotLanes, U.Shadows))
      for (auto [Primal, Shadow] : zip(U.Primals, Params))
        if (Shadow && !Primal->getType()->isPointerTy())
          Map[Primal] = Shadow;
    FastMathFlags Flags;
    Flags.setAllowContract(true);
    B.setFastMathFlags(Flags);
  }
  Error finish();
  Value *tangent(Value *V) override;
  void setTangent(Value *V, Value *Dot) override { dots()[V] = Dot; }

private:
  Error visitFloat(Instruction &I) override;
  Error callClosure(CallBase &I, Function &Callee) override;
  void checkNumber(Value *V, Instruction &At);
  Error callHandler(CallBase &I, const ConstructHandler &Handler) override;
  /// The tangent of what moves into a place for floats of type T: a constant may be an integer.
  Value *tangentAs(Type *T, Value *V) {
    Value *Dot = tangent(V);
    return Dot->getType() == T ? Dot : Constant::getNullValue(T);
  }
  Value *orAddress(Value *V, Value *Dot);
  Error visitStoreDot(StoreInst &I);
  Error visitAtomic(AtomicRMWInst &I);
  void visitLoadDot(LoadInst &I);
  void visitPhi(PHINode &I);
  bool visitMove(Instruction &I);
  void visitRule(Instruction &I);
  void dropBits(Instruction &I, ArrayRef<Value *> Words);
  void rewriteReturns();

  ValueMap &dots() { return DotLanes[Lane]; }

  SmallVector<ValueMap, 1> DotLanes;
  struct PhiDot {
    PHINode *Phi, *Dot;
    unsigned Lane;
  };
  SmallVector<PhiDot, 8> PhiDots;
};

Value *TangentSweep::tangent(Value *V) {
  if (Value *Dot = dots().lookup(V))
    return Dot;
  Type *T = floatType(V);
  return Constant::getNullValue(T ? T : V->getType());
}

void TangentSweep::visitLoadDot(LoadInst &I) {
  if (!S.Activity.activeAt(S.Graph.find(I.getPointerOperand()),
                           S.Graph.layout().getTypeStoreSize(I.getType())))
    return;
  LoadInst *Dot = B.CreateAlignedLoad(floatType(&I), accessOf(I), shadowAlign(I.getAlign()));
  Dot->setVolatile(S.C.HasViews && I.isVolatile());
  if (MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa))
    Dot->setMetadata(LLVMContext::MD_tbaa, Tag);
  dots()[&I] = Dot;
}

/// Bits that may be an address have one for their shadow, which stands where the tangent would.
Value *TangentSweep::orAddress(Value *V, Value *Dot) {
  if (!carriesEither(V))
    return Dot;
  Value *Shadow = shadowOf(V);
  Value *HasShadow =
      carriesFloat(V)
          ? B.CreateIsNotNull(runtime("is_address_not_floats", B.getInt32Ty(), {Shadow}))
          : isAddress(B, Shadow);
  return B.CreateSelect(HasShadow, B.CreateBitCast(Shadow, Dot->getType()), Dot);
}

Error TangentSweep::visitStoreDot(StoreInst &I) {
  Type *T = storedFloat(S.Activity, I);
  Value *V = I.getValueOperand();
  if (!T || V->getType()->isPtrOrPtrVectorTy() || (isa<PtrToIntInst>(V) && movesPointer(V)))
    return Error::success(); // addresses have shadows
  bool Active = !isa<Constant>(V) && S.Activity.active(V);
  if (Active && floatType(V) != T && S.Graph.isCount(&I))
    Active = false; // the number of elements, in the head of what has floats there in its nodes
  if (Active && floatType(V) != T)
    return diffError(DiagId::UnknownType, I, "an integer store of active memory");
  Value *Dot = Active ? tangent(V) : Constant::getNullValue(T);
  if (S.Activity.hasShadow(I.getPointerOperand()))
    Dot = orAddress(V, Dot);
  if (Active)
    checkStored(I, Dot);
  StoreInst *Store = B.CreateAlignedStore(Dot, accessOf(I), shadowAlign(I.getAlign()));
  Store->setVolatile(S.C.HasViews && I.isVolatile());
  if (MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa))
    Store->setMetadata(LLVMContext::MD_tbaa, Tag);
  return Error::success();
}

Error TangentSweep::visitAtomic(AtomicRMWInst &I) {
  auto Op = I.getOperation();
  if (!S.Activity.active(I.getValOperand()) && !S.Activity.active(&I))
    return Error::success();
  if (S.Spec.Rounding || (Op != AtomicRMWInst::FAdd && Op != AtomicRMWInst::FSub))
    return diffError(DiagId::UnsupportedInstruction, I, "atomic update other than x += v, x -= v");
  dots()[&I] =
      B.CreateAtomicRMW(Op, accessOf(I), tangent(I.getValOperand()), I.getAlign(), I.getOrdering());
  return Error::success();
}

void TangentSweep::visitPhi(PHINode &I) {
  PHINode *Dot = PHINode::Create(floatType(&I), I.getNumIncomingValues(), I.getName() + ".dot");
  Dot->insertBefore(I.getIterator());
  dots()[&I] = Dot;
  PhiDots.push_back({&I, Dot, Lane});
}

bool TangentSweep::visitMove(Instruction &I) {
  if (auto *Select = dyn_cast<SelectInst>(&I)) {
    Type *T = floatType(&I);
    dots()[&I] = B.CreateSelect(Select->getCondition(), tangentAs(T, Select->getTrueValue()),
                                tangentAs(T, Select->getFalseValue()));
    return true;
  }
  if (isa<FreezeInst, BitCastInst, TruncInst, ZExtInst>(I)) {
    Value *From = I.getOperand(0);
    bool Active = !isa<Constant>(From) && S.Activity.active(From);
    Value *Dot = Active ? tangent(From) : Constant::getNullValue(floatType(&I));
    if (Dot->getType() != floatType(&I))
      Dot = S.Activity.mixedWords().Any ? asWordOf(B, Dot, floatType(&I)) : nullptr;
    if (!Dot)
      return false;
    bool Disguised = isa<BitCastInst>(I) && I.getType()->isDoubleTy();
    dots()[&I] = Disguised ? orAddress(From, Dot) : Dot;
    return true;
  }
  if (isa<ExtractElementInst, InsertElementInst, ShuffleVectorInst, ExtractValueInst,
          InsertValueInst>(I)) {
    Instruction *Dot = I.clone();
    for (Use &Op : Dot->operands())
      if (floatType(Op))
        Op.set(tangent(Op));
    dots()[&I] = B.Insert(Dot);
    return true;
  }
  return false;
}

/// False for operations whose result is exact.
static bool rounds(const Instruction &I) {
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    return !is_contained({Intrinsic::fabs, Intrinsic::copysign, Intrinsic::minnum,
                          Intrinsic::maxnum, Intrinsic::minimum, Intrinsic::maximum,
                          Intrinsic::minimumnum, Intrinsic::maximumnum, Intrinsic::ldexp},
                         Call->getIntrinsicID());
  return !isa<FPExtInst>(I) && I.getOpcode() != Instruction::FNeg;
}

/// What a number's last binary place is worth: the distance to the number that differs there only.
static Value *lastPlace(IRBuilderBase &B, Value *V) {
  IRBuilderBase::FastMathFlagGuard Guard(B);
  B.clearFastMathFlags(); // the number is the rounded one
  Type *T = V->getType();
  Type *Bits = B.getIntNTy(T->getScalarSizeInBits());
  if (auto *Vector = dyn_cast<VectorType>(T))
    Bits = VectorType::get(Bits, Vector->getElementCount());
  Value *Other = B.CreateXor(B.CreateBitCast(V, Bits), ConstantInt::get(Bits, 1));
  return B.CreateUnaryIntrinsic(Intrinsic::fabs, B.CreateFSub(V, B.CreateBitCast(Other, T)));
}

void TangentSweep::visitRule(Instruction &I) {
  Rule R = findRule(I);
  SmallVector<Value *, 3> Values(I.operand_values().begin(),
                                 I.operand_values().begin() + R.operands());
  Value *Sum = nullptr;
  for (unsigned Op = 0; Op < R.operands(); ++Op) {
    if (R.isZero(Op) || isa<Constant>(I.getOperand(Op)) || !S.Activity.active(I.getOperand(Op)))
      continue;
    Value *Part = R.scale(B, Op, tangent(I.getOperand(Op)), {Values, &I});
    if (S.Spec.Rounding)
      Part = B.CreateUnaryIntrinsic(Intrinsic::fabs, Part);
    Sum = Sum ? B.CreateFAdd(Sum, Part) : Part;
  }
  if (Sum && S.Spec.Rounding && rounds(I))
    Sum = B.CreateFAdd(Sum, lastPlace(B, &I));
  if (Sum)
    dots()[&I] = Sum;
}

/// A set of bits has no tangent.
void TangentSweep::dropBits(Instruction &I, ArrayRef<Value *> Words) {
  for (Value *Word : Words)
    if (S.Activity.active(Word))
      checkDigits(*this, tangent(Word), I);
  dots()[&I] = Constant::getNullValue(floatType(&I));
}

Error TangentSweep::visitFloat(Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return visitStoreDot(*Store);
  if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    return visitAtomic(*Atomic);
  if (!S.Activity.active(&I))
    return Error::success();
  if (auto *Load = dyn_cast<LoadInst>(&I))
    visitLoadDot(*Load);
  else if (auto *Phi = dyn_cast<PHINode>(&I))
    visitPhi(*Phi);
  else if (visitMove(I))
    return Error::success();
  else if (findRule(I))
    visitRule(I);
  else if (const auto Words =
               wordsOfBits(I, S.Activity.hasShadow(&I) ? Word::MayBeAddress : Word::MayBeNumber);
           !Words.empty())
    dropBits(I, Words);
  else
    return diffError(DiagId::UnsupportedInstruction, I, I.getOpcodeName());
  return Error::success();
}

Error TangentSweep::callClosure(CallBase &I, Function &Callee) {
  Unit &Inner = S.unitFor(Callee);
  SmallVector<Value *, 8> Args;
  for (unsigned A = 0; A < I.arg_size(); ++A) {
    Value *V = I.getArgOperand(A);
    Args.push_back(V);
    if (!Inner.Split.HasShadow[A])
      continue;
    const bool Dot = S.Activity.active(Inner.Prepared->getArg(A));
    if (Dot)
      checkNumber(V, I);
    for (Lane = 0; Lane < S.Spec.Width; ++Lane)
      Args.push_back(Dot ? tangent(V) : shadowOf(V));
    Lane = 0;
  }
  CallInst *Call = B.CreateCall(Inner.Forward, Args);
  Call->setMetadata(attr::Caught, I.getMetadata(attr::Caught));
  unsigned Next = 0;
  Value *Result = I.getType()->isVoidTy() ? nullptr : B.CreateExtractValue(Call, Next++);
  for (Lane = 0; Lane < S.Spec.Width; ++Lane)
    if (Inner.Split.ShadowResult)
      shadows()[Result] = B.CreateExtractValue(Call, Next++);
    else if (Inner.Split.ActiveResult)
      dots()[Result] = B.CreateExtractValue(Call, Next++);
  Lane = 0;
  if (Inner.Split.ActiveResult)
    checkNumber(Result, I);
  retire(I, Result);
  return Error::success();
}

/// The tangent of a number is passed, in which the shadow of an address would be lost.
void TangentSweep::checkNumber(Value *V, Instruction &At) {
  if (!carriesEither(V) || !S.Activity.hasShadow(V))
    return;
  Value *Place = B.CreateGlobalString(SourcePlace::of(At).str(), "cf.place");
  runtime("check_number", B.getVoidTy(), {B.CreateBitCast(V, B.getDoubleTy()), Place});
}

Error TangentSweep::callHandler(CallBase &I, const ConstructHandler &Handler) {
  checkOperands(I, Handler);
  if (S.Spec.Rounding && touchesActive(I)) {
    const CallFacts Facts = Handler.facts(I);
    const bool Computes = !Facts.Flows.empty() && Facts.Copies.empty();
    if (Computes || Facts.Opaque || Handler.closure(I))
      return diffError(DiagId::UnsupportedMode, I,
                       "an error estimate of '" + userName(*I.getCalledFunction()) +
                           "', which is not made of operations that the compiler sees");
  }
  return Handler.tangent(*this, I);
}

void TangentSweep::rewriteReturns() {
  for (BasicBlock &Block : *U.Forward) {
    auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
    if (!Return)
      continue;
    B.SetInsertPoint(Return);
    Value *V = Return->getReturnValue();
    bool Root = U.Prepared == S.Closure.Root;
    bool WantPrimal = V && (Root ? S.Spec.ReturnPrimal : true);
    bool WantDot =
        V && (Root ? S.Spec.Result == Activity::Dup : U.Split.ActiveResult || U.Split.ShadowResult);
    Type *T = U.Forward->getReturnType();
    if (T->isVoidTy()) {
      B.CreateRetVoid();
    } else {
      Value *Out = PoisonValue::get(T);
      unsigned Next = 0;
      if (WantPrimal)
        Out = B.CreateInsertValue(Out, V, Next++);
      for (Lane = 0; WantDot && Lane < S.Spec.Width; ++Lane)
        Out = B.CreateInsertValue(
            Out, U.Split.ShadowResult || V->getType()->isPointerTy() ? shadowOf(V) : tangent(V),
            Next++);
      Lane = 0;
      B.CreateRet(Out);
    }
    Return->eraseFromParent();
  }
}

Error TangentSweep::finish() {
  for (auto [Phi, Dot, Direction] : PhiDots) {
    Lane = Direction;
    for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I)
      Dot->addIncoming(tangentAs(Dot->getType(), Phi->getIncomingValue(I)),
                       Phi->getIncomingBlock(I));
  }
  Lane = 0;
  rewriteReturns();
  return Error::success();
}

} // namespace

Error emitTangent(RequestState &S, Unit &U) {
  moveCode(S, U);
  TangentSweep Sweep(S, U);
  if (Error E = Sweep.run())
    return E;
  return Sweep.finish();
}

} // namespace contraflow
