// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alignment by hand, and flags in the low bits of pointers. The distance from the pointer that it
// began with is the same in the shadow, whose alignment and flags may differ:
//
//   %a = ptrtoint ptr %p                        %d = sub i64 %m, %a
//   %m = and i64 (%a + 63), -64           ->    %q = getelementptr i8, ptr %p, i64 %d
//   %q = inttoptr i64 %m
//
// A number that is stored is stored as that pointer; one that was loaded is a pointer with flags.
//
// Arrays that begin at one (f2c, vectors of Numerical Recipes): the pointer before the first
// element is none that C allows, and optimisers may take what is reached from there for another
// array. They rarely do, but an adjoint gives them more to look at.
//
//   %a = getelementptr inbounds i8, ptr %p, i64 -8    ->    %a = getelementptr i8, ptr %p, i64 -8

#include "Addresses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostSteps = 8; ///< of arithmetic from a pointer to an address

/// True for arithmetic that may leave an address near the first operand, or either.
bool movesAddress(const BinaryOperator &I) {
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
    return true;
  case Instruction::Xor: // of two addresses: either could be meant
    return isa<Constant>(I.getOperand(1));
  default:
    return false;
  }
}

/// A mask that leaves the flags only.
bool isFlagMask(const Value *V) {
  constexpr unsigned FlagBits = 12;
  auto *C = dyn_cast<ConstantInt>(V);
  return C && C->getValue().getActiveBits() <= FlagBits;
}

/// What a calculated address began with: the cast of a pointer, or null.
Value *castBase(Value *V, unsigned Steps = MostSteps) {
  if (isa<PtrToIntOperator>(V))
    return V;
  auto *I = dyn_cast<BinaryOperator>(V);
  if (!I || Steps == 0 || !movesAddress(*I))
    return nullptr;
  Value *Left = castBase(I->getOperand(0), Steps - 1);
  Value *Right = castBase(I->getOperand(1), Steps - 1);
  const bool Masked = I->getOpcode() == Instruction::And &&
                      (isFlagMask(I->getOperand(0)) || isFlagMask(I->getOperand(1)));
  if (Masked || (Left && Right) || (Right && I->getOpcode() == Instruction::Sub))
    return nullptr; // flags, or a distance
  return Left ? Left : Right;
}

/// The same of an address that has been in memory: what is left when constants are taken away.
Value *loadedBase(Value *V) {
  for (unsigned Step = 0; Step < MostSteps; ++Step) {
    auto *I = dyn_cast<BinaryOperator>(V);
    if (!I)
      return isa<LoadInst, PHINode, Argument>(V) ? V : nullptr;
    if (!movesAddress(*I) || !isa<Constant>(I->getOperand(1)))
      return nullptr;
    V = I->getOperand(0);
  }
  return nullptr;
}

Value *pointerAt(IRBuilder<> &B, Value *Address, Value *Base) {
  Value *Pointer = isa<PtrToIntOperator>(Base) ? cast<Operator>(Base)->getOperand(0)
                                               : B.CreateIntToPtr(Base, B.getPtrTy());
  return B.CreateGEP(B.getInt8Ty(), Pointer, B.CreateSub(Address, Base));
}

bool isAddressWide(const Value *V) { return V->getType()->isIntegerTy(64); }

/// True if Step leads before where its array begins.
bool leadsBefore(GEPOperator &Step, const DataLayout &Layout) {
  APInt Distance(Layout.getIndexTypeSizeInBits(Step.getType()), 0);
  const Value *Start = Step.stripAndAccumulateConstantOffsets(Layout, Distance, true);
  return Distance.isNegative() &&
         isa<Argument, AllocaInst, GlobalVariable, CallBase, LoadInst>(Start);
}

/// The constant V without the promise that it stays in its array.
Constant *withoutPromise(GEPOperator &V, const DataLayout &Layout) {
  APInt Distance(Layout.getIndexTypeSizeInBits(V.getType()), 0);
  auto *Start = cast<Constant>(
      V.stripAndAccumulateConstantOffsets(Layout, Distance, /*AllowNonInbounds=*/true));
  LLVMContext &Context = V.getContext();
  return ConstantExpr::getGetElementPtr(Type::getInt8Ty(Context), Start,
                                        ConstantInt::get(Context, Distance));
}

} // namespace

void allowStepsBefore(Function &F) {
  const DataLayout &Layout = F.getDataLayout();
  SmallVector<Instruction *, 8> Work;
  for (Instruction &I : instructions(F)) {
    auto *Step = dyn_cast<GetElementPtrInst>(&I);
    if (!Step || Step->getType()->isVectorTy())
      continue;
    auto *From = dyn_cast<GEPOperator>(Step->getPointerOperand());
    const bool FromBefore = From && isa<Constant>(From) && leadsBefore(*From, Layout);
    if (FromBefore)
      Step->setOperand(0, withoutPromise(*From, Layout));
    if (FromBefore || leadsBefore(*cast<GEPOperator>(Step), Layout))
      Work.push_back(Step);
  }
  SmallPtrSet<Instruction *, 16> Seen(Work.begin(), Work.end());
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    if (auto *Step = dyn_cast<GetElementPtrInst>(I))
      Step->setNoWrapFlags(GEPNoWrapFlags::none());
    for (User *U : I->users())
      if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(U) &&
          Seen.insert(cast<Instruction>(U)).second)
        Work.push_back(cast<Instruction>(U));
  }
}

void restoreAddresses(Function &F) {
  SmallVector<Instruction *, 8> Work;
  for (Instruction &I : instructions(F))
    if ((isa<IntToPtrInst>(I) || isa<StoreInst>(I)) && isAddressWide(I.getOperand(0)) &&
        isa<BinaryOperator>(I.getOperand(0)))
      Work.push_back(&I);
  for (Instruction *I : Work) {
    Value *Address = I->getOperand(0);
    Value *Base = castBase(Address);
    IRBuilder<> B(I);
    if (isa<StoreInst>(I)) {
      if (Base)
        I->setOperand(0, pointerAt(B, Address, Base));
      continue;
    }
    if (!Base)
      Base = loadedBase(Address);
    if (!Base)
      continue;
    I->replaceAllUsesWith(pointerAt(B, Address, Base));
    I->eraseFromParent();
  }
}

} // namespace contraflow
