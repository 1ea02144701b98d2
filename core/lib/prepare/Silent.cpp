// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function writes is its own, if it is a variable of its own, memory that it has allocated,
// or what a caller passes that owns it. The rest of its code is asked for as far as it goes:
//
//   void report(const double *x, int n) {         call @report(x, n)    stays
//     char line[80];
//     snprintf(line, 80, "%g of %d", x[0], n);    writes what is its own
//     puts(line); ++reports;                      output, an integer
//   }
//
// Integers that count in global variables are no derivatives; who reads them later is told that the
// call may have written them.

#include "Silent.h"
#include "callee/Instrumentation.h"
#include "callee/Silent.h"
#include "callee/Streams.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Request.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {

constexpr unsigned MostLooked = 20000; ///< instructions, for one call
constexpr unsigned MostTotal = 400000; ///< for all
constexpr unsigned MinPrinting = 30;   ///< less is inlined as before
constexpr unsigned MinDeciding = 400;  ///< of a function that returns a truth value

static bool isOwn(const Value *Pointer, uint64_t Own) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return all_of(Objects, [&](const Value *V) {
    if (const auto *A = dyn_cast<Argument>(V))
      return A->getArgNo() < 64 && (Own >> A->getArgNo() & 1);
    const auto *Call = dyn_cast<CallBase>(V);
    return isa<AllocaInst>(V) || (Call && lookupCallee(*Call).Kind == CalleeKind::Allocate);
  });
}

/// Nobody writes there: text that the program is written with.
static bool isConstantMemory(const Value *Pointer) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return all_of(Objects, [](const Value *V) {
    const auto *G = dyn_cast<GlobalVariable>(V);
    return isa<ConstantPointerNull>(V) || (G && G->isConstant());
  });
}

/// An integer that was calculated holds no bits of a float.
static bool isCount(const Value *V) {
  const auto *Sum = dyn_cast<BinaryOperator>(V);
  return V->getType()->isIntegerTy() &&
         (isa<ConstantInt>(V) || V->getType()->getIntegerBitWidth() <= 8 ||
          (Sum && (Sum->getOpcode() == Instruction::Add || Sum->getOpcode() == Instruction::Sub)));
}

SilentCallees::Effect SilentCallees::effectOfStore(const Value *Pointer, const Value *V,
                                                   uint64_t Own) const {
  if (isOwn(Pointer, Own))
    return Effect::None;
  const auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer));
  return G && G->getValueType()->isIntegerTy() && isCount(V) ? Effect::Objects : Effect::Active;
}

static bool isVariable(const Value *V) {
  const auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(V));
  return G && !G->isConstant();
}

/// True if an address in a result need not come from the arguments (localtime).
static bool handsOutOthers(const CallBase &Call) {
  const CalleeInfo Info = lookupCallee(Call);
  return Info.Kind == CalleeKind::Inactive && !Info.OwnObjects &&
         (Call.getType()->isPointerTy() || Call.getType()->isAggregateType());
}

/// True if an instruction may bring in the address of something that no argument leads to.
static bool namesVariable(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return (Call && handsOutOthers(*Call)) || any_of(I.operands(), [](const Use &Operand) {
           return Operand->getType()->isPointerTy() && isVariable(Operand.get());
         });
}

/// Of a function that is known by name.
SilentCallees::Effect SilentCallees::effectOfKnown(const CallBase &Call, uint64_t Own) {
  const CalleeInfo Info = lookupCallee(Call);
  UsesLibrary |= Info.Kind == CalleeKind::Inactive;
  if (Info.Kind == CalleeKind::Inactive && leavesText(Call) && readsStreams(*Call.getModule()))
    return Effect::Active; // which may be read again
  auto All = [&](function_ref<bool(const Value *)> IsFine) {
    return all_of(Call.args(), [&](const Use &Arg) {
      return !Arg->getType()->isPointerTy() || IsFine(Arg.get());
    });
  };
  switch (Info.Kind) {
  case CalleeKind::Math:
  case CalleeKind::Free:
    return All([&](const Value *V) { return isOwn(V, Own); }) ? Effect::None : Effect::Active;
  case CalleeKind::Allocate:
    return Effect::None;
  case CalleeKind::NoReturn: // an exception may be caught by a caller
    return Call.doesNotThrow() ? Effect::None : Effect::Active;
  case CalleeKind::Inactive:
    if (Info.ReadOnly)
      return Effect::None;
    if (Info.OwnObjects || Info.Opaque)
      return Info.Opaque ? Effect::Objects : Effect::Members;
    return All([&](const Value *V) { return isOwn(V, Own) || isConstantMemory(V); })
               ? Effect::None
               : Effect::Active;
  default:
    return Effect::Active;
  }
}

