// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function throws and catches itself, once its callees are inlined, is control flow like any
// other: a branch to the code behind the landing pad. The exception itself stays one: a function of
// our own throws it, catches it by the clauses of the landing pad, and says which of them fits.
//
//   invoke @__cxa_throw(%e, @type, @end)             call @cf.exception.raise(%e, @type, @end)
//       to %dead unwind %pad                   ->    %s = call @cf.exception.selector()
//   pad:  landingpad ... catch @type                 br %handler
//   handler:  %p = call @__cxa_begin_catch(%e)       handler:  call @cf.exception.begin(%e) ; %p =
//   %e
//
// Between throw and catch the exception is named by the address of its object, which has a shadow
// like all memory. Where the handler sees another address, since it catches a base that is not the
// first, it is one of those that the class is known to have; otherwise the program ends (CF308).
// What std::exception_ptr keeps and throws again: KeptExceptions.cpp.
// What the landing pad catches of functions that stay calls is not seen.

#include "Catches.h"
#include "Indirect.h"
#include "KeptExceptions.h"
#include "callee/Exceptions.h"
#include "contraflow/core/Callee.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {

/// What cf.exception.begin returns for a pointer that was thrown.
constexpr int64_t IsPointer = int64_t(1) << 62;
constexpr StringLiteral RaiseName = "cf.exception.raise";
constexpr StringLiteral CaughtKind = "contraflow.caught"; ///< metadata of Rooms::Caught
constexpr unsigned MostPhis = 1024; ///< from a use of an exception to where it comes from

/// Variables of a function that catches.
struct Catches::Rooms {
  AllocaInst *Object, *Selector; ///< of what is on its way to a handler
  AllocaInst *Caught;            ///< the object that was caught last
};

bool catches(const LandingPadInst &Pad) {
  bool Catches = false;
  for (unsigned I = 0; I < Pad.getNumClauses(); ++I)
    Catches |= Pad.isCatch(I);
  if (!Catches)
    return false;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Todo{Pad.getParent()};
  while (!Todo.empty()) {
    const BasicBlock *B = Todo.pop_back_val();
    if (!Seen.insert(B).second)
      continue;
    if (isa<ReturnInst>(B->getTerminator()))
      return true;
    append_range(Todo, successors(B));
  }
  return false;
}

bool isOfCaught(const CallBase &Call) {
  const auto *Object = Call.arg_empty() ? nullptr : dyn_cast<CallBase>(Call.getArgOperand(0));
  return Object && exceptionStep(*Object) == ExceptionStep::BeginCatch;
}

static Type *exceptionType(LLVMContext &Context) {
  return StructType::get(Context, {PointerType::getUnqual(Context), Type::getInt32Ty(Context)});
}

static bool isRaise(const Function &F) { return F.getName().starts_with(RaiseName); }

static bool throws(const InvokeInst &Invoke) {
  const LandingPadInst *Pad = Invoke.getLandingPadInst();
  for (unsigned I = 0; I < Pad->getNumClauses(); ++I)
    if (Pad->isFilter(I))
      return false;
  if (exceptionStep(Invoke) == ExceptionStep::Kept && !keptAt(Invoke))
    return false;
  return lookupCallee(Invoke).Kind == CalleeKind::NoReturn && Invoke.getType()->isVoidTy() &&
         catches(*Pad);
}

/// A function of our own, with one block.
static Function *begin(Module &M, StringRef Name, Type *Result, ArrayRef<Type *> Params) {
  Function *F = Function::Create(FunctionType::get(Result, Params, false),
                                 GlobalValue::InternalLinkage, Name, M);
  BasicBlock::Create(M.getContext(), "entry", F);
  return F;
}

static FunctionCallee library(Module &M, ExceptionStep Step, Type *Result,
                              ArrayRef<Type *> Params) {
  return M.getOrInsertFunction(nameOf(Step), FunctionType::get(Result, Params, false));
}

/// Which handler the last exception goes to; set by what raises it.
static GlobalVariable *selectorVariable(Module &M) {
  constexpr StringLiteral Name = "cf.exception.selected";
  if (GlobalVariable *G = M.getGlobalVariable(Name, /*AllowInternal=*/true))
    return G;
  Type *T = Type::getInt32Ty(M.getContext());
  auto *G =
      new GlobalVariable(M, T, false, GlobalValue::InternalLinkage, ConstantInt::get(T, 0), Name);
  G->setThreadLocal(true);
  return G;
}

