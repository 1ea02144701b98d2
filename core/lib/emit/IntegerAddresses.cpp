// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are checked while they run (-fsanitize=undefined, assertions about ranges)
// calculate addresses a second time as integers, to compare them.
//
//   %a = ptrtoint ptr %p to i64
//   %b = add i64 %a, %n                      no shadow: 'br' and the report see the primal's
//   %c = icmp uge i64 %b, %a
//   br i1 %c, label %go, label %report       call @__ubsan_handle_pointer_overflow(..., i64 %b)
//
// The optimiser writes what a pointer is behind a loop as a sum. A derivative that keeps it, where
// it is part of a distance, keeps an address:
//
//   %a = ptrtoint ptr %begin to i64          1 address
//   %m = mul i64 %trips, 168                 none
//   %b = add i64 %a, %m                      1: its shadow is that of %a plus %m
//
// What memory is asked for is no address, nor is what it is a multiple of, wherever else that
// is kept:
//
//   %c = shl i64 %capacity, 1                none: the words beside it may be addresses
//   %m = mul i64 %c, %size
//   %p = call ptr @realloc(ptr %q, i64 %m)   vector->capacity = %c

#include "IntegerAddresses.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <climits>

using namespace llvm;

namespace contraflow {

static bool endsHere(const User &U) {
  if (isa<ICmpInst>(U))
    return true;
  auto *Call = dyn_cast<CallBase>(&U);
  return Call && U.getType()->isVoidTy() &&
         is_contained({CalleeKind::Inactive, CalleeKind::NoReturn}, lookupCallee(*Call).Kind);
}

bool isOnlyCompared(const Instruction &I) {
  constexpr unsigned Most = 32;
  if (!I.getType()->isIntegerTy())
    return false;
  SmallPtrSet<const Instruction *, 8> Seen{&I};
  SmallVector<const Instruction *, 8> Todo{&I};
  while (!Todo.empty())
    for (const User *U : Todo.pop_back_val()->users()) {
      if (endsHere(*U))
        continue;
      if (!isa<BinaryOperator, PHINode, SelectInst, FreezeInst, TruncInst, ZExtInst>(U))
        return false;
      if (Seen.insert(cast<Instruction>(U)).second)
        Todo.push_back(cast<Instruction>(U));
      if (Seen.size() > Most)
        return false;
    }
  return true;
}

namespace {

/// Of how many addresses an integer is the sum: none for a number. A distance that is scaled counts
/// elements, so it is a number.
class AddressCount {
public:
  static constexpr int Unknown = INT_MIN;
  static constexpr int Open = INT_MIN + 1;     ///< as many as itself
  static constexpr int Distance = INT_MIN + 2; ///< of two addresses, and some bytes
  int of(const Value *V);

private:
  int ofPhi(const PHINode &Phi);
  int ofArithmetic(const BinaryOperator &I);

