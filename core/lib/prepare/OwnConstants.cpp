// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OwnConstants.h"

#include "callee/Silent.h"
#include "contraflow/core/Callee.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Bytes of a variable whose address nobody else has.
struct Place {
  const AllocaInst *Variable;
  int64_t Begin, Bytes;
};

enum class Write { Elsewhere, Here, Unknown };

const AllocaInst *variableOf(const Value *Pointer, const DataLayout &DL, int64_t &Offset) {
  APInt Distance(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Distance, true);
  Offset = Distance.getSExtValue();
  return dyn_cast<AllocaInst>(Base);
}

/// What a write of so many bytes (unknown: -1) means for P.
Write writes(const Value *Pointer, int64_t Bytes, const Place &P, const DataLayout &DL) {
  int64_t Offset = 0;
  const AllocaInst *Variable = variableOf(Pointer, DL, Offset);
  if (Variable == P.Variable) {
    if (Offset == P.Begin && Bytes == P.Bytes)
      return Write::Here;
    const bool Apart = Offset >= P.Begin + P.Bytes || (Bytes >= 0 && Offset + Bytes <= P.Begin);
    return Apart ? Write::Elsewhere : Write::Unknown;
  }
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, nullptr, 0);
  return is_contained(Objects, P.Variable) ? Write::Unknown : Write::Elsewhere;
}

Write writes(const Instruction &I, const Place &P) {
  const DataLayout &DL = I.getDataLayout();
  if (!I.mayWriteToMemory())
    return Write::Elsewhere;
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    const TypeSize Bytes = DL.getTypeStoreSize(Store->getValueOperand()->getType());
    return Bytes.isScalable() ? Write::Unknown
                              : writes(Store->getPointerOperand(), Bytes.getFixedValue(), P, DL);
  }
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return Write::Unknown;
  auto *Memory = dyn_cast<MemIntrinsic>(Call);
  auto *Length = Memory ? dyn_cast<ConstantInt>(Memory->getLength()) : nullptr;
  for (const Use &Argument : Call->args()) {
    if (!Argument->getType()->isPtrOrPtrVectorTy() || (Memory && Argument.getOperandNo() != 0))
      continue;
    const int64_t Bytes = Length ? Length->getSExtValue() : -1;
    const Write Found = writes(Argument, Bytes, P, DL);
    if (Found != Write::Elsewhere)
      return Write::Unknown;
  }
  return Write::Elsewhere;
}

/// The constant that is stored at P on every way to Before, by its nearest store.
Constant *storedBefore(Instruction &Before, const Place &P) {
  constexpr unsigned Far = 200;
  Instruction *I = &Before;
  for (unsigned K = 0; K < Far; ++K) {
    Instruction *Previous = I->getPrevNode();
    if (!Previous) {
      BasicBlock *Only = I->getParent()->getSinglePredecessor();
      Previous = Only ? Only->getTerminator() : nullptr;
    }
    if (!Previous || Previous == P.Variable)
      return nullptr;
    I = Previous;
    switch (writes(*I, P)) {
    case Write::Elsewhere:
      break;
    case Write::Here:
      return dyn_cast<Constant>(cast<StoreInst>(I)->getValueOperand());
    case Write::Unknown:
      return nullptr;
    }
  }
  return nullptr;
}

/// Classes of the library may keep where an object of theirs is in the object, and nowhere else.
class Tracker : public CaptureTracker {
public:
  bool IsCaptured = false;
  void tooManyUses() override { IsCaptured = true; }
  Action captured(const Use *U, UseCaptureInfo) override {
    auto *Call = dyn_cast<CallBase>(U->getUser());
    if (Call && (Call->hasFnAttr(SilentMark) || lookupCallee(*Call).OwnObjects))
      return ContinueIgnoringReturn;
    IsCaptured = true;
    return Stop;
  }
};

bool isOwn(const AllocaInst &Variable) {
  Tracker T;
  PointerMayBeCaptured(&Variable, &T);
  return !T.IsCaptured;
}

} // namespace

bool readOwnConstants(Function &F) {
  bool Found = false;
  const DataLayout &DL = F.getDataLayout();
  DenseMap<const AllocaInst *, bool> IsOwn;
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->isSimple() || !Load->getType()->isIntegerTy())
      continue;
    Place P{nullptr, 0, static_cast<int64_t>(DL.getTypeStoreSize(Load->getType()).getFixedValue())};
    P.Variable = variableOf(Load->getPointerOperand(), DL, P.Begin);
    if (!P.Variable)
      continue;
    auto [It, New] = IsOwn.try_emplace(P.Variable, false);
    if (New)
      It->second = isOwn(*P.Variable);
    Constant *Stored = It->second ? storedBefore(*Load, P) : nullptr;
    if (!Stored || Stored->getType() != Load->getType())
      continue;
    Load->replaceAllUsesWith(Stored);
    Found = true;
  }
  return Found;
}

} // namespace contraflow
