// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outermost nests first. A load is worth a copy if its address moves with some loops of the nest
// and stands still in others, and allowed one if it is read in every iteration, so that what is
// copied is what is read. The copy has one place for each iteration of the moving loops, so it is
// dense, whatever the matrix looks like. What is written in the nest must be apart from what is
// copied, and the copy must be read several times; a nest for which the run says no has another
// version, whose inner nests are looked at in turn.

#include "Blocks.h"
#include "Nests.h"
#include "Twin.h"
#include "contraflow/core/Remark.h"
#include "support/AccessRange.h"
#include "support/OwnBlock.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostVersions = 8; ///< in one function
constexpr unsigned MostAccesses = 64, MostCopies = 6, MostChecks = 24;
constexpr int64_t FewestReads = 4;              ///< of each number copied
constexpr int64_t MostBytes = int64_t(1) << 28; ///< of one copy

/// base + sum of steps times the iteration of a moving loop
struct CopyCount {
  Value *Base = nullptr;
  SmallVector<std::pair<unsigned, Value *>, 2> Steps;
};

/// One load whose block is copied.
struct BlockCopy {
  NestAccess Read;                   ///< ways in the order of the loops, outer loop first
  SmallVector<Loop *, 4> Still;      ///< loops in which its address stands still
  SmallVector<const SCEV *, 4> Base; ///< of the counts of the moving loops
  SmallVector<SmallVector<std::pair<unsigned, const SCEV *>, 2>, 4> Steps;
  Value *Array = nullptr;
  Align Alignment; ///< of what is read
  // Values in front of the nest:
  Value *Start = nullptr, *Bytes = nullptr, *Memory = nullptr;
  SmallVector<CopyCount, 4> Counts;
  SmallVector<Value *, 4> From, To; ///< bytes from one iteration to the next
};

class BlockCopier {
public:
  BlockCopier(Function &F, FunctionAnalysisManager &FAM, SmallPtrSetImpl<BasicBlock *> &Seen)
      : F(F), LI(FAM.getResult<LoopAnalysis>(F)), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), AA(FAM.getResult<AAManager>(F)), Seen(Seen) {
  }
  /// True if a nest has been changed; analyses are then out of date.
  bool run();

private:
  bool copyIn(Loop &Nest);
  bool collect(Loop &Nest);
  bool addCopy(Loop &Nest, const NestAccess &Read);
  bool runsAlways(const Instruction &I, const Loop &Nest) const;
  bool splitCounts(Loop &Nest, BlockCopy &C) const;
  bool mayMeet(const NestAccess &Read, const NestAccess &Write) const;
  Value *emitChecks(Loop &Nest, IRBuilder<> &B, SCEVExpander &E);
  Value *emitReads(IRBuilder<> &B, SCEVExpander &E, const NestAccesses &N, const BlockCopy &C);
  bool emitSizes(Loop &Nest, IRBuilder<> &B, SCEVExpander &E, BlockCopy &C);
  void readCopy(BlockCopy &C);
  void emitCopy(BlockCopy &C, Instruction *At) const;
  void allocate(Loop &Nest);

  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  AAResults &AA;
  SmallPtrSetImpl<BasicBlock *> &Seen; ///< headers of nests that have been looked at
  SmallVector<BlockCopy, 4> Copies;
  SmallVector<NestAccess, 16> Writes;
};

/// True if the instruction runs whenever all loops around it do.
bool BlockCopier::runsAlways(const Instruction &I, const Loop &Nest) const {
  const BasicBlock *Where = I.getParent();
  for (const Loop *L = LI.getLoopFor(Where);; L = L->getParentLoop()) {
    if (!DT.dominates(Where, L->getLoopLatch()))
      return false;
    if (L == &Nest)
      return true;
    BranchInst *Guard = L->getLoopGuardBranch();
    if (Guard && SE.isKnownNonNegative(SE.getBackedgeTakenCount(L)))
      return false; // the guard asks something else
    Where = Guard ? Guard->getParent() : L->getLoopPreheader();
  }
}

