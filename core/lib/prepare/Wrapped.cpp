// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To the compiler, all that a std::function calls is double (ptr, ptr), or void (ptr, ptr, int):
// arguments are passed by reference. The names tell more:
//
//   std::function<double (int)>::operator()(int) const
//     %f = load ptr, %invoker ; call double %f(ptr %object, ptr %argument)     cf.wrapped "double
//     (int)"
//
//   std::_Function_handler<double (int), ...>::_M_invoke           may be called here
//   std::_Function_handler<double (double), ...>::_M_invoke        is not: what it reads as a
//                                                                  double would be an int
//
// So the call is noted with the signature of the class around, before it is inlined elsewhere. The
// base class of all of them ends an object by a call too: there is a copy of its destructor for
// each signature.

#include "Wrapped.h"

#include "callee/Classes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>

using namespace llvm;

namespace contraflow {

// An attribute of a call, which loses metadata where it is inlined and may unwind.
static constexpr StringLiteral WrappedMark = "cf.wrapped";

static bool isIndirect(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && Call->isIndirectCall() && !Call->isInlineAsm();
}

static void note(Function &F, StringRef Signature) {
  const Attribute Note = Attribute::get(F.getContext(), WrappedMark, Signature);
  for (Instruction &I : instructions(F))
    if (isIndirect(I))
      cast<CallBase>(I).addFnAttr(Note);
}

/// The copy of End that objects of this signature call.
static Function *endOf(Function &End, StringRef Signature, StringMap<Function *> &Ends) {
  Function *&Copy = Ends[Signature];
  if (Copy)
    return Copy;
  ValueToValueMapTy Map;
  Copy = CloneFunction(&End, Map);
  Copy->setName(End.getName() + ".wrapped");
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setDSOLocal(true);
  Copy->setComdat(nullptr);
  note(*Copy, Signature);
  return Copy;
}

void noteWrappedCalls(Module &M) {
  std::map<Function *, StringMap<Function *>> Ends; // looked up only
  const auto Functions = map_to_vector(M, [](Function &F) { return &F; });
  for (Function *F : Functions) {
    const std::string Signature = F->isDeclaration() ? "" : wrappedSignature(*F);
    if (Signature.empty())
      continue;
    note(*F, Signature);
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && !Callee->isDeclaration() && endsAnyWrapper(*Callee))
        Call->setCalledFunction(endOf(*Callee, Signature, Ends[Callee]));
    }
  }
}

bool isWrappedOtherwise(const CallBase &Call, const Function &F) {
  const Attribute Note = Call.getAttributes().getFnAttr(WrappedMark);
  if (!Note.isValid())
    return false;
  const std::string Other = wrappedSignature(F);
  return !Other.empty() && Other != Note.getValueAsString();
}

} // namespace contraflow