static Function *selectorFunction(Module &M) {
  constexpr StringLiteral Name = "cf.exception.selector";
  if (Function *F = M.getFunction(Name))
    return F;
  Type *T = Type::getInt32Ty(M.getContext());
  Function *F = begin(M, Name, T, {});
  F->setDoesNotThrow();
  IRBuilder<> B(&F->getEntryBlock());
  B.CreateRet(B.CreateLoad(T, B.CreateThreadLocalAddress(selectorVariable(M))));
  return F;
}

/// The distance from the object thrown to what the handler sees; Step: BeginCatch or Find.
static Function *beginFunction(Module &M, ExceptionStep Step) {
  const StringRef Name = Step == ExceptionStep::Find ? "cf.exception.find" : "cf.exception.begin";
  if (Function *F = M.getFunction(Name))
    return F;
  Type *Pointer = PointerType::getUnqual(M.getContext());
  Function *F =
      begin(M, Name, Type::getInt64Ty(M.getContext()), {Pointer, Type::getInt1Ty(M.getContext())});
  F->setDoesNotThrow();
  IRBuilder<> B(&F->getEntryBlock());
  Value *Object = F->getArg(0);
  Value *Header = headerOf(B, *Object);
  Value *Seen = B.CreateCall(library(M, Step, Pointer, {Pointer}), {Header});
  BasicBlock *Look = BasicBlock::Create(M.getContext(), "look", F);
  BasicBlock *Plain = BasicBlock::Create(M.getContext(), "plain", F);
  B.CreateCondBr(F->getArg(1), Look, Plain);
  B.SetInsertPoint(Plain);
  Value *Distance =
      B.CreateSub(B.CreatePtrToInt(Seen, B.getInt64Ty()), B.CreatePtrToInt(Object, B.getInt64Ty()));
  B.CreateRet(Distance);
  B.SetInsertPoint(Look);
  Value *Held = B.CreateICmpEQ(B.CreateLoad(Pointer, Object), Seen);
  Value *Far =
      B.CreateSub(B.CreatePtrToInt(Seen, B.getInt64Ty()), B.CreatePtrToInt(Object, B.getInt64Ty()));
  B.CreateRet(B.CreateSelect(Held, B.getInt64(IsPointer), Far));
  return F;
}

static Function *endFunction(Module &M) {
  constexpr StringLiteral Name = "cf.exception.end";
  if (Function *F = M.getFunction(Name))
    return F;
  Type *Void = Type::getVoidTy(M.getContext());
  Function *F = begin(M, Name, Void, {PointerType::getUnqual(M.getContext())});
  F->setDoesNotThrow();
  if (endAlone(M))
    F->addFnAttr(EndsAlone);
  IRBuilder<> B(&F->getEntryBlock());
  B.CreateCall(library(M, ExceptionStep::EndCatch, Void, {}));
  B.CreateRetVoid();
  return F;
}

static Function *allocateFunction(Module &M) {
  if (Function *F = M.getFunction(ExceptionAllocation))
    return F;
  Type *Pointer = PointerType::getUnqual(M.getContext());
  Type *Size = Type::getInt64Ty(M.getContext());
  Function *F = begin(M, ExceptionAllocation, Pointer, {Size});
  F->setDoesNotThrow();
  F->addRetAttr(Attribute::NoAlias);
  IRBuilder<> B(&F->getEntryBlock());
  B.CreateRet(B.CreateCall(library(M, ExceptionStep::Allocate, Pointer, {Size}), {F->getArg(0)}));
  return F;
}

