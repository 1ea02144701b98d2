// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %s = phi { i64, [2 x double] } [ %a, %left ], [ %b, %right ]
//   ->
//   left:   %a.0 = extractvalue %a, 0 ; %a.1.0 = extractvalue %a, 1, 0 ; ...
//   %s.0 = phi i64 [ %a.0, %left ], [ %b.0, %right ] ; %s.1.0 = phi double ... ; ...
//   %s = insertvalue ...
//
// and selects and freezes likewise; loads and stores become one for each member. What is in an
// integer or a pointer is then known for each of them.

#include "Aggregates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MaxMembers = 64; ///< of one value: each becomes a value of its own

using Path = SmallVector<unsigned, 4>;

/// Appends the paths to the members of T that are no structures or arrays.
bool appendPaths(Type *T, Path &To, SmallVectorImpl<Path> &Paths) {
  if (!T->isAggregateType()) {
    Paths.push_back(To);
    return Paths.size() <= MaxMembers;
  }
  const unsigned Count = T->isArrayTy() ? T->getArrayNumElements() : T->getStructNumElements();
  for (unsigned I = 0; I < Count; ++I) {
    To.push_back(I);
    const bool Fits = appendPaths(ExtractValueInst::getIndexedType(T, I), To, Paths);
    To.pop_back();
    if (!Fits)
      return false;
  }
  return true;
}

Value *member(Value *V, const Path &At, Instruction *Before) {
  if (Value *Known = FindInsertedValue(V, At))
    return Known;
  return ExtractValueInst::Create(V, At, V->getName(), Before->getIterator());
}

/// One member of what I chooses, for a phi without its operands.
Value *chosenMember(Instruction &I, const Path &At) {
  Type *T = ExtractValueInst::getIndexedType(I.getType(), At);
  if (auto *Phi = dyn_cast<PHINode>(&I))
    return PHINode::Create(T, Phi->getNumIncomingValues(), I.getName(), I.getIterator());
  if (auto *Select = dyn_cast<SelectInst>(&I))
    return SelectInst::Create(Select->getCondition(), member(Select->getTrueValue(), At, &I),
                              member(Select->getFalseValue(), At, &I), I.getName(),
                              I.getIterator());
  return new FreezeInst(member(I.getOperand(0), At, &I), I.getName(), I.getIterator());
}

bool comesFromTerminator(const Instruction &I) {
  return any_of(I.operands(), [](const Use &U) {
    auto *Operand = dyn_cast<Instruction>(U);
    return Operand && Operand->isTerminator();
  });
}

struct Choice {
  Instruction *Whole;
  SmallVector<Path, 4> Paths;
  SmallVector<Value *, 4> Members;
};

/// The members of the values that a phi chooses between, once all phis have theirs.
void addOperands(const Choice &C) {
  auto *Phi = dyn_cast<PHINode>(C.Whole);
  if (!Phi)
    return;
  for (unsigned I = 0; I < C.Paths.size(); ++I)
    for (BasicBlock *From : Phi->blocks()) {
      auto *New = cast<PHINode>(C.Members[I]);
      const int Known = New->getBasicBlockIndex(From); // a switch may come here more than once
      New->addIncoming(Known >= 0 ? New->getIncomingValue(Known)
                                  : member(Phi->getIncomingValueForBlock(From), C.Paths[I],
                                           From->getTerminator()),
                       From);
    }
}

void makeWhole(const Choice &C) {
  Instruction *At = C.Whole;
  if (isa<PHINode>(At))
    At = &*At->getParent()->getFirstInsertionPt();
  IRBuilder<> B(At);
  Value *Whole = PoisonValue::get(C.Whole->getType());
  for (unsigned I = 0; I < C.Paths.size(); ++I)
    Whole = B.CreateInsertValue(Whole, C.Members[I], C.Paths[I]);
  C.Whole->replaceAllUsesWith(Whole);
}

/// Where a member of T lies.
uint64_t offsetOf(Type *T, ArrayRef<unsigned> At, const DataLayout &Layout) {
  SmallVector<Value *, 4> Indices{ConstantInt::get(Type::getInt32Ty(T->getContext()), 0)};
  for (unsigned Index : At)
    Indices.push_back(ConstantInt::get(Type::getInt32Ty(T->getContext()), Index));
  return Layout.getIndexedOffsetInType(T, Indices);
}

void splitAccess(Instruction &I, ArrayRef<Path> Paths) {
  IRBuilder<> B(&I);
  Value *Address = getLoadStorePointerOperand(&I);
  Type *T = getLoadStoreType(&I);
  Value *Whole = PoisonValue::get(T);
  for (const Path &At : Paths) {
    const uint64_t Offset = offsetOf(T, At, I.getDataLayout());
    Value *Member = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Address, Offset);
    Type *Part = ExtractValueInst::getIndexedType(T, At);
    const Align Known = commonAlignment(getLoadStoreAlignment(&I), Offset);
    if (auto *Store = dyn_cast<StoreInst>(&I))
      B.CreateAlignedStore(B.CreateExtractValue(Store->getValueOperand(), At), Member, Known,
                           I.isVolatile());
    else
      Whole =
          B.CreateInsertValue(Whole, B.CreateAlignedLoad(Part, Member, Known, I.isVolatile()), At);
  }
  if (isa<LoadInst>(I))
    I.replaceAllUsesWith(Whole);
  I.eraseFromParent();
}

/// Loads and stores of whole structures.
bool splitAccesses(Function &F) {
  bool Any = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (!isa<LoadInst, StoreInst>(I) || !getLoadStoreType(&I)->isAggregateType())
      continue;
    Path To;
    SmallVector<Path, 4> Paths;
    if (!appendPaths(getLoadStoreType(&I), To, Paths))
      continue;
    splitAccess(I, Paths);
    Any = true;
  }
  return Any;
}

} // namespace

bool splitAggregates(Function &F) {
  const bool Accesses = splitAccesses(F);
  SmallVector<Choice, 4> Choices;
  for (Instruction &I : instructions(F)) {
    if (!I.getType()->isAggregateType() || !isa<PHINode, SelectInst, FreezeInst>(I) ||
        comesFromTerminator(I))
      continue;
    Path To;
    Choice C{&I, {}, {}};
    if (appendPaths(I.getType(), To, C.Paths))
      Choices.push_back(std::move(C));
  }
  for (Choice &C : Choices) {
    for (const Path &At : C.Paths)
      C.Members.push_back(chosenMember(*C.Whole, At));
    makeWhole(C);
  }
  for (const Choice &C : Choices)
    addOperands(C);
  for (const Choice &C : Choices)
    C.Whole->eraseFromParent();
  if (Choices.empty() && !Accesses)
    return false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Extract = dyn_cast<ExtractValueInst>(&I))
      if (Value *Known = FindInsertedValue(Extract->getAggregateOperand(), Extract->getIndices()))
        Extract->replaceAllUsesWith(Known);
  for (BasicBlock &Block : F)
    SimplifyInstructionsInBlock(&Block);
  return true;
}

} // namespace contraflow
