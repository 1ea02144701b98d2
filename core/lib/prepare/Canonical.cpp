// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a prepared function looks like, whatever the level it was compiled at.

#include "Canonical.h"
#include "Addresses.h"
#include "Aggregates.h"
#include "Bits.h"
#include "Blocks.h"
#include "ByteMoves.h"
#include "Carried.h"
#include "Choices.h"
#include "DigitSums.h"
#include "Digits.h"
#include "Disguises.h"
#include "Exchanged.h"
#include "Freed.h"
#include "Indices.h"
#include "InlineStorage.h"
#include "Lanes.h"
#include "MaskedChoices.h"
#include "MovedLanes.h"
#include "NullSteps.h"
#include "OwnConstants.h"
#include "Packs.h"
#include "PointerVectors.h"
#include "Promises.h"
#include "SignBits.h"
#include "StructCopies.h"
#include "SwappedBytes.h"
#include "Swaps.h"
#include "Unions.h"
#include "Versioning.h"
#include "WholeWords.h"
#include "WideLoads.h"
#include "ZeroStores.h"
#include "contraflow/core/Callee.h"
#include "rules/Rounding.h"

#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/AggressiveInstCombine/AggressiveInstCombine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {

/// Assumptions are never invalidated: those that have gone would stay known, and lead to values
/// that have.
static void forget(Function &F, Compilation &C) { C.FAM.clear(F, F.getName()); }

void simplifyFunction(Function &F, Compilation &C, Simplify How) {
  forget(F, C);
  restoreSwaps(F);
  // A variable that is set in one block and used in the next costs mem2reg a walk over that block.
  for (BasicBlock &Block : make_early_inc_range(F))
    MergeBlockIntoPredecessor(&Block);
  FunctionPassManager FPM = C.PB.buildFunctionSimplificationPipeline(
      How == Simplify::Most ? OptimizationLevel::O3 : OptimizationLevel::O2,
      ThinOrFullLTOPhase::None);
  PreservedAnalyses PA = FPM.run(F, C.FAM);
  C.FAM.invalidate(F, PA);
}

void simplifyPrepared(Function &F, Compilation &C, Simplify How) {
  bool Changes = false;
  {
    const WholeWords Kept(F);
    simplifyFunction(F, C, How);
    Changes = Kept.any();
  }
  if (Changes)
    forget(F, C);
}

/// A constant with static storage is not set for ever where what is written is taken back.
static void dropInvariance(Function &P) {
  for (Instruction &I : make_early_inc_range(instructions(P))) {
    auto *Mark = dyn_cast<IntrinsicInst>(&I);
    const Intrinsic::ID Id = Mark ? Mark->getIntrinsicID() : Intrinsic::not_intrinsic;
    if (Id != Intrinsic::invariant_start && Id != Intrinsic::invariant_end)
      continue;
    if (Id == Intrinsic::invariant_start) // its end, somewhere else, is told so
      Mark->replaceAllUsesWith(PoisonValue::get(Mark->getType()));
    Mark->eraseFromParent();
  }
}

/// Memory of a scope that has ended is read again by the reverse sweep.
static void dropLifetimes(Function &P) {
  for (Instruction &I : make_early_inc_range(instructions(P)))
    if (I.isLifetimeStartOrEnd())
      I.eraseFromParent();
}

/// Removes what a rewriting has left, without reordering anything.
static void tidy(Function &P, Compilation &C) {
  forget(P, C);
  FunctionPassManager FPM;
  FPM.addPass(EarlyCSEPass());
  FPM.addPass(InstCombinePass());
  FPM.addPass(DCEPass());
  FPM.run(P, C.FAM);
  forget(P, C);
}

/// True if a word is put together from bytes that are loaded, or stored byte by byte.
static bool movesByBytes(Function &P) {
  return any_of(instructions(P), [](Instruction &I) {
    Value *Byte = nullptr;
    if (match(&I, m_c_Or(m_Value(), m_ZExt(m_Value(Byte)))) ||
        match(&I, m_c_Or(m_Value(), m_Shl(m_ZExt(m_Value(Byte)), m_ConstantInt()))))
      return isa<LoadInst>(Byte) && Byte->getType()->isIntegerTy(8);
    auto *Store = dyn_cast<StoreInst>(&I);
    return Store && Store->getValueOperand()->getType()->isIntegerTy(8) &&
           (isa<LoadInst>(Store->getValueOperand()) ||
            match(Store->getValueOperand(), m_Trunc(m_LShr(m_Value(), m_ConstantInt()))));
  });
}

/// Bytes that loops copied, once these are unrolled, are words again.
static void joinBytes(Function &P, Compilation &C) {
  if (!movesByBytes(P))
    return;
  separateSteps(P);
  forget(P, C);
  FunctionPassManager FPM;
  FPM.addPass(EarlyCSEPass());
  FPM.addPass(AggressiveInstCombinePass());
  FPM.addPass(InstCombinePass());
  FPM.run(P, C.FAM);
  forget(P, C);
  if (joinSwappedBytes(P))
    FPM.run(P, C.FAM);
  forget(P, C);
}

