// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CopiedBytes.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

/// How far it is from an address to the end of the variable, an array, that it leads into; -1: it
/// leads to no such variable.
static int64_t restOfArray(const Value *Address, const DataLayout &DL) {
  const Value *Object = getUnderlyingObject(Address);
  const auto *Local = dyn_cast<AllocaInst>(Object);
  const auto *Global = dyn_cast<GlobalVariable>(Object);
  const Type *T = Local ? Local->getAllocatedType() : Global ? Global->getValueType() : nullptr;
  uint64_t Bytes = 0;
  const bool Known = T && T->isArrayTy() && getObjectSize(Address, Bytes, DL, nullptr);
  return Known ? static_cast<int64_t>(Bytes) : -1;
}

int64_t bytesCopied(const CallBase &I, const CallFacts::Copy &C, const DataLayout &DL) {
  if (auto *Size = dyn_cast<ConstantInt>(I.getArgOperand(C.Size)))
    return Size->getSExtValue();
  const int64_t From = restOfArray(I.getArgOperand(C.From), DL);
  const int64_t To = restOfArray(I.getArgOperand(C.To), DL);
  return From < 0 || To < 0 ? std::max(From, To) : std::min(From, To);
}

} // namespace contraflow
