// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions that are caught where they are thrown, as prepare/Catches.cpp leaves them: calls that
// happen in the forward sweep and move nothing. The reverse sweep goes back from the handler to the
// throw like over any other branch.
//
//   e = allocate(n)    a zeroed shadow beside it; the reverse frees it. (Tangent: the shadow is
//                      behind the object and ends with it.)
//   end(&caught)       the object is gone: what was read from it cannot be read again

#include "callee/Exceptions.h"
#include "Memory.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr uint64_t ObjectAlignment = 16;

enum class Part { Allocate, End, Other };

class ExceptionHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf.exception.*"}; }
  bool hasReverse(const CallBase &Call) const override { return partOf(Call) == Part::Allocate; }
  bool knowsOwnShadows(const CallBase &) const override { return true; }
  bool severalDirections() const override { return true; }
  bool isRepeatable(const CallBase &) const override { return true; }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    Facts.FreshResult = partOf(Call) == Part::Allocate;
    Facts.Opaque = partOf(Call) == Part::End;
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override;
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;

private:
  static Part partOf(const CallBase &Call) {
    const Function &F = *Call.getCalledFunction();
    if (F.getName() == ExceptionAllocation)
      return Part::Allocate;
    const bool Ends = F.getReturnType()->isVoidTy() && !F.doesNotReturn();
    return Ends ? Part::End : Part::Other;
  }
};

/// The size of a shadow, rounded up. Asked again by the same derivative, for another direction, the
/// object has grown by one already; in a derivative of a derivative the shadow has all of it.
Value *shadowSize(IRBuilder<> &B, CallBase &Call) {
  LLVMContext &Context = Call.getContext();
  const unsigned Kind = Context.getMDKindID("contraflow.shadow");
  MDString *Derivative = MDString::get(Context, Call.getFunction()->getName());
  if (MDNode *Size = Call.getMetadata(Kind); Size && Size->getOperand(1) == Derivative)
    return mdconst::extract<ConstantInt>(Size->getOperand(0));
  Value *Mask = B.getInt64(ObjectAlignment - 1), *Size = Call.getArgOperand(0);
  Size = B.CreateAnd(B.CreateAdd(Size, Mask), B.CreateNot(Mask));
  if (auto *C = dyn_cast<ConstantInt>(Size))
    Call.setMetadata(Kind, MDNode::get(Context, {ConstantAsMetadata::get(C), Derivative}));
  Call.setArgOperand(0, Size);
  return Size;
}

Error ExceptionHandler::tangent(SweepBuilder &B, CallBase &Call) const {
  if (partOf(Call) != Part::Allocate || !B.shadow(&Call))
    return Error::success();
  auto &IR = B.ir();
  IR.SetInsertPoint(&Call);
  Value *Size = shadowSize(IR, Call), *Place = Call.getArgOperand(0);
  Call.setArgOperand(0, IR.CreateAdd(Place, Size));
  IR.SetInsertPoint(Call.getNextNode());
  Value *Shadow = IR.CreatePtrAdd(&Call, Place);
  IR.CreateMemSet(Shadow, IR.getInt8(0), Size, MaybeAlign());
  B.setShadow(&Call, Shadow);
  return Error::success();
}

Error ExceptionHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  if (partOf(Call) != Part::Allocate || !B.shadow(&Call))
    return Error::success();
  auto &IR = B.ir();
  IR.SetInsertPoint(Call.getNextNode());
  Value *Size = Call.getArgOperand(0);
  FunctionCallee Calloc = Call.getModule()->getOrInsertFunction("calloc", IR.getPtrTy(),
                                                                Size->getType(), Size->getType());
  CallInst *Shadow = IR.CreateCall(Calloc, {IR.getInt64(1), Size});
  Shadow->addRetAttr(Attribute::NoAlias);
  B.setShadow(&Call, Shadow);
  Site.Recorded = {Shadow};
  return Error::success();
}

Error ExceptionHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                                ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  FunctionCallee Free =
      Site.Anchor->getModule()->getOrInsertFunction("free", B.ir().getVoidTy(), B.ir().getPtrTy());
  B.ir().CreateCall(Free, {Recalled[0]});
  return Error::success();
}

} // namespace

void registerExceptionHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<ExceptionHandler>());
}

} // namespace contraflow
