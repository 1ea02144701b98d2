// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tangent needs values of the primal, which has run already, and memory may have changed since.
// From the prepared code of the primal two copies are made:
//
//   primal:  %v = load %x           first:  %v = load %x ; log(%v)     second:  %v = next of the
//   log
//            %w = fmul %v, %v               %w = fmul %v, %v                    %w = fmul %v, %v
//            store %w, %y                   store %w, %y                        nothing
//
// The second one is differentiated like any function, as long as its accesses to memory outside
// are accesses: they are marked volatile, so that nothing merges or moves them, and give way when
// the tangent is emitted. Memory of the primal's own is used again. What decides from numbers where
// control goes is logged as well: the two copies are compiled apart and may round differently.

#include "Replay.h"
#include "ForwardSweep.h"
#include "SplitHandle.h"
#include "analysis/ReadsOnly.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Rule.h"
#include "prepare/Canonical.h"
#include "support/Assignments.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral AgainMark = "contraflow_replay", RecordMark = "contraflow_record";
/// Of a copy to memory outside, which the second run leaves out.
constexpr StringLiteral DropMark = "contraflow_drop";
constexpr uint64_t EntryBytes = 8;

/// What happens to an instruction in the two runs.
enum class Step {
  Read,     ///< a load: logged, then read
  Drop,     ///< a write outside: left out
  ReadCopy, ///< a copy from outside to memory of the primal's own
  DropCopy, ///< a copy, or a fill, of memory outside
  Result,   ///< a call that is left out; its result is logged, then read
  Decide,   ///< an integer made of floats: logged, then read
};

class ReplayMaker {
public:
  ReplayMaker(PreparedClosure &Closure, Compilation &C)
      : Closure(Closure), C(C), Graph(C.M.getDataLayout()) {}
  Error classify();
  Function *copy(const Twine &What, SmallVectorImpl<Function *> &Made, bool Again);

private:
  void findOutside();
  bool isOutside(const Value *Pointer) const;
  bool touchesOutside(const CallBase &Call) const;
  bool givesLocal(const CallBase &Call) const;
  Error classify(Instruction &I);
  Error classifyCall(CallBase &Call);
  Error classifyTransfer(MemIntrinsic &I);
  void note(Instruction &I, Step What) { Steps.push_back({&I, What}); }
  static Error refuse(const Instruction &I, const Twine &Why) {
    return diffError(DiagId::UnsupportedMode, I,
                     "a split tangent, or an adjoint in several directions, of a function that " +
                         Why);
  }
  void record(Instruction &I, Step What);
  void replay(Instruction &I, Step What);
  Value *stored(IRBuilder<> &B, Instruction &I);
  Value *logged(IRBuilder<> &B, Type *T);

  PreparedClosure &Closure;
  Compilation &C;
  MemoryGraph Graph;
  SmallVector<std::pair<Instruction *, Step>, 64> Steps;
  DenseSet<unsigned> Own; ///< objects that the primal makes
};

static bool makesMemory(const CallBase &Call) {
  const CalleeKind Kind = lookupCallee(Call).Kind;
  return Kind == CalleeKind::Allocate || Kind == CalleeKind::Reallocate;
}

/// What arguments and global variables lead to. The memory for a result is the caller's, but
/// nobody else's.
void ReplayMaker::findOutside() {
  describeMemory(Graph, Closure.Functions, C.Handlers);
  for (Argument &A : Closure.Root->args())
    if (A.getType()->isPointerTy() && !A.hasStructRetAttr() && !A.hasByValAttr())
      Graph.markExternal(Graph.locate(&A));
  for (GlobalVariable &G : C.M.globals())
    if (Graph.find(&G))
      Graph.markExternal(Graph.find(&G));
  auto Add = [&](const Value *V) {
    if (Location At = Graph.find(V))
      Own.insert(Graph.canonical(At.Node));
  };
  for (Argument &A : Closure.Root->args())
    if (A.hasStructRetAttr() || A.hasByValAttr())
      Add(&A);
  for (Function *F : Closure.Functions)
    for (Instruction &I : instructions(*F))
      if (auto *Call = dyn_cast<CallBase>(&I); isa<AllocaInst>(I) || (Call && makesMemory(*Call)))
        Add(&I);
}

bool ReplayMaker::isOutside(const Value *Pointer) const {
  Location At = Graph.find(Pointer);
  if (!At)
    return !isa<ConstantPointerNull>(Pointer);
  const unsigned Node = Graph.canonical(At.Node);
  return Graph.isExternal(Node) || !Own.contains(Node);
}

