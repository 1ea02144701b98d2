// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from a spec to its derivative function. Reads as its own table of contents in
// differentiate(); the rest declares functions and moves code into them.

#include "Absent.h"
#include "Asked.h"
#include "ForwardSweep.h"
#include "MadeOnce.h"
#include "NumberCopies.h"
#include "OneThread.h"
#include "OwnVariables.h"
#include "Pieces.h"
#include "Print.h"
#include "Repeatable.h"
#include "Replay.h"
#include "Steps.h"
#include "TakenBack.h"
#include "TextCopies.h"
#include "Twins.h"
#include "Unit.h"
#include "Unread.h"
#include "Unwinding.h"
#include "Variables.h"
#include "WideVariables.h"
#include "analysis/HiddenInputs.h"
#include "analysis/LaterFrees.h"
#include "callee/Streams.h"
#include "callee/Variables.h"
#include "construct/Fields.h"
#include "construct/Memory.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Order.h"
#include "contraflow/core/Repeated.h"
#include "contraflow/core/Rule.h"
#include "plan/Hoist.h"
#include "plan/WordCopies.h"
#include "prepare/Bits.h"
#include "prepare/Canonical.h"
#include "prepare/MovedLanes.h"
#include "prepare/Packs.h"
#include "prepare/SignBits.h"
#include "prepare/Swaps.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Pass.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/Timer.h"

using namespace llvm;

