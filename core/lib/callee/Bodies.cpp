// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries keep a few functions in their binaries that move or free what is differentiated:
//
//   control->__release_weak()         if (control->weak_owners-- == 0)
//   control->on_zero_shared_weak()
//   control->lock()                   if (control->owners != -1) ++control->owners, result =
//   control
//   __sort<less<double>>(b, e, _)     qsort(b, e - b, sizeof(double), order)
//   qsort_r(y, n, size, f, c)         qsort(y, n, size, order_with(f, c)); order_done()
//   lsearch(k, y, n, size, f)         lfind(...), or memcpy(y + size * (*n)++, k, size)
//
// or call what the program gave them,
//
//   pthread_once(flag, f)             if (*flag is not 2) f(), *flag = 2
//   std::__call_once(flag, p, f)      if (*flag == 0) f(p), *flag = ~0
//                                     under a mutex where several threads may come at once
//   __once_proxy()                    std::__once_call()
//   _Result_base(), ~_Result_base()   of futures: an exception_ptr
//
// or mix the bits of what may be a number,
//
//   htonl(x)                          bswap(x), where the target's first byte is the lowest
//
// or fill it. A number that was read has no derivative; where none was read, the old one stays:
//
//   in >> x                           t = mark; in >> t; if (t is not the mark) x = t

#include "Bodies.h"
#include "LongComplex.h"
#include "MixedDots.h"
#include "Resources.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr int64_t Owners = 8;          ///< in a control block, behind its table; -1: none
constexpr int64_t WeakOwners = 16;     ///< behind that
constexpr int64_t OnZeroWeakSlot = 32; ///< in its table

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

/// What is not found is appended.
Function *findOrAppend(Module &M, FunctionType *T) {
  Function *F = ownFunction(M, "cf.body.lsearch", T);
  if (!F->empty())
    return F;
  LLVMContext &Context = M.getContext();
  BasicBlock *Append = BasicBlock::Create(Context, "append", F);
  BasicBlock *Done = BasicBlock::Create(Context, "done", F);
  IRBuilder<> B(BasicBlock::Create(Context, "entry", F, Append));
  Value *Key = F->getArg(0), *Array = F->getArg(1), *Count = F->getArg(2), *Size = F->getArg(3);
  CallInst *Found =
      B.CreateCall(M.getOrInsertFunction("lfind", T), {Key, Array, Count, Size, F->getArg(4)});
  BasicBlock *Entry = B.GetInsertBlock();
  B.CreateCondBr(B.CreateIsNull(Found), Append, Done);
  B.SetInsertPoint(Append);
  Value *Old = B.CreateLoad(Size->getType(), Count);
  Value *Last = B.CreatePtrAdd(Array, B.CreateMul(Old, Size));
  B.CreateMemCpy(Last, MaybeAlign(), Key, MaybeAlign(), Size);
  B.CreateStore(B.CreateAdd(Old, ConstantInt::get(Old->getType(), 1)), Count);
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  PHINode *Place = B.CreatePHI(T->getReturnType(), 2);
  Place->addIncoming(Found, Entry);
  Place->addIncoming(Last, Append);
  B.CreateRet(Place);
  return F;
}

Function *sortWith(Module &M, FunctionType *Like) {
  Function *F = ownFunction(M, "cf.body.qsort_r", Like);
  if (!F->empty())
    return F;
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
  Type *Void = B.getVoidTy(), *Size = Like->getParamType(1), *Pointer = B.getPtrTy();
  FunctionCallee With = M.getOrInsertFunction("cf_v1_order_with", Pointer, Pointer, Pointer);
  FunctionCallee Sort = M.getOrInsertFunction("qsort", Void, Pointer, Size, Size, Pointer);
  Value *Order = B.CreateCall(With, {F->getArg(3), F->getArg(4)});
  B.CreateCall(Sort, {F->getArg(0), F->getArg(1), F->getArg(2), Order});
  B.CreateCall(M.getOrInsertFunction("cf_v1_order_done", Void));
  B.CreateRetVoid();
  return F;
}

/// Where several threads may come at once, somebody has to wait.
bool mayMeet(const Module &M) {
  return M.getFunction("__kmpc_fork_call") || M.getFunction("__kmpc_fork_call_if");
}

/// A mutex of POSIX that one thread may take several times, as glibc initialises it.
GlobalVariable *recursiveMutex(Module &M) {
  constexpr StringLiteral Name = "cf.body.once_mutex";
  constexpr unsigned Words = 16, KindWord = 4, Recursive = 1;
  if (GlobalVariable *G = M.getGlobalVariable(Name, /*AllowInternal=*/true))
    return G;
  SmallVector<uint32_t, Words> Initial(Words, 0);
  Initial[KindWord] = Recursive;
  Constant *Init = ConstantDataArray::get(M.getContext(), Initial);
  auto *G = new GlobalVariable(M, Init->getType(), /*isConstant=*/false,
                               GlobalValue::InternalLinkage, Init, Name);
  G->setAlignment(Align(16));
  return G;
}