static bool isConstantData(const Value *Pointer) {
  auto *Global = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer, 0));
  return Global && Global->isConstant();
}

bool ReplayMaker::touchesOutside(const CallBase &Call) const {
  return any_of(Call.args(), [&](const Use &Arg) {
    return Arg->getType()->isPointerTy() && !isa<Function>(Arg) && !isConstantData(Arg) &&
           isOutside(Arg);
  });
}

/// True if the call has memory of the primal's own at hand.
bool ReplayMaker::givesLocal(const CallBase &Call) const {
  return any_of(Call.args(), [&](const Use &Arg) {
    return Arg->getType()->isPointerTy() && !isa<Constant>(Arg) && !isOutside(Arg);
  });
}

/// True if F, whose derivatives are the user's, gives the same if it is called again: it uses
/// arguments, constants and memory of its own.
static bool dependsOnArguments(Function &F) {
  SmallSetVector<Function *, 8> Todo;
  Todo.insert(&F);
  for (unsigned Next = 0; Next < Todo.size(); ++Next) {
    if (Todo[Next]->isDeclaration())
      return false;
    for (Instruction &I : instructions(*Todo[Next])) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (Call && !isa<IntrinsicInst>(Call) && !findRule(I)) {
        if (!Call->getCalledFunction())
          return false;
        Todo.insert(Call->getCalledFunction());
      }
      if (any_of(I.operands(), [](const Use &V) {
            return V->getType()->isPointerTy() && isa<Constant>(V) && !isa<Function>(V) &&
                   !isa<ConstantPointerNull>(V) && !isConstantData(V);
          }))
        return false;
    }
  }
  return true;
}

Error ReplayMaker::classifyTransfer(MemIntrinsic &I) {
  auto *Copy = dyn_cast<MemTransferInst>(&I);
  if (isOutside(I.getRawDest()))
    note(I, Step::DropCopy);
  else if (Copy && isOutside(Copy->getRawSource()) && !isConstantData(Copy->getRawSource()))
    note(I, Step::ReadCopy);
  return Error::success();
}

Error ReplayMaker::classifyCall(CallBase &Call) {
  Function *F = Call.getCalledFunction();
  if (!F)
    return refuse(Call, "calls what is not known here");
  if (is_contained(Closure.Functions, F))
    return Error::success();
  if (auto *Memory = dyn_cast<MemIntrinsic>(&Call))
    return classifyTransfer(*Memory);
  const CalleeInfo Info = lookupCallee(Call);
  if (Info.Kind == CalleeKind::NoReturn || Call.doesNotReturn())
    return Error::success();
  const bool Memory =
      is_contained({CalleeKind::Allocate, CalleeKind::Reallocate, CalleeKind::ReallocateSized,
                    CalleeKind::AllocateInto, CalleeKind::Free},
                   Info.Kind);
  if (Memory && (touchesOutside(Call) || (Call.getType()->isPointerTy() && isOutside(&Call))))
    return refuse(Call, "gives back memory of its caller, or keeps what it allocates");
  if (Memory)
    return Error::success();
  if (findRule(Call) && !C.Handlers.find(Call)) {
    if (Call.getType()->isIntOrIntVectorTy())
      note(Call, Step::Decide);
    return Error::success();
  }
  if (isa<IntrinsicInst>(Call) && !touchesOutside(Call)) {
    if (Call.getType()->isIntOrIntVectorTy() && !Call.use_empty() &&
        any_of(Call.args(), [](const Use &V) { return V->getType()->isFPOrFPVectorTy(); }))
      note(Call, Step::Decide);
    return Error::success();
  }
  if (passesPointer(Call) || Call.isLifetimeStartOrEnd() || isa<AssumeInst>(Call) ||
      Call.getIntrinsicID() == Intrinsic::stackrestore)
    return Error::success();
  if (C.Handlers.find(Call)) {
    if (touchesOutside(Call) || any_of(Call.args(), [](const Use &V) { return isa<Function>(V); }))
      return refuse(Call, "calls '" + userName(*F) + "' with functions, or memory of its caller");
    if (F->hasFnAttribute(attr::Registered) && !dependsOnArguments(*F))
      return refuse(Call, "calls '" + userName(*F) + "', which may depend on more than arguments");
    return Error::success();
  }
  if (isa<IntrinsicInst>(Call) && !Call.mayWriteToMemory() && Call.getType()->isVoidTy())
    return Error::success();
  const bool Spares =
      Info.Kind == CalleeKind::Inactive && (Info.ReadOnly || onlyReadsArguments(*F));
  if (Call.isInlineAsm() || isa<IntrinsicInst>(Call) || (givesLocal(Call) && !Spares))
    return refuse(Call, "calls '" + userName(*F) + "'");
  note(Call, Step::Result);
  return Error::success();
}

