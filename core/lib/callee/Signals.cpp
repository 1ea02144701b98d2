// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "callee/Signals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral Raising[] = {
#define CF_RAISES(Name) Name,
#include "Inactive.def"
    "kill", "tgkill", "pthread_kill", "sigqueue"};

constexpr StringLiteral Registering[] = {"signal",      "sigaction", "bsd_signal", "ssignal",
                                         "sysv_signal", "sigset",    "sigvec"};

bool calls(const Module &M, ArrayRef<StringLiteral> Names) {
  return any_of(Names, [&](StringRef Name) {
    const Function *F = M.getFunction(Name);
    return F && F->isDeclaration() && !F->use_empty();
  });
}

/// void (int), void () and void (int, siginfo_t *, void *), whose address somebody has.
bool mayBeHandler(const Function &F) {
  const FunctionType *T = F.getFunctionType();
  return !F.isDeclaration() && T->getReturnType()->isVoidTy() && F.hasAddressTaken() &&
         (T->getNumParams() == 0 || T->getParamType(0)->isIntegerTy(32));
}

} // namespace

bool runsHandlers(const Function &F) {
  const Module &M = *F.getParent();
  return is_contained(Raising, F.getName()) && calls(M, Registering) && any_of(M, mayBeHandler);
}

bool handlesSignals(const Function &F) {
  const Module &M = *F.getParent();
  return mayBeHandler(F) && calls(M, Registering) && calls(M, Raising);
}

} // namespace contraflow
