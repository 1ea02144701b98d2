// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk back over integers. What is found has no derivative that could be followed, but the way is
// there: activity takes it, so that what lies on it is refused and not taken for constant.

#include "BitSources.h"
#include "Activity.h"
#include "rules/Rounding.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {

/// True if I leaves nothing of the digits of floats that are as wide as its lanes.
static bool dropsDigits(const BinaryOperator &I) {
  const unsigned Width = I.getType()->getScalarSizeInBits();
  if (Width != 32 && Width != 64)
    return false;
  const unsigned Digits =
      APFloat::semanticsPrecision(Width == 32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble()) - 1;
  const APInt *C = nullptr;
  return (match(&I, m_c_And(m_Value(), m_APInt(C))) && C->countr_zero() >= Digits) ||
         (match(&I, m_LShr(m_Value(), m_APInt(C))) && C->uge(Digits));
}

/// The values that the bits of I come from directly.
static void addOperands(const Instruction &I, SmallVectorImpl<const Value *> &Out) {
  if (auto *Logic = dyn_cast<BinaryOperator>(&I)) {
    if (!dropsDigits(*Logic))
      append_range(Out, Logic->operand_values());
  } else if (auto *Select = dyn_cast<SelectInst>(&I)) {
    Out.append({Select->getTrueValue(), Select->getFalseValue()});
  } else if (isa<TruncInst, ZExtInst, SExtInst, BitCastInst, FreezeInst, PHINode, ShuffleVectorInst,
                 InsertElementInst, ExtractElementInst, IntrinsicInst>(I)) {
    for (const Value *V : I.operand_values())
      if (V->getType()->isIntOrIntVectorTy() || isa<BitCastInst>(I))
        Out.push_back(V);
  }
}

SmallVector<const Value *, 4> bitSources(const Value *V) {
  SmallVector<const Value *, 4> Out;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Todo{V};
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val();
    if (isa<Constant>(Next) || !Seen.insert(Next).second)
      continue;
    auto *I = dyn_cast<Instruction>(Next);
    if (Next->getType()->isFPOrFPVectorTy()) {
      if (!isRoundingSum(Next))
        Out.push_back(Next);
    } else if (I && isa<LoadInst>(I) && I->getType()->isVectorTy()) {
      Out.push_back(I);
    } else if (I) {
      addOperands(*I, Todo);
    }
  }
  return Out;
}

const Value *calculatedBits(const Instruction &I, const MemoryGraph &Graph) {
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    const Value *V = Store->getValueOperand();
    return V->getType()->isIntOrIntVectorTy() && V->getType()->isVectorTy() ? V : nullptr;
  }
  if (!isa<BitCastInst, ExtractElementInst>(I) || !floatTypeOf(&I, Graph))
    return nullptr;
  const Value *From = I.getOperand(0);
  return From->getType()->isIntOrIntVectorTy() && !floatTypeOf(From, Graph) ? From : nullptr;
}

} // namespace contraflow
