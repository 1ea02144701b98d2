// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The callee of a virtual call lies in a constant table:
//
//   %table = load ptr, ptr %object, !tbaa "vtable pointer"
//   %slot = getelementptr inbounds ptr, ptr %table, i64 2
//   %f = load ptr, ptr %slot
//   call void %f(ptr %object)
//
// so a function that is handed on somewhere, such as the destructor of a static variable, is not
// meant, though its type fits. Without TBAA the front end's own shape tells: the object is in one
// register, and the table has no type but that of pointers. Code of other languages would load the
// object once more.

#include "Virtual.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {

static constexpr StringLiteral VirtualKind = "cf.virtual"; ///< metadata of a call

/// A step through an array of pointers.
static bool stepsInTable(const Value *Slot) {
  auto *Step = dyn_cast<GEPOperator>(Slot);
  return Step && Step->getSourceElementType()->isPointerTy() && Step->getNumIndices() == 1;
}

static bool findsVirtual(const CallBase &Call) {
  auto *Callee = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Callee)
    return false;
  const Value *Slot = Callee->getPointerOperand();
  auto *Table = dyn_cast<LoadInst>(Slot->stripInBoundsConstantOffsets());
  if (!Table)
    return false;
  if (const MDNode *Tag = Table->getMetadata(LLVMContext::MD_tbaa))
    return Tag->isTBAAVtableAccess();
  const Value *Object = Table->getPointerOperand();
  return stepsInTable(Slot) && !isa<GEPOperator, AllocaInst>(Object) &&
         is_contained(Call.args(), Object);
}

void noteVirtualCalls(Module &M) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && findsVirtual(*Call))
        Call->setMetadata(VirtualKind, MDNode::get(M.getContext(), {}));
}

bool isVirtual(const CallBase &Call) { return Call.hasMetadata(VirtualKind); }

} // namespace contraflow
