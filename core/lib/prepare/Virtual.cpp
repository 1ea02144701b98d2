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
//
// Which class it is a function of is known where the object is a parameter, from the name of the
// function around (std::_Sp_counted_base::_M_release calls a function of its own object,
// std::default_delete<Shape>::operator() one of a Shape), and behind a smart pointer. Another class
// that has a function of that type at the same place of its table is not meant.

#include "Virtual.h"

#include "callee/Classes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {

// An attribute of a call, which loses metadata where it is inlined and may unwind.
static constexpr StringLiteral VirtualMark = "cf.virtual";

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

/// The class of an object that a smart pointer leads to, or that is a parameter, in the variable
/// that the front end gives it.
static std::string classOfObject(const CallBase &Call) {
  auto *Table = cast<LoadInst>(
      cast<LoadInst>(Call.getCalledOperand())->getPointerOperand()->stripInBoundsConstantOffsets());
  if (auto *Giver = dyn_cast<CallBase>(Table->getPointerOperand()))
    return Giver->getCalledFunction() ? classOfResult(*Giver->getCalledFunction()) : "";
  auto *Load = dyn_cast<LoadInst>(Table->getPointerOperand());
  auto *Variable = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  const Argument *Only = nullptr;
  if (!Variable)
    return "";
  for (const User *U : Variable->users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    if ((!Store && !isa<LoadInst, IntrinsicInst>(U)) || (Store && Only))
      return "";
    if (Store)
      Only = dyn_cast<Argument>(Store->getValueOperand());
    if (Store && !Only)
      return "";
  }
  return Only ? classOfParameter(*Call.getFunction(), Only->getArgNo()) : "";
}

void noteVirtualCalls(Module &M) {
  LLVMContext &Context = M.getContext();
  const StringSet<> Classes = describedClasses(M); // others are called differently there
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && findsVirtual(*Call)) {
        std::string Class = classOfObject(*Call);
        if (!Classes.contains(Class))
          Class.clear();
        Call->addFnAttr(Attribute::get(Context, VirtualMark, Class));
      }
}

bool isVirtual(const CallBase &Call) { return Call.getAttributes().hasFnAttr(VirtualMark); }

StringRef virtualClass(const CallBase &Call) {
  return Call.getAttributes().getFnAttr(VirtualMark).getValueAsString();
}

} // namespace contraflow
