// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %v = load <2 x ptr>, ptr %p                   %a = load ptr, ptr %p
//   store <2 x ptr> %v, ptr %q                    %b = load ptr, ptr (%p + 8)
//   %b = extractelement <2 x ptr> %v, i64 1  ->   store ptr %a, ptr %q
//                                                 store ptr %b, ptr (%q + 8)

#include "PointerVectors.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

namespace contraflow {
namespace {

bool holdsPointers(const Value &V) {
  return V.getType()->isVectorTy() && V.getType()->isPtrOrPtrVectorTy();
}

/// Calls Each with the address and the alignment of each lane of an access.
template <typename Access, typename Function>
void forLanes(IRBuilder<> &B, const Access &I, FixedVectorType &T, Function Each) {
  const DataLayout &Layout = I.getDataLayout();
  const uint64_t Size = Layout.getTypeAllocSize(T.getElementType());
  for (unsigned Lane = 0; Lane != T.getNumElements(); ++Lane)
    Each(Lane,
         B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), const_cast<Value *>(I.getPointerOperand()),
                                      Lane * Size),
         commonAlignment(I.getAlign(), Lane * Size));
}

void splitLoad(LoadInst &Load) {
  auto &T = *cast<FixedVectorType>(Load.getType());
  IRBuilder<> B(&Load);
  Value *All = PoisonValue::get(&T);
  forLanes(B, Load, T, [&](unsigned Lane, Value *At, Align A) {
    LoadInst *One = B.CreateAlignedLoad(T.getElementType(), At, A);
    One->setAAMetadata(Load.getAAMetadata());
    All = B.CreateInsertElement(All, One, Lane);
  });
  Load.replaceAllUsesWith(All);
  Load.eraseFromParent();
}

void splitStore(StoreInst &Store) {
  Value *All = Store.getValueOperand();
  IRBuilder<> B(&Store);
  forLanes(B, Store, *cast<FixedVectorType>(All->getType()),
           [&](unsigned Lane, Value *At, Align A) {
             StoreInst *One = B.CreateAlignedStore(B.CreateExtractElement(All, Lane), At, A);
             One->setAAMetadata(Store.getAAMetadata());
           });
  Store.eraseFromParent();
}

} // namespace

bool splitPointerMoves(Function &F) {
  SmallVector<Instruction *, 8> Found;
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    if ((Load && Load->isSimple() && holdsPointers(I) && isa<FixedVectorType>(I.getType())) ||
        (Store && Store->isSimple() && holdsPointers(*Store->getValueOperand()) &&
         isa<FixedVectorType>(Store->getValueOperand()->getType())))
      Found.push_back(&I);
  }
  for (Instruction *I : Found)
    if (auto *Load = dyn_cast<LoadInst>(I))
      splitLoad(*Load);
    else
      splitStore(*cast<StoreInst>(I));
  return !Found.empty();
}

const Instruction *findPointerVector(const Function &F) {
  for (const Instruction &I : instructions(F))
    if (holdsPointers(I) || any_of(I.operands(), [](const Use &U) { return holdsPointers(*U); }))
      return &I;
  return nullptr;
}

bool splitPointerVectors(Function &F, FunctionAnalysisManager &FAM) {
  if (!findPointerVector(F))
    return false;
  FAM.invalidate(F, PreservedAnalyses::none());
  ScalarizerPassOptions Options;
  Options.ScalarizeLoadStore = true;
  FAM.invalidate(F, ScalarizerPass(Options).run(F, FAM));
  return true;
}

} // namespace contraflow
