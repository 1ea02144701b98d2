// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an instruction to its row. Arithmetic goes by opcode, intrinsics by a switch over their
// number, calls by one look-up of the callee's name:
//
//   %r = fmul double %a, %b                  row FMul
//   %r = call double @llvm.sin.f64(%a)       row Sin
//   %r = call double @__sin_finite(%a)       row Sin

#include "Row.h"
#include "Smooth.h"
#include "contraflow/core/Rule.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

bool isScalarOrFixedVector(const Type *Ty) { return !isa<ScalableVectorType>(Ty); }

/// The floating type that a function of the table works on: of its first floating argument.
Type *floatingArgument(const CallBase &Call) {
  for (const Use &Arg : Call.args())
    if (Arg->getType()->isFPOrFPVectorTy())
      return Arg->getType();
  return Call.getType();
}

Rule ruleOfCall(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return {};
  if (isSmooth(Call) || isStray(Call)) // its other operand is what it is
    return {findRow(Instruction::Freeze), Call.getType(), Call.getType()};
  const std::optional<MathFn> Fn =
      Callee->isIntrinsic() ? mathIntrinsic(Callee->getIntrinsicID()) : mathFunction(*Callee);
  if (!Fn)
    return {};
  Type *Ty = floatingArgument(Call);
  const bool IsKnown = Callee->isIntrinsic() ? Ty->isFPOrFPVectorTy() : isLibmType(Ty);
  if (!isScalarOrFixedVector(Ty) || !IsKnown)
    return {};
  return {findRow(*Fn), Ty, Call.getType()};
}

} // namespace

Rule findRule(const Instruction &I) {
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return ruleOfCall(*Call);
  const RuleRow *Row = findRow(I.getOpcode());
  if (!Row || !isScalarOrFixedVector(I.getType()))
    return {};
  Type *OperandTy = I.getOperand(0)->getType();
  if (I.getOpcode() == Instruction::Freeze && !OperandTy->isFPOrFPVectorTy())
    return {};
  return {Row, OperandTy, I.getType()};
}

} // namespace contraflow