/// An exception that was caught goes on to whoever called the derivative.
static Function *leaveFunction(Module &M, Constant *Personality) {
  constexpr StringLiteral Name = "cf.exception.leave";
  if (Function *F = M.getFunction(Name))
    return F;
  Type *Pointer = PointerType::getUnqual(M.getContext()), *Void = Type::getVoidTy(M.getContext());
  Function *F = begin(M, Name, Void, {Pointer});
  F->setDoesNotReturn();
  F->setPersonalityFn(Personality);
  IRBuilder<> B(&F->getEntryBlock());
  Value *Header = headerOf(B, *F->getArg(0));
  B.CreateCall(library(M, ExceptionStep::BeginCatch, Pointer, {Pointer}), {Header});
  BasicBlock *Dead = BasicBlock::Create(M.getContext(), "dead", F);
  BasicBlock *Pad = BasicBlock::Create(M.getContext(), "pad", F);
  B.CreateInvoke(library(M, ExceptionStep::Rethrow, Void, {}), Dead, Pad);
  B.SetInsertPoint(Dead);
  B.CreateUnreachable();
  B.SetInsertPoint(Pad);
  LandingPadInst *Landing = B.CreateLandingPad(exceptionType(M.getContext()), 0);
  Landing->setCleanup(true);
  B.CreateCall(library(M, ExceptionStep::EndCatch, Void, {}));
  B.CreateResume(Landing);
  return F;
}

/// A virtual call of what(); the message is no business of derivatives.
static Function *messageFunction(Module &M) {
  if (Function *F = M.getFunction(ExceptionMessage))
    return F;
  Type *Pointer = PointerType::getUnqual(M.getContext());
  Function *F = begin(M, ExceptionMessage, Pointer, {Pointer});
  F->setDoesNotThrow();
  IRBuilder<> B(&F->getEntryBlock());
  Value *Table = B.CreateLoad(Pointer, F->getArg(0));
  Value *What = B.CreateLoad(Pointer, B.CreatePtrAdd(Table, B.getInt64(MessageSlot)));
  B.CreateRet(B.CreateCall(FunctionType::get(Pointer, {Pointer}, false), What, {F->getArg(0)}));
  return F;
}

unsigned Catches::numberOf(Constant *Type) {
  return Types.insert({Type, Types.size() + 1}).first->second;
}

/// Which clause of the landing pad it is, by the numbers of the types.
Value *Catches::selectorOf(Function &Raiser, LandingPadInst &Copy) {
  IRBuilder<> B(Copy.getNextNode());
  Value *Real = B.CreateExtractValue(&Copy, 1), *Number = B.getInt32(0);
  Function *NumberInHere = Intrinsic::getOrInsertDeclaration(
      Raiser.getParent(), Intrinsic::eh_typeid_for, {B.getPtrTy()});
  for (unsigned I = Copy.getNumClauses(); I-- > 0;) {
    Constant *Type = Copy.getClause(I);
    if (Type->isNullValue())
      continue;
    Value *Is = B.CreateICmpEQ(Real, B.CreateCall(NumberInHere, {Type}));
    Number = B.CreateSelect(Is, B.getInt32(numberOf(Type)), Number);
  }
  return Number;
}

/// Does what Throw does, catches it as its landing pad would, and returns the object.
Function *Catches::raiser(InvokeInst &Throw) {
  Module &M = *Throw.getModule();
  LLVMContext &Context = M.getContext();
  SmallVector<Type *, 4> Params;
  for (Value *V : Throw.args())
    Params.push_back(V->getType());
  Type *Pointer = PointerType::getUnqual(Context);
  Function *F = begin(M, RaiseName, Pointer, Params);
  F->setDoesNotThrow();
  F->setPersonalityFn(Throw.getFunction()->getPersonalityFn());
  BasicBlock *Dead = BasicBlock::Create(Context, "dead", F);
  BasicBlock *Pad = BasicBlock::Create(Context, "pad", F);
  IRBuilder<> B(&F->getEntryBlock());
  SmallVector<Value *, 4> Args(make_pointer_range(F->args()));
  const ExceptionStep Step = exceptionStep(Throw);
  Value *Place = Step == ExceptionStep::Kept ? keptPlace(B, Throw, *Args[0]) : nullptr;
  if (Step == ExceptionStep::Again) // said of an object, see ThrownResults
    Args[0] = headerOf(B, *B.CreatePtrAdd(Args[0], B.getInt64(UnwindHeader)));
  B.CreateInvoke(Throw.getFunctionType(), Throw.getCalledOperand(), Dead, Pad, Args);
  B.SetInsertPoint(Dead);
  B.CreateUnreachable();
  B.SetInsertPoint(Pad);
  auto *Copy = cast<LandingPadInst>(B.Insert(Throw.getLandingPadInst()->clone()));
  Copy->setDebugLoc(DebugLoc());
  Constant *Anything = ConstantPointerNull::get(B.getPtrTy());
  bool CatchesAll = false;
  for (unsigned I = 0; I < Copy->getNumClauses(); ++I)
    CatchesAll |= Copy->getClause(I)->isNullValue();
  if (!CatchesAll)
    Copy->addClause(Anything);
  ReturnInst *Return = B.CreateRet(Anything);
  Value *Number = selectorOf(*F, *Copy);
  B.SetInsertPoint(Return);
  B.CreateStore(Number, B.CreateThreadLocalAddress(selectorVariable(M)));
  Value *Header = B.CreateExtractValue(Copy, 0);
  Return->setOperand(0, objectOf(B, Step, Place, *Header));
  return F;
}

