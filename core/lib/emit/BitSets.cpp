// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BitSets.h"
#include "contraflow/core/Construct.h"
#include "contraflow/core/Diag.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {

/// True of a constant whose bits are moved and put together.
static bool isMask(const Value *V, unsigned Steps = 8) {
  if (isa<ConstantInt>(V))
    return true;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Steps == 0)
    return false;
  const auto IsMask = [Steps](const Value *Part) { return isMask(Part, Steps - 1); };
  if (I->isShift() || isa<FreezeInst>(I))
    return IsMask(I->getOperand(0));
  if (I->isBitwiseLogicOp())
    return all_of(I->operands(), IsMask);
  if (auto *Choice = dyn_cast<SelectInst>(I))
    return IsMask(Choice->getTrueValue()) && IsMask(Choice->getFalseValue());
  auto *Turn = dyn_cast<IntrinsicInst>(I);
  return Turn && is_contained({Intrinsic::fshl, Intrinsic::fshr}, Turn->getIntrinsicID()) &&
         IsMask(Turn->getArgOperand(0)) && IsMask(Turn->getArgOperand(1));
}

/// True if V is chosen and put together from what is loaded, and from constants.
static bool comesFromMemory(Value *V) {
  constexpr unsigned Most = 32;
  SmallSetVector<Value *, 8> Todo;
  Todo.insert(V);
  bool Any = false;
  for (unsigned Next = 0; Next < Todo.size(); ++Next) {
    auto *I = dyn_cast<Instruction>(Todo[Next]);
    Any |= I && isa<LoadInst>(I);
    if (!I || isa<LoadInst>(I) || isMask(I)) {
      if (!I && !isa<ConstantInt>(Todo[Next]))
        return false;
      continue;
    }
    if (Todo.size() > Most || !(I->isBitwiseLogicOp() || isa<PHINode, SelectInst, FreezeInst>(I)))
      return false;
    for (Value *From : I->operand_values())
      if (From->getType() == V->getType())
        Todo.insert(From);
  }
  return Any;
}

/// True of the other operand of logic, if no number is meant: all bits, one of them that is no
/// sign, or some at places that the program calculates.
static bool isSetOfBits(const Instruction &I, const Value *Mask) {
  auto *C = dyn_cast<ConstantInt>(Mask);
  if (!C)
    return isMask(Mask);
  const APInt Changed = I.getOpcode() == Instruction::And ? ~C->getValue() : C->getValue();
  return Changed.isAllOnes() || (Changed.isPowerOf2() && !Changed.isSignMask());
}

SmallVector<Value *, 2> wordsOfBits(const Instruction &I, Word Kind) {
  if (!I.isBitwiseLogicOp() || !I.getType()->isIntegerTy(64))
    return {};
  Value *A = I.getOperand(0), *B = I.getOperand(1);
  for (auto [Mask, Other] : {std::pair(A, B), std::pair(B, A)}) {
    const bool IsMask = Kind == Word::MayBeAddress ? isMask(Mask) : isSetOfBits(I, Mask);
    if (IsMask && comesFromMemory(Other))
      return {Other};
  }
  const bool AreWords = I.getOpcode() != Instruction::Xor && !isMask(A) && !isMask(B) &&
                        comesFromMemory(A) && comesFromMemory(B);
  return AreWords ? SmallVector<Value *, 2>{A, B} : SmallVector<Value *, 2>();
}

Value *shadowOfBits(IRBuilderBase &B, Instruction &I, ArrayRef<Value *> Words,
                    function_ref<Value *(Value *)> ShadowOf) {
  Value *Shadow = Constant::getNullValue(I.getType());
  for (Value *Word : Words) {
    Value *Own = ShadowOf(Word);
    Value *Moved = B.CreateAdd(Own, B.CreateSub(&I, Word), I.getName() + ".shadow");
    Shadow = B.CreateSelect(B.CreateIsNull(Own), Shadow, Moved);
  }
  return Shadow;
}

void checkDigits(SweepBuilder &B, Value *Derivative, const Instruction &At) {
  if (auto *Known = dyn_cast<Constant>(Derivative); Known && Known->isNullValue())
    return;
  IRBuilder<> &IR = B.ir();
  Value *Place = IR.CreateGlobalString(SourcePlace::of(At).str(), "cf.place");
  B.runtime("check_digits", IR.getVoidTy(),
            {IR.CreateBitCast(Derivative, IR.getDoubleTy()), Place});
}

} // namespace contraflow