/// Mathematical functions whose result nobody uses. The optimiser must keep them, since they may
/// set errno, and puts each behind a branch of its own.
static void dropDeadMath(Function &P, bool SetsErrno) {
  for (BasicBlock &B : llvm::reverse(P))
    for (Instruction &I : make_early_inc_range(llvm::reverse(B)))
      if ((!SetsErrno && I.use_empty() && isPlainMath(I)) || isInstructionTriviallyDead(&I))
        I.eraseFromParent();
}

/// Rounded addresses, written out: LLVM 22 takes what is rounded twice for an address with the same
/// distance from the object, and finds no alias where there is one (BasicAA).
static void expandMasks(Function &P) {
  for (Instruction &I : make_early_inc_range(instructions(P))) {
    auto *Masked = dyn_cast<IntrinsicInst>(&I);
    if (!Masked || Masked->getIntrinsicID() != Intrinsic::ptrmask || I.getType()->isVectorTy())
      continue;
    IRBuilder<> B(&I);
    Value *Address = Masked->getArgOperand(0), *Mask = Masked->getArgOperand(1);
    Value *Number = B.CreatePtrToInt(Address, Mask->getType());
    Value *Beyond = B.CreateAnd(Number, B.CreateNot(Mask));
    I.replaceAllUsesWith(B.CreatePtrAdd(Address, B.CreateNeg(Beyond)));
    I.eraseFromParent();
  }
}

namespace {

/// FixIrreducible loses the values of phis where a block branches to two entries of one cycle. Such
/// a block gets one of its own for each of them.
struct SplitEntriesPass : PassInfoMixin<SplitEntriesPass> {
  static PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    const CycleInfo &Cycles = FAM.getResult<CycleAnalysis>(F);
    const bool Irreducible = any_of(Cycles.toplevel_cycles(), [](const Cycle *Top) {
      return any_of(depth_first(Top), [](const Cycle *C) { return !C->isReducible(); });
    });
    if (!Irreducible || SplitAllCriticalEdges(F, CriticalEdgeSplittingOptions()) == 0)
      return PreservedAnalyses::all();
    return PreservedAnalyses::none();
  }
};

} // namespace

void canonicalise(Function &P, Compilation &C, Simplify How) {
  dropDeadMath(P, C.AsksErrno);
  expandMasks(P);
  dropInvariance(P);
  allowStepsBefore(P);
  simplifyPrepared(P, C, How);
  allowStepsBefore(P); // inlined callees may have named the array
  joinBytes(P, C);
  if (joinByteMoves(P, C.FAM))
    simplifyPrepared(P, C);
  if (splitInlineStorage(P))
    simplifyPrepared(P, C);
  if (readOwnConstants(P))
    simplifyPrepared(P, C);
  splitAggregates(P);
  const bool Packs = splitPacks(P, C.FAM), Signs = restoreSigns(P);
  const bool Words = splitWideLoads(P), Pointers = splitPointerMoves(P);
  const bool Lanes = splitMovedLanes(P), Structs = splitStructCopies(P);
  if (Packs || Signs || Words || Pointers || Lanes || Structs)
    simplifyPrepared(P, C);
  if (splitPointerVectors(P, C.FAM))
    simplifyPrepared(P, C);
  joinExchangedHalves(P);
  splitAggregates(P);
  splitUnions(P);
  const bool Choices = restoreChoices(P);
  const bool Rounds = expandRoundings(P), Floats = restoreFloats(P);
  if (smoothDigits(P) || Floats || Rounds || Choices)
    tidy(P, C);
  splitMemberChoices(P); // what simplifies would undo it
  splitFrees(P);
  joinZeroStores(P);
  undisguisePointers(P);
  restoreAddresses(P);
  fillLanes(P);
  forget(P, C);
  FunctionPassManager FPM;
  FPM.addPass(LowerSwitchPass());
  FPM.addPass(SplitEntriesPass());
  FPM.addPass(FixIrreduciblePass());
  FPM.addPass(UnifyFunctionExitNodesPass());
  if (widenIndices(P)) {
    forget(P, C);
    FPM.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
    FPM.addPass(EarlyCSEPass());
    FPM.addPass(DCEPass());
  }
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  FPM.run(P, C.FAM);
  splitAggregates(P);
  dropLifetimes(P);
  hideSwaps(P);
  splitNullSteps(P);
  markPromises(P);
  forget(P, C);
  reloadCarried(P, C.FAM, C.Handlers);
}

void versionCanonical(Function &P, Compilation &C, bool InTask) {
  forget(P, C);
  const bool Copied = InTask && copyBlocks(P, C.FAM),
             Versioned = versionNests(P, C.FAM, C.Handlers);
  if (!Copied && !Versioned)
    return;
  FunctionPassManager Again;
  Again.addPass(LoopSimplifyPass());
  Again.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  Again.addPass(LCSSAPass());
  Again.run(P, C.FAM);
  forget(P, C);
}

} // namespace contraflow