/// The code behind a landing pad begins with variables, which others may set. From here on the
/// first part of what was caught is the object, since nothing lands on the pad any more.
void Catches::openPad(LandingPadInst &Pad, const Rooms &R) {
  BasicBlock *Block = Pad.getParent();
  for (PHINode &Phi : make_early_inc_range(Block->phis()))
    DemotePHIToStack(&Phi);
  BasicBlock *Behind = Block->splitBasicBlock(Pad.getNextNode(), "cf.caught");
  IRBuilder<> B(Behind, Behind->begin());
  B.SetCurrentDebugLocation(Pad.getDebugLoc());
  Value *Object = B.CreateLoad(B.getPtrTy(), R.Object);
  Value *Number = B.CreateLoad(B.getInt32Ty(), R.Selector);
  Value *Both = B.CreateInsertValue(PoisonValue::get(Pad.getType()), Object, 0);
  Pad.replaceAllUsesWith(B.CreateInsertValue(Both, Number, 1));
  B.SetInsertPoint(Block->getTerminator());
  B.CreateStore(B.CreateExtractValue(&Pad, 0), R.Object);
  B.CreateStore(B.CreateExtractValue(&Pad, 1), R.Selector);
}

/// Ends the program if Failed.
static void failIf(Value *Failed, Instruction &At) {
  IRBuilder<> B(SplitBlockAndInsertIfThen(Failed, At.getIterator(), /*Unreachable=*/true));
  emitFailure(B, At, "caught_exception");
}

/// The descriptions that the type of a throw may be; none if that is not known.
static SmallVector<const Constant *, 2> typesOf(Value &Type) {
  SmallSetVector<Value *, 8> Seen;
  Seen.insert(&Type);
  SmallVector<const Constant *, 2> Types;
  for (unsigned I = 0; I != Seen.size(); ++I) {
    if (auto *C = dyn_cast<Constant>(Seen[I]))
      Types.push_back(C);
    else if (auto *Phi = dyn_cast<PHINode>(Seen[I]))
      Seen.insert_range(Phi->incoming_values());
    else if (auto *Select = dyn_cast<SelectInst>(Seen[I]))
      Seen.insert_range(drop_begin(Select->operand_values()));
    else
      return {};
  }
  return Types;
}

/// Something that M throws somewhere.
void Catches::findAllBases(Module &M) {
  const Function *Throw = M.getFunction(nameOf(ExceptionStep::Throw));
  if (!Throw || std::exchange(KnowsAllBases, true))
    return;
  for (const User *U : Throw->users())
    if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == Throw)
      for (const Constant *Type : typesOf(*Call->getArgOperand(1)))
        findBases(Type, Bases);
}