SilentCallees::Effect SilentCallees::effectOfCall(const CallBase &Call, uint64_t Own) {
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&Call))
    return isOwn(Memory->getRawDest(), Own) ? Effect::None : Effect::Active;
  const bool Ends = Call.doesNotReturn() && Call.doesNotThrow();
  if (Ends || onlyKeepsItsPlace(Call))
    return Effect::None;
  if (is_contained({Intrinsic::vastart, Intrinsic::vacopy, Intrinsic::vaend},
                   Call.getIntrinsicID()))
    return isOwn(Call.getArgOperand(0), Own) ? Effect::None : Effect::Active;
  const Function *F = Call.getCalledFunction();
  const CalleeInfo Info = lookupCallee(Call);
  // snprintf has a handler as well; that of a lock orders threads, or refuses them
  const bool Fills = Info.Kind == CalleeKind::Inactive && !Info.ReadOnly && !Info.OwnObjects;
  if (!F || Call.hasFnAttr(Attribute::ReturnsTwice) || isRequest(Call) ||
      (Handlers.find(Call) && !Fills))
    return Effect::Active;
  if (Info.Kind != CalleeKind::Unknown)
    return effectOfKnown(Call, Own);
  if (Call.onlyReadsMemory() && (F->isIntrinsic() || !F->isDeclaration()))
    return Effect::None;
  if (F->isDeclaration() || F->isInterposable() || F->getFunctionType() != Call.getFunctionType())
    return Effect::Active;
  uint64_t Passed = 0;
  for (const auto &[I, Arg] : enumerate(Call.args()))
    if (I < 64 && Arg->getType()->isPointerTy() && isOwn(Arg.get(), Own))
      Passed |= uint64_t(1) << I;
  return effectOf({F, Passed});
}

SilentCallees::Effect SilentCallees::effectOf(const Instruction &I, uint64_t Own) {
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return effectOfCall(*Call, Own);
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return effectOfStore(Store->getPointerOperand(), Store->getValueOperand(), Own);
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I)) {
    const bool Counts =
        is_contained({AtomicRMWInst::Add, AtomicRMWInst::Sub}, Update->getOperation());
    const Value *V = Counts ? ConstantInt::getTrue(I.getContext()) : Update->getValOperand();
    return effectOfStore(Update->getPointerOperand(), V, Own);
  }
  return I.mayWriteToMemory() && !isa<LoadInst>(I) ? Effect::Active : Effect::None;
}

SilentCallees::Effect SilentCallees::effectOf(const Key &K) {
  if (auto It = Known.find(K); It != Known.end())
    return It->second;
  if (!Seen.insert(K).second)
    return Effect::None; // of a function that is being looked at
  Effect All = Effect::None;
  for (const Instruction &I : instructions(*K.first)) {
    ++Total;
    NamesVariables |= namesVariable(I);
    All = std::max(All, ++Looked > MostLooked ? Effect::Active : effectOf(I, K.second));
    if (All == Effect::Active) {
      Known[K] = All;
      return All;
    }
  }
  return All;
}

/// Nothing of what it has read can be told from its result.
static bool tellsNothing(const CallBase &Call) {
  return Call.use_empty() || Call.getType()->isIntegerTy(1);
}

bool SilentCallees::keep(CallBase &Call) {
  Function *F = Call.getCalledFunction();
  if (!F || F->isDeclaration() || F->isInterposable() || !tellsNothing(Call) || Total > MostTotal ||
      F->getFunctionType() != Call.getFunctionType() || Call.hasFnAttr(Attribute::ReturnsTwice) ||
      lookupCallee(Call).Kind != CalleeKind::Unknown || Handlers.find(Call))
    return false;
  Seen.clear();
  Looked = 0;
  UsesLibrary = NamesVariables = false;
  const Effect Of = effectOf({F, 0}); // what the caller owns, it reads itself
  // What does nothing (a destructor in unoptimised code) goes when it is inlined, and with it the
  // need of its objects to be in memory.
  if (Of == Effect::Active || !UsesLibrary ||
      Looked < (Call.use_empty() ? MinPrinting : MinDeciding))
    return false;
  const StringRef Writes = Of == Effect::None                         ? ""
                           : Of == Effect::Members && !NamesVariables ? SilentMembers
                                                                      : SilentObjects;
  Call.addFnAttr(Attribute::get(Call.getContext(), SilentMark, Writes));
  return true;
}

} // namespace contraflow
