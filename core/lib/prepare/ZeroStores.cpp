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

constexpr int64_t Word = 8;

/// A store of a zero that is less than a word, within one word of an object.
struct ZeroStore {
  StoreInst *Store = nullptr;
  const Value *Base = nullptr;
  int64_t Offset = 0, Size = 0;

  int64_t word() const { return Offset - (Offset % Word + Word) % Word; }
};

std::optional<ZeroStore> zeroStore(Instruction &I, const DataLayout &DL) {
  auto *Store = dyn_cast<StoreInst>(&I);
  auto *Zero = Store ? dyn_cast<ConstantInt>(Store->getValueOperand()) : nullptr;
  if (!Zero || !Zero->isZero() || !Store->isSimple() || Zero->getBitWidth() % 8 ||
      Zero->getBitWidth() >= 8 * Word)
    return std::nullopt;
  Value *Pointer = Store->getPointerOperand();
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, true);
  const ZeroStore Found{Store, Base, Offset.getSExtValue(), Zero->getBitWidth() / 8};
  if (Found.Offset + Found.Size > Found.word() + Word)
    return std::nullopt;
  return Found;
}

/// Stores to one word, one behind the other.
struct Run {
  SmallVector<ZeroStore, 4> Stores;
  unsigned Bytes = 0; ///< of the word, one bit each

  bool takes(const ZeroStore &S) const {
    return !Stores.empty() && Stores[0].Base == S.Base && Stores[0].word() == S.word();
  }
  void add(const ZeroStore &S) {
    Stores.push_back(S);
    Bytes |= ((1U << S.Size) - 1) << (S.Offset - S.word());
  }
  bool isWord() const { return Bytes == (1U << Word) - 1; }
};

void join(const Run &All) {
  const ZeroStore *Low = &All.Stores[0];
  for (const ZeroStore &S : All.Stores)
    if (S.Offset < Low->Offset)
      Low = &S;
  IRBuilder<> B(All.Stores.back().Store); // which all addresses come before
  B.CreateAlignedStore(B.getInt64(0), Low->Store->getPointerOperand(), Low->Store->getAlign());
  for (const ZeroStore &S : All.Stores)
    S.Store->eraseFromParent();
}

} // namespace

bool joinZeroStores(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<Run, 4> Words;
  for (BasicBlock &Block : F) {
    Run Now;
    for (Instruction &I : Block) {
      const auto Next = zeroStore(I, DL);
      if (!Next && !I.mayReadOrWriteMemory())
        continue;
      if (!Next || !Now.takes(*Next))
        Now = Run();
      if (!Next)
        continue;
      Now.add(*Next);
      if (!Now.isWord())
        continue;
      Words.push_back(Now);
      Now = Run();
    }
  }
  for (const Run &Found : Words)
    join(Found);
  return !Words.empty();
}

} // namespace contraflow
