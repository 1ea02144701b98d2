// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM 22.1's vectoriser of straight-line code (SLP) may leave code in which a result is used in
// front of where it is calculated; unrolled loops of second derivatives have shown it. Nothing
// verifies that in a release: passes behind it hang, or numbers come out wrong. Here it is an error
// that names the function and the way out.

#include "CheckVectoriser.h"

#include "contraflow/core/Diag.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

using namespace llvm;

namespace contraflow {

static void checkAfter(StringRef Pass, Any IR, const PreservedAnalyses &Kept) {
  const auto *F = any_cast<const Function *>(&IR);
  if (Pass != SLPVectorizerPass::name() || !F || Kept.areAllPreserved() || !verifyFunction(**F))
    return;
  reportErrors((*F)->getContext(),
               diffError(DiagId::Internal, **F,
                         "LLVM's vectoriser has made invalid code of this; compile the file with "
                         "-fno-slp-vectorize"));
}

void checkVectoriser(PassBuilder &PB) {
  if (PassInstrumentationCallbacks *Calls = PB.getPassInstrumentationCallbacks())
    Calls->registerAfterPassCallback(checkAfter);
}

} // namespace contraflow
