// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM 22.1's vectoriser of straight-line code (SLP) may leave code in which a result is used in
// front of where it is calculated; unrolled loops of second derivatives have shown it. Nothing
// verifies that in a release: passes behind it hang, or numbers come out wrong. Here it is an error
// that names the function and the way out.
//
// Its pass that combines vector operations makes one operation of those of several lanes that a
// shuffle puts together. What it then takes for an operand, a vector or one lane of it for all, it
// remembers for the operation of the first lane, and is wrong if that one is reached twice,
//
//   %0 = a0 * da0                  %1 = a0 * da1 ; %2 = a1 * da0       tangents of a0 * a0, a0 * a1
//   shuffle (%0 + %0), (%1 + %2)   -> a * da + a * da
//
// once beside %1 and once beside %2. The pass is not run on such functions.

#include "CheckVectoriser.h"

#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

using namespace llvm;

namespace contraflow {

/// Others may have been invalid before: it is as if there was no plugin.
bool holdsDerivative(const Function &F) {
  return F.getName().starts_with(GeneratedPrefix) || F.hasFnAttribute(attr::Asks);
}

static void checkAfter(StringRef Pass, Any IR, const PreservedAnalyses &Kept) {
  const auto *F = any_cast<const Function *>(&IR);
  if (Pass != SLPVectorizerPass::name() || !F || Kept.areAllPreserved() || !holdsDerivative(**F) ||
      !verifyFunction(**F))
    return;
  reportErrors((*F)->getContext(),
               diffError(DiagId::Internal, **F,
                         "LLVM's vectoriser has made invalid code of this; compile the file with "
                         "-fno-slp-vectorize"));
}

namespace {

/// A lane of a vector; of null if nobody reads it.
using LaneOf = std::pair<Value *, int>;
using Lanes = SmallVector<LaneOf, 8>;

/// What a shuffle puts together, back to what all lanes have in common.
class LaneWalk {
public:
  explicit LaneWalk(ShuffleVectorInst &Root);
  /// True if an operation of the first lane is met beside different ones of the others.
  bool meetsTwice();

private:
  bool isLeaf(const Lanes &Here) const;
  bool addOperands(const Lanes &Here);

  static constexpr unsigned MaxSteps = 64; ///< the pass gives up earlier
  SmallVector<Lanes, 8> Pending;
  SmallDenseMap<Value *, Lanes, 16> Seen;
};

LaneOf behindShuffles(Value *V, int Lane) {
  while (auto *Shuffle = dyn_cast<ShuffleVectorInst>(V)) {
    const auto *From = dyn_cast<FixedVectorType>(Shuffle->getOperand(0)->getType());
    const int At = From ? Shuffle->getMaskValue(Lane) : PoisonMaskElem;
    if (At == PoisonMaskElem)
      return {nullptr, 0};
    const int Width = From->getNumElements();
    V = Shuffle->getOperand(At < Width ? 0 : 1);
    Lane = At < Width ? At : At - Width;
  }
  return {V, Lane};
}

LaneWalk::LaneWalk(ShuffleVectorInst &Root) {
  Lanes First;
  if (const auto *T = dyn_cast<FixedVectorType>(Root.getType()))
    for (unsigned I = 0; I != T->getNumElements(); ++I)
      First.push_back(behindShuffles(&Root, I));
  Pending.push_back(std::move(First));
}

/// True if Here is one vector, or one lane of it.
bool LaneWalk::isLeaf(const Lanes &Here) const {
  bool IsVector = true, IsLane = true;
  for (auto [I, L] : enumerate(Here)) {
    IsVector &= !L.first || L == LaneOf(Here[0].first, I);
    IsLane &= !L.first || L == Here[0];
  }
  return IsVector || IsLane;
}

/// False if the lanes do not have the same operation.
bool LaneWalk::addOperands(const Lanes &Here) {
  const auto *First = dyn_cast<Instruction>(Here[0].first);
  if (!First || !all_of(Here, [&](const LaneOf &L) {
        const auto *Other = dyn_cast_or_null<Instruction>(L.first);
        return !L.first ||
               (Other && Other->isSameOperationAs(First, Instruction::CompareIgnoringAlignment |
                                                             Instruction::CompareUsingScalarTypes));
      }))
    return false;
  for (unsigned I = 0; I != First->getNumOperands(); ++I) {
    if (!isa<FixedVectorType>(First->getOperand(I)->getType()))
      continue;
    Lanes Next;
    for (const LaneOf &L : Here)
      Next.push_back(L.first ? behindShuffles(cast<Instruction>(L.first)->getOperand(I), L.second)
                             : LaneOf(nullptr, 0));
    Pending.push_back(std::move(Next));
  }
  return true;
}

bool LaneWalk::meetsTwice() {
  for (unsigned Step = 0; !Pending.empty() && Step != MaxSteps; ++Step) {
    const Lanes Here = Pending.pop_back_val();
    if (Here.size() < 2 || !Here[0].first)
      return false;
    if (isLeaf(Here))
      continue;
    const auto [At, IsNew] = Seen.try_emplace(Here[0].first, Here);
    if (!IsNew && At->second != Here)
      return true;
    if (IsNew && !addOperands(Here))
      return false;
  }
  return false;
}

} // namespace

static bool mayRun(StringRef Pass, Any IR) {
  const auto *F = any_cast<const Function *>(&IR);
  if (Pass != VectorCombinePass::name() || !F)
    return true;
  return none_of(instructions(const_cast<Function &>(**F)), [](Instruction &I) {
    auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I);
    return Shuffle && LaneWalk(*Shuffle).meetsTwice();
  });
}

void checkVectoriser(PassBuilder &PB) {
  if (PassInstrumentationCallbacks *Calls = PB.getPassInstrumentationCallbacks()) {
    Calls->registerAfterPassCallback(checkAfter);
    Calls->registerShouldRunOptionalPassCallback(mayRun);
  }
}

} // namespace contraflow