namespace contraflow {

/// An entry of -ftime-report and of -ftime-trace.
class Timed : NamedRegionTimer, TimeTraceScope {
public:
  Timed(StringRef Name, StringRef Text)
      : NamedRegionTimer(Name, Text, "contraflow", "Contraflow", llvm::TimePassesIsEnabled),
        TimeTraceScope(Text) {}
};

Unit::~Unit() {
  for (Instruction *I : Retired) {
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
    I->deleteValue();
  }
}

GlobalVariable *RequestState::shadowGlobal(GlobalVariable &G, unsigned Lane) {
  GlobalVariable *&Known = ShadowGlobals[{&G, Lane}];
  if (Known)
    return Known;
  if ((Known = givenShadow(G)))
    return Known;
  auto *Shadow = Known =
      new GlobalVariable(C.M, G.getValueType(), false, GlobalValue::InternalLinkage,
                         Constant::getNullValue(G.getValueType()), G.getName() + ".shadow", nullptr,
                         G.getThreadLocalMode());
  Shadow->setAlignment(G.getAlign());
  handOnMark(G, *Shadow);
  if (G.hasInitializer())
    Shadow->setInitializer(shadowInitialiser(G.getInitializer(), Lane));
  return Shadow;
}

/// True of what only other modules look into, such as the objects behind handles of MPI: the module
/// knows addresses of it and nothing else, so it is its own shadow.
static bool isIncomplete(const GlobalVariable &G) {
  auto *T = dyn_cast<StructType>(G.getValueType());
  return G.isDeclaration() && T && T->isOpaque() &&
         none_of(G.users(), [&](const User *U) { return getLoadStorePointerOperand(U) == &G; });
}

/// Zero, but for pointers, which lead to shadows.
Constant *RequestState::shadowInitialiser(Constant *Init, unsigned Lane) {
  if (Init->getType()->isPointerTy())
    return shadowConstant(Init, Lane);
  if (!isa<ConstantAggregate>(Init))
    return Constant::getNullValue(Init->getType());
  SmallVector<Constant *, 16> Parts;
  for (Value *Part : Init->operand_values())
    Parts.push_back(shadowInitialiser(cast<Constant>(Part), Lane));
  if (auto *T = dyn_cast<ArrayType>(Init->getType()))
    return ConstantArray::get(T, Parts);
  if (auto *T = dyn_cast<StructType>(Init->getType()))
    return ConstantStruct::get(T, Parts);
  return ConstantVector::get(Parts);
}

Constant *RequestState::shadowConstant(Constant *C, unsigned Lane) {
  if (!C->getType()->isPointerTy())
    return C;
  if (numberOf(*C))
    return Constant::getNullValue(C->getType());
  APInt Offset(Graph.layout().getIndexTypeSizeInBits(C->getType()), 0);
  const Value *Base = C->stripAndAccumulateConstantOffsets(Graph.layout(), Offset, true);
  auto *Global = dyn_cast<GlobalVariable>(const_cast<Value *>(Base));
  if (!Global || !Activity.hasShadow(C) || isIncomplete(*Global) || isTypeDescription(*Global) ||
      isVirtualTable(*Global)) // an object beside it has a shadow
    return C;
  Constant *Shadow = shadowGlobal(*Global, Lane);
  if (Offset.isZero())
    return Shadow;
  return ConstantExpr::getGetElementPtr(Type::getInt8Ty(C->getContext()), Shadow,
                                        ConstantInt::get(C->getContext(), Offset));
}

static void copyParamFacts(Argument &To, const Argument &From, bool IsShadow) {
  if (!From.getType()->isPointerTy())
    return;
  if (From.hasNoAliasAttr())
    To.addAttr(Attribute::NoAlias);
  if (MaybeAlign A = From.getParamAlign(); A && !IsShadow)
    To.addAttr(Attribute::getWithAlignment(To.getContext(), *A));
}

static Function *newFunction(RequestState &S, FunctionType *T, const Twine &Name,
                             const Function &Like) {
  Function *F = Function::Create(T, GlobalValue::InternalLinkage, Name, S.C.M);
  for (StringRef Key : {"target-cpu", "target-features", "tune-cpu", "frame-pointer",
                        "stack-protector-buffer-size"})
    if (Like.hasFnAttribute(Key))
      F->addFnAttr(Like.getFnAttribute(Key));
  for (auto Kind : {Attribute::SanitizeAddress, Attribute::SanitizeThread,
                    Attribute::SanitizeMemory, Attribute::UWTable})
    if (Like.hasFnAttribute(Kind))
      F->addFnAttr(Like.getFnAttribute(Kind));
  return F;
}

/// Pairs the parameters of Forward with those of the primal. HasShadow tells which are followed by
/// a shadow.
static unsigned bindParams(Unit &U, ArrayRef<bool> HasShadow, unsigned Lanes) {
  unsigned Next = 0;
  U.Shadows.resize(Lanes);
  for (Argument &A : U.Prepared->args()) {
    Argument *Primal = U.Forward->getArg(Next++);
    Primal->setName(A.getName());
    copyParamFacts(*Primal, A, false);
    U.Primals.push_back(Primal);
    for (auto &Lane : U.Shadows) {
      Lane.push_back(nullptr);
      if (!HasShadow[A.getArgNo()])
        continue;
      Argument *Shadow = U.Forward->getArg(Next++);
      Shadow->setName(A.getName() + ".shadow");
      copyParamFacts(*Shadow, A, true);
      Lane.back() = Shadow;
    }
  }
  return Next;
}

std::unique_ptr<Unit> declareRoot(RequestState &S) {
  auto U = std::make_unique<Unit>();
  bool Adjoint = S.Spec.Mode == DerivativeMode::Adjoint;
  U->Prepared = S.Closure.Root;
  U->Foreign = S.Foreign;
  U->Kind = Adjoint ? SweepKind::Combined : SweepKind::Tangent;
  U->Forward = U->Reverse = newFunction(
      S, derivativeType(S.Spec),
      (Adjoint ? "cf.adjoint." : "cf.tangent.") + S.Spec.Primal->getName(), *U->Prepared);
  SmallVector<bool, 8> HasShadow;
  for (Activity A : S.Spec.Args)
    HasShadow.push_back(A == Activity::Dup || A == Activity::DupNoNeed);
  unsigned Next = bindParams(*U, HasShadow, S.Spec.Width);
  if (Adjoint && S.Spec.Result == Activity::Active)
    U->Seed = U->Forward->getArg(Next);
  return U;
}

static void declareTangent(RequestState &S, Unit &U, ArrayRef<Type *> Params) {
  Type *R = U.Prepared->getReturnType();
  SmallVector<Type *, 2> Results;
  if (!R->isVoidTy())
    Results.push_back(R);
  if (U.Split.ActiveResult || U.Split.ShadowResult)
    Results.append(S.Spec.Width, U.Split.ActiveResult ? U.Split.ActiveResult : R);
  LLVMContext &Context = S.C.M.getContext();
  Type *Out = Results.empty() ? Type::getVoidTy(Context) : StructType::get(Context, Results);
  U.Forward = U.Reverse = newFunction(S, FunctionType::get(Out, Params, false),
                                      "cf.tangent." + U.Prepared->getName(), *U.Prepared);
  U.Split.Augmented = U.Forward;
  bindParams(U, U.Split.HasShadow, S.Spec.Width);
}

static void declareSplit(RequestState &S, Unit &U, SmallVector<Type *, 8> Params) {
  LLVMContext &Context = S.C.M.getContext();
  Type *Ptr = PointerType::get(Context, 0), *R = U.Prepared->getReturnType();
  SmallVector<Type *, 3> Results;
  if (!R->isVoidTy())
    Results.push_back(R);
  if (U.Split.ShadowResult)
    Results.push_back(R);
  Results.push_back(Ptr);
  Params.push_back(Ptr);
  U.Forward = newFunction(S, FunctionType::get(StructType::get(Context, Results), Params, false),
                          "cf.augmented." + U.Prepared->getName(), *U.Prepared);
  U.Tape = U.Forward->getArg(bindParams(U, U.Split.HasShadow, 1));
  SmallVector<Type *, 4> Bars, ReverseParams;
  for (unsigned A : U.Split.ActiveArgs)
    Bars.push_back(floatTypeOf(U.Prepared->getArg(A), S.Graph));
  if (U.Split.ActiveResult)
    ReverseParams.push_back(U.Split.ActiveResult);
  ReverseParams.append({Ptr, Ptr});
  Type *Out = Bars.empty() ? Type::getVoidTy(Context) : StructType::get(Context, Bars);
  U.Reverse = newFunction(S, FunctionType::get(Out, ReverseParams, false),
                          "cf.reverse." + U.Prepared->getName(), *U.Prepared);
  unsigned Next = 0;
  if (U.Split.ActiveResult)
    U.Seed = U.Reverse->getArg(Next++);
  U.ReverseFrame = U.Reverse->getArg(Next++);
  U.ReverseTape = U.Reverse->getArg(Next);
  U.Split.Augmented = U.Forward;
  U.Split.Reverse = U.Reverse;
}

/// True of a pointer with a shadow, also if it is passed as an integer.
static bool leadsToShadow(const RequestState &S, const Value *V) {
  const Type *T = V->getType();
  return (T->isPointerTy() || (T->isIntegerTy(64) && (S.Graph.carried(V) & SK_Pointer))) &&
         S.Activity.hasShadow(V);
}

/// The float type of a function's result if it is active, and whether a pointer result has a
/// shadow.
static void describeResult(RequestState &S, Unit &U) {
  for (BasicBlock &B : *U.Prepared) {
    auto *Return = dyn_cast<ReturnInst>(B.getTerminator());
    if (!Return || !Return->getReturnValue())
      continue;
    Value *V = Return->getReturnValue();
    const bool Tangent = U.Kind == SweepKind::Tangent, Active = S.Activity.active(V);
    U.Split.ShadowResult |= leadsToShadow(S, V) && !(Tangent && Active);
    if (Active && !V->getType()->isPointerTy())
      U.Split.ActiveResult = floatTypeOf(V, S.Graph);
  }
}

Unit &RequestState::unitFor(Function &Prepared) {
  auto &Slot = Units[&Prepared];
  if (Slot)
    return *Slot;
  Slot = std::make_unique<Unit>();
  Unit &U = *Slot;
  bool Tangent = Spec.Mode == DerivativeMode::Tangent;
  U.Prepared = &Prepared;
  U.Kind = Tangent ? SweepKind::Tangent : SweepKind::Split;
  U.Foreign = Foreign;
  U.Detached = Closure.Detached;
  U.InTeam = &Prepared != Closure.Root && !Closure.TeamBodies.empty();
  SmallVector<Type *, 8> Params;
  for (Argument &A : Prepared.args()) {
    bool Active = Activity.active(&A);
    const bool Dot = Tangent && Active && !A.getType()->isPointerTy();
    const bool Shadow = Dot || leadsToShadow(*this, &A);
    U.Split.HasShadow.push_back(Shadow);
    Params.push_back(A.getType());
    if (Shadow)
      Params.append(Tangent ? Spec.Width : 1, Dot ? floatTypeOf(&A, Graph) : A.getType());
    if (Active && !A.getType()->isPointerTy())
      U.Split.ActiveArgs.push_back(A.getArgNo());
  }
  describeResult(*this, U);
  if (Tangent)
    declareTangent(*this, U, Params);
  else
    declareSplit(*this, U, Params);
  return U;
}

void moveCode(RequestState &S, Unit &U) {
  U.Forward->splice(U.Forward->begin(), U.Prepared);
  U.Forward->setSubprogram(U.Prepared->getSubprogram());
  U.Prepared->setSubprogram(nullptr);
  for (Argument &A : U.Prepared->args()) {
    Value *New = U.Primals[A.getArgNo()];
    S.Graph.alias(New, &A);
    A.replaceAllUsesWith(New);
  }
}

/// Memory that exists before the call: what arguments and globals lead to.
static void markOutside(const RequestState &S, MemoryGraph &Graph) {
  for (Argument &A : S.Closure.Root->args())
    if (A.getType()->isPointerTy())
      Graph.markExternal(Graph.locate(&A));
  for (const GlobalVariable &G : S.C.M.globals())
    if (givenShadow(G))
      Graph.markExternal(Graph.find(&G));
  Graph.followVariables();
  if (!S.Spec.Split || !S.Closure.Root->getReturnType()->isPointerTy())
    return;
  for (BasicBlock &B : *S.Closure.Root) // what is returned is the caller's until the reverse call
    if (auto *Return = dyn_cast<ReturnInst>(B.getTerminator()))
      if (Location At = Graph.find(Return->getReturnValue()))
        Graph.markExternal(At);
}

/// An integer in a structure with a shadow has none itself, so it must not hold a number's bits.
static Error checkIntegerMembers(RequestState &S) {
  for (unsigned I : S.Spec.IntegerMembers)
    if (floatTypeOf(S.Closure.Root->getArg(I), S.Graph))
      return diffError(DiagId::UnknownType, *S.Spec.Primal,
                       "an integer member of a structure passed by value holds the bits of a "
                       "number; pass a pointer to the structure");
  return Error::success();
}

/// Bits that come from an active argument must not pass for integers.
static Error checkHiddenInputs(RequestState &S) {
  const ActivityQuestion Q{S.Closure.Root, &S.Spec, S.Closure.Functions};
  if (const Instruction *I = findHiddenInput(Q, S.Activity, S.C.Handlers))
    return diffError(DiagId::UnknownType, *I,
                     "what becomes a number here was calculated as integers from an active "
                     "argument; if it holds integers, pass it as enzyme_const");
  return Error::success();
}

/// Active numbers that are read from a string or a file, which have no shadow: what is missing is
/// said first.
static Error checkStrings(RequestState &S) {
  Error Out = Error::success();
  for (const Instruction *I : S.Activity.lostBits())
    if (auto *Call = dyn_cast<CallBase>(I))
      Out = joinErrors(std::move(Out),
                       diffError(DiagId::UnsupportedDigits, *I,
                                 textMove(*Call) && !streamMove(*Call)
                                     ? "they are read from text that they were written to"
                                 : streamMove(*Call)
                                     ? "they are read from a file that they were written to"
                                     : "they are bytes of a string that is read again"));
  return Out;
}

/// Digits of active numbers that have gone through integers.
static Error checkLostBits(RequestState &S) {
  Error Out = Error::success();
  for (const Instruction *I : S.Activity.lostBits()) {
    const char *Why = !isa<LoadInst>(I) ? "its places depend on digits"
                      : I->getType()->isIntegerTy()
                          ? "they are read from text that they were written to"
                          : "they were stored as an integer";
    Out = joinErrors(std::move(Out), diffError(DiagId::UnsupportedDigits, *I, Why));
  }
  return Out;
}

/// True if V is an object other than Global that the graph cannot tell from it.
static bool isConfused(RequestState &S, const GlobalVariable &Global, const Value *V) {
  const unsigned Node = S.Graph.canonical(S.Graph.find(&Global).Node);
  const Location At = S.Graph.find(V);
  return V != &Global && At && S.Graph.canonical(At.Node) == Node;
}

static bool isConfused(RequestState &S, const GlobalVariable &Global) {
  for (const Argument &A : S.Closure.Root->args())
    if (A.getType()->isPointerTy() && isConfused(S, Global, &A))
      return true;
  for (const GlobalVariable &Other : S.C.M.globals())
    if (!Other.hasAttribute(attr::Inactive) && isConfused(S, Global, &Other))
      return true;
  for (Function *F : S.Closure.Functions)
    for (const Instruction &I : instructions(*F))
      if ((isa<AllocaInst>(I) || isNoAliasCall(&I)) && isConfused(S, Global, &I))
        return true;
  return false;
}

/// A variable that is declared inactive must be told apart from what is not.
static Error checkInactiveGlobals(RequestState &S) {
  for (const GlobalVariable &Global : S.C.M.globals())
    if (Global.hasAttribute(attr::Inactive) && S.Graph.find(&Global) && isConfused(S, Global))
      return diffError(DiagId::MixedActivity, *S.Spec.Primal,
                       "'" + Global.getName() + "' is declared inactive");
  return Error::success();
}

static void analyseInto(RequestState &S, MemoryGraph &Graph, ActivityResult &Activity,
                        WriteSet &Writes) {
  describeMemory(Graph, S.Closure.Functions, S.C.Handlers);
  markOutside(S, Graph);
  ActivityQuestion Q{S.Closure.Root, &S.Spec, S.Closure.Functions, !S.Switch.Activity};
  Activity = computeActivity(Q, Graph, S.C.Handlers);
  if (S.Spec.Split)
    Writes.outliveCall();
  Writes.collect(S.Closure.Functions, Activity, S.C.Handlers);
}

/// What the memory graph knows of places that a float shares with something else.
static bool splitMixedMoves(RequestState &S, const MemoryGraph &Graph) {
  constexpr unsigned Wider = SK_AnyFloat & ~SK_Float;
  bool Changed = false;
  for (Function *F : S.Closure.Functions)
    Changed |= splitMoves(*F, S.C.FAM, [&](Instruction &Access) {
      const Location At = Graph.find(getLoadStorePointerOperand(&Access));
      const unsigned Kinds = At ? Graph.kindsAt(At, sizeof(uint64_t)) : 0;
      return (Kinds & SK_Float) && !(Kinds & (Wider | SK_Pointer)) && !Graph.isCount(&Access);
    });
  return Changed;
}

/// Doubles that move as two floats.
static bool joinMovedHalves(RequestState &S, const MemoryGraph &Graph) {
  bool Changed = false;
  for (Function *F : S.Closure.Functions)
    Changed |= joinMovedFloats(*F, [&](StoreInst &Store) {
      const Location At = Graph.find(Store.getPointerOperand());
      const TypeSize Bytes = Graph.layout().getTypeStoreSize(Store.getValueOperand()->getType());
      return At && (Graph.kindsAt(At, Bytes.getFixedValue()) & SK_Double);
    });
  return Changed;
}

/// Signs that are changed in memory, of what is a float and nothing else.
static bool restoreSignsInMemory(RequestState &S, const MemoryGraph &Graph) {
  bool Changed = false;
  for (Function *F : S.Closure.Functions)
    Changed |= restoreStoredSigns(*F, [&](const StoreInst &Store) {
      const Location At = Graph.find(Store.getPointerOperand());
      const bool Wide = Store.getValueOperand()->getType()->isIntegerTy(64);
      return At && Graph.kindsAt(At, Wide ? 8 : 4) == (Wide ? SK_Double : SK_Float);
    });
  return Changed;
}

/// Before the loops are numbered: a bound that does not change makes a trip count known.
static void hoistLoads(RequestState &S) {
  MemoryGraph Graph(S.C.M.getDataLayout());
  ActivityResult Activity;
  WriteSet Writes;
  analyseInto(S, Graph, Activity, Writes);
  const bool Again = splitMixedMoves(S, Graph) || joinMovedHalves(S, Graph) ||
                     restoreSignsInMemory(S, Graph) ||
                     writeTextCopies(S.Closure.Functions, Activity, S.C.FAM);
  if (!Again) {
    hoistUnchangedLoads(S.Closure.Functions, Writes, Activity, S.C.Handlers, S.C.FAM);
    moveWords(S.Closure.Functions, Graph);
    copyWordsOfFloats(S.Closure.Functions, Graph);
    splitNumberCopies(S.Closure.Functions, Activity);
  }
  PreservedAnalyses Kept = PreservedAnalyses::none();
  Kept.preserveSet<CFGAnalyses>();
  for (Function *F : S.Closure.Functions)
    S.C.FAM.invalidate(*F, Kept);
  if (Again)
    hoistLoads(S);
}

static bool usesForeignMemory(RequestState &S) {
  for (Function *F : S.Closure.Functions)
    for (Instruction &I : instructions(*F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (const ConstructHandler *H = S.C.Handlers.find(*Call))
          if (!H->facts(*Call).Foreign.empty())
            return true;
  return false;
}

/// So that the call may be repeated: what it writes outside is taken back. What was there before is
/// nothing that the program reads.
static void takeWritesBack(RequestState &S) {
  const MadeOnce Made(S.Closure.Functions, S.C.FAM);
  SmallSetVector<Instruction *, 16> Found;
  for (const WriteSet::Write &W : S.Writes.writes())
    if (outlives(S.Graph, W) && comesBack(S, *W.At) && !Made.contains(*W.At))
      Found.insert(W.At);
  for (Instruction *Write : Found)
    takeBack(*Write);
  const bool Spares = spareOthers(S);
  S.TakesBack = Spares || !Found.empty();
}

static void analyse(RequestState &S) {
  Timed T("analyse", "Analyse: loops, memory, activity, effects");
  for (Function *F : S.Closure.Functions) // an erased function may have had the same address
    S.C.FAM.clear(*F, F->getName());
  hoistLoads(S);
  for (Function *F : S.Closure.Functions)
    numberLoops(*F, S.C.FAM, S.Loops);
  if (S.Spec.Mode != DerivativeMode::Tangent && S.Switch.MinCut)
    for (Function *F : S.Closure.Functions)
      addCarriedLoads(*F, S.C.FAM, S.Carried);
  analyseInto(S, S.Graph, S.Activity, S.Writes);
  if (S.Spec.Repeated)
    takeWritesBack(S);
  if (!S.Spec.Again && S.Spec.Mode != DerivativeMode::Tangent)
    S.Writes.putOffFrees(
        findLaterFrees(S.Closure.Functions, S.Activity, S.C.Handlers, S.C.FAM, S.Switch.MinCut),
        S.Graph);
  prepareAsked(S);
  findOwnStores(S);
  S.Foreign = usesForeignMemory(S);
  chooseTakenBack(S);
  markOwnVariables(S.C.M, S.Closure.Functions);
  if (S.Switch.Print.Types)
    printTypes(S);
  if (S.Switch.Print.Activity)
    printActivity(S);
}

static Error emitAll(RequestState &S) {
  Timed T("emit", "Plan and emit");
  bool Tangent = S.Spec.Mode == DerivativeMode::Tangent;
  Error Errors = Error::success();
  for (unsigned I = 0; I < S.Units.size(); ++I) {
    Unit &U = *(S.Units.begin() + I)->second;
    if (Error E = Tangent ? emitTangent(S, U) : emitAdjoint(S, U))
      Errors = joinErrors(std::move(Errors), std::move(E));
  }
  if (!Errors && isReplay(*S.Spec.Primal))
    for (auto &[Prepared, U] : S.Units)
      readLog(*U->Forward);
  return Errors;
}

static SmallVector<Function *, 2> functionsOf(const Unit &U) {
  SmallVector<Function *, 2> Functions;
  for (Function *F : {U.Forward, U.Reverse == U.Forward ? nullptr : U.Reverse})
    if (F)
      Functions.push_back(F);
  append_range(Functions, U.Pieces);
  return Functions;
}

/// What an earlier request has emitted as well is used again.
static void shareTwins(RequestState &S) {
  if (!S.C.Twins)
    return;
  MapVector<Function *, Function **> All;
  for (auto &[Prepared, U] : S.Units)
    if (Prepared != S.Closure.Root)
      for (Function **F : {&U->Forward, &U->Reverse})
        if (*F)
          All.insert({*F, F});
  for (auto &[Prepared, U] : S.Units)
    if (U->Kind == SweepKind::Tangent && Prepared != S.Closure.Root)
      U->Reverse = nullptr; // the same function
  for (const Cycle &Members : cyclesOf(to_vector<16>(make_first_range(All)))) {
    const TwinTable::Pairs Twins = S.C.Twins->find(Members);
    for (auto [F, Twin] : Twins)
      F->replaceAllUsesWith(Twin);
    for (Function *F : Members) {
      if (!Twins.count(F)) {
        S.C.Twins->keep(*F);
        continue;
      }
      *All[F] = nullptr;
      S.C.FAM.clear(*F, F->getName());
      F->eraseFromParent();
    }
  }
}

/// What is left when variables have become registers.
static void simplifyUnread(RequestState &S) {
  SmallVector<Function *, 8> All;
  for (auto &[Prepared, U] : S.Units)
    append_range(All, functionsOf(*U));
  auto Changed = dropUnread(All);
  if (S.C.Twins)
    S.C.Twins->forget(Changed.getArrayRef());
  for (Function *F : All)
    if (!S.C.AsksErrno && dropUnusedMath(*F))
      Changed.insert(F);
  for (Function *F : Changed)
    simplifyFunction(*F, S.C);
}

static void addOneThreadVersions(const RequestState &S, Unit &U) {
  if (!U.InTeam || U.Foreign || !S.Switch.Sharing || S.Switch.Deterministic ||
      U.Kind != SweepKind::Split || !U.Pieces.empty() || S.C.HasViews)
    return;
  for (auto [F, Part] :
       {std::pair(U.Forward, OneThreadPart::Forward), std::pair(U.Reverse, OneThreadPart::Reverse)})
    if (F)
      if (Function *One = addOneThreadVersion(*F, Part, 4 * S.Switch.PieceSize))
        U.Pieces.push_back(One);
}

/// What a whole loop has one answer to gets a loop for each answer.
static Simplify howMuch(const Function &F) {
  const Function *Question = F.getParent()->getFunction((RuntimePrefix + "omp_pieces_apart").str());
  return Question &&
                 any_of(Question->users(),
                        [&](const User *U) { return cast<Instruction>(U)->getFunction() == &F; })
             ? Simplify::Most
             : Simplify::Usual;
}

static Error finish(RequestState &S) {
  Timed T("finish", "Verify and simplify");
  for (auto &[Prepared, U] : S.Units)
    for (Function *F : functionsOf(*U))
      restoreSwaps(*F);
  shareTwins(S);
  for (auto &[Prepared, U] : S.Units) {
    for (Function *F : functionsOf(*U))
      clearLate(*F);
    for (Function *F : functionsOf(*U))
      append_range(U->Pieces, cutIntoPieces(*F, U->Mark, S.Switch.PieceSize));
    for (Function *F : functionsOf(*U))
      emitCaught(*F, F == U->Forward ? U->Begin : nullptr, F == U->Forward ? U->Mark : nullptr);
    if (U->Begin)
      emitUnwinding(*U->Forward, *U->Begin, *U->Mark);
    addOneThreadVersions(S, *U);
    for (Function *F : functionsOf(*U)) {
      std::string Fault;
      raw_string_ostream OS(Fault);
      if (verifyFunction(*F, &OS) || S.Switch.Fault)
        return diffError(DiagId::Internal, *F, Fault);
      if (!S.Spec.Again)
        keepWideVariables(*F);
      simplifyFunction(*F, S.C, howMuch(*F));
    }
  }
  simplifyUnread(S);
  return Error::success();
}

static void discard(RequestState &S) {
  SmallVector<Function *, 8> Dead;
  for (auto &[Prepared, U] : S.Units)
    append_range(Dead, functionsOf(*U));
  for (Function *F : Dead)
    F->deleteBody();
  for (Function *F : Dead) {
    F->replaceAllUsesWith(PoisonValue::get(F->getType()));
    F->eraseFromParent();
  }
  SmallVector<GlobalVariable *, 8> Shadows;
  for (auto [Of, Shadow] : S.ShadowGlobals)
    if (!givenShadow(*Of.first))
      Shadows.push_back(Shadow);
  for (GlobalVariable *Shadow : Shadows)
    Shadow->setInitializer(nullptr);
  for (GlobalVariable *Shadow : Shadows)
    if (Shadow->use_empty())
      Shadow->eraseFromParent();
  if (S.Kept.Owner && S.Kept.Owner->use_empty())
    S.Kept.Owner->eraseFromParent();
}

/// True if the module writes atomically, or to volatile places, which older programs use for that.
static bool writesAtomically(const Module &M) {
  return any_of(M, [](const Function &F) {
    return any_of(instructions(F), [](const Instruction &I) {
      if (isa<StoreInst>(I))
        return I.isAtomic() || I.isVolatile();
      return isa<AtomicRMWInst, AtomicCmpXchgInst>(I);
    });
  });
}

static Expected<PreparedClosure> prepare(const DerivativeSpec &Spec, Compilation &C,
                                         const Switches &Sw) {
  Timed T("prepare", "Prepare: clone, inline, canonicalise");
  bool Two = Spec.Mode == DerivativeMode::Adjoint && Sw.MinCut;
  const SaveAndRestore Mode(C.TasksAtOnce, Spec.Again || Sw.Deterministic);
  const bool Ordered = Spec.Repeated && writesAtomically(C.M);
  const SaveAndRestore Shared(C.Library, Spec.Again || Ordered ? nullptr : C.Library);
  if (Ordered)
    C.M.getOrInsertNamedMetadata(RepeatedFlag);
  auto Made = prepareClosure(*Spec.Primal, C, Two ? NestVersions::Two : NestVersions::One);
  if (NamedMDNode *Flag = C.M.getNamedMetadata(RepeatedFlag))
    C.M.eraseNamedMetadata(Flag);
  return Made;
}

/// What models rewrite for a fixed order of additions they read in the module.
static void tellModels(Module &M, bool Deterministic) {
  NamedMDNode *Known = M.getNamedMetadata(DeterministicFlag);
  if (Deterministic)
    M.getOrInsertNamedMetadata(DeterministicFlag);
  else if (Known)
    M.eraseNamedMetadata(Known);
}

/// Where threads of a team may add to. Two objects from outside may be one.
static void findAdditions(RequestState &S) {
  bool Outside = false;
  for (Function *F : S.Closure.Functions)
    for (Instruction &I : instructions(*F))
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && F != S.Closure.Root)
        if (Location At = S.Graph.find(Load->getPointerOperand())) {
          S.AddedInTeams.insert(S.Graph.canonical(At.Node));
          Outside |= S.Graph.isExternal(At.Node);
        }
  for (unsigned N = 0; Outside && N < S.Graph.nodeCount(); ++N)
    if (S.Graph.isExternal(N))
      S.AddedInTeams.insert(S.Graph.canonical(N));
}

Expected<Derivative> differentiate(const DerivativeSpec &Spec, Compilation &C, const Switches &Sw) {
  Switches Chosen = Sw;
  Chosen.Sharing &= !Spec.Again && !Spec.Repeated; // writes are taken back in their order
  Chosen.Deterministic &= !Spec.Again;
  tellModels(C.M, Chosen.Deterministic);
  auto Closure = prepare(Spec, C, Chosen);
  if (!Closure)
    return Closure.takeError();
  RequestState S(C, Spec, Chosen, std::move(*Closure));
  analyse(S);
  if (Chosen.Deterministic)
    findAdditions(S);
  if (Error E = joinErrors(findOwnShadows(S),
                           joinErrors(checkIntegerMembers(S),
                                      joinErrors(checkInactiveGlobals(S), checkHiddenInputs(S)))))
    return std::move(E);
  if (Spec.Repeated)
    if (Error E = checkRepeatable(S))
      return std::move(E);
  S.RunsOnce = runsOnce(S);
  if (Spec.Split)
    S.unitFor(*S.Closure.Root);
  else
    S.Units[S.Closure.Root] = declareRoot(S);
  Unit &Root = *S.Units[S.Closure.Root];
  Error E = joinErrors(checkVariables(S), checkStrings(S));
  if (!E)
    E = emitAll(S);
  if (!E)
    E = checkLostBits(S);
  if (!E)
    E = checkGlobalShadows(S);
  if (!E)
    clearShadowsInTeams(S, Root);
  if (!E && !Spec.Split) {
    BasicBlock &Entry = Root.Forward->getEntryBlock();
    clearGlobalShadows(S, Root, {&Entry, Entry.getFirstNonPHIOrDbgOrAlloca()});
  }
  if (!E && !Spec.Split)
    E = dropAbsent(S, Root);
  if (!E)
    E = finish(S);
  if (E) {
    if (C.Twins)
      C.Twins->clear();
    discard(S);
    return std::move(E);
  }
  Derivative Out{Root.Forward, nullptr, false, S.TakesBack};
  if (Spec.Split)
    Out = emitSplitCalls(S, Root);
  Out.HasTeams = !S.Closure.TeamBodies.empty();
  return Out;
}

} // namespace contraflow
