// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A simd loop asks the compiler to vectorise it, which warns where it cannot. The sweeps of its
// derivative are other loops: they may be vectorised, but nobody asked.

#include "parallel/omp/Handlers.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

class SimdHandler : public Rewriter {
public:
  void canonicalise(Function &F) const override {
    for (BasicBlock &Block : F) {
      Instruction *Last = Block.getTerminator();
      if (MDNode *Loop = Last->getMetadata(LLVMContext::MD_loop))
        Last->setMetadata(LLVMContext::MD_loop,
                          makePostTransformationMetadata(F.getContext(), Loop,
                                                         {"llvm.loop.vectorize.enable"}, {}));
    }
  }
};

} // namespace

void registerSimd(HandlerRegistry &Registry) { Registry.add(std::make_unique<SimdHandler>()); }

} // namespace contraflow::omp
