// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ZeroStores.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

namespace contraflow {
namespace {

constexpr int64_t Half = 4;

/// A store of a zero of 32 bits.
struct ZeroStore {
  StoreInst *Store = nullptr;
  const Value *Base = nullptr;
  int64_t Offset = 0;
};

std::optional<ZeroStore> zeroStore(Instruction &I, const DataLayout &DL) {
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store || !Store->isSimple() || !Store->getValueOperand()->getType()->isIntegerTy(8 * Half) ||
      !isa<ConstantInt>(Store->getValueOperand()) ||
      !cast<ConstantInt>(Store->getValueOperand())->isZero())
    return std::nullopt;
  Value *Pointer = Store->getPointerOperand();
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, true);
  return ZeroStore{Store, Base, Offset.getSExtValue()};
}

} // namespace

bool joinZeroStores(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<std::pair<ZeroStore, ZeroStore>, 4> Pairs;
  for (BasicBlock &Block : F) {
    std::optional<ZeroStore> Last;
    for (Instruction &I : Block) {
      const auto Now = zeroStore(I, DL);
      if (Now && Last && Now->Base == Last->Base && std::abs(Now->Offset - Last->Offset) == Half &&
          std::min(Now->Offset, Last->Offset) % (2 * Half) == 0) {
        Pairs.push_back({*Last, *Now});
        Last.reset();
      } else if (Now || I.mayReadOrWriteMemory()) {
        Last = Now;
      }
    }
  }
  for (const auto &[First, Second] : Pairs) {
    StoreInst *Low = First.Offset < Second.Offset ? First.Store : Second.Store;
    IRBuilder<> B(Second.Store); // which both addresses come before
    B.CreateAlignedStore(B.getInt64(0), Low->getPointerOperand(), Low->getAlign());
    First.Store->eraseFromParent();
    Second.Store->eraseFromParent();
  }
  return !Pairs.empty();
}

} // namespace contraflow
