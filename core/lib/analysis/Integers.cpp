// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An i64 in memory may be a number, or the bits of a double on their way from one object to
// another. Both may be at one place: a union, or the count of a std::list, whose header is a list
// node but for the value. What the program does with an integer tells:
//
//   %n = load i64, ptr %slot ; %m = add i64 %n, 1       a number, whatever else the slot holds
//   %b = load i64, ptr %slot ; store i64 %b, ptr %to    may be a double in disguise
//   %b = bitcast double %x to i64 ; %m = sub i64 k, %b  bits that are calculated with
//   %b = load i64, ptr %x, !tbaa double                 the same, whatever else is chosen for them
//   %n = load i32, ptr %flags ; %m = and i32 %n, -2     a number, if it is a member of a structure
//                                                       that has floats or pointers as well
//   %n = load i64, ptr %room ; %m = shl i64 %n, 1       the same: a capacity that is doubled
//   %n = load i64, ptr %room ; malloc(shl i64 %n, 4)    a number: it is how many there are
//   %m = add i64 %b, -1 ; icmp ult i64 %m, 4095         may be anything: it is asked for a range,
//                                                       as words are that may be addresses, here
//                                                       or behind a phi of such sums
//
// Values that are copies of one another (phi, select, arguments, results) share the evidence. Bits
// of a float or a pointer anywhere among them outweigh arithmetic.

#include "Integers.h"
#include "Layouts.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"
#include "prepare/DigitSums.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

bool isNumber(const Value *V) { return V->getType()->isIntegerTy() && !isa<Constant>(V); }

/// True if all that becomes of V are unsigned comparisons, where branches have met as well.
bool isOnlyCompared(const Value &V) {
  SmallPtrSet<const Value *, 8> Seen{&V};
  SmallVector<const Value *, 8> Todo{&V};
  while (!Todo.empty())
    for (const User *U : Todo.pop_back_val()->users()) {
      auto *Compare = dyn_cast<ICmpInst>(U);
      if (Compare && Compare->isUnsigned())
        continue;
      if (!isa<PHINode, SelectInst, FreezeInst>(U))
        return false;
      if (Seen.insert(U).second)
        Todo.push_back(U);
    }
  return true;
}

/// True if I moves the range that an integer is compared with to zero.
bool asksForRange(const Instruction &I) {
  return (I.getOpcode() == Instruction::Add || I.getOpcode() == Instruction::Sub) &&
         isa<Constant>(I.getOperand(1)) && !I.use_empty() && isOnlyCompared(I);
}

/// A product with a small power of two, as the optimiser writes it.
bool isMultiple(const Instruction &I) {
  constexpr unsigned MostDigits = 8;
  auto *Digits = dyn_cast<ConstantInt>(I.getOperand(1));
  return I.getOpcode() == Instruction::Shl && Digits && Digits->getValue().ult(MostDigits);
}

/// As measures, for what is added up from V on so many levels.
bool measuresWith(const Value &V, unsigned Level) {
  constexpr unsigned MostLevels = 4;
  return Level < MostLevels &&
         any_of(
             V.uses(),
             [&](const Use &U) {
               const User *By = U.getUser();
               if (isa<GetElementPtrInst>(By))
                 return U.getOperandNo() > 0;
               if (auto *Call = dyn_cast<CallBase>(By); Call && Call->isArgOperand(&U))
                 return is_contained({CalleeKind::Allocate, CalleeKind::Reallocate},
                                     lookupCallee(*Call).Kind);
               const auto *Sum = dyn_cast<BinaryOperator>(By);
               const bool Adds = Sum && Sum->getOpcode() == Instruction::Add;
               return (Adds || isa<PHINode, SelectInst>(By)) && measuresWith(*By, Level + 1);
             });
}

/// True if I, a multiple of what was read from memory, goes back there and nowhere else: a capacity
/// that is doubled.
bool growsInPlace(const Instruction &I) {
  const auto *Store = I.hasOneUse() ? dyn_cast<StoreInst>(*I.user_begin()) : nullptr;
  const auto *Load = dyn_cast<LoadInst>(I.getOperand(0));
  return Store && Load && Store->getValueOperand() == &I &&
         Store->getPointerOperand() == Load->getPointerOperand();
}

class Collector {
public:
  Collector(ArrayRef<Function *> Closure, const HandlerRegistry &Handlers, LayoutReader &Layouts)
      : Closure(Closure), Handlers(Handlers), Layouts(Layouts) {
    for (const Function *F : Closure) {
      auto &Values = Returned[F];
      for (const BasicBlock &B : *F)
        if (auto *Return = dyn_cast<ReturnInst>(B.getTerminator());
            Return && Return->getReturnValue())
          Values.push_back(Return->getReturnValue());
    }
  }
  DenseSet<const Value *> run();

private:
  void visit(Instruction &I);
  void visitCall(CallBase &Call);
  void visitCast(CastInst &I);
  void visitFlags(const Instruction &I);
  void copy(const Value *A, const Value *B) {
    if (isNumber(A) && isNumber(B))
      Copies.unionSets(A, B);
  }
  void number(const Value *V) {
    if (isNumber(V))
      Numbers.push_back(V);
  }
  void bits(const Value *V) {
    if (isNumber(V))
      Bits.push_back(V);
  }