/// Throw becomes a branch to what is behind its landing pad.
void Catches::raise(InvokeInst &Throw, const Rooms &R) {
  Module &M = *Throw.getModule();
  const ExceptionStep Step = exceptionStep(Throw);
  IRBuilder<> B(&Throw);
  SmallVector<Value *, 4> Args(Throw.args());
  Value *Object = B.CreateCall(raiser(Throw), Args);
  Value *Number = B.CreateCall(selectorFunction(M), {});
  if (Step == ExceptionStep::Throw) {
    Object = Args[0];
    for (const Constant *Type : typesOf(*Args[1]))
      findBases(Type, Bases);
  }
  if (Step == ExceptionStep::Again) {
    Object = B.CreatePtrAdd(Args[0], B.getInt64(UnwindHeader));
    findAllBases(M);
  }
  if (Step == ExceptionStep::Kept) {
    Object = B.CreateLoad(B.getPtrTy(), keptPlace(B, Throw, *Args[0]));
    findAllBases(M);
  }
  if (Step == ExceptionStep::Rethrow) {
    Value *Known = B.CreateLoad(B.getPtrTy(), R.Caught);
    failIf(B.CreateICmpNE(Object, Known), Throw);
    B.SetInsertPoint(&Throw);
    Object = Known;
  }
  B.CreateStore(Object, R.Object);
  B.CreateStore(Number, R.Selector);
  B.CreateBr(Throw.getUnwindDest()->getSingleSuccessor());
  BasicBlock *Block = Throw.getParent();
  Throw.getNormalDest()->removePredecessor(Block);
  Throw.getUnwindDest()->removePredecessor(Block);
  Throw.eraseFromParent();
}

/// The part of Object that begins so far behind it, if that is where a base may lie; else Object.
Value *Catches::baseOf(IRBuilderBase &B, Value &Object, Value &Distance, Value *&Away) const {
  Value *Seen = &Object;
  for (const int64_t Offset : Bases) {
    Value *Is = B.CreateICmpEQ(&Distance, B.getInt64(Offset));
    Seen = B.CreateSelect(Is, B.CreatePtrAdd(&Object, B.getInt64(Offset)), Seen);
    Away = B.CreateAnd(Away, B.CreateNot(Is));
  }
  return Seen;
}

/// What the handler sees is the object, a base of it, or the pointer that was thrown.
void Catches::beginCatch(CallInst &Call, ExceptionStep Step, const Rooms &R) {
  Value *Object = Call.getArgOperand(0);
  const bool Pointers = any_of(Types, [](auto &Type) { return describesPointer(Type.first); });
  IRBuilder<> B(&Call);
  if (Step == ExceptionStep::BeginCatch)
    B.CreateStore(Object, R.Caught);
  Value *Distance =
      B.CreateCall(beginFunction(*Call.getModule(), Step), {Object, B.getInt1(Pointers)});
  Value *Away = B.CreateIsNotNull(Distance), *Held = nullptr;
  if (Pointers) {
    Held = B.CreateICmpEQ(Distance, B.getInt64(IsPointer));
    Away = B.CreateAnd(Away, B.CreateNot(Held));
  }
  Value *Seen = baseOf(B, *Object, *Distance, Away);
  failIf(Away, Call);
  if (Pointers) {
    BasicBlock *Head = Call.getParent();
    Instruction *Then = SplitBlockAndInsertIfThen(Held, Call.getIterator(), /*Unreachable=*/false);
    B.SetInsertPoint(Then);
    Value *Pointer = B.CreateLoad(B.getPtrTy(), Object);
    B.SetInsertPoint(&Call);
    PHINode *Either = B.CreatePHI(B.getPtrTy(), 2);
    Either->addIncoming(Seen, Head);
    Either->addIncoming(Pointer, Then->getParent());
    Seen = Either;
  }
  Call.replaceAllUsesWith(Seen);
  Call.eraseFromParent();
}

