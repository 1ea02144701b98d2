// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte k of one side is byte c - k of the other, with the same c for all bytes of a word.

#include "SwappedBytes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

/// A byte of memory behind Base, or of the word Base.
struct Byte {
  Value *Base = nullptr;
  int64_t At = 0;
  LoadInst *Load = nullptr; ///< that reads it, if it is memory's
};

bool isWordSize(size_t Bytes) { return Bytes == 4 || Bytes == 8; }

Byte inMemory(Value *Pointer, const DataLayout &DL) {
  APInt At(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, At, /*AllowNonInbounds=*/true);
  return {Base, At.getSExtValue(), nullptr};
}

/// Byte of a load.
Byte loaded(Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  if (!Load || !Load->isSimple() || !Load->getType()->isIntegerTy(8))
    return {};
  Byte Out = inMemory(Load->getPointerOperand(), Load->getDataLayout());
  Out.Load = Load;
  return Out;
}

/// What V, a byte that is stored, is a byte of.
Byte sourceOf(Value *V) {
  Value *Word = nullptr;
  const APInt *By = nullptr;
  if (match(V, m_Trunc(m_LShr(m_Value(Word), m_APInt(By)))) && By->urem(8) == 0)
    return {Word, int64_t(By->getZExtValue() / 8), nullptr};
  if (match(V, m_Trunc(m_Value(Word))))
    return {Word, 0, nullptr};
  return loaded(V);
}

/// Stores of the bytes of one word, by their places.
struct Group {
  SmallVector<std::pair<int64_t, StoreInst *>, 8> Stores;
};

using GroupKey = std::tuple<Value *, Value *, int64_t>; ///< to, from, the sum of the places

bool isDense(ArrayRef<std::pair<int64_t, StoreInst *>> Stores) {
  for (unsigned I = 1; I < Stores.size(); ++I)
    if (Stores[I].first != Stores[0].first + I)
      return false;
  return isWordSize(Stores.size());
}

class SwapJoiner {
public:
  explicit SwapJoiner(BasicBlock &Block) : Block(Block) {}
  bool joinStores();
  bool joinLoads();

private:
  bool join(const GroupKey &Key, Group &G);
  bool isUndisturbed(ArrayRef<Instruction *> Own, const Value *To, const Value *From);
  bool joinTree(BinaryOperator &Root);

  BasicBlock &Block;
};

/// True if nothing but Own, in their order, touches memory from the first to the last of them, and
/// no byte is read that has been written.
bool SwapJoiner::isUndisturbed(ArrayRef<Instruction *> Own, const Value *To, const Value *From) {
  SmallPtrSet<Instruction *, 16> All(Own.begin(), Own.end());
  SmallVector<int64_t, 8> Written;
  for (Instruction &I : make_range(Own.front()->getIterator(), Own.back()->getIterator())) {
    if (!All.contains(&I)) {
      if (I.mayReadOrWriteMemory())
        return false;
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      Written.push_back(inMemory(Store->getPointerOperand(), I.getDataLayout()).At);
    } else if (!Written.empty() && (To != From || is_contained(Written, loaded(&I).At))) {
      return false;
    }
  }
  return true;
}

bool SwapJoiner::join(const GroupKey &Key, Group &G) {
  const auto [To, From, Sum] = Key;
  sort(G.Stores, [](const auto &A, const auto &B) { return A.first < B.first; });
  if (!isDense(G.Stores))
    return false;
  const int64_t First = G.Stores.front().first, Last = Sum - First;
  const unsigned Bytes = G.Stores.size();
  const bool OfMemory = From->getType()->isPointerTy();
  Type *Word = IntegerType::get(Block.getContext(), 8 * Bytes);
  if (!OfMemory && (From->getType() != Word || Last != Bytes - 1))
    return false;
  SmallVector<Instruction *, 16> Own;
  for (auto [At, Store] : G.Stores) {
    Own.push_back(Store);
    if (LoadInst *Load = sourceOf(Store->getValueOperand()).Load; Load && !is_contained(Own, Load))
      Own.push_back(Load);
  }
  sort(Own, [](Instruction *A, Instruction *B) { return A->comesBefore(B); });
  if (Own.size() != Bytes * (OfMemory ? 2 : 1) || !isUndisturbed(Own, To, From))
    return false;
  IRBuilder<> B(OfMemory ? Own.front() : Own.back());
  Value *Taken = From;
  if (OfMemory)
    Taken = B.CreateAlignedLoad(Word, B.CreatePtrAdd(From, B.getInt64(Last - Bytes + 1)), Align(1));
  B.SetInsertPoint(Own.back());
  B.CreateAlignedStore(B.CreateUnaryIntrinsic(Intrinsic::bswap, Taken),
                       B.CreatePtrAdd(To, B.getInt64(First)), Align(1));
  for (auto [At, Store] : G.Stores) {
    Value *V = Store->getValueOperand();
    Store->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(V);
  }
  return true;
}

