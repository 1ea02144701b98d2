// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A member that is a text at one time leads to numbers at another (a union of values), so that what
// it leads to has a shadow. The library allocates the copy of a text itself; written out it is an
// allocation like any other:
//
//   value.s = strdup(text)   ->   n = strlen(text) + 1; value.s = memcpy(malloc(n), text, n)

#include "TextCopies.h"
#include "analysis/Activity.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"

using namespace llvm;

namespace contraflow {

/// True if the call allocates a copy of the text that it is given.
static bool copiesText(const CallBase &Call, const TargetLibraryInfo &Library) {
  LibFunc Called;
  return isa<CallInst>(Call) && Library.getLibFunc(Call, Called) &&
         (Called == LibFunc_strdup || Called == LibFunc_dunder_strdup);
}

/// Null if the target has no such functions.
static Value *writeOut(CallBase &Call, const TargetLibraryInfo &Library) {
  IRBuilder<> B(&Call);
  const DataLayout &DL = Call.getDataLayout();
  Value *Text = Call.getArgOperand(0);
  Value *Length = emitStrLen(Text, B, DL, &Library);
  if (!Length)
    return nullptr;
  Value *Bytes = B.CreateAdd(Length, ConstantInt::get(Length->getType(), 1));
  Value *Copy = emitMalloc(Bytes, B, DL, &Library);
  if (Copy)
    B.CreateMemCpy(Copy, Align(1), Text, Align(1), Bytes);
  return Copy;
}

bool writeTextCopies(ArrayRef<Function *> Closure, const ActivityResult &Activity,
                     FunctionAnalysisManager &FAM) {
  bool Changed = false;
  for (Function *F : Closure) {
    const auto &Library = FAM.getResult<TargetLibraryAnalysis>(*F);
    for (Instruction &I : make_early_inc_range(instructions(*F))) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !copiesText(*Call, Library) || !Activity.hasShadow(Call))
        continue;
      Value *Copy = writeOut(*Call, Library);
      if (!Copy)
        continue;
      Call->replaceAllUsesWith(Copy);
      Call->eraseFromParent();
      Changed = true;
    }
  }
  return Changed;
}

} // namespace contraflow
