// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   vp.fadd(a, b, mask, n)               a + b              (nobody may read the other lanes)
//   vp.merge(mask, a, b, n)              select(on, a, b)   on = mask and lane < n
//   vp.load(p, mask, n)             ->   masked.load(p, on, poison)
//   vp.reduce.fadd(s, v, mask, n)        vector.reduce.fadd(s, select(on, v, -0.0))
//   vector.compress(v, mask, p)          insertions into p at the number of lanes that were on
//
// Strided accesses are gathers and scatters.

#include "Predicated.h"

#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace contraflow {
namespace {

class Predicated {
public:
  explicit Predicated(VPIntrinsic &Call) : Call(Call), B(&Call) {
    if (isa<FPMathOperator>(Call))
      B.setFastMathFlags(Call.getFastMathFlags());
  }
  bool run();

private:
  Value *operand(unsigned I) { return Call.getArgOperand(I); }
  Value *on(Value *Mask);
  Value *result();
  Value *operation(unsigned Opcode);
  Value *intrinsic(Intrinsic::ID Id);
  Value *access();
  Value *addresses(FixedVectorType *T);
  Value *reduction(VPReductionIntrinsic &Reduction);

  VPIntrinsic &Call;
  IRBuilder<> B;
};

/// The lanes of the mask that are among the first so many.
Value *Predicated::on(Value *Mask) {
  Value *Count = Call.getVectorLengthParam();
  const unsigned Lanes = cast<FixedVectorType>(Mask->getType())->getNumElements();
  if (auto *Known = dyn_cast<ConstantInt>(Count); Known && Known->getZExtValue() >= Lanes)
    return Mask;
  SmallVector<Constant *, 8> Numbers;
  for (unsigned Lane = 0; Lane < Lanes; ++Lane)
    Numbers.push_back(B.getInt32(Lane));
  Value *First = B.CreateICmpULT(ConstantVector::get(Numbers), B.CreateVectorSplat(Lanes, Count));
  return B.CreateAnd(Mask, First);
}

Value *Predicated::intrinsic(Intrinsic::ID Id) {
  SmallVector<Value *, 4> Operands(Call.args().begin(),
                                   Call.args().begin() +
                                       *VPIntrinsic::getMaskParamPos(Call.getIntrinsicID()));
  return B.CreateIntrinsic(Call.getType(), Id, Operands);
}

Value *Predicated::operation(unsigned Opcode) {
  if (auto *Compare = dyn_cast<VPCmpIntrinsic>(&Call))
    return B.CreateCmp(Compare->getPredicate(), operand(0), operand(1));
  if (Instruction::isCast(Opcode))
    return B.CreateCast(Instruction::CastOps(Opcode), operand(0), Call.getType());
  if (Instruction::isUnaryOp(Opcode))
    return B.CreateUnOp(Instruction::UnaryOps(Opcode), operand(0));
  if (!Instruction::isBinaryOp(Opcode))
    return nullptr;
  Value *Second = operand(1);
  if (Instruction::isIntDivRem(Opcode)) // lanes that are off may divide by zero
    Second =
        B.CreateSelect(on(Call.getMaskParam()), Second, ConstantInt::get(Second->getType(), 1));
  return B.CreateBinOp(Instruction::BinaryOps(Opcode), operand(0), Second);
}

/// Of lanes so many bytes apart.
Value *Predicated::addresses(FixedVectorType *T) {
  Value *Start = Call.getMemoryPointerParam();
  Value *Stride = operand(*VPIntrinsic::getMemoryPointerParamPos(Call.getIntrinsicID()) + 1);
  Value *Offsets = PoisonValue::get(FixedVectorType::get(Stride->getType(), T->getNumElements()));
  for (unsigned Lane = 0; Lane < T->getNumElements(); ++Lane)
    Offsets = B.CreateInsertElement(
        Offsets, B.CreateMul(Stride, ConstantInt::get(Stride->getType(), Lane)), Lane);
  return B.CreateGEP(B.getInt8Ty(), Start, Offsets);
}

Value *Predicated::access() {
  const bool Stores = Call.getType()->isVoidTy();
  auto *T = cast<FixedVectorType>(Stores ? operand(0)->getType() : Call.getType());
  const Align Known =
      Call.getParamAlign(*VPIntrinsic::getMemoryPointerParamPos(Call.getIntrinsicID()))
          .valueOrOne();
  Value *Mask = on(Call.getMaskParam()), *Address = Call.getMemoryPointerParam();
  switch (Call.getIntrinsicID()) {
  case Intrinsic::vp_load:
    return B.CreateMaskedLoad(T, Address, Known, Mask);
  case Intrinsic::vp_store:
    return B.CreateMaskedStore(operand(0), Address, Known, Mask);
  case Intrinsic::vp_gather:
    return B.CreateMaskedGather(T, Address, Known, Mask);
  case Intrinsic::vp_scatter:
    return B.CreateMaskedScatter(operand(0), Address, Known, Mask);
  case Intrinsic::experimental_vp_strided_load:
    return B.CreateMaskedGather(T, addresses(T), Known, Mask);
  case Intrinsic::experimental_vp_strided_store:
    return B.CreateMaskedScatter(operand(0), addresses(T), Known, Mask);
  default:
    return nullptr;
  }
}

/// Lanes that are off hold what changes no result.
Value *Predicated::reduction(VPReductionIntrinsic &Reduction) {
  const Intrinsic::ID Id = *VPIntrinsic::getFunctionalIntrinsicIDForVP(Call.getIntrinsicID());
  Value *Start = operand(Reduction.getStartParamPos());
  Value *Lanes = operand(Reduction.getVectorParamPos());
  Value *Mask = on(Call.getMaskParam());
  auto Filled = [&](Value *With) {
    const unsigned Count = cast<FixedVectorType>(Lanes->getType())->getNumElements();
    return B.CreateSelect(Mask, Lanes, B.CreateVectorSplat(Count, With));
  };
  if (Id == Intrinsic::vector_reduce_fadd || Id == Intrinsic::vector_reduce_fmul)
    return B.CreateIntrinsic(
        Id, {Lanes->getType()},
        {Start, Filled(getReductionIdentity(Id, Start->getType(), Call.getFastMathFlags()))});
  if (Start->getType()->isFloatingPointTy()) {
    Value *Best = B.CreateIntrinsic(Id, {Lanes->getType()}, {Filled(Start)});
    return B.CreateBinaryIntrinsic(getMinMaxReductionIntrinsicOp(Id), Start, Best);
  }
  return nullptr;
}

Value *Predicated::result() {
  const Intrinsic::ID Id = Call.getIntrinsicID();
  if (Id == Intrinsic::vp_select)
    return B.CreateSelect(operand(0), operand(1), operand(2));
  if (Id == Intrinsic::vp_merge)
    return B.CreateSelect(on(operand(0)), operand(1), operand(2));
  if (VPIntrinsic::getMemoryPointerParamPos(Id))
    return access();
  if (auto *Reduction = dyn_cast<VPReductionIntrinsic>(&Call))
    return reduction(*Reduction);
  if (const auto Opcode = VPIntrinsic::getFunctionalOpcodeForVP(Id))
    return operation(*Opcode);
  const auto Plain = VPIntrinsic::getFunctionalIntrinsicIDForVP(Id);
  return Plain ? intrinsic(*Plain) : nullptr;
}

bool Predicated::run() {
  const bool Fixed =
      none_of(Call.args(), [](const Use &U) { return isa<ScalableVectorType>(U->getType()); });
  Value *Plain = Fixed ? result() : nullptr;
  if (!Plain)
    return false;
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(Plain);
  Call.eraseFromParent();
  return true;
}

} // namespace

bool expandPredicated(Function &F) {
  SmallVector<VPIntrinsic *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<VPIntrinsic>(&I))
      Calls.push_back(Call);
  return count_if(Calls, [](VPIntrinsic *Call) { return Predicated(*Call).run(); }) != 0;
}

bool expandCompress(CallInst &Call) {
  auto *T = dyn_cast<FixedVectorType>(Call.getType());
  if (Call.getIntrinsicID() != Intrinsic::experimental_vector_compress || !T)
    return false;
  IRBuilder<> B(&Call);
  Value *Lanes = Call.getArgOperand(0), *Mask = Call.getArgOperand(1);
  Value *Result = Call.getArgOperand(2), *Next = B.getInt32(0);
  for (unsigned Lane = 0; Lane < T->getNumElements(); ++Lane) {
    Value *On = B.CreateExtractElement(Mask, Lane);
    Value *With = B.CreateInsertElement(Result, B.CreateExtractElement(Lanes, Lane), Next);
    Result = B.CreateSelect(On, With, Result);
    Next = B.CreateAdd(Next, B.CreateZExt(On, B.getInt32Ty()));
  }
  Call.replaceAllUsesWith(Result);
  Call.eraseFromParent();
  return true;
}

} // namespace contraflow