/// The counts of the moving loops in terms of each other. Of the loops in which the address stands
/// still, the iteration with the largest counts reads what all others do.
bool BlockCopier::splitCounts(Loop &Nest, BlockCopy &C) const {
  const NestAccesses N(SE, Nest);
  for (const Way &W : C.Read.Ways) {
    const SCEV *S = W.Count;
    auto &Steps = C.Steps.emplace_back();
    while (auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
      if (!Nest.contains(Rec->getLoop()))
        break;
      const Way *Outer = find_if(C.Read.Ways, [&](const Way &V) { return V.L == Rec->getLoop(); });
      if (Outer == C.Read.Ways.end())
        break;
      if (!Rec->isAffine() || !SE.isLoopInvariant(Rec->getStepRecurrence(SE), &Nest))
        return false;
      Steps.push_back({Outer - C.Read.Ways.begin(), Rec->getStepRecurrence(SE)});
      S = Rec->getStart();
    }
    const bool Mixed = SCEVExprContains(S, [&](const SCEV *Part) {
      auto *Rec = dyn_cast<SCEVAddRecExpr>(Part);
      return Rec && any_of(C.Read.Ways, [&](const Way &V) { return V.L == Rec->getLoop(); });
    });
    S = Mixed ? nullptr : N.largest(S);
    if (!S)
      return false;
    C.Base.push_back(S);
  }
  return true;
}

/// False if the load is left alone.
bool BlockCopier::addCopy(Loop &Nest, const NestAccess &Read) {
  Type *T = Read.I->getType();
  if ((!T->isDoubleTy() && !T->isFloatTy()) || Read.Ways.empty() || !runsAlways(*Read.I, Nest))
    return false;
  BlockCopy C;
  C.Read = Read;
  C.Alignment = cast<LoadInst>(Read.I)->getAlign();
  C.Array = accessBase(SE, Nest, getLoadStorePointerOperand(Read.I));
  if (!C.Array || isIdentifiedFunctionLocal(getUnderlyingObject(C.Array, 20)))
    return false;
  std::reverse(C.Read.Ways.begin(), C.Read.Ways.end());
  const NestAccesses N(SE, Nest);
  for (Loop *L = LI.getLoopFor(Read.I->getParent());; L = L->getParentLoop()) {
    if (none_of(Read.Ways, [&](const Way &W) { return W.L == L; })) {
      const SCEV *Count = N.countOf(*L);
      if (!Count || !(SE.isLoopInvariant(Count, &Nest) || SE.isKnownNonNegative(Count)))
        return false;
      C.Still.push_back(L);
    }
    if (L == &Nest)
      break;
  }
  if (C.Still.empty() || !splitCounts(Nest, C))
    return false;
  Copies.push_back(std::move(C));
  return true;
}

bool BlockCopier::mayMeet(const NestAccess &Read, const NestAccess &Write) const {
  auto Object = [](const NestAccess &A) {
    const Value *P = getUnderlyingObject(getLoadStorePointerOperand(A.I), 20);
    return MemoryLocation::getBeforeOrAfter(P, A.I->getAAMetadata());
  };
  return AA.alias(Object(Read), Object(Write)) != AliasResult::NoAlias;
}

/// True if something may be copied: everything that is written is known.
bool BlockCopier::collect(Loop &Nest) {
  Copies.clear();
  Writes.clear();
  const NestAccesses N(SE, Nest);
  SmallVector<NestAccess, 16> Reads;
  for (BasicBlock *Block : Nest.blocks())
    for (Instruction &I : *Block) {
      if ((I.mayWriteToMemory() && !isa<StoreInst>(I)) || I.isVolatile() || I.isAtomic() ||
          isa<AllocaInst>(I))
        return false;
      if (!isa<LoadInst, StoreInst>(I))
        continue;
      auto Access = N.describe(I);
      if (isa<StoreInst>(I) ? !Access : Reads.size() > MostAccesses)
        return false;
      if (Access)
        (isa<StoreInst>(I) ? Writes : Reads).push_back(std::move(*Access));
    }
  for (const NestAccess &Read : Reads)
    if (Copies.size() < MostCopies && none_of(Writes, [&](const NestAccess &W) {
          return W.Start == Read.Start && mayMeet(Read, W);
        }))
      addCopy(Nest, Read);
  return !Copies.empty() && Writes.size() * Copies.size() <= MostChecks;
}

/// How often each number of the copy is read, as far as it is known in front of the nest; 0 if
/// some of the reading loops do not run.
Value *BlockCopier::emitReads(IRBuilder<> &B, SCEVExpander &E, const NestAccesses &N,
                              const BlockCopy &C) {
  Instruction *At = &*B.GetInsertPoint();
  Value *Reads = B.getInt64(1);
  bool Varies = false;
  for (Loop *L : C.Still) {
    const SCEV *Count = N.countOf(*L);
    if (Count != N.largest(Count)) {
      Varies = true;
      continue;
    }
    if (!E.isSafeToExpandAt(Count, At))
      return nullptr;
    Value *Times = B.CreateAdd(E.expandCodeFor(Count, B.getInt64Ty(), At), B.getInt64(1));
    Value *Few = B.CreateBinaryIntrinsic(Intrinsic::smax, Times, B.getInt64(0));
    Reads =
        B.CreateMul(Reads, B.CreateBinaryIntrinsic(Intrinsic::smin, Few, B.getInt64(FewestReads)));
  }
  return B.CreateICmpSGE(Reads, B.getInt64(Varies ? 1 : FewestReads));
}

