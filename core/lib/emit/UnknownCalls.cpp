// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls for which nobody has a derivative: they need none, or there is an error.

#include "ForwardSweep.h"
#include "Steps.h"
#include "analysis/ReadsOnly.h"
#include "callee/Streams.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Remark.h"
#include "contraflow/core/Rule.h"
#include "prepare/ByteMoves.h"
#include "prepare/Indirect.h"
#include "rules/Approximate.h"
#include "rules/Smooth.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

/// True for text that a number is made of: nothing is written there.
static bool isParsed(const CallBase &Call, const Use &Text) {
  const auto Move = textMove(Call);
  return Move && Move->To == TextMove::Result && Move->From == int(Call.getArgOperandNo(&Text)) &&
         (Call.getType()->isIntegerTy() || Call.getType()->isFloatingPointTy());
}

/// A call without a derivative that puts numbers into active memory would leave the old ones'
/// adjoints behind. What it writes begins where its arguments point to. Numbers are seldom repeated
/// byte by byte: it is enough to say so when it happens.
Error ForwardSweep::checkOverwrites(CallBase &I) {
  for (const Use &V : I.args()) {
    if (!V->getType()->isPointerTy() || !S.Activity.activeAt(S.Graph.find(V), 1) || isParsed(I, V))
      continue;
    if (!repeatsBytes(I))
      return diffError(DiagId::UnsupportedMemory, I,
                       "'" + userName(*I.getCalledFunction()) + "' may overwrite active memory");
    emitFailure(B, I, "overwritten_bytes");
    break;
  }
  return Error::success();
}

/// Intrinsics that only say something about a float: its class, its exponent, the integer next to
/// it. Those of a machine that make wide integers of floats are conversions or comparisons.
static bool tellsNumber(const IntrinsicInst &I) {
  constexpr unsigned LeastWidth = 32; // narrower ones may be the bits of halves
  if (I.getIntrinsicID() == Intrinsic::is_fpclass)
    return true;
  if (Intrinsic::isTargetIntrinsic(I.getIntrinsicID()) && !I.mayReadOrWriteMemory() &&
      I.getType()->isIntOrIntVectorTy() && I.getType()->getScalarSizeInBits() >= LeastWidth)
    return none_of(I.args(), [](const Use &V) {
      return V->getType()->isPtrOrPtrVectorTy() ||
             (V->getType()->isIntOrIntVectorTy() && !isa<ConstantInt>(V));
    });
  return I.getIntrinsicID() == Intrinsic::frexp && all_of(I.users(), [](const User *U) {
           const auto *Part = dyn_cast<ExtractValueInst>(U);
           return Part && Part->getIndices()[0] == 1;
         });
}

Error ForwardSweep::checkUnknownCall(CallBase &I) {
  CalleeInfo Info = lookupCallee(I);
  if (Info.Kind == CalleeKind::Inactive && !Info.ReadOnly && !Info.OwnObjects &&
      !(I.getCalledFunction() && onlyReadsArguments(*I.getCalledFunction())))
    return checkOverwrites(I);
  if (Info.Kind == CalleeKind::Inactive || Info.Kind == CalleeKind::NoReturn || I.doesNotReturn() ||
      findRule(I))
    return Error::success();
  auto *II = dyn_cast<IntrinsicInst>(&I);
  if (II && (II->isAssumeLikeIntrinsic() || II->getIntrinsicID() == Intrinsic::prefetch ||
             tellsNumber(*II) || isFollowed(*II)))
    return Error::success();
  // What is read leaves the intrinsic as a number that activity knows nothing of.
  const bool Memory =
      !II || II->mayWriteToMemory() || (II->mayReadFromMemory() && !II->getType()->isVoidTy());
  bool Touches = S.Activity.active(&I) || S.Activity.meetsGlobals(I);
  for (Value *V : I.args())
    Touches |= S.Activity.active(V) || (Memory && V->getType()->isPtrOrPtrVectorTy() &&
                                        (V->getType()->isVectorTy() || S.Activity.hasShadow(V)));
  // Of memory that an unknown function hands out (a hook for allocations that nobody has set) there
  // is no shadow.
  Touches |= isIndirect(I) && I.getType()->isPointerTy() && S.Activity.hasShadow(&I);
  if (!Touches)
    return Error::success();
  if (I.isInlineAsm())
    return diffError(DiagId::UnsupportedInstruction, I, "inline assembly");
  if (isRugged(I))
    return diffError(DiagId::UnsupportedDigits, I, "they are taken apart or mixed");
  Function *F = I.getCalledFunction();
  if (F && F->getName().starts_with(RuntimePrefix))
    return diffError(DiagId::UnsupportedMode, I,
                     "a derivative of a derivative that calls '" + F->getName() + "'");
  if (II && I.getType()->isIntOrIntVectorTy())
    return diffError(DiagId::UnsupportedInstruction, I, "bits of numbers are calculated with");
  if (F && F->isVarArg() && !F->isDeclaration())
    return diffError(DiagId::UnsupportedInstruction, I, "a call of a variadic function");
  if (!F) // declared in another way than it is called
    F = dyn_cast<Function>(I.getCalledOperand()->stripPointerCasts());
  if (F)
    return diffError(DiagId::NoRule, I, F->getName());
  if (!isOptional(I, S.C))
    return diffError(DiagId::IndirectCall, I, "the callee is not known here");
  remark(RemarkKind::Missed, "OptionalCallee", I,
         "no function of this program may be called here: an error if one is");
  emitFailure(B, I, "unknown_callee");
  return eachLane([&] {
    if (I.getType()->isPointerTy())
      setShadow(&I, ConstantPointerNull::get(B.getPtrTy()));
    return Error::success();
  });
}

} // namespace contraflow
