// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A structure that is passed by value in memory is copied by whoever calls. Inlining makes that
// copy; a function that stays a call makes it itself, since its sweeps get a pointer and a shadow.
// Without, what it writes to its parameter would be written to the caller's object.
//
//   define @f(ptr byval(%struct.S) %s)   ->   define @f(ptr %s)   %own = alloca %struct.S
//                                                                 memcpy(%own, %s, sizeof)

#include "ValueCopies.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

void copyValueParams(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  BasicBlock &Entry = F.getEntryBlock();
  for (Argument &A : F.args()) {
    Type *T = A.getParamByValType();
    if (!T)
      continue;
    const Align At = std::max(A.getParamAlign().valueOrOne(), DL.getPrefTypeAlign(T));
    // Other attributes are of the copy as well: nobody else points there, it is aligned.
    F.setAttributes(F.getAttributes().removeParamAttributes(F.getContext(), A.getArgNo()));
    IRBuilder<> B(&Entry, Entry.begin());
    AllocaInst *Own = B.CreateAlloca(T, DL.getAllocaAddrSpace(), nullptr, A.getName() + ".own");
    Own->setAlignment(At);
    A.replaceAllUsesWith(Own);
    B.SetInsertPoint(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    B.CreateMemCpy(Own, At, &A, MaybeAlign(), DL.getTypeAllocSize(T));
  }
}

void passByPointer(CallBase &Call) {
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    if (Call.isByValArgument(I))
      Call.setAttributes(Call.getAttributes().removeParamAttributes(Call.getContext(), I));
}

} // namespace contraflow
