// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   define i32 @min(ptr %a, ptr %b) optnone          define i32 @min(ptr %a, ptr %b)
//     %a.addr = alloca ptr ; store, load       ->      %x = load i32, ptr %a
//     ...                                              ...
//
// Once per callee, not once per call.

#include "Slim.h"
#include "DigitSums.h"
#include "Library.h"
#include "WholeWords.h"
#include "support/Assignments.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {

namespace {
constexpr unsigned MostPlain =
    80; ///< instructions, before they are fewer, of what may become so small
constexpr unsigned MostDepth = 60; ///< functions that call one another
} // namespace

static bool isPlain(const Function &F) {
  return F.hasOptNone() && !F.isVarArg() && !F.isPresplitCoroutine();
}

static bool isLeaf(const Function &F) {
  return F.getInstructionCount() <= SmallCallee &&
         none_of(instructions(F), [](const Instruction &I) {
           return (isa<CallBase>(I) && !isa<IntrinsicInst>(I)) || isa<IndirectBrInst>(I);
         });
}

static void simplify(Function &F, FunctionAnalysisManager &FAM) {
  FunctionPassManager Passes;
  Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  Passes.addPass(EarlyCSEPass());
  Passes.addPass(InstCombinePass());
  Passes.addPass(SimplifyCFGPass());
  {
    const WholeWords Kept(F);
    Passes.run(F, FAM);
  }
  FAM.clear(F, F.getName());
}

/// True if there were such calls.
bool SlimCallees::takeOverLeaves(Function &Copy, unsigned Depth) {
  SmallVector<CallBase *, 16> Calls;
  for (Instruction &I : instructions(Copy))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && MayInline(*Call))
      Calls.push_back(Call);
  bool Any = false;
  for (CallBase *Call : Calls) {
    Function *Callee = Call->getCalledFunction();
    if (!isPlain(*Callee) || Callee->getInstructionCount() > MostPlain)
      continue;
    Function &Slim = of(*Callee, Depth + 1);
    if (!isLeaf(Slim))
      continue;
    Call->setCalledFunction(&Slim);
    InlineFunctionInfo Info;
    if (InlineFunction(*Call, Info).isSuccess())
      Any = true;
    else
      Call->setCalledFunction(Callee);
  }
  return Any;
}

Function &SlimCallees::of(Function &F, unsigned Depth) {
  if (!isPlain(F))
    return F;
  if (Function *Known = Copies.lookup(&F))
    return *Known;
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&F, Map);
  Copies[&F] = Copy;
  ownAssignments(*Copy);
  markFloatLoads(*Copy);
  Copy->setName("cf.slim." + F.getName());
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setComdat(nullptr);
  Copy->removeFnAttr(Attribute::OptimizeNone);
  FAM.clear(*Copy, Copy->getName()); // a function that is gone may have been at this address
  simplify(*Copy, FAM);
  if (Depth < MostDepth && takeOverLeaves(*Copy, Depth))
    simplify(*Copy, FAM);
  return *Copy;
}

SlimCallees::~SlimCallees() {
  for (auto [F, Copy] : Copies)
    Copy->eraseFromParent();
}

} // namespace contraflow
