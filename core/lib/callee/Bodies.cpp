// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libc++ keeps a few functions in its binary that move or free what is differentiated:
//
//   control->__release_weak()         if (control->weak_owners-- == 0)
//   control->on_zero_shared_weak()
//   control->lock()                   if (control->owners != -1) ++control->owners, result =
//   control
//   __sort<less<double>>(b, e, _)     qsort(b, e - b, sizeof(double), order)

#include "Bodies.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr int64_t Owners = 8;          ///< in a control block, behind its table; -1: none
constexpr int64_t WeakOwners = 16;     ///< behind that
constexpr int64_t OnZeroWeakSlot = 32; ///< in its table

/// The function of this name, of our own; empty if it is new.
Function *ownFunction(Module &M, const Twine &Name, FunctionType *T) {
  SmallString<64> Buffer;
  const StringRef Full = Name.toStringRef(Buffer);
  if (Function *F = M.getFunction(Full))
    return F;
  return Function::Create(T, GlobalValue::InternalLinkage, Full, M);
}

Function *releaseWeak(Module &M, FunctionType *T) {
  Function *F = ownFunction(M, "cf.body.release_weak", T);
  if (!F->empty())
    return F;
  LLVMContext &Context = M.getContext();
  BasicBlock *Last = BasicBlock::Create(Context, "last", F);
  BasicBlock *Done = BasicBlock::Create(Context, "done", F);
  IRBuilder<> B(BasicBlock::Create(Context, "entry", F, Last));
  Value *Control = F->getArg(0);
  Value *Before =
      B.CreateAtomicRMW(AtomicRMWInst::Add, B.CreatePtrAdd(Control, B.getInt64(WeakOwners)),
                        B.getInt64(-1), MaybeAlign(8), AtomicOrdering::AcquireRelease);
  B.CreateCondBr(B.CreateIsNull(Before), Last, Done);
  B.SetInsertPoint(Last);
  Value *Table = B.CreateLoad(B.getPtrTy(), Control);
  Value *End = B.CreateLoad(B.getPtrTy(), B.CreatePtrAdd(Table, B.getInt64(OnZeroWeakSlot)));
  B.CreateCall(FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false), End, {Control});
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  return F;
}

Function *lock(Module &M, FunctionType *T) {
  Function *F = ownFunction(M, "cf.body.lock", T);
  if (!F->empty())
    return F;
  LLVMContext &Context = M.getContext();
  BasicBlock *Again = BasicBlock::Create(Context, "again", F);
  BasicBlock *Alive = BasicBlock::Create(Context, "alive", F);
  BasicBlock *Done = BasicBlock::Create(Context, "done", F);
  BasicBlock *Dead = BasicBlock::Create(Context, "dead", F);
  IRBuilder<> B(BasicBlock::Create(Context, "entry", F, Again));
  Value *Place = B.CreatePtrAdd(F->getArg(0), B.getInt64(Owners));
  B.CreateBr(Again);
  B.SetInsertPoint(Again);
  LoadInst *Before = B.CreateAlignedLoad(B.getInt64Ty(), Place, Align(8));
  Before->setAtomic(AtomicOrdering::Monotonic);
  B.CreateCondBr(B.CreateICmpEQ(Before, B.getInt64(-1)), Dead, Alive);
  B.SetInsertPoint(Alive);
  Value *Swap = B.CreateAtomicCmpXchg(Place, Before, B.CreateAdd(Before, B.getInt64(1)), Align(8),
                                      AtomicOrdering::AcquireRelease, AtomicOrdering::Monotonic);
  B.CreateCondBr(B.CreateExtractValue(Swap, 1), Done, Again);
  B.SetInsertPoint(Done);
  B.CreateRet(F->getArg(0));
  B.SetInsertPoint(Dead);
  B.CreateRet(ConstantPointerNull::get(B.getPtrTy()));
  return F;
}

/// -1, 0 or 1 for numbers of type T behind two pointers.
Function *orderOf(Module &M, Type *T, StringRef Suffix) {
  auto *Pointer = PointerType::getUnqual(M.getContext());
  auto *Compare = FunctionType::get(Type::getInt32Ty(M.getContext()), {Pointer, Pointer}, false);
  Function *F = ownFunction(M, "cf.body.order." + Suffix, Compare);
  if (!F->empty())
    return F;
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
  Value *X = B.CreateLoad(T, F->getArg(0)), *Y = B.CreateLoad(T, F->getArg(1));
  Value *More = B.CreateZExt(B.CreateFCmpOGT(X, Y), B.getInt32Ty());
  B.CreateRet(B.CreateSub(More, B.CreateZExt(B.CreateFCmpOLT(X, Y), B.getInt32Ty())));
  return F;
}

Function *sort(Module &M, FunctionType *Like, Type *T, StringRef Suffix) {
  Function *F = ownFunction(M, "cf.body.sort." + Suffix, Like);
  if (!F->empty())
    return F;
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
  Type *Size = B.getInt64Ty(), *Pointer = B.getPtrTy();
  FunctionCallee Sort = M.getOrInsertFunction("qsort", B.getVoidTy(), Pointer, Size, Size, Pointer);
  const uint64_t Bytes = M.getDataLayout().getTypeAllocSize(T).getFixedValue();
  Value *Extent =
      B.CreateSub(B.CreatePtrToInt(F->getArg(1), Size), B.CreatePtrToInt(F->getArg(0), Size));
  Value *Count = B.CreateExactUDiv(Extent, B.getInt64(Bytes));
  B.CreateCall(Sort, {F->getArg(0), Count, B.getInt64(Bytes), orderOf(M, T, Suffix)});
  B.CreateRetVoid();
  return F;
}

} // namespace

Function *bodyOf(const Function &F) {
  enum class Known { None, ReleaseWeak, Lock, SortFloat, SortDouble };
  if (!F.isDeclaration())
    return nullptr;
  const Known Which =
      StringSwitch<Known>(F.getName())
          .Case("_ZNSt3__119__shared_weak_count14__release_weakEv", Known::ReleaseWeak)
          .Case("_ZNSt3__119__shared_weak_count4lockEv", Known::Lock)
          .StartsWith("_ZNSt3__16__sortIRNS_6__lessIffEEPf", Known::SortFloat)
          .StartsWith("_ZNSt3__16__sortIRNS_6__lessIddEEPd", Known::SortDouble)
          .Default(Known::None);
  // The module is changed, the function is not: it stays what the program itself calls.
  Module &M = *const_cast<Module *>(F.getParent());
  LLVMContext &Context = M.getContext();
  switch (Which) {
  case Known::None:
    return nullptr;
  case Known::ReleaseWeak:
    return F.arg_size() == 1 ? releaseWeak(M, F.getFunctionType()) : nullptr;
  case Known::Lock:
    return F.arg_size() == 1 ? lock(M, F.getFunctionType()) : nullptr;
  case Known::SortFloat:
    return F.arg_size() == 3 ? sort(M, F.getFunctionType(), Type::getFloatTy(Context), "f")
                             : nullptr;
  case Known::SortDouble:
    return F.arg_size() == 3 ? sort(M, F.getFunctionType(), Type::getDoubleTy(Context), "d")
                             : nullptr;
  }
  llvm_unreachable("all bodies are known");
}

} // namespace contraflow
