// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alignment by hand, and flags in the low bits of pointers. The distance from the pointer that it
// began with is the same in the shadow, whose alignment and flags may differ:
//
//   %a = ptrtoint ptr %p                        %d = sub i64 %m, %a
//   %m = and i64 (%a + 63), -64           ->    %q = getelementptr i8, ptr %p, i64 %d
//   %q = inttoptr i64 %m
//
// A number that is stored, chosen, passed or returned is that pointer again; one that was loaded is
// a pointer with flags.
//
// So is what an integer of the program's own leaves of a word that was an address before, as in a
// variant in registers: (%a & -4294967296) | ((%a + 1) & 4294967295). Nobody follows it.
//
// An address that is a number while a loop counts it up is a pointer all the time:
//
//   %a = phi i64 [ %start, ... ], [ %next, ... ]        %p = phi ptr [ %x, ... ], [ %q, ... ]
//   %next = add i64 %a, %row                       ->   %q = getelementptr i8, ptr %p, i64 %row
//
// A block that has grown may be somewhere else, and pointers into it are moved there. Shadows are
// another distance apart; how far into the block a pointer leads is the same in the shadow:
//
//   q = p + (new - old)     ->     q = new + (p - old)
//
// Arrays that begin at one (f2c, vectors of Numerical Recipes): the pointer before the first
// element is none that C allows, and optimisers may take what is reached from there for another
// array. They rarely do, but an adjoint gives them more to look at.
//
//   %a = getelementptr inbounds i8, ptr %p, i64 -8    ->    %a = getelementptr i8, ptr %p, i64 -8

#include "Addresses.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
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

/// A mask that leaves the flags only, or a half that may be an integer of its own.
bool isLowMask(const Value *V) {
  constexpr unsigned FlagBits = 12, HalfBits = 32;
  auto *C = dyn_cast<ConstantInt>(V);
  return C && (C->getValue().getActiveBits() <= FlagBits || C->getValue().isMask(HalfBits));
}

/// True if two parts of one word are put together, of which one may be an integer of its own: a
/// variant in registers that holds a pointer at other times.
bool joinsParts(const BinaryOperator &I, const Value *Left, const Value *Right) {
  auto Whole = [](const Value *V) {
    auto *Cast = dyn_cast<PtrToIntOperator>(V);
    return Cast ? Cast->getPointerOperand() : V;
  };
  return I.getOpcode() == Instruction::Or && Whole(Left) == Whole(Right);
}

using Carried = SmallSetVector<PHINode *, 8>;

