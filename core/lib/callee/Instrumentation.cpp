// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Instrumentation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {

bool isEntryHook(const Instruction &I) {
  static constexpr StringLiteral Hooks[] = {
#define CF_ENTRY_HOOK(Name) Name,
#include "Instrumentation.def"
  };
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Hook = Call ? Call->getCalledFunction() : nullptr;
  return Hook && is_contained(Hooks, Hook->getName());
}

bool runsAtExit(const CallBase &Call) {
  static constexpr StringLiteral Registers[] = {
#define CF_AT_EXIT(Name) Name,
#include "Inactive.def"
  };
  const Function *F = Call.getCalledFunction();
  return F && is_contained(Registers, F->getName());
}

bool isCount(const Instruction &I) {
  static constexpr StringLiteral Counters[] = {
#define CF_COUNTERS(Prefix) Prefix,
#include "Instrumentation.def"
  };
  const Value *To = nullptr;
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    To = Store->getPointerOperand();
  else if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    To = Update->getPointerOperand();
  const auto *G = To ? dyn_cast<GlobalVariable>(getUnderlyingObject(To)) : nullptr;
  return G && any_of(Counters, [&](StringRef Prefix) { return G->getName().starts_with(Prefix); });
}

bool onlyKeepsItsPlace(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && (Call->isAssumeLikeIntrinsic() || Call->getIntrinsicID() == Intrinsic::fake_use ||
                  isa<ConstrainedFPIntrinsic, InstrProfInstBase>(Call));
}

} // namespace contraflow
