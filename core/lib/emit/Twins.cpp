// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two functions are the same if their instructions are, one by one, where values, blocks and
// metadata of one stand for those of the other. Everything outside the two is compared by identity,
// but for functions that are assumed to be the same: assumptions are dropped until all that are
// left follow from each other.

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

/// Bounds what a set of functions that call each other costs.
constexpr unsigned MostRounds = 16;

/// Compares the code of two functions.
class Comparison {
public:
  Comparison(const Function &L, const Function &R, const TwinTable::Pairs &Assumed)
      : L(L), R(R), Assumed(Assumed) {}
  bool equal();

private:
  bool pair();
  bool same(const Value *A, const Value *B);
  bool same(const Instruction &A, const Instruction &B);
  bool sameMetadata(const Instruction &A, const Instruction &B);
  bool same(const Metadata *A, const Metadata *B);

  const Function &L, &R;
  const TwinTable::Pairs &Assumed;
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

/// Nobody can tell which of two constants it is whose address nothing depends on.
bool sameConstant(const Value *A, const Value *B) {
  auto *L = dyn_cast<GlobalVariable>(A), *R = dyn_cast<GlobalVariable>(B);
  return L && R && L->isConstant() && R->isConstant() && L->hasLocalLinkage() &&
         R->hasLocalLinkage() && L->hasGlobalUnnamedAddr() && R->hasGlobalUnnamedAddr() &&
         L->getAlign() == R->getAlign() && L->getInitializer() == R->getInitializer();
}

bool Comparison::same(const Value *A, const Value *B) {
  auto It = Values.find(A);
  if (It != Values.end())
    return It->second == B;
  if (auto *M = dyn_cast<MetadataAsValue>(A), *N = dyn_cast<MetadataAsValue>(B); M && N)
    return same(M->getMetadata(), N->getMetadata());
  auto *Called = dyn_cast<Function>(const_cast<Value *>(B));
  return (A == B && A != &R) || (Called && A == Assumed.lookup(Called)) || sameConstant(A, B);
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

/// But for the number that made the name unique.
bool namedAlike(const Function &L, const Function &R) {
  const auto Without = [](StringRef Name) {
    const StringRef Front = Name.rtrim("0123456789");
    return Front.ends_with(".") ? Front.drop_back() : Name;
  };
  return Without(L.getName()) == Without(R.getName());
}

/// R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972).
class CycleSearch {
public:
  explicit CycleSearch(ArrayRef<Function *> Functions)
      : Functions(Functions), All(Functions.begin(), Functions.end()) {}
  std::vector<Cycle> run();

private:
  unsigned visit(Function *F);

  ArrayRef<Function *> Functions;
  SmallPtrSet<const Function *, 16> All;
  DenseMap<const Function *, unsigned> Number; ///< in the order of visits; Done for good
  SmallVector<Function *, 16> Open;
  std::vector<Cycle> Cycles;
  static constexpr unsigned Done = ~0U;
};

/// The least number that F leads to.
unsigned CycleSearch::visit(Function *F) {
  const unsigned Own = Number.size();
  unsigned Least = Own;
  Number[F] = Own;
  Open.push_back(F);
  for (const Instruction &I : instructions(*F))
    for (Value *Op : I.operands())
      if (auto *Used = dyn_cast<Function>(Op); Used && All.count(Used)) {
        auto It = Number.find(Used);
        Least = std::min(Least, It == Number.end() ? visit(Used) : It->second);
      }
  if (Least < Own)
    return Least;
  auto &Members = Cycles.emplace_back();
  do {
    Members.push_back(Open.back());
    Number[Open.pop_back_val()] = Done;
  } while (Members.back() != F);
  return Done;
}

std::vector<Cycle> CycleSearch::run() {
  for (Function *F : Functions)
    if (!Number.count(F))
      visit(F);
  return std::move(Cycles);
}

} // namespace

std::vector<Cycle> cyclesOf(ArrayRef<Function *> Functions) { return CycleSearch(Functions).run(); }

SmallVector<const TwinTable::Known *, 2> TwinTable::candidates(const Function &F) const {
  SmallVector<const Known *, 2> Found;
  auto It = Table.find(hashOf(F));
  for (const bool Alike : {true, false})
    for (const Known &K : It == Table.end() ? ArrayRef<Known>() : ArrayRef<Known>(It->second))
      if (K.Used != &F && namedAlike(*K.Used, F) == Alike)
        Found.push_back(&K);
  return Found;
}

TwinTable::Pairs TwinTable::find(ArrayRef<Function *> Cycle) const {
  DenseMap<const Function *, SmallVector<const Known *, 2>> Left;
  Pairs Assumed;
  for (Function *F : Cycle)
    if (auto Candidates = candidates(*F); !Candidates.empty()) {
      Assumed[F] = Candidates.front()->Used;
      Left[F] = std::move(Candidates);
    }
  unsigned Rounds = 0;
  for (bool Changed = true; Changed;) {
    if (++Rounds > MostRounds)
      return Pairs();
    Changed = false;
    for (Function *F : Cycle) {
      auto &Candidates = Left[F];
      while (!Candidates.empty() &&
             !Comparison(*Candidates.front()->Emitted, *F, Assumed).equal()) {
        Candidates.erase(Candidates.begin());
        Changed = true;
        Assumed.erase(F);
        if (!Candidates.empty())
          Assumed[F] = Candidates.front()->Used;
      }
    }
  }
  return Assumed;
}

void TwinTable::keep(Function &F) {
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
  Table[hashOf(F)].push_back({Copy, &F});
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