/// What leaves F by an exception gives the mutex back first: the next one runs what was not done.
void unlockOnThrow(Function &F, GlobalVariable &Mutex, FunctionCallee Unlock) {
  Function *Personality = F.getParent()->getFunction("__gxx_personality_v0");
  if (!Personality) // nothing in the module knows of exceptions
    return;
  SmallVector<CallInst *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && !is_contained(Call->args(), &Mutex))
      Calls.push_back(Call);
  F.setPersonalityFn(Personality);
  BasicBlock *Thrown = BasicBlock::Create(F.getContext(), "thrown", &F);
  IRBuilder<> B(Thrown);
  LandingPadInst *Pad = B.CreateLandingPad(StructType::get(B.getPtrTy(), B.getInt32Ty()), 0);
  Pad->setCleanup(true);
  B.CreateCall(Unlock, {&Mutex});
  B.CreateResume(Pad);
  for (CallInst *Call : Calls)
    changeToInvokeAndSplitBasicBlock(Call, Thrown);
}

/// Runs what is given once: Call makes the call behind a flag of type T; Done: what it is then.
Function *once(Module &M, FunctionType *Like, Type *T, uint64_t Done,
               function_ref<void(IRBuilder<> &, Function &)> Call) {
  Function *F = ownFunction(M, T->isIntegerTy(32) ? "cf.body.once" : "cf.body.call_once", Like);
  if (!F->empty())
    return F;
  LLVMContext &Context = M.getContext();
  BasicBlock *First = BasicBlock::Create(Context, "first", F);
  BasicBlock *Behind = BasicBlock::Create(Context, "behind", F);
  IRBuilder<> B(BasicBlock::Create(Context, "entry", F, First));
  Value *Flag = F->getArg(0);
  GlobalVariable *Mutex = mayMeet(M) ? recursiveMutex(M) : nullptr;
  auto Use = [&](StringRef Function) {
    if (Mutex)
      B.CreateCall(M.getOrInsertFunction(Function, B.getInt32Ty(), B.getPtrTy()), {Mutex});
  };
  Use("pthread_mutex_lock");
  B.CreateCondBr(B.CreateICmpEQ(B.CreateLoad(T, Flag), ConstantInt::get(T, Done)), Behind, First);
  B.SetInsertPoint(First);
  Call(B, *F);
  B.CreateStore(ConstantInt::get(T, Done), Flag);
  B.CreateBr(Behind);
  B.SetInsertPoint(Behind);
  Use("pthread_mutex_unlock");
  Like->getReturnType()->isVoidTy() ? B.CreateRetVoid()
                                    : B.CreateRet(Constant::getNullValue(Like->getReturnType()));
  if (Mutex)
    unlockOnThrow(*F, *Mutex,
                  M.getOrInsertFunction("pthread_mutex_unlock", B.getInt32Ty(), B.getPtrTy()));
  return F;
}

/// if (f == __once_proxy) __once_proxy(); else f(): the body of that one is known where it is
/// named.
void callNamed(IRBuilder<> &B, Value *Callee, Function &Named) {
  Function &F = *B.GetInsertBlock()->getParent();
  LLVMContext &Context = F.getContext();
  BasicBlock *Yes = BasicBlock::Create(Context, "named", &F);
  BasicBlock *No = BasicBlock::Create(Context, "other", &F);
  BasicBlock *After = BasicBlock::Create(Context, "after", &F);
  auto *T = FunctionType::get(B.getVoidTy(), false);
  B.CreateCondBr(B.CreateICmpEQ(Callee, &Named), Yes, No);
  B.SetInsertPoint(Yes);
  B.CreateCall(T, &Named);
  B.CreateBr(After);
  B.SetInsertPoint(No);
  B.CreateCall(T, Callee);
  B.CreateBr(After);
  B.SetInsertPoint(After);
}

Function *posixOnce(Module &M, FunctionType *Like) {
  return once(M, Like, Type::getInt32Ty(M.getContext()), 2, [&](IRBuilder<> &B, Function &F) {
    if (Function *Proxy = M.getFunction("__once_proxy"); Proxy && Proxy->isDeclaration())
      callNamed(B, F.getArg(1), *Proxy);
    else
      B.CreateCall(FunctionType::get(B.getVoidTy(), false), F.getArg(1));
  });
}

