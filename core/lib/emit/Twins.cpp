// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two functions are the same if their instructions are, one by one, where values, blocks and
// metadata of one stand for those of the other. Everything outside the two is compared by identity.

#include "Twins.h"
#include "support/Assignments.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Compares the code of two functions.
class Comparison {
public:
  Comparison(const Function &L, const Function &R) : L(L), R(R) {}
  bool equal();

private:
  bool pair();
  bool same(const Value *A, const Value *B) const;
  bool same(const Instruction &A, const Instruction &B);
  bool sameMetadata(const Instruction &A, const Instruction &B);
  bool same(const Metadata *A, const Metadata *B);

  const Function &L, &R;
  DenseMap<const Value *, const Value *> Values;       ///< arguments, blocks, instructions
  DenseMap<const Metadata *, const Metadata *> To, Of; ///< nodes, both ways
};

/// What comes at the same place stands for each other.
bool Comparison::pair() {
  if (L.getFunctionType() != R.getFunctionType() || L.getAttributes() != R.getAttributes() ||
      L.getCallingConv() != R.getCallingConv() || L.size() != R.size() ||
      L.hasPersonalityFn() != R.hasPersonalityFn() || L.hasGC() || R.hasGC())
    return false;
  if (L.hasPersonalityFn() && L.getPersonalityFn() != R.getPersonalityFn())
    return false;
  Values[&L] = &R;
  for (const Argument &A : L.args())
    Values[&A] = R.getArg(A.getArgNo());
  for (auto [A, B] : zip_equal(L, R)) {
    if (A.size() != B.size() || A.hasAddressTaken() || B.hasAddressTaken())
      return false;
    Values[&A] = &B;
    for (auto [I, J] : zip_equal(A, B))
      Values[&I] = &J;
  }
  return true;
}

bool Comparison::same(const Value *A, const Value *B) const {
  auto It = Values.find(A);
  return It == Values.end() ? A == B && A != &R : It->second == B;
}

bool Comparison::same(const Metadata *A, const Metadata *B) {
  auto *M = dyn_cast_or_null<MDNode>(A), *N = dyn_cast_or_null<MDNode>(B);
  if (!M || !N)
    return A == B && !isa_and_nonnull<LocalAsMetadata>(A);
  if (isa<DILocation>(M) && isa<DILocation>(N)) // says where, not what
    return true;
  const auto There = To.find(M), Back = Of.find(N);
  if (There != To.end() || Back != Of.end())
    return There != To.end() && There->second == N && Back != Of.end();
  To[M] = N;
  Of[N] = M;
  return M->getMetadataID() == N->getMetadataID() && isa<MDTuple>(M) &&
         M->isDistinct() == N->isDistinct() && M->getNumOperands() == N->getNumOperands() &&
         all_of(seq(M->getNumOperands()),
                [&](unsigned I) { return same(M->getOperand(I).get(), N->getOperand(I).get()); });
}

bool Comparison::sameMetadata(const Instruction &A, const Instruction &B) {
  SmallVector<std::pair<unsigned, MDNode *>, 4> M, N;
  A.getAllMetadataOtherThanDebugLoc(M);
  B.getAllMetadataOtherThanDebugLoc(N);
  return M.size() == N.size() && all_of(zip_equal(M, N), [&](const auto &Both) {
           const auto &[X, Y] = Both;
           return X.first == Y.first && same(X.second, Y.second);
         });
}

bool Comparison::same(const Instruction &A, const Instruction &B) {
  if (!A.isSameOperationAs(&B) || A.getRawSubclassOptionalData() != B.getRawSubclassOptionalData())
    return false;
  for (auto [X, Y] : zip_equal(A.operands(), B.operands()))
    if (!same(X.get(), Y.get()))
      return false;
  if (auto *Phi = dyn_cast<PHINode>(&A))
    for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I)
      if (!same(Phi->getIncomingBlock(I), cast<PHINode>(B).getIncomingBlock(I)))
        return false;
  return sameMetadata(A, B);
}

bool Comparison::equal() {
  return pair() && all_of(zip_equal(instructions(L), instructions(R)), [&](const auto &Both) {
           return same(std::get<0>(Both), std::get<1>(Both));
         });
}

uint64_t hashOf(const Function &F) {
  hash_code Hash = hash_combine(F.getFunctionType(), F.size());
  for (const Instruction &I : instructions(F))
    Hash = hash_combine(Hash, I.getOpcode(), I.getType(), I.getNumOperands());
  // Two values are not keys of the table.
  return static_cast<uint64_t>(Hash) >> 1;
}

} // namespace

Function *TwinTable::findOrKeep(Function &F) {
  auto &Candidates = Table[hashOf(F)];
  for (const Known &K : Candidates)
    if (K.Used != &F && Comparison(*K.Emitted, F).equal())
      return K.Used;
  ValueToValueMapTy Map;
  Function *Copy =
      Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(),
                       "cf.emitted." + F.getName(), F.getParent());
  Map[&F] = Copy; // a function that calls itself
  for (Argument &A : F.args())
    Map[&A] = Copy->getArg(A.getArgNo());
  SmallVector<ReturnInst *, 1> Returns;
  CloneFunctionInto(Copy, &F, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  ownAssignments(*Copy);
  Candidates.push_back({Copy, &F});
  return nullptr;
}

void TwinTable::forget(ArrayRef<Function *> Narrowed) {
  for (auto &[Hash, Candidates] : Table)
    erase_if(Candidates, [&](const Known &K) {
      const bool Is = is_contained(Narrowed, K.Used);
      if (Is)
        K.Emitted->eraseFromParent();
      return Is;
    });
}

void TwinTable::clear() {
  for (auto &[Hash, Candidates] : Table)
    for (const Known &K : Candidates)
      K.Emitted->eraseFromParent();
  Table.clear();
}

} // namespace contraflow
