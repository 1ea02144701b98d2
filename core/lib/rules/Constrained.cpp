// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constrained operation is an operation with two more facts: which rounding mode, and what may be
// done about exceptions. A derivative keeps to the mode that is set when it runs, but is optimised
// as if it were the usual one: what it computes of the primal may differ by a rounding.
//
//   llvm.experimental.constrained.fmul(x, y, "round.dynamic", "fpexcept.strict")  ->  fmul x, y
//
// An operation with another mode of its own (FENV_ROUND) stays, and is refused.

#include "Constrained.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {

/// The opcode of an instruction, or none.
static unsigned plainOpcode(Intrinsic::ID Id) {
  switch (Id) {
#define INSTRUCTION(Name, Operands, Rounds, Constrained)                                           \
  case Intrinsic::Constrained:                                                                     \
    return Instruction::Name;
#define FUNCTION(Name, Operands, Rounds, Constrained)
#define DAG_FUNCTION(Name, Operands, Rounds, Constrained, Node)
#include "llvm/IR/ConstrainedOps.def"
  default:
    return 0;
  }
}

static Intrinsic::ID plainIntrinsic(Intrinsic::ID Id) {
  switch (Id) {
#define INSTRUCTION(Name, Operands, Rounds, Constrained)
#define FUNCTION(Name, Operands, Rounds, Constrained)                                              \
  case Intrinsic::Constrained:                                                                     \
    return Intrinsic::Name;
#define DAG_FUNCTION(Name, Operands, Rounds, Constrained, Node)                                    \
  FUNCTION(Name, Operands, Rounds, Constrained)
#include "llvm/IR/ConstrainedOps.def"
  default:
    return Intrinsic::not_intrinsic;
  }
}

static bool hasOwnMode(const ConstrainedFPIntrinsic &I) {
  const auto Mode = I.getRoundingMode();
  return Mode && *Mode != RoundingMode::Dynamic && *Mode != RoundingMode::NearestTiesToEven;
}

static Value *makePlain(ConstrainedFPIntrinsic &I) {
  IRBuilder<> B(&I);
  if (isa<FPMathOperator>(I))
    B.setFastMathFlags(I.getFastMathFlags());
  if (auto *Compare = dyn_cast<ConstrainedFPCmpIntrinsic>(&I))
    return B.CreateFCmp(Compare->getPredicate(), I.getArgOperand(0), I.getArgOperand(1));
  SmallVector<Value *, 3> Operands;
  for (unsigned Operand = 0; Operand < I.getNonMetadataArgCount(); ++Operand)
    Operands.push_back(I.getArgOperand(Operand));
  if (const unsigned Code = plainOpcode(I.getIntrinsicID()))
    return Instruction::isCast(Code)
               ? B.CreateCast(static_cast<Instruction::CastOps>(Code), Operands[0], I.getType())
               : B.CreateBinOp(static_cast<Instruction::BinaryOps>(Code), Operands[0], Operands[1]);
  const Intrinsic::ID Id = plainIntrinsic(I.getIntrinsicID());
  return Id == Intrinsic::not_intrinsic ? nullptr : B.CreateIntrinsic(I.getType(), Id, Operands);
}

void relaxConstrained(Function &F) {
  F.removeFnAttr(Attribute::StrictFP);
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (auto *Call = dyn_cast<CallBase>(&I))
      Call->removeFnAttr(Attribute::StrictFP);
    auto *Constrained = dyn_cast<ConstrainedFPIntrinsic>(&I);
    if (!Constrained || hasOwnMode(*Constrained))
      continue;
    Value *Plain = makePlain(*Constrained);
    if (!Plain)
      continue;
    Plain->takeName(&I);
    I.replaceAllUsesWith(Plain);
    I.eraseFromParent();
  }
}

} // namespace contraflow