  ArrayRef<Function *> Closure;
  const HandlerRegistry &Handlers;
  LayoutReader &Layouts;
  DenseMap<const Function *, SmallVector<const Value *, 1>> Returned;
  EquivalenceClasses<const Value *> Copies;
  SmallVector<const Value *, 64> Numbers, Bits;
  /// A part of a number is a number, and so is one that is shifted; that says nothing of the whole.
  SmallVector<const Instruction *, 16> Parts;
};

void Collector::visitCast(CastInst &I) {
  const Value *From = I.getOperand(0);
  if (isa<TruncInst, ZExtInst>(I)) {
    if (From->getType()->isIntegerTy() && From->getType()->getIntegerBitWidth() < 16)
      number(&I);
    if (isa<ZExtInst>(I))
      copy(&I, From);
    else
      Parts.push_back(&I);
    return;
  }
  if (isa<BitCastInst, PtrToIntInst, IntToPtrInst>(I)) {
    bits(&I);
    return bits(From);
  }
  number(&I);
  number(From);
}

void Collector::visitCall(CallBase &Call) {
  if (isa<IntrinsicInst>(Call)) {
    number(&Call);
    if (isa<BinaryOpIntrinsic>(Call)) // with overflow, or saturating
      for (const Value *V : Call.args())
        number(V);
    return;
  }
  if (const ConstructHandler *Handler = Handlers.find(Call)) {
    if (auto Region = Handler->closure(Call))
      for (unsigned P = 0; P < Region->Operands.size(); ++P)
        if (Region->Operands[P] >= 0)
          copy(Region->Body->getArg(P), Call.getArgOperand(Region->Operands[P]));
    return;
  }
  const Function *F = Call.getCalledFunction();
  auto It = F ? Returned.find(F) : Returned.end();
  if (It == Returned.end())
    return;
  for (const Argument &A : F->args())
    if (A.getArgNo() < Call.arg_size())
      copy(&A, Call.getArgOperand(A.getArgNo()));
  for (const Value *V : It->second)
    copy(V, &Call);
}

/// Flags of an object, which are asked for, set or cleared by I; a capacity that is doubled.
void Collector::visitFlags(const Instruction &I) {
  const unsigned Width = I.getType()->getScalarSizeInBits() / 8;
  for (const Value *V : I.operands())
    if (auto *Load = dyn_cast<LoadInst>(V))
      if (const LayoutReader::Evidence E = Layouts.of(*Load);
          E && E.isInteger(Width) && E.hasOthers())
        number(Load);
}

void Collector::visit(Instruction &I) {
  if (auto *Cast = dyn_cast<CastInst>(&I))
    return visitCast(*Cast);
  if (auto *Call = dyn_cast<CallBase>(&I))
    return visitCall(*Call);
  if (isa<PHINode, FreezeInst>(I)) {
    for (const Value *V : I.operands())
      copy(&I, V);
  } else if (isa<SelectInst>(I)) {
    copy(&I, I.getOperand(1));
    copy(&I, I.getOperand(2));
  } else if (isa<BinaryOperator>(I) && (I.isBitwiseLogicOp() || I.isShift())) {
    Parts.push_back(&I);
    if (I.isBitwiseLogicOp() || isMultiple(I))
      visitFlags(I);
    if (isMultiple(I) && (measures(I) || growsInPlace(I)))
      number(I.getOperand(0));
  } else if (asksForRange(I)) {
    number(&I);
  } else if (isa<BinaryOperator>(I)) {
    number(&I);
    for (const Value *V : I.operands())
      number(V);
  } else if (auto *Part = dyn_cast<ExtractValueInst>(&I)) {
    if (isa<WithOverflowInst>(Part->getAggregateOperand()))
      number(Part);
  } else if (isa<GetElementPtrInst>(I)) {
    for (const Value *V : drop_begin(I.operands()))
      number(V);
  } else if (auto *Switch = dyn_cast<SwitchInst>(&I)) {
    number(Switch->getCondition());
  } else if (floatLoaded(&I)) {
    bits(&I);
  }
}

DenseSet<const Value *> Collector::run() {
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F))
      visit(I);
  DenseSet<const Value *> Leaders, Others, Out;
  auto Leader = [&](const Value *V) { return Copies.getOrInsertLeaderValue(V); };
  for (const Value *V : Numbers)
    Leaders.insert(Leader(V));
  for (const Value *V : Bits)
    Others.insert(Leader(V));
  auto IsPlain = [&](const Value *V) {
    return isa<Constant>(V) ||
           (isNumber(V) && Leaders.contains(Leader(V)) && !Others.contains(Leader(V)));
  };
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (const Instruction *I : Parts)
      if (all_of(I->operand_values(), IsPlain))
        Changed |= Leaders.insert(Leader(I)).second;
  }
  for (const Value *V : Others)
    Leaders.erase(V);
  for (const auto &Member : Copies)
    if (Leaders.contains(Copies.getLeaderValue(Member->getData())))
      Out.insert(Member->getData());
  return Out;
}

} // namespace

bool measures(const Value &V) { return measuresWith(V, 0); }

DenseSet<const Value *> findPlainIntegers(ArrayRef<Function *> Closure,
                                          const HandlerRegistry &Handlers, LayoutReader &Layouts) {
  return Collector(Closure, Handlers, Layouts).run();
}

} // namespace contraflow
