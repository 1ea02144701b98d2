// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   {a, b} = vector.deinterleave2(v)        a = shuffle v, <0, 2, 4, ...> ; b = shuffle v, <1, 3,
//   ...> vector.interleave2(a, b)          ->    shuffle a, b, <0, n, 1, n + 1, ...>        (and 3
//   to 8) matrix.multiply(a, b)                   sums of products of columns      (LLVM's own
//   lowering) memset.pattern(p, v, n)                 a loop of stores                 (LLVM's own,
//   too)

#include "Shapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Scalar/LowerMatrixIntrinsics.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

#include <numeric>

using namespace llvm;

namespace contraflow {
namespace {

constexpr Intrinsic::ID Deinterleaves[] = {
    Intrinsic::vector_deinterleave2, Intrinsic::vector_deinterleave3,
    Intrinsic::vector_deinterleave4, Intrinsic::vector_deinterleave5,
    Intrinsic::vector_deinterleave6, Intrinsic::vector_deinterleave7,
    Intrinsic::vector_deinterleave8};
constexpr Intrinsic::ID Interleaves[] = {
    Intrinsic::vector_interleave2, Intrinsic::vector_interleave3, Intrinsic::vector_interleave4,
    Intrinsic::vector_interleave5, Intrinsic::vector_interleave6, Intrinsic::vector_interleave7,
    Intrinsic::vector_interleave8};
constexpr Intrinsic::ID OnMatrices[] = {Intrinsic::matrix_multiply, Intrinsic::matrix_transpose,
                                        Intrinsic::matrix_column_major_load,
                                        Intrinsic::matrix_column_major_store};

unsigned lanes(const Value *V) {
  auto *Fixed = dyn_cast<FixedVectorType>(V->getType());
  return Fixed ? Fixed->getNumElements() : 0;
}

SmallVector<int, 16> range(int First, unsigned Count) {
  SmallVector<int, 16> Mask(Count);
  std::iota(Mask.begin(), Mask.end(), First);
  return Mask;
}

Value *takeApart(IRBuilder<> &B, CallInst &Call) {
  Value *Whole = Call.getArgOperand(0), *Parts = PoisonValue::get(Call.getType());
  const unsigned Factor = cast<StructType>(Call.getType())->getNumElements();
  for (unsigned Part = 0; Part < Factor; ++Part) {
    SmallVector<int, 16> Mask;
    for (unsigned Lane = Part; Lane < lanes(Whole); Lane += Factor)
      Mask.push_back(Lane);
    Parts = B.CreateInsertValue(Parts, B.CreateShuffleVector(Whole, Mask), Part);
  }
  return Parts;
}

Value *putTogether(IRBuilder<> &B, CallInst &Call) {
  const unsigned Factor = Call.arg_size(), Lanes = lanes(Call.getArgOperand(0));
  Value *Out = PoisonValue::get(Call.getType());
  for (unsigned Part = 0; Part < Factor; ++Part) {
    SmallVector<int, 16> Spread(Lanes * Factor, PoisonMaskElem), Mask = range(0, Lanes * Factor);
    for (unsigned Lane = 0; Lane < Lanes; ++Lane) {
      Spread[Lane * Factor + Part] = Lane;
      Mask[Lane * Factor + Part] += Lanes * Factor;
    }
    Out = B.CreateShuffleVector(Out, B.CreateShuffleVector(Call.getArgOperand(Part), Spread), Mask);
  }
  return Out;
}

/// One vector, or a piece of one, from those of the operands; null if this is something else.
Value *reorder(IRBuilder<> &B, CallInst &Call) {
  const unsigned Lanes = lanes(&Call); // 0: none of these
  Value *V = Call.getArgOperand(0);
  switch (Call.getIntrinsicID()) {
  case Intrinsic::vector_reverse:
    return B.CreateVectorReverse(V);
  case Intrinsic::vector_splice_left:
  case Intrinsic::vector_splice_right: {
    auto *Known = dyn_cast<ConstantInt>(Call.getArgOperand(2));
    if (!Known || Known->getValue().ugt(Lanes))
      return nullptr;
    const unsigned By = Known->getZExtValue();
    const bool Left = Call.getIntrinsicID() == Intrinsic::vector_splice_left;
    return B.CreateShuffleVector(V, Call.getArgOperand(1), range(Left ? By : Lanes - By, Lanes));
  }
  case Intrinsic::vector_extract: {
    const int At = cast<ConstantInt>(Call.getArgOperand(1))->getZExtValue();
    return lanes(V) ? B.CreateShuffleVector(V, range(At, Lanes)) : nullptr;
  }
  case Intrinsic::vector_insert: {
    Value *Piece = Call.getArgOperand(1);
    const int At = cast<ConstantInt>(Call.getArgOperand(2))->getZExtValue();
    SmallVector<int, 16> Wide(Lanes, PoisonMaskElem), Mask = range(0, Lanes);
    for (unsigned Lane = 0; Lane < lanes(Piece); ++Lane) {
      Wide[At + Lane] = Lane;
      Mask[At + Lane] = Lanes + At + Lane;
    }
    return B.CreateShuffleVector(V, B.CreateShuffleVector(Piece, Wide), Mask);
  }
  default:
    return nullptr;
  }
}

bool isOnMatrices(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && is_contained(OnMatrices, Call->getIntrinsicID());
}

} // namespace

bool expandShape(CallInst &Call) {
  if (auto *Pattern = dyn_cast<MemSetPatternInst>(&Call)) {
    expandMemSetPatternAsLoop(Pattern);
    Call.eraseFromParent();
    return true;
  }
  const Intrinsic::ID Id = Call.getIntrinsicID();
  if (Call.arg_empty() || !lanes(Call.getArgOperand(0)))
    return false; // of scalable size, or no vector
  IRBuilder<> B(&Call);
  Value *New = is_contained(Deinterleaves, Id) ? takeApart(B, Call)
               : is_contained(Interleaves, Id) ? putTogether(B, Call)
                                               : reorder(B, Call);
  if (!New)
    return false;
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
  return true;
}

bool expandMatrices(Function &F) {
  if (!any_of(instructions(F), isOnMatrices))
    return false;
  FunctionAnalysisManager Analyses;
  Analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  Analyses.registerPass([] { return TargetIRAnalysis(); });
  LowerMatrixIntrinsicsPass(/*Minimal=*/true).run(F, Analyses);
  return true;
}

} // namespace contraflow
