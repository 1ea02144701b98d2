// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Carried.h"
#include "contraflow/core/Construct.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace contraflow {
namespace {

class Reloader {
public:
  Reloader(Loop &L, ScalarEvolution &SE, AAResults &AA) : L(L), SE(SE), AA(AA) {}
  bool run();
  void addLoads(CarriedLoads &Out);

private:
  bool isEven() const;
  const SCEVAddRecExpr *addressOf(const LoadInst &First, const LoadInst &Next) const;
  bool isUnwritten(const LoadInst &First, const LoadInst &Next) const;
  LoadInst *loadAgain(PHINode &Phi, const CarriedLoads &Known);
  bool reload(PHINode &Phi);

  Loop &L;
  ScalarEvolution &SE;
  AAResults &AA;
};

/// True if every load of a float walks evenly: otherwise adjoints are added atomically in any case,
/// and are fewer if they are handed on.
bool Reloader::isEven() const {
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->getType()->isFloatingPointTy()) {
        const SCEV *Address = SE.getSCEV(Load->getPointerOperand());
        if (!isa<SCEVAddRecExpr>(Address) && !SE.isLoopInvariant(Address, &L))
          return false;
      }
  return true;
}

/// What the number that an iteration is handed was loaded from; null if that does not walk evenly.
const SCEVAddRecExpr *Reloader::addressOf(const LoadInst &First, const LoadInst &Next) const {
  const SCEV *From = SE.getSCEV(const_cast<Value *>(First.getPointerOperand()));
  auto *To = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(Next.getPointerOperand())));
  if (!To || To->getLoop() != &L || !To->isAffine())
    return nullptr;
  const SCEV *Step = To->getStepRecurrence(SE);
  if (SE.getMinusSCEV(To->getStart(), From) != Step)
    return nullptr;
  return dyn_cast<SCEVAddRecExpr>(SE.getAddRecExpr(From, Step, &L, SCEV::FlagAnyWrap));
}

/// The first number comes from the preheader, and nothing is written there behind it or in the loop
/// that may meet it or the others.
bool Reloader::isUnwritten(const LoadInst &First, const LoadInst &Next) const {
  auto Writes = [&](Instruction &I) {
    return I.mayWriteToMemory() &&
           isModSet(AA.getModRefInfo(&I, MemoryLocation::getBeforeOrAfter(Next.getPointerOperand(),
                                                                          Next.getAAMetadata())));
  };
  if (First.getParent() != L.getLoopPreheader())
    return false;
  for (const Instruction *I = &First; I; I = I->getNextNode())
    if (Writes(*const_cast<Instruction *>(I)))
      return false;
  return none_of(L.blocks(), [&](BasicBlock *Block) { return any_of(*Block, Writes); });
}

/// Null if what is handed on was not loaded, or cannot be loaded again.
LoadInst *Reloader::loadAgain(PHINode &Phi, const CarriedLoads &Known) {
  auto *First = dyn_cast<LoadInst>(Phi.getIncomingValueForBlock(L.getLoopPreheader()));
  Value *Handed = Phi.getIncomingValueForBlock(L.getLoopLatch());
  auto *Next = dyn_cast<LoadInst>(Handed);
  if (auto *From = dyn_cast<PHINode>(Handed))
    Next = Known.lookup(From);
  if (!First || !Next || !First->isSimple() || !Next->isSimple() || !L.contains(Next))
    return nullptr;
  const SCEVAddRecExpr *Address = addressOf(*First, *Next);
  SCEVExpander Expander(SE, "cf.again");
  Instruction *At = &*L.getHeader()->getFirstInsertionPt();
  if (!Address || !isUnwritten(*First, *Next) || !Expander.isSafeToExpandAt(Address, At))
    return nullptr;
  IRBuilder<> B(At);
  Value *Pointer = Expander.expandCodeFor(Address, First->getPointerOperandType(), At);
  B.SetInsertPoint(At);
  LoadInst *Again =
      B.CreateAlignedLoad(Phi.getType(), Pointer, std::min(First->getAlign(), Next->getAlign()));
  Again->setAAMetadata(First->getAAMetadata().merge(Next->getAAMetadata()));
  Again->setDebugLoc(Next->getDebugLoc());
  return Again;
}