/// True if control may go another way if the operand is rounded otherwise. Bits that are moved are
/// still numbers.
static bool decides(const Instruction &I) {
  if (!I.getType()->isIntOrIntVectorTy() || isa<LoadInst, PHINode, CallBase, BitCastInst>(I))
    return false;
  return any_of(I.operands(), [](const Use &V) { return V->getType()->isFPOrFPVectorTy(); }) &&
         any_of(I.users(), [](const User *U) {
           return !isa<SelectInst>(U) || !U->getType()->isFPOrFPVectorTy();
         });
}

Error ReplayMaker::classify(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    if (isOutside(Load->getPointerOperand()) && !isConstantData(Load->getPointerOperand()))
      note(I, Step::Read);
    return Error::success();
  }
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    if (isOutside(Store->getPointerOperand()))
      note(I, Step::Drop);
    return Error::success();
  }
  if (auto *Call = dyn_cast<CallBase>(&I))
    return classifyCall(*Call);
  const Value *Pointer = isa<AtomicRMWInst, AtomicCmpXchgInst>(I) ? I.getOperand(0) : nullptr;
  if (Pointer && isOutside(Pointer))
    return refuse(I, "updates memory of its caller atomically");
  if (decides(I))
    note(I, Step::Decide);
  return Error::success();
}

Error ReplayMaker::classify() {
  if (!Closure.TeamBodies.empty() || Closure.Detached)
    return diffError(DiagId::UnsupportedMode, *Closure.Root,
                     "a split tangent, or an adjoint in several directions, of a function "
                     "with parallel regions");
  findOutside();
  Error Errors = Error::success();
  for (Function *F : Closure.Functions)
    for (Instruction &I : instructions(*F))
      Errors = joinErrors(std::move(Errors), classify(I));
  return Errors;
}

/// Writes what I has given to the log.
void ReplayMaker::record(Instruction &I, Step What) {
  if (What == Step::Drop || What == Step::DropCopy)
    return;
  IRBuilder<> B(I.getNextNode());
  auto Log = [&](StringRef Name, ArrayRef<Value *> Args) {
    SweepBuilder::callRuntime(B, C.M, Name, B.getVoidTy(), Args);
  };
  if (What == Step::ReadCopy) {
    auto &Copy = cast<MemTransferInst>(I);
    return Log("log_bytes",
               {Copy.getRawDest(), B.CreateZExtOrTrunc(Copy.getLength(), B.getInt64Ty())});
  }
  Type *T = I.getType();
  if (T->isVoidTy() || (What == Step::Result && I.use_empty()))
    return;
  if (T->isDoubleTy() || T->isFloatTy())
    return Log(T->isDoubleTy() ? "log_f64" : "log_f32", {&I});
  if (T->isPointerTy())
    return Log("log_i64", {B.CreatePtrToInt(&I, B.getInt64Ty())});
  if (T->isIntegerTy() && T->getIntegerBitWidth() <= 8 * EntryBytes)
    return Log("log_i64", {B.CreateZExt(&I, B.getInt64Ty())});
  BasicBlock &Entry = I.getFunction()->getEntryBlock();
  AllocaInst *Memory = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(T);
  B.CreateStore(&I, Memory);
  Log("log_bytes", {Memory, B.getInt64(C.M.getDataLayout().getTypeStoreSize(T))});
}

/// What is read from the log and has no address in the program.
Value *ReplayMaker::logged(IRBuilder<> &B, Type *T) {
  auto *Place = new GlobalVariable(C.M, T, false, GlobalValue::InternalLinkage,
                                   Constant::getNullValue(T), "cf.logged");
  LoadInst *V = B.CreateLoad(T, Place);
  V->setVolatile(true);
  return V;
}

void ReplayMaker::replay(Instruction &I, Step What) {
  IRBuilder<> B(&I);
  switch (What) {
  case Step::Read: {
    auto &Load = cast<LoadInst>(I);
    Load.setVolatile(true);
    Load.setAtomic(AtomicOrdering::NotAtomic);
    break;
  }
  case Step::Drop: {
    auto &Store = cast<StoreInst>(I);
    Store.setVolatile(true);
    Store.setAtomic(AtomicOrdering::NotAtomic);
    break;
  }
  case Step::DropCopy:
    cast<CallBase>(I).addFnAttr(Attribute::get(I.getContext(), DropMark));
    [[fallthrough]];
  case Step::ReadCopy:
    cast<MemIntrinsic>(I).setVolatile(B.getTrue());
    break;
  case Step::Result:
  case Step::Decide:
    if (!I.use_empty() || What == Step::Decide) {
      Value *New = logged(B, I.getType());
      I.replaceAllUsesWith(New);
    }
    I.eraseFromParent();
    break;
  }
}

