// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   llvm.experimental.constrained.fmul(a, b, rounding, exceptions)   ->   fmul a, b
//
// which -frounding-math and -ffp-model=strict make of all arithmetic. Plain operations round as the
// machine is set when they run; the optimiser may fold or move them, as without these options.

#include "Constrained.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

Value *plain(IRBuilder<> &B, ConstrainedFPIntrinsic &I) {
  Value *X = I.getArgOperand(0);
  const auto *Comparison = dyn_cast<ConstrainedFPCmpIntrinsic>(&I);
  if (Comparison)
    return B.CreateFCmp(Comparison->getPredicate(), X, I.getArgOperand(1));
  auto Instruct = [&](unsigned Opcode) -> Value * {
    if (Instruction::isBinaryOp(Opcode))
      return B.CreateBinOp(Instruction::BinaryOps(Opcode), X, I.getArgOperand(1));
    return B.CreateCast(Instruction::CastOps(Opcode), X, I.getType());
  };
  auto Apply = [&](Intrinsic::ID Id) {
    SmallVector<Value *, 3> Args;
    for (unsigned A = 0; A < I.getNonMetadataArgCount(); ++A)
      Args.push_back(I.getArgOperand(A));
    return B.CreateIntrinsic(I.getType(), Id, Args);
  };
  switch (I.getIntrinsicID()) {
#define INSTRUCTION(Name, Args, Rounds, Constrained)                                               \
  case Intrinsic::Constrained:                                                                     \
    return Instruct(Instruction::Name);
#define FUNCTION(Name, Args, Rounds, Constrained)                                                  \
  case Intrinsic::Constrained:                                                                     \
    return Apply(Intrinsic::Name);
#define CMP_INSTRUCTION(Name, Args, Rounds, Constrained, Dag)
#include "llvm/IR/ConstrainedOps.def"
  default:
    return nullptr;
  }
}

} // namespace

bool relaxArithmetic(CallInst &Call) {
  auto *I = dyn_cast<ConstrainedFPIntrinsic>(&Call);
  if (!I)
    return false;
  IRBuilder<> B(I);
  Value *New = plain(B, *I);
  if (!New)
    return false;
  I->replaceAllUsesWith(New);
  I->eraseFromParent();
  return true;
}

} // namespace contraflow
