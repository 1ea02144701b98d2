// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A store is harmless if the object it goes to is a local variable or a global one:
//
//   static void watch(const double *x) { ++calls; printf("%g", *x); }

#include "ReadsOnly.h"
#include "callee/Instrumentation.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

bool isOwn(const Value *Pointer) {
  return isa<AllocaInst, GlobalVariable>(getUnderlyingObject(Pointer));
}

class Reader {
public:
  bool onlyReads(const Function &F) {
    if (F.isDeclaration())
      return false;
    return !Seen.insert(&F).second ||
           all_of(instructions(F), [&](const Instruction &I) { return isHarmless(I); });
  }

private:
  bool isHarmless(const Instruction &I) {
    if (const auto *Call = dyn_cast<CallBase>(&I))
      return isHarmlessCall(*Call);
    if (const auto *Store = dyn_cast<StoreInst>(&I))
      return isOwn(Store->getPointerOperand());
    if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
      return isOwn(Update->getPointerOperand());
    return !I.mayWriteToMemory() || isa<LoadInst>(I);
  }

  bool isHarmlessCall(const CallBase &Call) {
    if (Call.onlyReadsMemory() || onlyKeepsItsPlace(Call))
      return true;
    if (const auto *Memory = dyn_cast<MemIntrinsic>(&Call))
      return isOwn(Memory->getRawDest());
    const CalleeInfo Info = lookupCallee(Call);
    if (Info.ReadOnly || Info.Kind == CalleeKind::NoReturn || Info.Kind == CalleeKind::Allocate)
      return true;
    const Function *Callee = Call.getCalledFunction();
    return Callee && onlyReads(*Callee);
  }

  SmallPtrSet<const Function *, 8> Seen;
};

} // namespace

bool onlyReadsArguments(const Function &F) { return Reader().onlyReads(F); }

} // namespace contraflow
