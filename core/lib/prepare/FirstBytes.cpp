// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FirstBytes.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <cstdlib>

using namespace llvm;

namespace contraflow {
namespace {

constexpr int64_t LeastBytes = 4; ///< of a number
constexpr int64_t Word = 8;       ///< what is cleared where more is done to the object
constexpr int64_t MostBytes = 256;

bool isConstructor(const Function &F) {
  if (F.isDeclaration() || F.arg_empty() || F.getParamDereferenceableBytes(0) < LeastBytes)
    return false;
  const std::string Mangled = F.getName().str(); // the demangler points into it
  ItaniumPartialDemangler Name;
  if (Name.partialDemangle(Mangled.c_str()) || !Name.isCtorOrDtor())
    return false;
  char *Base = Name.getFunctionBaseName(nullptr, nullptr);
  const bool Ends = !Base || *Base == '~';
  std::free(Base);
  return !Ends;
}

/// The place in the object that a constructor makes; none of other memory. What is not optimised
/// has the address of the object in a variable.
std::optional<int64_t> placeInObject(const Value *Pointer, const Function &F) {
  const DataLayout &DL = F.getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, true);
  if (auto *Load = dyn_cast<LoadInst>(Base)) {
    auto *Variable = dyn_cast<AllocaInst>(Load->getPointerOperand());
    if (!Variable)
      return std::nullopt;
    const bool HoldsObject = all_of(Variable->users(), [&](const User *U) {
      auto *Store = dyn_cast<StoreInst>(U);
      return isa<LoadInst>(U) || (Store && Store->getValueOperand() == F.getArg(0));
    });
    if (!HoldsObject)
      return std::nullopt;
    Base = F.getArg(0);
  }
  return Base == F.getArg(0) ? std::optional(Offset.getSExtValue()) : std::nullopt;
}

bool isOwnVariable(const Value *Pointer) {
  return isa<AllocaInst>(Pointer->stripInBoundsConstantOffsets());
}

/// The store of a zero byte with which the constructor begins. Null: it does something else first.
StoreInst *firstByte(Function &F) {
  for (Instruction &I : F.getEntryBlock()) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store ? !I.mayWriteToMemory() : isOwnVariable(Store->getPointerOperand()))
      continue;
    auto *Zero = Store ? dyn_cast<ConstantInt>(Store->getValueOperand()) : nullptr;
    const bool Fits = Zero && Zero->isZero() && Zero->getBitWidth() == 8 && Store->isSimple();
    return Fits && placeInObject(Store->getPointerOperand(), F) == 0 ? Store : nullptr;
  }
  return nullptr;
}

/// How much of the object has no value before something else in it is set.
int64_t bytesWithoutValue(const Function &F, const StoreInst &First) {
  int64_t Bytes =
      std::min<int64_t>(alignDown(F.getParamDereferenceableBytes(0), LeastBytes), MostBytes);
  for (const Instruction &I : instructions(F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (&I == &First || !I.mayWriteToMemory() ||
        (Store && isOwnVariable(Store->getPointerOperand())))
      continue;
    const auto Place = Store ? placeInObject(Store->getPointerOperand(), F) : std::nullopt;
    Bytes = std::min(Bytes, Place.value_or(Word));
  }
  return Bytes;
}

} // namespace

void clearWhole(Module &M) {
  for (Function &F : M) {
    StoreInst *First = isConstructor(F) ? firstByte(F) : nullptr;
    const int64_t Bytes = First ? bytesWithoutValue(F, *First) : 0;
    if (Bytes < LeastBytes)
      continue;
    IRBuilder<> B(First);
    B.CreateMemSet(First->getPointerOperand(), B.getInt8(0), Bytes, First->getAlign());
    First->eraseFromParent();
  }
}

} // namespace contraflow