/// Handlers, and code on the way to them, that know exceptions by their objects.
void Catches::rewriteHandlers(Function &F, const Rooms &R) {
  Module &M = *F.getParent();
  SmallVector<Instruction *, 16> Work;
  for (Instruction &I : instructions(F))
    if (isa<CallBase, ResumeInst>(I))
      Work.push_back(&I);
  for (Instruction *I : Work) {
    IRBuilder<> B(I);
    if (auto *Resume = dyn_cast<ResumeInst>(I)) {
      Value *Object = B.CreateExtractValue(Resume->getValue(), 0);
      B.CreateCall(leaveFunction(M, F.getPersonalityFn()), {Object});
      B.CreateUnreachable();
      Resume->eraseFromParent();
      continue;
    }
    if (auto *II = dyn_cast<IntrinsicInst>(I);
        II && II->getIntrinsicID() == Intrinsic::eh_typeid_for) {
      II->replaceAllUsesWith(B.getInt32(numberOf(cast<Constant>(II->getArgOperand(0)))));
      II->eraseFromParent();
      continue;
    }
    if (keepsCurrent(cast<CallBase>(*I))) {
      Instruction *Next = I->getNextNode();
      failIf(keepCurrent(cast<CallBase>(*I), *R.Caught), *Next);
    }
    const ExceptionStep Step = exceptionStep(cast<CallBase>(*I));
    if (Step == ExceptionStep::None)
      continue;
    auto *Invoke = dyn_cast<InvokeInst>(I);
    auto *Call = cast<CallBase>(I);
    if (Step == ExceptionStep::Allocate) {
      Call->setCalledFunction(allocateFunction(M));
    } else if (Step == ExceptionStep::EndCatch) {
      if (Invoke)
        Call = changeToCall(Invoke);
      IRBuilder<>(Call).CreateCall(endFunction(M), {R.Caught});
      Call->eraseFromParent();
    } else if (Step == ExceptionStep::BeginCatch || Step == ExceptionStep::Find) {
      beginCatch(cast<CallInst>(*I), Step, R);
    }
  }
}

/// The variables of F; which object was caught last is known from one round of inlining to the
/// next.
Catches::Rooms Catches::roomsOf(Function &F) {
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  Rooms R{B.CreateAlloca(B.getPtrTy()), B.CreateAlloca(B.getInt32Ty()), nullptr};
  const unsigned Kind = F.getContext().getMDKindID(CaughtKind);
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->hasMetadata() && A->getMetadata(Kind))
      R.Caught = A;
  if (!R.Caught) {
    R.Caught = B.CreateAlloca(B.getPtrTy());
    R.Caught->setMetadata(Kind, MDNode::get(F.getContext(), {}));
    B.SetInsertPoint(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), R.Caught);
  }
  return R;
}

bool Catches::lower(Function &F) {
  SmallVector<InvokeInst *, 8> Throws;
  SmallSetVector<LandingPadInst *, 8> Pads;
  const bool Made = keepMade(F, [&] { return allocateFunction(*F.getParent()); });
  for (Instruction &I : instructions(F))
    if (auto *Invoke = dyn_cast<InvokeInst>(&I); Invoke && throws(*Invoke)) {
      Throws.push_back(Invoke);
      Pads.insert(Invoke->getLandingPadInst());
    }
  if (Throws.empty())
    return Made;
  const Rooms R = roomsOf(F);
  for (LandingPadInst *Pad : Pads)
    openPad(*Pad, R);
  for (InvokeInst *Throw : Throws)
    raise(*Throw, R);
  for (Instruction &I : instructions(F))
    if (auto *Pad = dyn_cast<LandingPadInst>(&I))
      for (unsigned Clause = 0; Clause < Pad->getNumClauses(); ++Clause)
        if (Pad->isCatch(Clause) && !Pad->getClause(Clause)->isNullValue())
          numberOf(Pad->getClause(Clause));
  rewriteHandlers(F, R);
  return true;
}

/// True if the virtual function at the place of what(), if there is one, is what().
static bool hasNoOtherMessage(const Constant *Type) {
  return describesStandardException(Type) || !mayHaveMessage(Type);
}

static bool throwsStandardException(const CallInst &Raise) {
  const SmallVector<const Constant *, 2> Types = typesOf(*Raise.getArgOperand(1));
  return !Types.empty() && all_of(Types, hasNoOtherMessage);
}

/// True if nothing but standard exceptions has a handler behind Pad that may ask for what().
static bool namesStandardExceptions(const LandingPadInst &Pad) {
  for (unsigned I = 0; I < Pad.getNumClauses(); ++I) {
    const Constant *Type = Pad.getClause(I);
    if (!Pad.isCatch(I) || !(Type->isNullValue() || hasNoOtherMessage(Type)))
      return false;
  }
  return true;
}

