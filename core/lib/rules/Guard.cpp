// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Guard.h"

#include "contraflow/core/Rule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Values looked at in one direction; what is further away is rare, and costs compile time.
constexpr unsigned MaxSteps = 24;

bool isArithmetic(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
  case Instruction::FPExt:
  case Instruction::FPTrunc:
  case Instruction::Freeze:
    return true;
  default:
    return false;
  }
}

bool isProduct(const Instruction &I) {
  if (const auto *II = dyn_cast<IntrinsicInst>(&I))
    return II->getIntrinsicID() == Intrinsic::fma || II->getIntrinsicID() == Intrinsic::fmuladd;
  return I.getOpcode() == Instruction::FMul;
}

bool mayBeInfinite(const Instruction &I) {
  if (I.getOpcode() == Instruction::FDiv)
    return !isa<Constant>(I.getOperand(1));
  if (const auto *II = dyn_cast<IntrinsicInst>(&I); II && II->getIntrinsicID() == Intrinsic::sqrt)
    return true; // cheap, but no number below zero
  return isa<CallBase>(I) && findRule(I) && findRule(I).isDear();
}

/// A result that is there in some cases only (std::optional): optimisers take zero times nothing
/// for no number.
bool mayBeNothing(const Instruction &I) {
  return isa<PHINode, SelectInst>(I) &&
         any_of(I.operand_values(), [](const Value *V) { return isa<UndefValue>(V); });
}

bool isFunction(const Instruction &I) { return isa<CallBase>(I) && findRule(I); }

using Step = function_ref<bool(const Instruction &, SmallVectorImpl<const Value *> &)>;

/// Goes from Start as far as Next says; true if it does.
bool reaches(const Value *Start, Step Next) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Todo{Start};
  while (!Todo.empty() && Seen.size() < MaxSteps) {
    const auto *I = dyn_cast<Instruction>(Todo.pop_back_val());
    if (I && Seen.insert(I).second && Next(*I, Todo))
      return true;
  }
  return false;
}

bool comesFromInfinity(const Value *Factor) {
  return reaches(Factor, [](const Instruction &I, SmallVectorImpl<const Value *> &Todo) {
    if (mayBeInfinite(I) || mayBeNothing(I))
      return true;
    if (isArithmetic(I) || isProduct(I) || isa<SelectInst>(I))
      append_range(Todo, I.operand_values());
    return false;
  });
}

bool endsInSelect(const Instruction &Product) {
  return reaches(&Product, [&](const Instruction &I, SmallVectorImpl<const Value *> &Todo) {
    if (isa<SelectInst>(I))
      return true;
    if (&I == &Product || isArithmetic(I) || isProduct(I) || I.getOpcode() == Instruction::FDiv ||
        isFunction(I))
      append_range(Todo, I.users());
    return false;
  });
}

} // namespace

bool isGuarded(const Instruction &I, unsigned Op) {
  if (isProduct(I) ? Op > 1 || !comesFromInfinity(I.getOperand(1 - Op))
                   : !isFunction(I) || !comesFromInfinity(I.getOperand(Op)))
    return false;
  return endsInSelect(I);
}

} // namespace contraflow