Function *callOnce(Module &M, FunctionType *Like) {
  return once(M, Like, Type::getInt64Ty(M.getContext()), ~uint64_t(0),
              [](IRBuilder<> &B, Function &F) {
                auto *T = FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false);
                B.CreateCall(T, F.getArg(2), {F.getArg(1)});
              });
}

Function *onceProxy(Module &M, FunctionType *Like) {
  GlobalVariable *Callee = M.getGlobalVariable("_ZSt11__once_call");
  if (!Callee || !Callee->isThreadLocal())
    return nullptr;
  Function *F = ownFunction(M, "cf.body.once_proxy", Like);
  if (!F->empty())
    return F;
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
  B.CreateCall(FunctionType::get(B.getVoidTy(), false),
               B.CreateLoad(B.getPtrTy(), B.CreateThreadLocalAddress(Callee)));
  B.CreateRetVoid();
  return F;
}

constexpr uint64_t ResultError = 8; ///< in a result, behind its table

/// The table is set by the constructors of the classes derived from it.
Function *resultBegins(Module &M, FunctionType *Like) {
  Function *F = ownFunction(M, "cf.body.result", Like);
  if (!F->empty())
    return F;
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
  Value *Result = F->getArg(0);
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()),
                B.CreatePtrAdd(Result, B.getInt64(ResultError)));
  B.CreateRetVoid();
  return F;
}

Function *resultEnds(Module &M, FunctionType *Like) {
  Function *F = ownFunction(M, "cf.body.result_end", Like);
  if (!F->empty())
    return F;
  LLVMContext &Context = M.getContext();
  BasicBlock *Held = BasicBlock::Create(Context, "held", F);
  BasicBlock *Done = BasicBlock::Create(Context, "done", F);
  IRBuilder<> B(BasicBlock::Create(Context, "entry", F, Held));
  Value *Error = B.CreatePtrAdd(F->getArg(0), B.getInt64(ResultError));
  B.CreateCondBr(B.CreateIsNull(B.CreateLoad(B.getPtrTy(), Error)), Done, Held);
  B.SetInsertPoint(Held);
  B.CreateCall(M.getOrInsertFunction("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv",
                                     B.getVoidTy(), B.getPtrTy()),
               {Error});
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  return F;
}

/// A NaN that no text stands for.
constexpr uint64_t MarkDouble = 0x7ff9c0f7a0f10b01, MarkFloat = 0x7fd9c0f7;

Function *extract(Module &M, const Function &Original, Type *T) {
  Function *F = ownFunction(M, "cf.body.extract." + Original.getName(), Original.getFunctionType());
  if (!F->empty())
    return F;
  LLVMContext &Context = M.getContext();
  BasicBlock *Read = BasicBlock::Create(Context, "read", F);
  BasicBlock *Done = BasicBlock::Create(Context, "done", F);
  IRBuilder<> B(BasicBlock::Create(Context, "entry", F, Read));
  Type *Bits = B.getIntNTy(T->getPrimitiveSizeInBits());
  Constant *Mark = ConstantInt::get(Bits, T->isDoubleTy() ? MarkDouble : MarkFloat);
  Value *Number = B.CreateAlloca(T);
  B.CreateStore(ConstantExpr::getBitCast(Mark, T), Number);
  CallInst *Stream = B.CreateCall(M.getFunction(Original.getName()), {F->getArg(0), Number});
  Stream->addFnAttr(Attribute::get(Context, OriginalCall));
  Value *New = B.CreateLoad(T, Number);
  B.CreateCondBr(B.CreateICmpEQ(B.CreateBitCast(New, Bits), Mark), Done, Read);
  B.SetInsertPoint(Read);
  B.CreateStore(New, F->getArg(1));
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRet(Stream);
  return F;
}

/// Bytes as they travel, the highest one first.
Function *networkOrder(Module &M, FunctionType *T) {
  const unsigned Bits = T->getReturnType()->getIntegerBitWidth();
  Function *F = ownFunction(M, "cf.body.network_order." + Twine(Bits), T);
  if (!F->empty())
    return F;
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
  Value *V = F->getArg(0);
  const bool Swaps = M.getDataLayout().isLittleEndian();
  B.CreateRet(Swaps ? B.CreateUnaryIntrinsic(Intrinsic::bswap, V) : V);
  return F;
}

bool isWord(const FunctionType &T) {
  Type *Word = T.getReturnType();
  return (Word->isIntegerTy(16) || Word->isIntegerTy(32)) && T.getParamType(0) == Word;
}

enum class Known {
  None,
  NetworkOrder,
  ReleaseWeak,
  Lock,
  SortFloat,
  SortDouble,
  SortWith,
  FindOrAppend,
  Once,
  CallOnce,
  OnceProxy,
  ResultBegins,
  ResultEnds,
  ExtractFloat,
  ExtractDouble
};