/// True for the object of a standard exception, made or raised here.
static bool isStandardException(const CallInst &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F)
    return false;
  if (isRaise(*F)) // by the library
    return true;
  return F == Call.getModule()->getFunction(ExceptionAllocation) &&
         any_of(Call.users(), [&](const User *U) {
           auto *Raise = dyn_cast<CallInst>(U);
           return Raise && Raise->getCalledFunction() && isRaise(*Raise->getCalledFunction()) &&
                  Raise->arg_size() == 3 && Raise->getArgOperand(0) == &Call &&
                  throwsStandardException(*Raise);
         });
}

/// The variable if V is what was caught last.
static const AllocaInst *caughtRoom(const Value &V) {
  const auto *Load = dyn_cast<LoadInst>(&V);
  const auto *Room = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  return Room && Room->hasMetadata() && Room->getMetadata(CaughtKind) ? Room : nullptr;
}

static void followStores(const AllocaInst &Room, SmallSetVector<const Value *, 8> &Seen) {
  for (const User *U : Room.users())
    if (auto *Store = dyn_cast<StoreInst>(U))
      Seen.insert(Store->getValueOperand());
}

/// True if Exception, or what it is part of, comes from throws of standard exceptions, or from
/// landing pads of such only: calls that stay calls will throw there.
static bool isStandardException(const Value *Exception) {
  SmallSetVector<const Value *, 8> Seen;
  Seen.insert(Exception);
  auto Follow = [&](const User &From) {
    for (const Value *V : From.operand_values())
      if (!V->getType()->isIntegerTy()) // which handler it goes to
        Seen.insert(V);
  };
  for (unsigned I = 0; I != Seen.size() && I != MostPhis; ++I) {
    const auto *Pad = dyn_cast<LandingPadInst>(Seen[I]);
    const auto *Call = dyn_cast<CallInst>(Seen[I]);
    if (isa<ExtractValueInst, InsertValueInst, PHINode, SelectInst, GetElementPtrInst>(Seen[I]))
      Follow(*cast<User>(Seen[I]));
    else if (Call && exceptionStep(*Call) == ExceptionStep::BeginCatch)
      Seen.insert(Call->getArgOperand(0));
    else if (const AllocaInst *Room = caughtRoom(*Seen[I])) // thrown again
      followStores(*Room, Seen);
    else if (!(Pad && namesStandardExceptions(*Pad)) && !(Call && isStandardException(*Call)) &&
             !isa<UndefValue, ConstantPointerNull>(Seen[I]))
      return false;
  }
  return Seen.size() < MostPhis;
}

/// A message is text.
static bool isText(const CallBase &Call) {
  return none_of(Call.users(),
                 [](const User *U) { return isa<LoadInst>(U) && !U->getType()->isIntegerTy(8); });
}

/// The exception if Call is one of what().
static Value *messageOf(CallBase &Call) {
  if (!isIndirect(Call) || Call.arg_size() != 1 || !Call.getType()->isPointerTy())
    return nullptr;
  const DataLayout &Layout = Call.getDataLayout();
  auto *Slot = dyn_cast<LoadInst>(Call.getCalledOperand());
  APInt Distance(64, 0);
  const Value *Table = Slot ? Slot->getPointerOperand()->stripAndAccumulateConstantOffsets(
                                  Layout, Distance, /*AllowNonInbounds=*/true)
                            : nullptr;
  const auto *First = dyn_cast_or_null<LoadInst>(Table);
  Value *Object = Call.getArgOperand(0);
  const bool Fits = First && Distance == MessageSlot && First->getPointerOperand() == Object;
  return Fits && isText(Call) && isStandardException(Object) ? Object : nullptr;
}

bool Catches::keepMessages(Function &F) {
  SmallVector<std::pair<CallBase *, Value *>, 4> Messages;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Value *Object = messageOf(*Call))
        Messages.push_back({Call, Object});
  for (auto [Call, Object] : Messages) {
    if (auto *Invoke = dyn_cast<InvokeInst>(Call))
      Call = changeToCall(Invoke);
    IRBuilder<> B(Call);
    Call->replaceAllUsesWith(B.CreateCall(messageFunction(*F.getParent()), {Object}));
    Call->eraseFromParent();
  }
  return !Messages.empty();
}

} // namespace contraflow