bool Reloader::reload(PHINode &Phi) {
  LoadInst *Again = loadAgain(Phi, CarriedLoads());
  if (!Again)
    return false;
  auto *First = cast<LoadInst>(Phi.getIncomingValueForBlock(L.getLoopPreheader()));
  SE.forgetValue(&Phi);
  Phi.replaceAllUsesWith(Again);
  Phi.eraseFromParent();
  if (First->use_empty())
    First->eraseFromParent();
  return true;
}

bool Reloader::run() {
  if (!L.getLoopPreheader() || !L.getLoopLatch() || !isEven())
    return false;
  bool Any = false, Changed = true;
  while (Changed) {
    Changed = false;
    for (PHINode &Phi : make_early_inc_range(L.getHeader()->phis()))
      if (Phi.getType()->isFloatingPointTy())
        Changed |= reload(Phi);
    Any |= Changed;
  }
  return Any;
}

/// Of x[i - 1], x[i], x[i + 1] the first is handed what the second was handed.
void Reloader::addLoads(CarriedLoads &Out) {
  if (!L.getLoopPreheader() || !L.getLoopLatch())
    return;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (PHINode &Phi : L.getHeader()->phis())
      if (Phi.getType()->isFloatingPointTy() && !Out.contains(&Phi))
        if (LoadInst *Again = loadAgain(Phi, Out)) {
          Out[&Phi] = Again;
          Changed = true;
        }
  }
}

} // namespace

static bool isMultiplication(const Instruction &I) {
  const auto *II = dyn_cast<IntrinsicInst>(&I);
  return II && is_contained({Intrinsic::fmuladd, Intrinsic::fma}, II->getIntrinsicID());
}

static bool isDivided(Function &F, const HandlerRegistry &Handlers) {
  return any_of(instructions(F), [&](Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ConstructHandler *H = Call ? Handlers.find(*Call) : nullptr;
    auto Division = H ? H->division(*Call) : std::nullopt;
    return Division && Division->What == Division::Piece;
  });
}

/// True if the loop compares, divides or calls functions of numbers: that is repaid by a reverse
/// whose iterations do not wait for each other, where sums and products alone are not.
static bool isWorthIt(const Loop &L) {
  return L.isInnermost() && any_of(L.blocks(), [](const BasicBlock *Block) {
           return any_of(*Block, [](const Instruction &I) {
             return isa<FCmpInst>(I) || I.getOpcode() == Instruction::FDiv ||
                    (isa<CallBase>(I) && I.getType()->isFloatingPointTy() && !isMultiplication(I));
           });
         });
}

bool reloadCarried(Function &F, FunctionAnalysisManager &FAM, const HandlerRegistry &Handlers) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<Loop *, 16> Loops;
  if (isDivided(F, Handlers))
    append_range(Loops, LI);
  else
    copy_if(LI.getLoopsInPreorder(), std::back_inserter(Loops),
            [](const Loop *L) { return isWorthIt(*L); });
  if (Loops.empty())
    return false;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
  bool Any = false;
  for (Loop *L : Loops)
    Any |= Reloader(*L, SE, AA).run();
  if (Any)
    FAM.invalidate(F, PreservedAnalyses::none());
  return Any;
}

void addCarriedLoads(Function &F, FunctionAnalysisManager &FAM, CarriedLoads &Out) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  const unsigned Before = Out.size();
  for (Loop *L : LI.getLoopsInPreorder())
    if (any_of(L->getHeader()->phis(),
               [](PHINode &Phi) { return Phi.getType()->isFloatingPointTy(); }))
      Reloader(*L, FAM.getResult<ScalarEvolutionAnalysis>(F), FAM.getResult<AAManager>(F))
          .addLoads(Out);
  if (Out.size() == Before)
    return;
  PreservedAnalyses Kept = PreservedAnalyses::none();
  Kept.preserveSet<CFGAnalyses>();
  FAM.invalidate(F, Kept);
}

} // namespace contraflow
