// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What frees work space and results on several paths has its calls joined by the optimiser, which
// makes one address of a matrix and of an array of numbers. Objects of one address are one to the
// memory graph, and their fields are lost:
//
//   failed: %p = phi [%matrix, %a], [%x, %b]           %p.0 = phi [%matrix, %a], [null, %b]
//           %none = icmp eq %p, null                   %p.1 = phi [null, %a],    [%x, %b]
//           free(%p)                            ->     %none = (%p.0 == null) & (%p.1 == null)
//                                                      free(%p.0); free(%p.1)
//
// To free null does nothing. The address may go through several phis and selects, as long as they
// lead to nothing but deallocations and comparisons with null.

#include "Freed.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr size_t MostObjects = 16; ///< that one address may be
constexpr size_t MostPlaces = 256; ///< it goes through

bool isChoice(const Value *V) { return V->getType()->isPointerTy() && isa<PHINode, SelectInst>(V); }

bool isNone(const Value *V) { return isa<ConstantPointerNull, UndefValue>(V); }

/// True if the call does nothing when it is given null.
bool isFree(const User *U) {
  const auto *Call = dyn_cast<CallInst>(U);
  if (!Call || Call->isMustTailCall() || Call->hasOperandBundles() || !Call->getType()->isVoidTy())
    return false;
  const CalleeInfo Info = lookupCallee(*Call);
  return Info.Kind == CalleeKind::Free && Info.FreeKind < FreeByUser;
}

/// True of a use that asks whether the address is null, or gives it back.
bool isLast(const Use &U) {
  if (const auto *Test = dyn_cast<ICmpInst>(U.getUser()))
    return Test->isEquality() && isa<ConstantPointerNull>(Test->getOperand(1 - U.getOperandNo()));
  return isFree(U.getUser()) && U.getOperandNo() == 0;
}

/// True if the address leads to nothing else, through whatever it is chosen by.
bool isOnlyFreed(Instruction &From) {
  SmallSetVector<Instruction *, 16> Seen;
  Seen.insert(&From);
  for (size_t Next = 0; Next < Seen.size(); ++Next)
    for (const Use &U : Seen[Next]->uses()) {
      if (isLast(U))
        continue;
      if (!isChoice(U.getUser()) || Seen.size() > MostPlaces)
        return false;
      Seen.insert(cast<Instruction>(U.getUser()));
    }
  return true;
}

/// What an address that is only freed comes from and leads to.
struct Web {
  SmallSetVector<Instruction *, 16> Choices;
  SmallSetVector<Value *, 8> Objects;
  SmallSetVector<Instruction *, 8> Ends;

  void growBack(Value *V) {
    if (isChoice(V) && isOnlyFreed(*cast<Instruction>(V)))
      Choices.insert(cast<Instruction>(V));
    else if (!isNone(V))
      Objects.insert(V);
  }

  void grow(Instruction &Choice) {
    for (Value *V : Choice.operand_values())
      if (V->getType()->isPointerTy())
        growBack(V);
    for (const Use &U : Choice.uses())
      (isLast(U) ? Ends.insert(cast<Instruction>(U.getUser()))
                 : Choices.insert(cast<Instruction>(U.getUser())));
  }

  bool isSmall() const { return Choices.size() <= MostPlaces && Objects.size() <= MostObjects; }

  Web(Instruction &From) {
    Choices.insert(&From);
    for (size_t Next = 0; Next < Choices.size() && isSmall(); ++Next)
      grow(*Choices[Next]);
  }
};

/// The choices for one object alone: null wherever another would have been.
class Alone {
public:
  Alone(const Web &W, Value *Object) : Object(Object) {
    for (Instruction *Choice : W.Choices)
      Own[Choice] = empty(*Choice);
    for (auto &[Choice, New] : Own)
      fill(*Choice, *New);
  }

  Value *of(Value *V) const {
    if (V == Object)
      return Object;
    const auto At = Own.find(dyn_cast<Instruction>(V));
    return At == Own.end() ? ConstantPointerNull::get(cast<PointerType>(V->getType()))
                           : static_cast<Value *>(At->second);
  }

private:
  static Instruction *empty(Instruction &Choice) {
    Instruction *New = Choice.clone();
    New->insertBefore(Choice.getIterator());
    New->setName(Choice.getName() + ".one");
    New->dropPoisonGeneratingAnnotations();
    return New;
  }

  void fill(Instruction &Choice, Instruction &New) const {
    for (unsigned Op = isa<SelectInst>(Choice); Op < Choice.getNumOperands(); ++Op)
      New.setOperand(Op, of(Choice.getOperand(Op)));
  }

  Value *Object;
  MapVector<Instruction *, Instruction *> Own;
};

void splitTest(ICmpInst &Test, ArrayRef<Alone> Each) {
  IRBuilder<> B(&Test);
  const bool IsEqual = Test.getPredicate() == ICmpInst::ICMP_EQ;
  Value *All = nullptr, *Asked = Test.getOperand(isNone(Test.getOperand(0)));
  for (const Alone &One : Each) {
    Value *V = One.of(Asked);
    Value *Null = ConstantPointerNull::get(cast<PointerType>(V->getType()));
    Value *This = B.CreateICmp(Test.getPredicate(), V, Null);
    All = !All ? This : IsEqual ? B.CreateAnd(All, This) : B.CreateOr(All, This);
  }
  Test.replaceAllUsesWith(All);
}

void splitFree(CallInst &Call, ArrayRef<Alone> Each) {
  for (const Alone &One : Each) {
    auto *New = cast<CallInst>(Call.clone());
    New->setArgOperand(0, One.of(Call.getArgOperand(0)));
    for (Attribute::AttrKind Kind : {Attribute::NonNull, Attribute::Dereferenceable})
      New->removeParamAttr(0, Kind);
    New->insertBefore(Call.getIterator());
  }
}

void split(const Web &W) {
  SmallVector<Alone, 4> Each;
  for (Value *Object : W.Objects)
    Each.emplace_back(W, Object);
  for (Instruction *End : W.Ends) {
    if (auto *Test = dyn_cast<ICmpInst>(End))
      splitTest(*Test, Each);
    else
      splitFree(cast<CallInst>(*End), Each);
    End->eraseFromParent();
  }
  for (Instruction *Choice : W.Choices)
    Choice->replaceAllUsesWith(PoisonValue::get(Choice->getType()));
  for (Instruction *Choice : W.Choices)
    Choice->eraseFromParent();
}

} // namespace

void splitFrees(Function &F) {
  SmallSetVector<Instruction *, 8> Freed;
  for (Instruction &I : instructions(F))
    if (isFree(&I) && isChoice(I.getOperand(0)) && isOnlyFreed(*cast<Instruction>(I.getOperand(0))))
      Freed.insert(cast<Instruction>(I.getOperand(0)));
  SmallPtrSet<Instruction *, 16> Done;
  for (Instruction *From : Freed) {
    if (Done.contains(From))
      continue;
    const Web W(*From);
    Done.insert_range(W.Choices);
    if (W.isSmall() && W.Objects.size() > 1)
      split(W);
  }
}

} // namespace contraflow
