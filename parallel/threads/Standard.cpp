// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C libraries of Linux make their threads, mutexes and condition variables of those of POSIX,
// in the same memory. So a call of one is a call of the other; what differs is written out:
//
//   thrd_create(&t, f, p)     start(p) { return (void *)(intptr_t)f(p); }
//                             status(pthread_create(&t, NULL, start, p))
//   thrd_join(t, &r)          e = status(pthread_join(t, &result)), r = (int)(intptr_t)result
//   cnd_wait(&c, &m)          status(pthread_cond_wait(&c, &m))
//
// A function that is not named where the thread is made goes with its argument in memory of the
// new thread.

#include "parallel/threads/Register.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow::threads {
namespace {

enum class Form { Create, Join, Exit, Status, Same };

struct Row {
  StringLiteral Name, Posix;
  Form How;
};

/// C11, section 7.26.
constexpr Row Rows[] = {
    {"thrd_create", "pthread_create", Form::Create},
    {"thrd_join", "pthread_join", Form::Join},
    {"thrd_exit", "pthread_exit", Form::Exit},
    {"thrd_detach", "pthread_detach", Form::Status},
    {"thrd_current", "pthread_self", Form::Same},
    {"thrd_yield", "sched_yield", Form::Same},
    {"cnd_wait", "pthread_cond_wait", Form::Status},
    {"cnd_timedwait", "pthread_cond_timedwait", Form::Status},
    {"cnd_signal", "pthread_cond_signal", Form::Status},
    {"cnd_broadcast", "pthread_cond_broadcast", Form::Status},
    {"call_once", "pthread_once", Form::Same},
};

/// A function of the program may have the name of one.
bool isLike(const FunctionType &T, const Row &R) {
  auto IsWord = [](Type *P) { return P->isPointerTy() || P->isIntegerTy(); };
  const bool ReturnsStatus = R.How != Form::Exit && R.How != Form::Same;
  const unsigned Parameters = T.getNumParams();
  return !T.isVarArg() && all_of(T.params(), IsWord) &&
         (!ReturnsStatus || T.getReturnType()->isIntegerTy(32)) &&
         (R.How == Form::Create ? Parameters == 3
          : R.How == Form::Join ? Parameters == 2
                                : R.How != Form::Exit || Parameters == 1);
}

const Row *rowOf(const Function &F) {
  const Row *R = find_if(Rows, [&](const Row &Of) { return F.getName() == Of.Name; });
  return F.isDeclaration() && R != std::end(Rows) && isLike(*F.getFunctionType(), *R) ? R : nullptr;
}

/// thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout for an error number of Linux.
Value *statusOf(IRBuilder<> &B, Value *Error) {
  constexpr std::pair<int, int> Statuses[] = {{0, 0}, {12, 3}, {16, 1}, {110, 4}};
  Value *Status = B.getInt32(2);
  for (auto [Number, Is] : Statuses)
    Status = B.CreateSelect(B.CreateICmpEQ(Error, B.getInt32(Number)), B.getInt32(Is), Status);
  return Status;
}

CallInst *callPosix(IRBuilder<> &B, const Row &R, Type *Result, ArrayRef<Value *> Arguments) {
  SmallVector<Type *, 4> Types;
  for (const Value *V : Arguments)
    Types.push_back(V->getType());
  Module &M = *B.GetInsertBlock()->getModule();
  return B.CreateCall(M.getOrInsertFunction(R.Posix, FunctionType::get(Result, Types, false)),
                      Arguments);
}

/// Runs Callee, whose result is an int, as a thread does whose result is an address.
void runAsThread(IRBuilder<> &B, Value *Callee, Value *Argument) {
  auto *T = FunctionType::get(B.getInt32Ty(), {B.getPtrTy()}, false);
  Value *Result = B.CreateCall(T, Callee, {Argument});
  B.CreateRet(B.CreateIntToPtr(B.CreateSExt(Result, B.getInt64Ty()), B.getPtrTy()));
}

/// True if F is nothing but what threads begin with.
bool isStart(const Function &F) {
  return F.getReturnType()->isIntegerTy(32) && !F.use_empty() && all_of(F.uses(), [](const Use &U) {
           const auto *Call = dyn_cast<CallBase>(U.getUser());
           const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
           const Row *R = Callee ? rowOf(*Callee) : nullptr;
           return R && R->How == Form::Create && Call->isArgOperand(&U);
         });
}

SmallVector<CallInst *, 2> endsOfThread(Function &F) {
  SmallVector<CallInst *, 2> Ends;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    const Row *R = Callee ? rowOf(*Callee) : nullptr;
    if (R && R->How == Form::Exit)
      Ends.push_back(Call);
  }
  return Ends;
}

/// There, the end of the thread is the end of the function. What other files may call stays.
void returnWhereThreadEnds(Function &F) {
  if (endsOfThread(F).empty())
    return;
  ValueToValueMapTy Map;
  Function *Start = F.hasLocalLinkage() ? &F : CloneFunction(&F, Map);
  if (Start != &F) {
    Start->setLinkage(GlobalValue::InternalLinkage);
    Start->setComdat(nullptr);
    F.replaceAllUsesWith(Start);
  }
  for (CallInst *Call : endsOfThread(*Start)) {
    BasicBlock *Block = Call->getParent();
    Block->splitBasicBlock(Call->getIterator());
    Block->getTerminator()->eraseFromParent();
    ReturnInst::Create(F.getContext(), Call->getArgOperand(0), Block)
        ->setDebugLoc(Call->getDebugLoc());
  }
  removeUnreachableBlocks(*Start);
}

