// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that MPI only reads: a declaration in LLVM IR has lost the 'const' of C.
//
//   MPI_Isend(ptr %b, ...)   ->   MPI_Isend(ptr readonly %b, ...)

#include "parallel/mpi/ReadOnly.h"

#include "contraflow/core/Construct.h"
#include "parallel/mpi/Rows.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow::mpi {

static void markReadOnly(CallBase &Call, const Row &R) {
  SmallVector<StringRef, 16> Parts;
  spellingOf(R).drop_front().drop_back().split(Parts, ", ");
  for (unsigned N = 0; N < Call.arg_size() && N < Parts.size(); ++N)
    if (Parts[N].starts_with("const ") && Call.getArgOperand(N)->getType()->isPointerTy())
      Call.addParamAttr(N, Attribute::ReadOnly);
}

namespace {

class ReadOnlyRewriter : public Rewriter {
public:
  void canonicalise(Function &F) const override {
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      const Row *R = Callee ? rowsByName().lookup(Callee->getName()) : nullptr;
      if (R && R->Stem && isOfLibrary(Callee))
        markReadOnly(*Call, *R);
    }
  }
};

} // namespace

void registerReadOnly(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<ReadOnlyRewriter>());
}

} // namespace contraflow::mpi
