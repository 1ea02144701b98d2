// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThroughIndex.h"
#include "callee/Promises.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

/// The promised number behind a conversion that keeps different numbers different.
static LoadInst *indexIn(const SCEV *S) {
  if (auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S); Cast && !isa<SCEVTruncateExpr>(S))
    S = Cast->getOperand();
  auto *Unknown = dyn_cast<SCEVUnknown>(S);
  auto *Load = Unknown ? dyn_cast<LoadInst>(Unknown->getValue()) : nullptr;
  return Load && isMarkedDisjoint(*Load) ? Load : nullptr;
}

std::optional<ThroughIndex> splitAtIndex(const SCEV *Address, ScalarEvolution &SE) {
  auto *Sum = dyn_cast<SCEVAddExpr>(Address);
  if (!Sum)
    return std::nullopt;
  ThroughIndex Out;
  SmallVector<const SCEV *, 4> Rest;
  for (const SCEV *Part : Sum->operands()) {
    const SCEV *Scale = SE.getOne(Part->getType()), *Number = Part;
    if (auto *Product = dyn_cast<SCEVMulExpr>(Part);
        Product && Product->getNumOperands() == 2 && isa<SCEVConstant>(Product->getOperand(0))) {
      Scale = Product->getOperand(0);
      Number = Product->getOperand(1);
    }
    LoadInst *Index = indexIn(Number);
    if (Index && Out.Index)
      return std::nullopt;
    if (!Index) {
      Rest.push_back(Part);
      continue;
    }
    Out.Index = Index;
    Out.Scale = Scale;
    Out.Signed = isa<SCEVSignExtendExpr>(Number);
  }
  if (!Out.Index)
    return std::nullopt;
  Out.Rest = SE.getAddExpr(Rest);
  return Out;
}

std::optional<bool> isSamePointer(const Value *A, const Value *B) {
  if (A == B)
    return true;
  if (isa<Argument>(A) && isa<Argument>(B))
    return false;
  auto *LoadA = dyn_cast<LoadInst>(A), *LoadB = dyn_cast<LoadInst>(B);
  if (!LoadA || !LoadB) {
    if ((LoadA || isa<Argument>(A)) && (LoadB || isa<Argument>(B)))
      return false;
    return std::nullopt;
  }
  const DataLayout &Layout = LoadA->getDataLayout();
  APInt AtA(Layout.getIndexTypeSizeInBits(LoadA->getPointerOperandType()), 0), AtB = AtA;
  auto *From = LoadA->getPointerOperand()->stripAndAccumulateConstantOffsets(Layout, AtA, true);
  auto *Other = LoadB->getPointerOperand()->stripAndAccumulateConstantOffsets(Layout, AtB, true);
  std::optional<bool> Same = isSamePointer(From, Other);
  return Same ? std::optional<bool>(*Same && AtA == AtB) : std::nullopt;
}

} // namespace contraflow