/// The function by this name that a thread begins with, empty the first time.
Function *startNamed(Module &M, const Twine &Name) {
  if (Function *Made = M.getFunction(Name.str()))
    return Made;
  Type *Pointer = PointerType::getUnqual(M.getContext());
  return Function::Create(FunctionType::get(Pointer, {Pointer}, false),
                          GlobalValue::InternalLinkage, Name, M);
}

Function *startOf(Module &M, Function &F) {
  Function *Start = startNamed(M, "cf.start." + F.getName());
  if (!Start->empty())
    return Start;
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", Start));
  runAsThread(B, &F, Start->getArg(0));
  return Start;
}

constexpr int64_t Word = 8;

/// The start of a thread whose argument leads to {function, argument}.
Function *startOfAny(Module &M) {
  Function *Start = startNamed(M, "cf.start");
  if (!Start->empty())
    return Start;
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", Start));
  Value *Both = Start->getArg(0);
  Value *Callee = B.CreateLoad(B.getPtrTy(), Both);
  Value *Argument = B.CreateLoad(B.getPtrTy(), B.CreatePtrAdd(Both, B.getInt64(Word)));
  B.CreateFree(Both);
  runAsThread(B, Callee, Argument);
  return Start;
}

Value *create(IRBuilder<> &B, const Row &R, CallBase &Call) {
  Module &M = *Call.getModule();
  Value *Thread = Call.getArgOperand(0), *Callee = Call.getArgOperand(1),
        *Argument = Call.getArgOperand(2);
  Function *Start = nullptr;
  if (auto *F = dyn_cast<Function>(Callee)) {
    Start = startOf(M, *F);
  } else {
    Start = startOfAny(M);
    Value *Both = B.CreateMalloc(B.getInt64Ty(), B.getInt8Ty(), B.getInt64(2 * Word), nullptr);
    B.CreateStore(Callee, Both);
    B.CreateStore(Argument, B.CreatePtrAdd(Both, B.getInt64(Word)));
    Argument = Both;
  }
  Value *Attributes = ConstantPointerNull::get(B.getPtrTy());
  return statusOf(B, callPosix(B, R, B.getInt32Ty(), {Thread, Attributes, Start, Argument}));
}

/// Nobody may want the result.
Value *join(IRBuilder<> &B, const Row &R, CallBase &Call) {
  Value *Wanted = Call.getArgOperand(1);
  if (isa<ConstantPointerNull>(Wanted))
    return statusOf(B, callPosix(B, R, B.getInt32Ty(), {Call.getArgOperand(0), Wanted}));
  BasicBlock &Entry = Call.getFunction()->getEntryBlock();
  IRBuilder<> First(&Entry, Entry.begin());
  AllocaInst *Left = First.CreateAlloca(B.getPtrTy()),
             *Ignored = First.CreateAlloca(B.getInt32Ty());
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), Left);
  Value *Error = callPosix(B, R, B.getInt32Ty(), {Call.getArgOperand(0), Left});
  Value *Result = B.CreatePtrToInt(B.CreateLoad(B.getPtrTy(), Left), B.getInt64Ty());
  B.CreateStore(B.CreateTrunc(Result, B.getInt32Ty()),
                B.CreateSelect(B.CreateIsNull(Wanted), Ignored, Wanted));
  return statusOf(B, Error);
}

/// What takes the place of a call; null: nothing needs its result.
Value *write(IRBuilder<> &B, const Row &R, CallBase &Call) {
  switch (R.How) {
  case Form::Create:
    return create(B, R, Call);
  case Form::Join:
    return join(B, R, Call);
  case Form::Exit:
    callPosix(B, R, B.getVoidTy(),
              {B.CreateIntToPtr(B.CreateSExt(Call.getArgOperand(0), B.getInt64Ty()), B.getPtrTy())})
        ->setDoesNotReturn();
    return nullptr;
  case Form::Status:
    return statusOf(B, callPosix(B, R, B.getInt32Ty(), SmallVector<Value *, 4>(Call.args())));
  case Form::Same: {
    Type *Result = Call.getType()->isVoidTy() ? B.getInt32Ty() : Call.getType();
    Value *V = callPosix(B, R, Result, SmallVector<Value *, 4>(Call.args()));
    return Call.getType()->isVoidTy() ? nullptr : V;
  }
  }
  llvm_unreachable("all forms are known");
}

} // namespace

void useThreadsOfPosix(Module &M) {
  if (!M.getTargetTriple().isOSLinux())
    return;
  SmallVector<Function *, 4> Starts;
  for (Function &F : M)
    if (!F.isDeclaration() && isStart(F))
      Starts.push_back(&F);
  for (Function *F : Starts)
    returnWhereThreadEnds(*F);
  for (const Row &R : Rows) {
    Function *F = M.getFunction(R.Name);
    if (!F || !rowOf(*F))
      continue;
    for (User *U : make_early_inc_range(F->users())) {
      auto *Site = dyn_cast<CallBase>(U);
      if (!Site || Site->getCalledFunction() != F || isa<CallBrInst>(Site) ||
          (R.How == Form::Exit && is_contained(Starts, Site->getFunction())))
        continue;
      auto *Invoke = dyn_cast<InvokeInst>(Site); // they are functions of C
      CallInst *Call = Invoke ? changeToCall(Invoke) : cast<CallInst>(Site);
      IRBuilder<> B(Call);
      if (Value *Instead = write(B, R, *Call))
        Call->replaceAllUsesWith(Instead);
      Call->eraseFromParent();
    }
  }
}

} // namespace contraflow::threads