/// Start, size and steps of the copy; false if they cannot be computed in front of the nest.
bool BlockCopier::emitSizes(Loop &Nest, IRBuilder<> &B, SCEVExpander &E, BlockCopy &C) {
  Instruction *At = &*B.GetInsertPoint();
  Type *Int = B.getInt64Ty();
  const NestAccesses N(SE, Nest);
  bool Safe = true;
  auto Expand = [&](const SCEV *S) -> Value * {
    Safe &= E.isSafeToExpandAt(S, At);
    return Safe ? E.expandCodeFor(S, Int, At) : nullptr;
  };
  C.Start = Expand(C.Read.Start);
  C.Bytes = B.getInt64(C.Read.Size);
  C.To.resize(C.Read.Ways.size());
  for (unsigned I = C.Read.Ways.size(); I-- > 0;) {
    Value *Most = Expand(N.mostOf(C.Read.Ways[I]));
    if (!Safe)
      return false;
    C.To[I] = C.Bytes;
    Value *Places = B.CreateAdd(Most, B.getInt64(1));
    Value *Few = B.CreateBinaryIntrinsic(Intrinsic::umin, Places, B.getInt64(MostBytes));
    C.Bytes = B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateMul(C.Bytes, Few),
                                      B.getInt64(MostBytes + 1));
  }
  for (unsigned I = 0; I < C.Read.Ways.size(); ++I) {
    C.From.push_back(Expand(C.Read.Ways[I].Step));
    CopyCount &Count = C.Counts.emplace_back();
    Count.Base = Expand(C.Base[I]);
    for (auto [Outer, Step] : C.Steps[I])
      Count.Steps.push_back({Outer, Expand(Step)});
  }
  return Safe;
}

/// Null if it cannot be told in front of the nest whether the copies are right and worth it.
Value *BlockCopier::emitChecks(Loop &Nest, IRBuilder<> &B, SCEVExpander &E) {
  const NestAccesses N(SE, Nest);
  Value *Wanted = B.getTrue();
  for (BlockCopy &C : Copies) {
    Value *Enough = emitReads(B, E, N, C);
    if (!Enough || !emitSizes(Nest, B, E, C))
      return nullptr;
    Wanted = B.CreateAnd(Wanted, Enough);
    Wanted = B.CreateAnd(Wanted, B.CreateICmpSLE(C.Bytes, B.getInt64(MostBytes)));
    for (const NestAccess &W : Writes) {
      Value *Apart = mayMeet(C.Read, W) ? N.apart(E, B, C.Read, W) : B.getTrue();
      if (!Apart)
        return nullptr;
      Wanted = B.CreateAnd(Wanted, Apart);
    }
  }
  return Wanted;
}

/// The load takes its number from the copy.
void BlockCopier::readCopy(BlockCopy &C) {
  SCEVExpander E(SE, "cf.block");
  const SCEV *At = SE.getUnknown(C.Memory);
  for (unsigned I = 0; I < C.Read.Ways.size(); ++I)
    At = SE.getAddRecExpr(At, SE.getUnknown(C.To[I]), C.Read.Ways[I].L, SCEV::FlagAnyWrap);
  auto *Load = cast<LoadInst>(C.Read.I);
  Value *Address = E.expandCodeFor(At, Load->getPointerOperandType(), Load);
  Load->setOperand(LoadInst::getPointerOperandIndex(), Address);
  Load->setAlignment(Align(C.Read.Size));
  Load->setMetadata(LLVMContext::MD_noalias, nullptr);
  Load->setMetadata(LLVMContext::MD_alias_scope, nullptr);
  Load->setMetadata(LLVMContext::MD_invariant_load, nullptr);
}