bool SwapJoiner::joinStores() {
  MapVector<GroupKey, Group> Groups;
  for (Instruction &I : Block) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store || !Store->isSimple() || !Store->getValueOperand()->getType()->isIntegerTy(8))
      continue;
    const Byte From = sourceOf(Store->getValueOperand());
    if (!From.Base || (From.Load && From.Load->getParent() != &Block))
      continue;
    const Byte To = inMemory(Store->getPointerOperand(), Store->getDataLayout());
    Groups[{To.Base, From.Base, To.At + From.At}].Stores.push_back({To.At, Store});
  }
  bool Any = false;
  for (auto &[Key, G] : Groups)
    Any |= isWordSize(G.Stores.size()) && join(Key, G);
  return Any;
}

/// The bytes that V, moved up by so many bits, is put together from, each with the number of the
/// byte that it becomes.
bool collectParts(Value *V, uint64_t Up, SmallVectorImpl<std::pair<Byte, int64_t>> &Out) {
  Value *A = nullptr, *C = nullptr;
  const APInt *By = nullptr;
  if (Up % 8 != 0 || Up >= 64 || Out.size() > 8)
    return false;
  if (match(V, m_Or(m_Value(A), m_Value(C))))
    return collectParts(A, Up, Out) && collectParts(C, Up, Out);
  if (match(V, m_Shl(m_Value(A), m_APInt(By))))
    return collectParts(A, Up + By->getLimitedValue(64), Out);
  if (!match(V, m_ZExt(m_Value(A))))
    return false;
  const Byte B = loaded(A);
  if (!B.Base)
    return !A->getType()->isIntegerTy(8) && collectParts(A, Up, Out);
  Out.push_back({B, int64_t(Up / 8)});
  return true;
}

/// True if U puts bytes together.
bool joins(const User *U) {
  const auto *I = dyn_cast<Instruction>(U);
  return I && I->getOpcode() == Instruction::Or && I->getType()->isIntegerTy();
}

bool SwapJoiner::joinTree(BinaryOperator &Root) {
  const unsigned Width = Root.getType()->getIntegerBitWidth();
  if (!isWordSize(Width / 8) || Width % 8 != 0 || (Root.hasOneUse() && joins(*Root.user_begin())))
    return false;
  SmallVector<std::pair<Byte, int64_t>, 8> Parts;
  if (!collectParts(&Root, 0, Parts) || Parts.size() * 8 != Width)
    return false;
  SmallVector<Instruction *, 8> Own;
  const auto &[Some, Becomes] = Parts.front();
  for (const auto &[B, As] : Parts) {
    if (B.Base != Some.Base || B.At + As != Some.At + Becomes || B.Load->getParent() != &Block ||
        is_contained(Own, B.Load))
      return false;
    Own.push_back(B.Load);
  }
  sort(Own, [](Instruction *A, Instruction *B) { return A->comesBefore(B); });
  for (Instruction &I : make_range(Own.front()->getIterator(), Own.back()->getIterator()))
    if (I.mayWriteToMemory())
      return false;
  IRBuilder<> B(Own.front());
  const int64_t First = Some.At + Becomes - int64_t(Parts.size()) + 1;
  Value *Word =
      B.CreateAlignedLoad(Root.getType(), B.CreatePtrAdd(Some.Base, B.getInt64(First)), Align(1));
  Root.replaceAllUsesWith(B.CreateUnaryIntrinsic(Intrinsic::bswap, Word));
  RecursivelyDeleteTriviallyDeadInstructions(&Root);
  return true;
}

bool SwapJoiner::joinLoads() {
  SmallVector<WeakVH, 8> Roots;
  for (Instruction &I : Block)
    if (joins(&I))
      Roots.push_back(&I);
  bool Any = false;
  for (WeakVH &Root : llvm::reverse(Roots)) // the whole before its parts
    if (Root)
      Any |= joinTree(*cast<BinaryOperator>(Root));
  return Any;
}

} // namespace

bool joinSwappedBytes(Function &F) {
  bool Any = false;
  for (BasicBlock &Block : F) {
    SwapJoiner Joiner(Block);
    Any |= Joiner.joinLoads();
    Any |= Joiner.joinStores();
  }
  return Any;
}

} // namespace contraflow