/// A copy of the closure for one of the two runs; its root.
Function *ReplayMaker::copy(const Twine &What, SmallVectorImpl<Function *> &Made, bool Again) {
  ValueToValueMapTy Map;
  for (Function *F : Closure.Functions) {
    Function *New = Function::Create(F->getFunctionType(), GlobalValue::InternalLinkage,
                                     "cf." + What + "." + F->getName(), F->getParent());
    Map[F] = New;
    for (Argument &A : F->args()) {
      New->getArg(A.getArgNo())->setName(A.getName());
      Map[&A] = New->getArg(A.getArgNo());
    }
    Made.push_back(New);
  }
  for (Function *F : Closure.Functions) {
    auto *New = cast<Function>(Map[F]);
    SmallVector<ReturnInst *, 1> Returns;
    CloneFunctionInto(New, F, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
    ownAssignments(*New);
    for (auto Kind : {Attribute::Memory, Attribute::WillReturn, Attribute::Speculatable,
                      Attribute::NoSync, Attribute::NoFree})
      New->removeFnAttr(Kind);
    for (Instruction &I : instructions(*New)) // the program's own ones
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Load->setVolatile(false);
      else if (auto *Store = dyn_cast<StoreInst>(&I))
        Store->setVolatile(false);
      else if (auto *Memory = dyn_cast<MemIntrinsic>(&I))
        Memory->setVolatile(ConstantInt::getFalse(I.getContext()));
  }
  for (auto [I, What] : Steps) {
    Value *New = Map.lookup(I);
    Again ? replay(cast<Instruction>(*New), What) : record(cast<Instruction>(*New), What);
  }
  auto *Root = cast<Function>(Map[Closure.Root]);
  for (Argument &A : Root->args()) // structures passed by value are the caller's copies
    for (auto Kind : {Attribute::ByVal, Attribute::StructRet})
      A.removeAttr(Kind);
  Root->addFnAttr(Again ? AgainMark : RecordMark);
  return Root;
}

} // namespace

bool isReplay(const Function &F) { return F.hasFnAttribute(AgainMark); }
bool isRecord(const Function &F) { return F.hasFnAttribute(RecordMark); }

Expected<Replay> makeReplay(Function &Primal, Compilation &C) {
  const SaveAndRestore Alone(C.Library, static_cast<PreparedLibrary *>(nullptr));
  auto Closure = prepareClosure(Primal, C, NestVersions::One);
  if (!Closure)
    return Closure.takeError();
  ReplayMaker Maker(*Closure, C);
  if (Error E = Maker.classify())
    return std::move(E);
  Replay Out;
  SmallVector<Function *, 4> Recording;
  Out.Record = Maker.copy("record", Recording, /*Again=*/false);
  Out.Again = Maker.copy("replay", Out.Copies, /*Again=*/true);
  for (Function *F : Recording)
    simplifyFunction(*F, C);
  return Out;
}

void readLog(Function &Tangent) {
  Module &M = *Tangent.getParent();
  const DataLayout &DL = M.getDataLayout();
  auto Next = [&](IRBuilder<> &B, Value *Bytes) {
    return SweepBuilder::callRuntime(B, M, "log_next", B.getPtrTy(), {Bytes});
  };
  for (Instruction &I : make_early_inc_range(instructions(Tangent))) {
    IRBuilder<> B(&I);
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Memory = dyn_cast<MemIntrinsic>(&I);
    if (Load && Load->isVolatile()) {
      Value *Entry = Next(B, B.getInt64(DL.getTypeStoreSize(I.getType())));
      LoadInst *New = B.CreateAlignedLoad(I.getType(), Entry, Align(EntryBytes));
      New->takeName(Load);
      Load->replaceAllUsesWith(New);
      Load->eraseFromParent();
    } else if (Store && Store->isVolatile()) {
      Store->eraseFromParent();
    } else if (Memory && Memory->isVolatile()) {
      if (!Memory->hasFnAttr(DropMark)) {
        Value *Bytes = B.CreateZExtOrTrunc(Memory->getLength(), B.getInt64Ty());
        B.CreateMemCpy(Memory->getRawDest(), Memory->getDestAlign(), Next(B, Bytes),
                       Align(EntryBytes), Bytes);
      }
      Memory->eraseFromParent();
    }
  }
}

