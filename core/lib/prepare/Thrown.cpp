// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that calls itself stays a call, and the reverse sweep has no way back from a handler
// into the middle of it. A copy of it catches whatever leaves it, and returns it; the caller throws
// it again, where Catches.cpp makes a branch of it.
//
//   try { r = f(x); }                  f.thrown(x, room):  try { return f's body }
//   catch (...) { h }                                      catch (...) { *room = exception; return
//   0;
//   }
//   ->
//   try { room = null; r = f.thrown(x, &room); if (room) throw room; }  catch (...) { h }
//
// What f calls is treated alike when the copy is prepared, since the copy catches. Destructors run
// on the way, as they do in the primal.

#include "Thrown.h"
#include "Catches.h"
#include "callee/Exceptions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {

static bool hasFilters(const LandingPadInst &Pad) {
  for (unsigned I = 0; I < Pad.getNumClauses(); ++I)
    if (Pad.isFilter(I))
      return true;
  return false;
}

static bool hasMustTailCalls(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallInst>(&I);
    return Call && Call->isMustTailCall();
  });
}

/// Where all that leaves F goes: stores it to Room and returns. Once Catches has made branches of
/// what is thrown, the first part of what a landing pad gets is the object.
static PHINode &makeExit(Function &F, Value &Room) {
  BasicBlock *Exit = BasicBlock::Create(F.getContext(), "cf.thrown", &F);
  IRBuilder<> B(Exit);
  Type *Exception = StructType::get(F.getContext(), {B.getPtrTy(), B.getInt32Ty()});
  PHINode *Thrown = B.CreatePHI(Exception, 4);
  B.CreateStore(B.CreateExtractValue(Thrown, 0), &Room);
  Type *Result = F.getReturnType();
  Result->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Constant::getNullValue(Result));
  return *Thrown;
}

/// A landing pad for calls that had none.
static BasicBlock *makePad(Function &F, PHINode &Thrown) {
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "cf.pad", &F));
  LandingPadInst *Pad = B.CreateLandingPad(Thrown.getType(), 1);
  Pad->addClause(ConstantPointerNull::get(B.getPtrTy()));
  Thrown.addIncoming(Pad, B.GetInsertBlock());
  B.CreateBr(Thrown.getParent());
  return B.GetInsertBlock();
}

/// Whatever leaves F is stored to Room.
static void catchAll(Function &F, Value &Room) {
  SmallVector<CallInst *, 16> Calls;
  SmallVector<ResumeInst *, 4> Resumes;
  for (Instruction &I : instructions(F)) {
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && !Call->doesNotThrow() && !isa<IntrinsicInst>(I) && !Call->isInlineAsm())
      Calls.push_back(Call);
    if (auto *Resume = dyn_cast<ResumeInst>(&I))
      Resumes.push_back(Resume);
    if (auto *Pad = dyn_cast<LandingPadInst>(&I); Pad && !hasFilters(*Pad))
      Pad->addClause(ConstantPointerNull::get(PointerType::getUnqual(F.getContext())));
  }
  PHINode &Thrown = makeExit(F, Room);
  for (ResumeInst *Resume : Resumes) {
    Thrown.addIncoming(Resume->getValue(), Resume->getParent());
    IRBuilder<>(Resume).CreateBr(Thrown.getParent());
    Resume->eraseFromParent();
  }
  BasicBlock *Pad = makePad(F, Thrown);
  for (CallInst *Call : Calls)
    changeToInvokeAndSplitBasicBlock(Call, Pad);
  removeUnreachableBlocks(F);
}

Function *ThrownResults::copyOf(Function &F) {
  Function *&Copy = copy(F);
  if (Copy)
    return Copy;
  SmallVector<ReturnInst *, 4> Returns;
  Copy = cloneWithRoom(F, F.getReturnType(), "thrown", Returns);
  Value *Room = Copy->getArg(F.arg_size());
  Room->setName("thrown");
  catchAll(*Copy, *Room);
  return Copy;
}

/// The pad of Invoke becomes that of what is thrown again.
void ThrownResults::bringBack(InvokeInst &Invoke, AllocaInst &Room) {
  Function &F = *Invoke.getFunction();
  Module &M = *F.getParent();
  Function *Copy = copyOf(*Invoke.getCalledFunction());
  if (!Copy->hasPersonalityFn())
    Copy->setPersonalityFn(F.getPersonalityFn());
  IRBuilder<> B(&Invoke);
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), &Room);
  SmallVector<Value *, 8> Args(Invoke.args());
  Args.push_back(&Room);
  CallInst *New = B.CreateCall(Copy, Args);
  New->setCallingConv(Invoke.getCallingConv());
  for (unsigned I = 0; I != Invoke.arg_size(); ++I)
    if (Type *Copied = Invoke.getParamByValType(I))
      New->addParamAttr(I, Attribute::getWithByValType(F.getContext(), Copied));
  Invoke.replaceAllUsesWith(New);
  Value *Thrown = B.CreateLoad(B.getPtrTy(), &Room);
  BasicBlock *Head = Invoke.getParent(), *Pad = Invoke.getUnwindDest();
  BasicBlock *Again = BasicBlock::Create(F.getContext(), "cf.again", &F);
  B.CreateCondBr(B.CreateIsNull(Thrown), Invoke.getNormalDest(), Again);
  Pad->replacePhiUsesWith(Head, Again);
  Invoke.eraseFromParent();
  B.SetInsertPoint(Again);
  BasicBlock *Dead = BasicBlock::Create(F.getContext(), "cf.dead", &F);
  FunctionCallee Throw =
      M.getOrInsertFunction(nameOf(ExceptionStep::Again), B.getVoidTy(), B.getPtrTy());
  B.CreateInvoke(Throw, Dead, Pad, {B.CreatePtrAdd(Thrown, B.getInt64(-UnwindHeader))});
  new UnreachableInst(F.getContext(), Dead);
}

void ThrownResults::bringBack(Function &P, function_ref<bool(const CallBase &)> StaysCall) {
  SmallVector<InvokeInst *, 8> Invokes;
  for (Instruction &I : instructions(P)) {
    auto *Invoke = dyn_cast<InvokeInst>(&I);
    if (!Invoke || !StaysCall(*Invoke) || Invoke->doesNotReturn() || Invoke->doesNotThrow())
      continue;
    const Function *F = Invoke->getCalledFunction();
    const LandingPadInst *Pad = Invoke->getLandingPadInst();
    if (!F->isVarArg() && !hasMustTailCalls(*F) && catches(*Pad) && !hasFilters(*Pad))
      Invokes.push_back(Invoke);
  }
  if (Invokes.empty())
    return;
  IRBuilder<> B(&P.getEntryBlock(), P.getEntryBlock().begin());
  AllocaInst *Room = B.CreateAlloca(B.getPtrTy(), nullptr, "thrown");
  for (InvokeInst *Invoke : Invokes)
    bringBack(*Invoke, *Room);
}

} // namespace contraflow
