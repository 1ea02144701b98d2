// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that move or set bytes become LLVM's intrinsics, which everything later knows: those of a
// program that was compiled without builtins, and the fortified ones.
//
//   p = __memcpy_chk(y, x, n, room)    ->    if (n > room) __chk_fail();  memcpy(y, x, n);  p = y
//
// A size that the optimiser has not found by now counts as unknown.

#include "callee/Moves.h"
#include "Memory.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Ends the program where there is less room than is asked for.
void checkRoom(CallInst &Call, Value *Size, Value *Room) {
  if (auto *Known = dyn_cast<ConstantInt>(Room); Known && Known->isMinusOne())
    return;
  IRBuilder<> B(&Call);
  Value *TooMuch = B.CreateICmpUGT(Size, B.CreateZExtOrTrunc(Room, Size->getType()));
  Instruction *End = SplitBlockAndInsertIfThen(TooMuch, &Call, /*Unreachable=*/true);
  FunctionCallee Fail = Call.getModule()->getOrInsertFunction("__chk_fail", B.getVoidTy());
  CallInst *Failing = IRBuilder<>(End).CreateCall(Fail);
  Failing->setDoesNotReturn();
  Failing->setDoesNotThrow();
}

void replace(CallInst &Call, const ByteMove &M) {
  Value *To = Call.getArgOperand(M.To), *Size = Call.getArgOperand(M.Size);
  if (M.Room >= 0)
    checkRoom(Call, Size, Call.getArgOperand(M.Room));
  IRBuilder<> B(&Call);
  Value *What = M.What < 0 ? B.getInt8(0) : Call.getArgOperand(M.What);
  switch (M.Kind) {
  case MoveKind::Copy:
    B.CreateMemCpy(To, MaybeAlign(), What, MaybeAlign(), Size);
    break;
  case MoveKind::Move:
    B.CreateMemMove(To, MaybeAlign(), What, MaybeAlign(), Size);
    break;
  case MoveKind::Fill:
    B.CreateMemSet(To, B.CreateZExtOrTrunc(What, B.getInt8Ty()), Size, MaybeAlign());
    break;
  }
  if (M.Result == MoveResult::Begin)
    Call.replaceAllUsesWith(To);
  else if (M.Result == MoveResult::End)
    Call.replaceAllUsesWith(B.CreateGEP(B.getInt8Ty(), To, Size));
  Call.eraseFromParent();
}

/// The size of an object that is still not known: the answer for one that never will be.
void forgetSize(IntrinsicInst &I) {
  const bool AtLeast = cast<ConstantInt>(I.getArgOperand(1))->isOne();
  I.replaceAllUsesWith(ConstantInt::get(I.getType(), AtLeast ? 0 : -1, /*IsSigned=*/true));
  I.eraseFromParent();
}

class ByteMoves : public Rewriter {
public:
  void canonicalise(Function &F) const override {
    SmallVector<std::pair<CallInst *, ByteMove>, 8> Calls;
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (isa<IntrinsicInst>(I) && cast<IntrinsicInst>(I).getIntrinsicID() == Intrinsic::objectsize)
        forgetSize(cast<IntrinsicInst>(I));
      else if (auto *Call = dyn_cast<CallInst>(&I))
        if (auto M = byteMove(*Call))
          Calls.push_back({Call, *M});
    for (auto &[Call, M] : Calls)
      replace(*Call, M);
  }
};

} // namespace

void registerMoveHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<ByteMoves>());
}

} // namespace contraflow