Known knownBody(const Function &F) {
  return StringSwitch<Known>(F.getName())
      .Case("_ZNSt3__119__shared_weak_count14__release_weakEv", Known::ReleaseWeak)
      .Case("_ZNSt3__119__shared_weak_count4lockEv", Known::Lock)
      .StartsWith("_ZNSt3__16__sortIRNS_6__lessIffEEPf", Known::SortFloat)
      .StartsWith("_ZNSt3__16__sortIRNS_6__lessIddEEPd", Known::SortDouble)
      .Cases({"htonl", "ntohl", "htons", "ntohs"}, Known::NetworkOrder)
      .Case("qsort_r", Known::SortWith)
      .Case("lsearch", Known::FindOrAppend)
      .Case("pthread_once", Known::Once)
      .Case("_ZNSt3__111__call_onceERVmPvPFvS2_E", Known::CallOnce)
      .Case("__once_proxy", Known::OnceProxy)
      .Cases({"_ZNSt13__future_base12_Result_baseC1Ev", "_ZNSt13__future_base12_Result_baseC2Ev"},
             Known::ResultBegins)
      .Cases({"_ZNSt13__future_base12_Result_baseD1Ev", "_ZNSt13__future_base12_Result_baseD2Ev"},
             Known::ResultEnds)
      .Cases({"_ZNSi10_M_extractIfEERSiRT_", "_ZNSirsERf",
              "_ZNSt3__113basic_istreamIcNS_11char_traitsIcEEErsERf"},
             Known::ExtractFloat)
      .Cases({"_ZNSi10_M_extractIdEERSiRT_", "_ZNSirsERd",
              "_ZNSt3__113basic_istreamIcNS_11char_traitsIcEEErsERd"},
             Known::ExtractDouble)
      .Default(Known::None);
}

unsigned parametersOf(Known Which) {
  switch (Which) {
  case Known::None:
  case Known::OnceProxy:
    return 0;
  case Known::NetworkOrder:
  case Known::ReleaseWeak:
  case Known::Lock:
  case Known::ResultBegins:
  case Known::ResultEnds:
    return 1;
  case Known::Once:
  case Known::ExtractFloat:
  case Known::ExtractDouble:
    return 2;
  case Known::SortFloat:
  case Known::SortDouble:
  case Known::CallOnce:
    return 3;
  case Known::SortWith:
  case Known::FindOrAppend:
    return 5;
  }
  llvm_unreachable("all bodies are known");
}

} // namespace

Function *ownFunction(Module &M, const Twine &Name, FunctionType *T) {
  SmallString<64> Buffer;
  const StringRef Full = Name.toStringRef(Buffer);
  if (Function *F = M.getFunction(Full))
    return F;
  return Function::Create(T, GlobalValue::InternalLinkage, Full, M);
}

Function *bodyOf(const Function &F) {
  for (auto *Other : {resourceBodyOf, mixedDotBodyOf, longComplexBodyOf})
    if (Function *Body = Other(F))
      return Body;
  const Known Which = F.isDeclaration() ? knownBody(F) : Known::None;
  if (Which == Known::None || F.arg_size() != parametersOf(Which))
    return nullptr;
  // The module is changed, the function is not: it stays what the program itself calls.
  Module &M = *const_cast<Module *>(F.getParent());
  FunctionType *T = F.getFunctionType();
  Type *Float = Type::getFloatTy(M.getContext()), *Double = Type::getDoubleTy(M.getContext());
  switch (Which) {
  case Known::None:
    return nullptr;
  case Known::NetworkOrder:
    return isWord(*T) ? networkOrder(M, T) : nullptr;
  case Known::ReleaseWeak:
    return releaseWeak(M, T);
  case Known::Lock:
    return lock(M, T);
  case Known::SortFloat:
    return sort(M, T, Float, "f");
  case Known::SortDouble:
    return sort(M, T, Double, "d");
  case Known::SortWith:
    return sortWith(M, T);
  case Known::FindOrAppend:
    return T->getParamType(3)->isIntegerTy() && T->getReturnType()->isPointerTy()
               ? findOrAppend(M, T)
               : nullptr;
  case Known::Once:
    return posixOnce(M, T);
  case Known::CallOnce:
    return callOnce(M, T);
  case Known::OnceProxy:
    return onceProxy(M, T);
  case Known::ResultBegins:
    return resultBegins(M, T);
  case Known::ResultEnds:
    return resultEnds(M, T);
  case Known::ExtractFloat:
    return extract(M, F, Float);
  case Known::ExtractDouble:
    return extract(M, F, Double);
  }
  llvm_unreachable("all bodies are known");
}

} // namespace contraflow