/// Loops over what is read, from front to back.
void BlockCopier::emitCopy(BlockCopy &C, Instruction *At) const {
  IRBuilder<> B(At);
  auto *Old = cast<LoadInst>(C.Read.I);
  Value *To = C.Memory, *Distance = B.CreateSub(C.Start, B.CreatePtrToInt(C.Array, B.getInt64Ty()));
  Value *From = B.CreatePtrAdd(C.Array, Distance);
  SmallVector<Value *, 4> Iterations;
  for (unsigned I = 0; I < C.Counts.size(); ++I) {
    B.SetInsertPoint(At);
    Value *Trip = B.CreateAdd(C.Counts[I].Base, B.getInt64(1));
    for (auto [Outer, Step] : C.Counts[I].Steps)
      Trip = B.CreateAdd(Trip, B.CreateMul(Iterations[Outer], Step));
    At = SplitBlockAndInsertIfThen(B.CreateICmpSGT(Trip, B.getInt64(0)), At->getIterator(), false);
    auto [Body, Iteration] = SplitBlockAndInsertSimpleForLoop(Trip, At->getIterator());
    Iterations.push_back(Iteration);
    At = &*Body;
    B.SetInsertPoint(At);
    From = B.CreatePtrAdd(From, B.CreateMul(Iteration, C.From[I]));
    To = B.CreatePtrAdd(To, B.CreateMul(Iteration, C.To[I]));
  }
  B.SetInsertPoint(At);
  LoadInst *Read = B.CreateAlignedLoad(Old->getType(), From, C.Alignment);
  StoreInst *Write = B.CreateAlignedStore(Read, To, Align(C.Read.Size));
  Read->setDebugLoc(Old->getDebugLoc());
  Write->setDebugLoc(Old->getDebugLoc());
  if (MDNode *Tag = Old->getMetadata(LLVMContext::MD_tbaa)) {
    Read->setMetadata(LLVMContext::MD_tbaa, Tag);
    Write->setMetadata(LLVMContext::MD_tbaa, Tag);
  }
}

/// Behind the nest, on the way that leaves it, the copies end.
void BlockCopier::allocate(Loop &Nest) {
  Module &M = *F.getParent();
  Instruction *At = Nest.getLoopPreheader()->getTerminator();
  IRBuilder<> B(At);
  for (BlockCopy &C : Copies) {
    CallInst *Call =
        B.CreateCall(M.getOrInsertFunction("malloc", B.getPtrTy(), B.getInt64Ty()), {C.Bytes});
    Call->addRetAttr(Attribute::NoAlias);
    Call->addFnAttr(Attribute::get(F.getContext(), OwnBlockAttribute));
    Call->setDebugLoc(C.Read.I->getDebugLoc());
    C.Memory = Call;
    remark(RemarkKind::Passed, "Block", *C.Read.I, "what the task reads here is copied once");
    readCopy(C);
  }
  BasicBlock *Behind = SplitEdge(Nest.getLoopLatch(), Nest.getExitBlock(), &DT, &LI);
  B.SetInsertPoint(Behind, Behind->getFirstInsertionPt());
  for (BlockCopy &C : Copies)
    B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()), {C.Memory})
        ->setDebugLoc(C.Read.I->getDebugLoc());
  for (BlockCopy &C : Copies)
    emitCopy(C, At);
}

bool BlockCopier::copyIn(Loop &Nest) {
  const NestAccesses N(SE, Nest);
  if (!Nest.isLoopSimplifyForm() || !Nest.getExitBlock() || Nest.isInnermost() ||
      any_of(Nest.getLoopsInPreorder(), [&](Loop *L) { return !N.countOf(*L); }) || !collect(Nest))
    return false;
  IRBuilder<> B(Nest.getLoopPreheader()->getTerminator());
  SCEVExpander E(SE, "cf.copy");
  Value *Wanted = emitChecks(Nest, B, E);
  if (!Wanted)
    return false;
  E.clear();
  Seen.insert(makeTwin(Nest, Wanted, {"copied", ".direct"}, DT, LI)->getHeader());
  allocate(Nest);
  Seen.insert(Nest.getHeader());
  for (Loop *Inner : Nest.getLoopsInPreorder())
    Seen.insert(Inner->getHeader());
  return true;
}

bool BlockCopier::run() {
  SmallVector<Loop *, 16> Todo(LI.begin(), LI.end());
  while (!Todo.empty()) {
    Loop *L = Todo.pop_back_val();
    if (Seen.insert(L->getHeader()).second && copyIn(*L))
      return true;
    append_range(Todo, L->getSubLoops());
  }
  return false;
}

} // namespace

bool copyBlocks(Function &F, FunctionAnalysisManager &FAM) {
  SmallPtrSet<BasicBlock *, 32> Seen;
  unsigned Versions = 0;
  while (Versions < MostVersions && BlockCopier(F, FAM, Seen).run()) {
    ++Versions;
    FunctionPassManager FPM;
    FPM.addPass(LoopSimplifyPass());
    FPM.addPass(LCSSAPass());
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, FPM.run(F, FAM));
  }
  return Versions > 0;
}

} // namespace contraflow