static Function *newCall(const DerivativeSpec &Spec, FunctionType *T, const Twine &What,
                         Function &Like) {
  Function *F = Function::Create(T, GlobalValue::InternalLinkage, What + Spec.Primal->getName(),
                                 Like.getParent());
  F->setAttributes(
      AttributeList::get(F->getContext(), Like.getAttributes().getFnAttrs(), AttributeSet(), {}));
  for (StringRef Mark : {AgainMark, RecordMark})
    F->removeFnAttr(Mark);
  return F;
}

Function *emitRecordCall(const DerivativeSpec &Spec, const Replay &R) {
  Function *F = newCall(Spec, augmentedType(Spec), "cf.first.", *R.Record);
  Module &M = *F->getParent();
  IRBuilder<> B(BasicBlock::Create(F->getContext(), "entry", F));
  auto Call = [&](StringRef Name, Type *T, ArrayRef<Value *> Args) {
    return SweepBuilder::callRuntime(B, M, Name, T, Args);
  };
  Value *Tape = Call("tape_open", B.getPtrTy(), {});
  SplitHandle Handle(B, Call("tape_reserve", B.getPtrTy(), {Tape, B.getInt64(SplitHandle::Bytes)}));
  Value *Log = Call("log_open", B.getPtrTy(), {Tape, R.Record});
  SmallVector<Value *, 8> Args;
  for (unsigned A = 0, Next = 0; A < Spec.Args.size(); ++A) {
    Args.push_back(F->getArg(Next));
    const bool Shadow = Spec.Args[A] == Activity::Dup || Spec.Args[A] == Activity::DupNoNeed;
    Next += Shadow ? 1 + Spec.Width : 1;
  }
  CallInst *Result = B.CreateCall(R.Record, Args);
  Result->setCallingConv(R.Record->getCallingConv());
  Call("log_close", B.getVoidTy(), {Log});
  Value *None = ConstantPointerNull::get(B.getPtrTy());
  Handle.set(SplitHandle::Tape, Tape);
  Handle.set(SplitHandle::Frame, None);
  Handle.set(SplitHandle::Which, None);
  Handle.set(SplitHandle::Log, Log);
  Call("tape_pause", B.getVoidTy(), {Tape});
  Value *Out = B.CreateInsertValue(PoisonValue::get(F->getReturnType()), Handle.address(), 0);
  if (F->getReturnType()->getStructNumElements() > 1)
    Out = B.CreateInsertValue(Out, Result, 1);
  B.CreateRet(Out);
  return F;
}

Function *emitReplayCall(const DerivativeSpec &Spec, const Replay &R, Function &Tangent) {
  Function *F = newCall(Spec, replayType(Spec), "cf.second.", Tangent);
  Module &M = *F->getParent();
  IRBuilder<> B(BasicBlock::Create(F->getContext(), "entry", F));
  auto Call = [&](StringRef Name, Type *T, ArrayRef<Value *> Args) {
    return SweepBuilder::callRuntime(B, M, Name, T, Args);
  };
  SplitHandle Handle = SplitHandle::given(B, F->getArg(F->arg_size() - 2));
  Value *Keep = F->getArg(F->arg_size() - 1), *Log = Handle.get(SplitHandle::Log);
  const std::string Text = "[CF319] the tape of a split call of '" + userName(*Spec.Primal) +
                           "' was not made by an augmented call of it with the same arguments";
  Call("log_rewind", B.getVoidTy(), {Log, R.Record, B.CreateGlobalString(Text)});
  SmallVector<Value *, 8> Args;
  for (unsigned A = 0; A + 2 < F->arg_size(); ++A)
    Args.push_back(F->getArg(A));
  CallInst *Result = B.CreateCall(&Tangent, Args);
  Call("log_close", B.getVoidTy(), {Log});
  auto *Drop = BasicBlock::Create(F->getContext(), "drop", F);
  auto *Done = BasicBlock::Create(F->getContext(), "done", F);
  B.CreateCondBr(Keep, Done, Drop);
  B.SetInsertPoint(Drop);
  Value *Tape = Handle.get(SplitHandle::Tape);
  Call("tape_resume", B.getVoidTy(), {Tape});
  Call("tape_release", B.getVoidTy(), {Tape, Handle.address()});
  Call("tape_close", B.getVoidTy(), {Tape});
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  Result->getType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Result);
  return F;
}

} // namespace contraflow
