// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pushes each extension down its expression, through operations that carry the promise not to wrap,
// to the leaves: loop counters, loads, arguments.

#include "Indices.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

constexpr unsigned MostLevels = 8;

class Widener {
public:
  explicit Widener(CastInst &Extension)
      : Signed(isa<SExtInst>(Extension)), Wide(Extension.getType()), B(&Extension) {}
  Value *widen(Value *V, unsigned Levels);
  bool passes(Value *V) const;

private:
  Value *extend(Value *V);

  bool Signed;
  Type *Wide;
  IRBuilder<> B;
  SmallDenseMap<Value *, Value *, 8> Done;
};

bool Widener::passes(Value *V) const {
  auto *Op = dyn_cast<BinaryOperator>(V);
  if (!Op)
    return false;
  switch (Op->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
    return Signed ? Op->hasNoSignedWrap() : Op->hasNoUnsignedWrap();
  default:
    return false;
  }
}

/// What was wide before and has lost nothing is taken as it was.
Value *Widener::extend(Value *V) {
  if (auto *Narrow = dyn_cast<TruncInst>(V);
      Narrow && Narrow->getSrcTy() == Wide &&
      (Signed ? Narrow->hasNoSignedWrap() : Narrow->hasNoUnsignedWrap()))
    return Narrow->getOperand(0);
  return Signed ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
}

Value *Widener::widen(Value *V, unsigned Levels) {
  if (Value *Known = Done.lookup(V))
    return Known;
  if (!Levels || !passes(V))
    return Done[V] = extend(V);
  auto *Op = cast<BinaryOperator>(V);
  Value *Left = widen(Op->getOperand(0), Levels - 1);
  Value *Right = widen(Op->getOperand(1), Levels - 1);
  Value *New = B.CreateBinOp(Op->getOpcode(), Left, Right);
  if (auto *Made = dyn_cast<BinaryOperator>(New)) {
    Made->setHasNoSignedWrap(Signed);
    Made->setHasNoUnsignedWrap(!Signed);
  }
  return Done[V] = New;
}

} // namespace

void separateSteps(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Step = dyn_cast<GetElementPtrInst>(&I);
    Value *Base = nullptr;
    const APInt *Beyond = nullptr;
    if (!Step || Step->getNumIndices() != 1 || Step->getType()->isVectorTy() ||
        !match(Step->getOperand(1), m_ZExt(m_DisjointOr(m_Value(Base), m_APInt(Beyond)))))
      continue;
    IRBuilder<> B(Step);
    Type *Wide = Step->getOperand(1)->getType(), *Element = Step->getSourceElementType();
    Value *Before = B.CreateGEP(Element, Step->getPointerOperand(), B.CreateZExt(Base, Wide), "",
                                Step->getNoWrapFlags());
    Value *After =
        B.CreateGEP(Element, Before, B.getIntN(Wide->getIntegerBitWidth(), Beyond->getZExtValue()),
                    "", Step->getNoWrapFlags());
    Step->replaceAllUsesWith(After);
    Step->eraseFromParent();
  }
}

bool widenIndices(Function &F) {
  SmallVector<CastInst *, 16> Extensions;
  for (Instruction &I : instructions(F))
    if (isa<SExtInst, ZExtInst>(I) && I.getType()->isIntegerTy(64) &&
        I.getOperand(0)->getType()->isIntegerTy(32))
      Extensions.push_back(cast<CastInst>(&I));
  bool Changed = false;
  for (CastInst *Extension : Extensions) {
    Widener W(*Extension);
    if (!W.passes(Extension->getOperand(0)))
      continue;
    Extension->replaceAllUsesWith(W.widen(Extension->getOperand(0), MostLevels));
    Extension->eraseFromParent();
    Changed = true;
  }
  return Changed;
}

} // namespace contraflow