  SmallDenseMap<const PHINode *, int, 4> Phis; ///< those that are looked at
  unsigned Visits = 0;
};

int unite(int A, int B) {
  if (A == AddressCount::Open || A == B)
    return B;
  return B == AddressCount::Open ? A : AddressCount::Unknown;
}

/// What comes in says how many there are, and what goes round has to agree.
int AddressCount::ofPhi(const PHINode &Phi) {
  const auto [At, IsNew] = Phis.try_emplace(&Phi, Open);
  if (!IsNew)
    return At->second;
  const auto OfAll = [&] {
    int Count = Open;
    for (const Value *In : Phi.incoming_values())
      Count = unite(Count, of(In));
    return Count;
  };
  int Count = OfAll();
  if (Count != Open && Count != Unknown) {
    Phis[&Phi] = Count;
    Count = OfAll();
  }
  Phis.erase(&Phi);
  return Count;
}

int AddressCount::ofArithmetic(const BinaryOperator &I) {
  const int A = of(I.getOperand(0)), B = of(I.getOperand(1));
  if (A == Unknown || B == Unknown)
    return Unknown;
  if (A == Open || B == Open)
    return Open;
  const auto IsNumber = [](int N) { return N == 0 || N == Distance; };
  const bool Adds = I.getOpcode() == Instruction::Add;
  if (!Adds && I.getOpcode() != Instruction::Sub)
    return IsNumber(A) && IsNumber(B) ? 0 : Unknown;
  if (A == Distance || B == Distance)
    return IsNumber(A) && IsNumber(B) ? Distance : Unknown;
  if (Adds)
    return A + B;
  return A == 1 && B == 1 ? Distance : A - B;
}

int AddressCount::of(const Value *V) {
  constexpr unsigned Most = 128;
  if (isa<PtrToIntOperator>(V))
    return 1;
  if (isa<ConstantInt>(V) || V->getType()->getScalarSizeInBits() < 64)
    return 0;
  if (!V->getType()->isIntegerTy(64) || ++Visits > Most)
    return Unknown;
  if (auto *Phi = dyn_cast<PHINode>(V))
    return ofPhi(*Phi);
  if (auto *Operation = dyn_cast<BinaryOperator>(V))
    return ofArithmetic(*Operation);
  if (auto *Choice = dyn_cast<SelectInst>(V))
    return unite(of(Choice->getTrueValue()), of(Choice->getFalseValue()));
  if (isa<FreezeInst, ZExtInst, SExtInst>(V))
    return of(cast<Instruction>(V)->getOperand(0));
  return Unknown;
}

} // namespace

Value *addressInSum(const Instruction &I) {
  if (I.getOpcode() != Instruction::Add || !I.getType()->isIntegerTy(64))
    return nullptr;
  for (unsigned Op : {0, 1}) {
    AddressCount Count;
    if (Count.of(I.getOperand(Op)) == 1 && Count.of(I.getOperand(1 - Op)) == 0)
      return I.getOperand(Op);
  }
  return nullptr;
}

/// True if Call allocates as many bytes as V says, or as many elements.
static bool allocates(const CallBase &Call, const Value *V) {
  SmallVector<int, 4> Sizes;
  if (const CalleeInfo Info = lookupCallee(Call); Info.Kind == CalleeKind::Allocate)
    Sizes = {Info.SizeArg, Info.CountArg};
  if (const Attribute Says = Call.getFnAttr(Attribute::AllocSize); Says.isValid()) {
    const auto [Size, Count] = Says.getAllocSizeArgs();
    Sizes.push_back(Size);
    if (Count)
      Sizes.push_back(*Count);
  }
  return any_of(Sizes, [&](int Arg) { return Arg >= 0 && Call.getArgOperand(Arg) == V; });
}

/// True if V says how many there are, or how many bytes that is, if Part does.
static bool multiplies(const User &V, const Value *Part) {
  if (isa<PHINode, SelectInst, FreezeInst, ZExtInst>(V))
    return true;
  switch (Operator::getOpcode(&V)) {
  case Instruction::Mul:
    return true;
  case Instruction::Shl:
    return V.getOperand(0) == Part && isa<Constant>(V.getOperand(1));
  case Instruction::Add:
  case Instruction::Or:
    return isa<Constant>(V.getOperand(1));
  default:
    return false;
  }
}

bool sizesMemory(const Instruction &I) {
  constexpr unsigned Most = 32;
  if (!isa<BinaryOperator>(I) || I.getOpcode() == Instruction::Sub) // of addresses
    return false;
  SmallSetVector<const Value *, 8> Parts;
  Parts.insert(&I);
  for (unsigned Next = 0; Next < Parts.size() && Next < Most; ++Next)
    for (const User *U : Parts[Next]->users()) {
      auto *Call = dyn_cast<CallBase>(U);
      if (Call && allocates(*Call, Parts[Next]))
        return true;
      if (multiplies(*U, Parts[Next]))
        Parts.insert(U);
    }
  return false;
}

} // namespace contraflow
