// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations on integers that may be the bits of active floats: no rule says what they do
// to the number, so they are refused.
//
//   fetch_xor((long *)&x, 1L << 63)     compare_exchange((long *)&x, &old, new)       CF205
//
// Those on memory without active floats are left alone: locks, counts, flags. Sums are counts,
// since counts may lie where other objects have floats; but no count changes by an exponent.

#include "ForwardSweep.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

/// True of what counts: a small number, or one that is not known, is added.
static bool maySum(const Instruction &I, const Value &V) {
  auto *Sum = dyn_cast<BinaryOperator>(&V); // what an exchange puts in place of the old number
  auto *Update = dyn_cast<AtomicRMWInst>(&I);
  auto *Amount = Update ? dyn_cast<ConstantInt>(&V) : nullptr;
  if (!Update)
    return Sum && is_contained({Instruction::Add, Instruction::Sub}, Sum->getOpcode());
  return is_contained({AtomicRMWInst::Add, AtomicRMWInst::Sub}, Update->getOperation()) &&
         (!Amount || Amount->getValue().isSignedIntN(32));
}

bool ForwardSweep::changesActiveBits(const Instruction &I) const {
  auto *Update = dyn_cast<AtomicRMWInst>(&I);
  auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
  if (!Exchange && (!Update || !Update->getType()->isIntegerTy() || S.Activity.active(Update)))
    return false;
  const Value *Pointer = I.getOperand(0);
  const Value &V = Exchange ? *Exchange->getNewValOperand() : *Update->getValOperand();
  if (movesPointer(&V))
    return Exchange && S.Activity.hasShadow(Pointer);
  // Reference counts may lie where other objects have floats: a sum is no float, nor is what is
  // shorter than the floats there.
  int64_t Size = S.Graph.layout().getTypeStoreSize(V.getType());
  Location At = S.Graph.find(Pointer);
  if (maySum(I, V) || (At && Size <= 4 && !(S.Graph.kindsAt(At, Size) & (SK_Float | SK_Half))))
    return false;
  return S.Activity.activeAt(At, Size);
}

} // namespace contraflow