/// What a calculated address began with: the cast of a pointer, or one of the phis, or null.
Value *castBase(Value *V, const Carried &Phis = {}, unsigned Steps = MostSteps) {
  auto *Phi = dyn_cast<PHINode>(V);
  if (isa<PtrToIntOperator>(V) || (Phi && Phis.contains(Phi)))
    return V;
  auto *I = dyn_cast<BinaryOperator>(V);
  if (!I || Steps == 0 || !movesAddress(*I))
    return nullptr;
  Value *Left = castBase(I->getOperand(0), Phis, Steps - 1);
  Value *Right = castBase(I->getOperand(1), Phis, Steps - 1);
  const bool Masked = I->getOpcode() == Instruction::And &&
                      (isLowMask(I->getOperand(0)) || isLowMask(I->getOperand(1)));
  if (Masked || (Left && Right && !joinsParts(*I, Left, Right)) ||
      (Right && I->getOpcode() == Instruction::Sub))
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

/// How far Address is from Base: a constant where only constants were added, so that it stays known
/// which part of an object is meant.
Value *distance(IRBuilder<> &B, Value *Address, Value *Base) {
  uint64_t Sum = 0;
  Value *V = Address;
  for (unsigned Step = 0; V != Base && Step < MostSteps; ++Step) {
    auto *I = dyn_cast<BinaryOperator>(V);
    auto *C = I ? dyn_cast<ConstantInt>(I->getOperand(1)) : nullptr;
    if (!C || (I->getOpcode() != Instruction::Add && I->getOpcode() != Instruction::Sub))
      break;
    Sum += I->getOpcode() == Instruction::Add ? C->getZExtValue() : -C->getZExtValue();
    V = I->getOperand(0);
  }
  if (V == Base)
    return B.getInt64(Sum);
  const SimplifyQuery Query(B.GetInsertBlock()->getDataLayout());
  Value *Simple = simplifySubInst(Address, Base, /*IsNSW=*/false, /*IsNUW=*/false, Query);
  return Simple ? Simple : B.CreateSub(Address, Base);
}

Value *pointerAt(IRBuilder<> &B, Value *Address, Value *Base) {
  Value *Pointer = isa<PtrToIntOperator>(Base) ? cast<Operator>(Base)->getOperand(0)
                                               : B.CreateIntToPtr(Base, B.getPtrTy());
  return B.CreateGEP(B.getInt8Ty(), Pointer, distance(B, Address, Base));
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

/// True for memory that nobody had before.
static bool isAllocated(const Value *V) {
  auto *Call = dyn_cast<CallBase>(V);
  if (!Call)
    return false;
  const CalleeKind Kind = lookupCallee(*Call).Kind;
  return isNoAliasCall(V) || Kind == CalleeKind::Allocate || Kind == CalleeKind::Reallocate;
}

/// True if Old is there before the object is made that New leads into.
static bool isOlder(const Value *Old, const Value *New, const DominatorTree &Order) {
  const Value *Made = getUnderlyingObject(New);
  auto *From = dyn_cast<Instruction>(getUnderlyingObject(Old));
  return isAllocated(Made) && (!From || Order.dominates(From, cast<Instruction>(Made)));
}

static bool areApart(const Value *A, const Value *B, const DominatorTree &Order) {
  return isOlder(A, B, Order) || isOlder(B, A, Order);
}

/// The pointers of a sum p + q - r, in any order.
struct Distance {
  SmallVector<Value *, 2> Plus, Minus;

  bool add(Value *V, bool Negative = false, unsigned Steps = MostSteps) {
    if (auto *Cast = dyn_cast<PtrToIntOperator>(V)) {
      (Negative ? Minus : Plus).push_back(Cast->getPointerOperand());
      return true;
    }
    auto *I = dyn_cast<BinaryOperator>(V);
    const bool Subtracts = I && I->getOpcode() == Instruction::Sub;
    return I && Steps != 0 && (Subtracts || I->getOpcode() == Instruction::Add) &&
           add(I->getOperand(0), Negative, Steps - 1) &&
           add(I->getOperand(1), Negative != Subtracts, Steps - 1);
  }
};

/// The pointer of new + (p - old) that says which object is meant, or null.
static Value *movedTo(const Distance &D, const DominatorTree &Order) {
  if (D.Plus.size() != 2 || D.Minus.size() != 1)
    return nullptr;
  for (unsigned I : {0, 1})
    if (areApart(D.Plus[I], D.Minus[0], Order) && !areApart(D.Plus[1 - I], D.Minus[0], Order))
      return D.Plus[I];
  return nullptr;
}

/// What an address is the sum of, if that is pointers only.
static std::optional<Distance> distanceOf(const Instruction &I) {
  Distance D;
  auto *Step = dyn_cast<GetElementPtrInst>(&I);
  if (Step && Step->getNumIndices() == 1 && Step->getSourceElementType()->isIntegerTy(8) &&
      isAddressWide(Step->getOperand(1)) && D.add(Step->getOperand(1))) {
    D.Plus.push_back(Step->getOperand(0));
    return D;
  }
  if (isa<IntToPtrInst>(I) && isAddressWide(I.getOperand(0)) && D.add(I.getOperand(0)))
    return D;
  return std::nullopt;
}

/// Pointers into a block that has moved.
static void restoreMoved(Function &F) {
  SmallVector<Instruction *, 4> Found;
  for (Instruction &I : instructions(F))
    if (distanceOf(I))
      Found.push_back(&I);
  if (Found.empty())
    return;
  const DominatorTree Order(F);
  for (Instruction *I : Found) {
    const Distance D = *distanceOf(*I);
    Value *Start = movedTo(D, Order);
    if (!Start || (isa<GetElementPtrInst>(I) && Start == I->getOperand(0)))
      continue;
    IRBuilder<> B(I);
    Value *Inside = Start == D.Plus[0] ? D.Plus[1] : D.Plus[0];
    Value *Away = B.CreateSub(B.CreatePtrToInt(Inside, B.getInt64Ty()),
                              B.CreatePtrToInt(D.Minus[0], B.getInt64Ty()));
    I->replaceAllUsesWith(B.CreateGEP(B.getInt8Ty(), Start, Away));
    I->eraseFromParent();
  }
}

/// Where an address in a register goes on from here as a number. Who only reports it does not.
static bool handsOn(const Use &U) {
  auto *Call = dyn_cast<CallBase>(U.getUser());
  return isa<PHINode, SelectInst, FreezeInst, ReturnInst, InsertValueInst>(U.getUser()) ||
         (Call && !isa<IntrinsicInst>(Call) && lookupCallee(*Call).Kind != CalleeKind::Inactive);
}

/// True if V is chosen for what becomes a pointer.
static bool becomesPointer(const Value &V) {
  SmallPtrSet<const Value *, 8> Seen{&V};
  SmallVector<const Value *, 8> Todo{&V};
  while (!Todo.empty())
    for (const User *U : Todo.pop_back_val()->users()) {
      if (isa<IntToPtrInst>(U))
        return true;
      if (isa<PHINode, SelectInst, FreezeInst>(U) && Seen.insert(U).second)
        Todo.push_back(U);
    }
  return false;
}

/// True if Sum is a pointer that has got flags or lost them; other sums may be distances.
static bool hasFlags(const BinaryOperator &Sum) {
  const bool Steps = Sum.getOpcode() == Instruction::Add || Sum.getOpcode() == Instruction::Sub;
  if (Steps && !isa<Constant>(Sum.getOperand(1)))
    return false;
  return none_of(Sum.operands(), [](const Value *V) {
    auto *Inner = dyn_cast<BinaryOperator>(V);
    return Inner && movesAddress(*Inner) && !hasFlags(*Inner);
  });
}

/// Pointers with flags that go on as numbers.
static void restoreHandedOn(Function &F) {
  SmallVector<std::pair<BinaryOperator *, Value *>, 8> Found;
  for (Instruction &I : instructions(F))
    if (auto *Sum = dyn_cast<BinaryOperator>(&I);
        Sum && isAddressWide(Sum) && any_of(Sum->uses(), handsOn) && hasFlags(*Sum)) {
      Value *Base = castBase(Sum);
      if (!Base && becomesPointer(*Sum))
        Base = loadedBase(Sum);
      if (Base)
        Found.push_back({Sum, Base});
    }
  for (auto [Sum, Base] : Found) {
    IRBuilder<> B(Sum->getNextNode());
    Value *Number = B.CreatePtrToInt(pointerAt(B, Sum, Base), Sum->getType());
    Sum->replaceUsesWithIf(Number, handsOn);
  }
}

/// True if what is calculated from V becomes a pointer.
static bool leadsToPointer(const Value &V) {
  constexpr unsigned MostSeen = 64;
  SmallSetVector<const Value *, 16> Todo;
  Todo.insert(&V);
  for (unsigned Next = 0; Next < Todo.size() && Next < MostSeen; ++Next)
    for (const User *U : Todo[Next]->users()) {
      if (isa<IntToPtrInst>(U))
        return true;
      auto *Sum = dyn_cast<BinaryOperator>(U);
      if (isa<PHINode, FreezeInst>(U) || (Sum && movesAddress(*Sum)))
        Todo.insert(U);
    }
  return false;
}

/// Addresses that go from one iteration to the next as numbers.
static void restoreCarried(Function &F) {
  Carried Phis;
  for (BasicBlock &Block : F)
    for (PHINode &Phi : Block.phis())
      if (isAddressWide(&Phi) && leadsToPointer(Phi))
        Phis.insert(&Phi);
  while (Phis.remove_if([&](PHINode *Phi) {
    return !all_of(Phi->incoming_values(), [&](Value *V) { return castBase(V, Phis); });
  }))
    ;
  SmallVector<PHINode *, 8> Pointers;
  for (PHINode *Phi : Phis) {
    IRBuilder<> B(Phi);
    Pointers.push_back(B.CreatePHI(B.getPtrTy(), Phi->getNumIncomingValues()));
    B.SetInsertPoint(Phi->getParent(), Phi->getParent()->getFirstInsertionPt());
    Phi->replaceAllUsesWith(B.CreatePtrToInt(Pointers.back(), Phi->getType()));
  }
  for (auto [Phi, Pointer] : zip_equal(Phis, Pointers))
    for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I) {
      Value *V = Phi->getIncomingValue(I);
      BasicBlock *From = Phi->getIncomingBlock(I);
      const int Known = Pointer->getBasicBlockIndex(From); // a switch may come here twice
      IRBuilder<> B(From->getTerminator());
      Pointer->addIncoming(
          Known < 0 ? pointerAt(B, V, castBase(V)) : Pointer->getIncomingValue(Known), From);
    }
  for (PHINode *Phi : Phis)
    Phi->eraseFromParent();
}

void restoreAddresses(Function &F) {
  restoreMoved(F);
  restoreCarried(F);
  restoreHandedOn(F);
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
