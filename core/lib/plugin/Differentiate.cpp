// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests inside a primal come before requests of that primal, so that derivatives of derivatives
// see plain code. Derivatives are memoised on their spec. All errors of a module are reported.

#include "Differentiate.h"
#include "ChooseFunction.h"
#include "InlineWrappers.h"
#include "NoteBlocks.h"
#include "Options.h"
#include "Reproducer.h"
#include "Specialise.h"
#include "Views.h"
#include "analysis/Dispatch.h"
#include "analysis/Layouts.h"
#include "analysis/Outside.h"
#include "callee/Rust.h"
#include "callee/Variables.h"
#include "construct/Memory.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"
#include "emit/Replay.h"
#include "emit/Twins.h"
#include "emit/Unit.h"
#include "parallel/mpi/Register.h"
#include "parallel/omp/Register.h"
#include "parallel/threads/Register.h"
#include "prepare/Closures.h"
#include "prepare/FirstBytes.h"
#include "prepare/Library.h"
#include "prepare/Members.h"
#include "prepare/Slots.h"
#include "prepare/StructCopies.h"
#include "prepare/Swaps.h"
#include "prepare/Virtual.h"
#include "prepare/Wrapped.h"
#include "request/ByValue.h"
#include "request/Registration.h"
#include "rules/Smooth.h"
#include "support/Reached.h"
#include "support/Valid.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/Timer.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <map>
#include <set>

using namespace llvm;

namespace contraflow {
namespace {

class ModuleDriver {
public:
  ModuleDriver(Module &M, Compilation &Tangents, Compilation &Adjoints, bool HasRules, Error Faults)
      : M(M), Tangents(Tangents), Adjoints(Adjoints), HasRules(HasRules),
        Errors(std::move(Faults)) {}
  bool run();

private:
  void readRequests();
  void readBeforeTangent(CallBase &Call);
  void lookAhead();
  bool waits(const DerivativeRequest &R) const;
  bool lacksInner(const DerivativeRequest &R) const;
  Error findInvalid();
  void fail(CallBase &Call, Error E);
  Error serve(const DerivativeRequest &R);
  Error serveReplay(const DerivativeRequest &R);
  Expected<Replay> replayOf(Function &Primal);
  Expected<Function *> replayCall(const DerivativeRequest &R);
  Expected<Derivative> fromLog(const DerivativeRequest &R);
  void dropReplays();
  void findInner();
  Error makeAgain(const DerivativeSpec &Spec, const Derivative &First);
  bool serveCallbacks();
  Function *derivativeFor(Function *Primal, DerivativeMode Mode, ArrayRef<bool> HasShadow);
  bool registerCallback(const Callback &B);
  Expected<Derivative> derivativeOf(const DerivativeSpec &Spec);
  ClosureTemplates &closuresOf(DerivativeMode Mode) {
    return Closures[HasRules && Mode != DerivativeMode::Tangent];
  }
  void note(Error E) { Errors = joinErrors(std::move(Errors), std::move(E)); }

  Module &M;
  Compilation &Tangents, &Adjoints; ///< the user's rules differ
  bool HasRules;                    ///< there are any
  SmallVector<DerivativeRequest, 4> Pending;
  SmallPtrSet<const Function *, 4> Faulty; ///< without valid code, or with a failed request
  SmallVector<Function *, 0> Ours;         ///< and those where the fault is ours
  SmallSetVector<Function *, 16> Inner;    ///< that primals lead to
  bool HasInner = false;                   ///< derivatives are differentiated
  SmallPtrSet<const Function *, 2> Replayed, Reversed; ///< primals of calls with a tape
  std::map<std::vector<uintptr_t>, Derivative> Derivatives;
  MapVector<Function *, Replay> Replays;
  std::map<std::vector<uintptr_t>, Function *> ReplayCalls;
  CodeReach Reach{otherCode()};
  PreparedLibrary Libraries[2]; ///< of tangents, of adjoints
  TwinTable Twins[2];
  TwinTable AgainTwins;         ///< of what is differentiated again: others share out additions
  ClosureTemplates Closures[2]; ///< the first of both, where they do not differ
  Error Errors;
};

/// An augmented call does not say which call it goes before: it may have the arguments of an
/// adjoint, or those of a tangent.
static bool mayGoBeforeTangent(CallBase &Call) {
  auto R = parseBeforeTangent(Call);
  if (R)
    return R->Part == RequestPart::Augmented;
  consumeError(R.takeError());
  return false;
}

/// Why a request for so many directions cannot be served in this module; null if it can.
static const char *whyRefused(const Module &M, unsigned Width) {
  if (M.getModuleFlag("openmp-device"))
    return "it is in code for a device (a target region)";
  if (any_of(M.globals(), hasWrongShadow))
    return "the metadata 'enzyme_shadow' of a global variable has to name one other variable of "
           "its type";
  if (Width > 1 && any_of(M.globals(), givenShadow))
    return "a global variable has a shadow by its metadata 'enzyme_shadow', which is for one "
           "direction; pass both as parameters";
  return nullptr;
}

void ModuleDriver::readRequests() {
  specialiseRequests(M);
  chooseFunctions(M);
  SmallVector<CallBase *, 2> Unclear;
  for (CallBase *Call : findRequests(M)) {
    Call->getFunction()->addFnAttr(attr::Asks);
    auto R = parseRequest(*Call);
    if (R)
      R->Spec.ChecksShadows |= checksShadows();
    if (const char *Refused = whyRefused(M, R ? R->Width : 1)) {
      consumeError(R.takeError());
      fail(*Call, diffError(DiagId::UnsupportedMode, *Call, Refused));
    } else if (R)
      Pending.push_back(std::move(*R));
    else if (mayGoBeforeTangent(*Call))
      Unclear.push_back(Call), consumeError(R.takeError());
    else
      fail(*Call, R.takeError());
  }
  for (const DerivativeRequest &R : Pending)
    if (R.Part == RequestPart::Replay || (R.Spec.Split && R.Spec.Repeated))
      Replayed.insert(R.Spec.Primal);
    else if (R.Part == RequestPart::Reverse)
      Reversed.insert(R.Spec.Primal);
  for (CallBase *Call : Unclear)
    readBeforeTangent(*Call);
}

void ModuleDriver::readBeforeTangent(CallBase &Call) {
  auto R = parseBeforeTangent(Call);
  if (R && Replayed.contains(R->Spec.Primal))
    Pending.push_back(std::move(*R));
  else
    fail(Call, R ? parseRequest(Call).takeError() : R.takeError());
}

/// An error in a function that is differentiated itself is not reported once more there.
void ModuleDriver::fail(CallBase &Call, Error E) {
  Faulty.insert(Call.getFunction());
  visitErrors(E, [&](const ErrorInfoBase &Fault) {
    if (!Fault.isA<DiffError>() || static_cast<const DiffError &>(Fault).id() == DiagId::Internal)
      Ours.push_back(Call.getFunction());
  });
  note(std::move(E));
}

/// An error for each function that is no valid code. Requests that lead to one are not served.
Error ModuleDriver::findInvalid() {
  Error All = Error::success();
  for (Function *F : Inner)
    if (Error E = checkValid(*F)) {
      Faulty.insert(F);
      All = joinErrors(std::move(All), std::move(E));
    }
  return All;
}

/// Requests in functions that other requests lead to are differentiated again.
void ModuleDriver::findInner() {
  SmallVector<Function *, 16> Primals;
  for (const DerivativeRequest &R : Pending)
    Primals.push_back(R.Spec.Primal);
  anyReached(Primals, [&](Function &F) {
    Inner.insert(&F);
    return false;
  });
  HasInner = any_of(
      Pending, [&](const DerivativeRequest &R) { return Inner.contains(R.Call->getFunction()); });
}

/// True if the primal leads to a request that is still pending.
bool ModuleDriver::waits(const DerivativeRequest &R) const {
  SmallPtrSet<const Function *, 16> Holding;
  for (const DerivativeRequest &Other : Pending)
    Holding.insert(Other.Call->getFunction());
  return anyReached(R.Spec.Primal, [&](Function &F) { return Holding.contains(&F); });
}

/// True if the primal leads to a request that has failed, or to code that is not valid.
bool ModuleDriver::lacksInner(const DerivativeRequest &R) const {
  return !Faulty.empty() &&
         anyReached(R.Spec.Primal, [&](Function &F) { return Faulty.contains(&F); });
}

static std::vector<uintptr_t> keyOf(const DerivativeSpec &Spec) {
  std::vector<uintptr_t> Key{reinterpret_cast<uintptr_t>(Spec.Primal),
                             static_cast<uintptr_t>(Spec.Mode),
                             static_cast<uintptr_t>(Spec.Result),
                             Spec.ReturnPrimal,
                             Spec.Width,
                             Spec.Split,
                             Spec.Repeated,
                             Spec.ChecksShadows,
                             Spec.Again,
                             Spec.Rounding};
  for (Activity A : Spec.Args)
    Key.push_back(static_cast<uintptr_t>(A));
  for (auto [Parameter, IsNull] : Spec.Absent)
    Key.push_back(~uintptr_t(2 * Parameter + IsNull)); // apart from the numbers of members
  Key.insert(Key.end(), Spec.IntegerMembers.begin(), Spec.IntegerMembers.end());
  return Key;
}

/// What all requests lead to is known before the first one is served.
void ModuleDriver::lookAhead() {
  std::set<std::vector<uintptr_t>> Seen;
  for (const DerivativeRequest &R : Pending) {
    const bool Derives = R.Part != RequestPart::TapeSize && R.Part != RequestPart::Batch &&
                         R.Part != RequestPart::FunctionShadow;
    if (Derives && Seen.insert(keyOf(R.Spec)).second)
      Reach.add(*R.Spec.Primal), closuresOf(R.Spec.Mode).expect(*R.Spec.Primal);
  }
  for (Compilation *C : {&Tangents, &Adjoints}) {
    C->Reach = &Reach;
    if (Reach.requests() < 2)
      continue;
    C->Library = &Libraries[C == &Adjoints];
    C->Twins = &Twins[C == &Adjoints];
    C->Closures = &closuresOf(C == &Adjoints ? DerivativeMode::Adjoint : DerivativeMode::Tangent);
  }
}

/// True of what two objects that have become one may be the reason of.
static bool mayBeOfMemory(Expected<Derivative> &Failed) {
  bool Found = false;
  Failed = handleErrors(Failed.takeError(), [&](std::unique_ptr<DiffError> E) -> Error {
    Found |= is_contained({DiagId::IndirectCall, DiagId::UnknownType, DiagId::MixedActivity,
                           DiagId::UnsupportedInstruction, DiagId::UnsupportedMemory,
                           DiagId::UnsupportedDigits},
                          E->id());
    return Error(std::move(E));
  });
  return Found;
}

/// Once more, with fewer callees of indirect calls: what was refused may have been two objects that
/// a callee has made one which is never called. Failed is the result where that is not known.
static Expected<Derivative> withCalledOnly(Expected<Derivative> Failed, const DerivativeSpec &Spec,
                                           Compilation &C) {
  const NumberedCalls Numbered(C.M);
  if (Numbered.none() || !mayBeOfMemory(Failed))
    return Failed;
  C.Sparing = false;
  if (const auto Called = findCalled(*Spec.Primal, C)) {
    consumeError(Failed.takeError());
    C.Called = &*Called;
    Failed = differentiate(Spec, C, chosenSwitches());
    C.Called = nullptr;
  }
  C.Sparing = true;
  return Failed;
}

Expected<Derivative> ModuleDriver::derivativeOf(const DerivativeSpec &Spec) {
  Derivative &Known = Derivatives[keyOf(Spec)];
  if (Known.Forward)
    return Known;
  Compilation &C = Spec.Mode == DerivativeMode::Tangent ? Tangents : Adjoints;
  C.Spared = false;
  auto *const Shared = C.Twins;
  if (Spec.Rounding)
    C.Twins = nullptr; // they hold tangents
  else if (Spec.Again)
    C.Twins = &AgainTwins;
  auto New = differentiate(Spec, C, chosenSwitches());
  if (!New && C.Spared) {
    // More is known about what is inlined.
    consumeError(New.takeError());
    C.Sparing = false;
    New = differentiate(Spec, C, chosenSwitches());
    C.Sparing = true;
  }
  if (!New && (!Spec.Repeated || C.TakesAddresses)) // a log may serve before that
    New = withCalledOnly(std::move(New), Spec, C);
  C.Twins = Shared;
  if (New)
    Known = *New;
  return New;
}

Error ModuleDriver::serve(const DerivativeRequest &R) {
  if (R.Part == RequestPart::TapeSize)
    return lowerRequest(R, {});
  if (R.Inactive)
    return lowerRequest(R, {inactiveTwin(*R.Spec.Primal), nullptr});
  if (R.Part == RequestPart::Batch || R.Part == RequestPart::FunctionShadow)
    return lowerRequest(R, {R.Spec.Primal, nullptr});
  if (Replayed.contains(R.Spec.Primal) && R.Spec.Split)
    return serveReplay(R);
  Adjoints.NoLog = false;
  auto D = derivativeOf(R.Spec);
  if (!D && !Adjoints.NoLog) {
    auto Log = fromLog(R);
    if (Log) {
      consumeError(D.takeError());
      return lowerRequest(R, *Log);
    }
    consumeError(Log.takeError());
  }
  if (!D && R.Part == RequestPart::Whole && R.Spec.Repeated) {
    consumeError(D.takeError());
    const SaveAndRestore All(Adjoints.TakesAddresses, true);
    D = derivativeOf(R.Spec);
  }
  if (!D)
    return D.takeError();
  if (D->HasTeams && Inner.contains(R.Call->getFunction()))
    if (Error E = makeAgain(R.Spec, *D))
      return E;
  return lowerRequest(R, *D);
}

Expected<Replay> ModuleDriver::replayOf(Function &Primal) {
  if (auto It = Replays.find(&Primal); It != Replays.end())
    return It->second;
  auto New = makeReplay(Primal, Tangents);
  if (New)
    Replays[&Primal] = *New;
  return New;
}

/// The first or the second call of a split tangent, or of an adjoint in several directions: that is
/// called once for each, on the same log.
Expected<Function *> ModuleDriver::replayCall(const DerivativeRequest &R) {
  auto Runs = replayOf(*R.Spec.Primal);
  if (!Runs)
    return Runs.takeError();
  std::vector<uintptr_t> Key = keyOf(R.Spec);
  Key.push_back(static_cast<uintptr_t>(R.Part));
  if (Function *Known = ReplayCalls[Key])
    return Known;
  if (R.Part == RequestPart::Augmented)
    return ReplayCalls[Key] = emitRecordCall(R.Spec, *Runs);
  DerivativeSpec Whole = R.Spec;
  Whole.Primal = Runs->Again;
  Whole.Split = Whole.Repeated = false;
  auto Tangent = derivativeOf(Whole);
  if (!Tangent)
    return Tangent.takeError();
  return ReplayCalls[Key] = emitReplayCall(R.Spec, *Runs, *Tangent->Forward);
}

/// An adjoint in several directions, of a primal that cannot run more than once.
Expected<Derivative> ModuleDriver::fromLog(const DerivativeRequest &R) {
  if (R.Part != RequestPart::Whole || !R.Spec.Repeated || HasRules || !isa<CallInst>(R.Call))
    return diffError(DiagId::UnsupportedMode, *R.Call, "");
  DerivativeRequest Two = R;
  Two.Part = RequestPart::Augmented;
  auto First = replayCall(Two);
  if (!First)
    return First.takeError();
  Two.Part = RequestPart::Whole;
  auto Second = replayCall(Two);
  if (!Second)
    return Second.takeError();
  return Derivative{*Second, *First};
}

/// A call with a tape, of a function of which a split tangent is wanted. If its adjoint is wanted
/// as well, that is the adjoint of what logs.
Error ModuleDriver::serveReplay(const DerivativeRequest &R) {
  const bool Again =
      R.Part == RequestPart::Replay || (R.Part == RequestPart::Reverse && R.Spec.Repeated);
  if (HasRules && Again && R.Spec.Mode == DerivativeMode::Adjoint)
    return diffError(DiagId::UnsupportedMode, *R.Call,
                     "'enzyme_width' in a split adjoint, in a program with registered derivatives");
  if (Again || !Reversed.contains(R.Spec.Primal)) {
    auto F = replayCall(R);
    return F ? lowerRequest(R, {*F, nullptr}) : F.takeError();
  }
  if (HasRules || R.Spec.Mode == DerivativeMode::Tangent)
    return diffError(DiagId::UnsupportedMode, *R.Call,
                     "a split tangent and a split adjoint of one function, with registered "
                     "derivatives or other markers");
  auto Runs = replayOf(*R.Spec.Primal);
  if (!Runs)
    return Runs.takeError();
  DerivativeSpec Logging = R.Spec;
  Logging.Primal = Runs->Record;
  Logging.Repeated = false;
  auto D = derivativeOf(Logging);
  return D ? lowerRequest(R, *D) : D.takeError();
}

void ModuleDriver::dropReplays() {
  for (auto &[Primal, R] : Replays)
    for (Function *F : R.Copies)
      F->deleteBody();
  for (auto &[Primal, R] : Replays)
    for (Function *F : R.Copies)
      F->eraseFromParent();
  Replays.clear();
}

/// What shares out the adjoints of a region has no derivative itself: where a derivative is
/// differentiated again, a version without takes its place.
Error ModuleDriver::makeAgain(const DerivativeSpec &Spec, const Derivative &First) {
  DerivativeSpec Plain = Spec;
  Plain.Again = true;
  auto Second = derivativeOf(Plain);
  if (!Second)
    return Second.takeError();
  First.Forward->addFnAttr(attr::Again, Second->Forward->getName());
  if (First.Reverse)
    First.Reverse->addFnAttr(attr::Again, Second->Reverse->getName());
  return Error::success();
}

/// Of a function some of whose parameters have shadows; null if it has no derivative.
Function *ModuleDriver::derivativeFor(Function *Primal, DerivativeMode Mode,
                                      ArrayRef<bool> HasShadow) {
  DerivativeSpec Spec;
  Spec.Primal = Primal;
  Spec.Mode = Mode;
  for (bool Has : HasShadow)
    Spec.Args.push_back(Has ? Activity::Dup : Activity::Const);
  auto Derivative = derivativeOf(Spec);
  if (Derivative)
    return Derivative->Forward;
  consumeError(Derivative.takeError());
  return nullptr;
}

/// Puts cf_v1_<name>(function, tangent, adjoint) among the constructors of the module and, if it
/// differentiates derivatives, cf_v1_<name>_twice(function, tangents of the two). False if the
/// function has no derivative: whoever needs it will say so.
bool ModuleDriver::registerCallback(const Callback &B) {
  SmallVector<Value *, 3> Once{B.Body}, Twice{B.Body};
  SmallVector<bool, 8> Again; // parameters of a derivative
  for (bool Has : B.HasShadow)
    Again.append(Has ? 2 : 1, Has);
  for (auto Mode : {DerivativeMode::Tangent, DerivativeMode::Adjoint}) {
    Function *First = derivativeFor(B.Body, Mode, B.HasShadow);
    if (!First)
      return false;
    Once.push_back(First);
    if (Function *Second =
            HasInner ? derivativeFor(First, DerivativeMode::Tangent, Again) : nullptr)
      Twice.push_back(Second);
  }
  LLVMContext &Context = M.getContext();
  auto *Constructor =
      Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                       GlobalValue::InternalLinkage, "cf.register." + B.Body->getName(), M);
  IRBuilder<> IR(BasicBlock::Create(Context, "entry", Constructor));
  CallInst *Call = SweepBuilder::callRuntime(IR, M, B.Register, IR.getVoidTy(), Once);
  // Programs that never differentiate the call are not linked with the runtime.
  Function *Register = Call->getCalledFunction();
  Register->setLinkage(GlobalValue::ExternalWeakLinkage);
  if (Twice.size() == Once.size())
    SweepBuilder::callRuntime(IR, M, (B.Register + "_twice").str(), IR.getVoidTy(), Twice)
        ->getCalledFunction()
        ->setLinkage(GlobalValue::ExternalWeakLinkage);
  ReturnInst *End = IR.CreateRetVoid();
  IR.SetInsertPoint(Call);
  Value *Present = IR.CreateICmpNE(Register, ConstantPointerNull::get(IR.getPtrTy()));
  BasicBlock *Then = Constructor->getEntryBlock().splitBasicBlock(Call->getIterator(), "register");
  BasicBlock *Done = Then->splitBasicBlock(End->getIterator(), "done");
  Instruction *Jump = Constructor->getEntryBlock().getTerminator();
  IR.SetInsertPoint(Jump);
  IR.CreateCondBr(Present, Then, Done);
  Jump->eraseFromParent();
  appendToGlobalCtors(M, Constructor, /*Priority=*/65535);
  return true;
}

bool ModuleDriver::serveCallbacks() {
  SmallMapVector<Function *, Callback, 4> Found;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (const ConstructHandler *H = Adjoints.Handlers.find(*Call))
          if (auto B = H->callback(*Call))
            Found.insert({B->Body, *B});
  bool Any = false;
  for (auto &[Body, B] : Found)
    Any |= registerCallback(B);
  return Any;
}

bool ModuleDriver::run() {
  readRequests();
  Tangents.HasViews = Adjoints.HasViews = !findViews(M).empty();
  findInner();
  note(findInvalid());
  lookAhead();
  bool Any = !Pending.empty();
  while (!Pending.empty()) {
    auto Next = find_if(Pending, [&](const DerivativeRequest &R) { return !waits(R); });
    const bool Endless = Next == Pending.end();
    DerivativeRequest R = std::move(Endless ? Pending.front() : *Next);
    Pending.erase(Endless ? Pending.begin() : Next);
    if (Endless)
      fail(*R.Call, diffError(DiagId::RequestOfItself, *R.Call, userName(*R.Spec.Primal)));
    else if (lacksInner(R))
      Faulty.insert(R.Call->getFunction());
    else if (Error E = serve(R))
      fail(*R.Call, std::move(E));
  }
  for (Compilation *C : {&Tangents, &Adjoints}) {
    C->Library = nullptr;
    C->Twins = nullptr;
    C->Closures = nullptr;
  }
  for (unsigned I : {0, 1}) {
    Libraries[I].clear();
    Twins[I].clear();
    Closures[I].clear();
  }
  AgainTwins.clear();
  Any |= serveCallbacks();
  dropReplays();
  if (!Errors)
    note(lowerViews(M, Tangents, Any));
  lowerSmooth(M);
  restoreSwaps(M);
  Adjoints.Handlers.conclude(M);
  Tangents.Reach = Adjoints.Reach = nullptr;
  if (!Ours.empty())
    if (const std::string Path = writeReproducer(M, Ours); !Path.empty())
      M.getContext().diagnose(
          DiagnosticInfoGeneric("the file for the report of CF901 is '" + Path + "'", DS_Warning));
  removeTakenApart(M);
  note(checkRequestUses(M));
  retireRequests(M);
  reportErrors(M.getContext(), std::move(Errors));
  return Any;
}

} // namespace

static void registerHandlers(HandlerRegistry &Handlers, ArrayRef<UserRule> Rules,
                             DerivativeMode Mode) {
  registerMoveHandlers(Handlers);
  registerMemoryHandlers(Handlers);
  registerFillingHandlers(Handlers);
  registerAllocationHandlers(Handlers);
  registerTapeHandlers(Handlers);
  registerUndoHandlers(Handlers);
  registerLinkedHandlers(Handlers);
  registerSortingHandlers(Handlers);
  registerFortranHandlers(Handlers);
  registerComplexHandlers(Handlers);
  registerExceptionHandlers(Handlers);
  registerBlasHandlers(Handlers);
  registerViewHandlers(Handlers);
  mpi::registerHandlers(Handlers);
  omp::registerHandlers(Handlers);
  threads::registerHandlers(Handlers);
  registerUserRules(Handlers, Rules, Mode);
}

/// Sets an option of LLVM's, unless the user has.
static void choose(StringRef Name, StringRef Setting) {
  auto &Options = cl::getRegisteredOptions();
  auto It = Options.find(Name);
  if (It != Options.end() && It->second->getNumOccurrences() == 0)
    It->second->addOccurrence(0, Name, Setting);
}

/// The vectoriser of straight-line code of LLVM 22.1 may crash on an adjoint when it fills lanes up
/// with operations that change nothing, and may use results in front of where they are calculated
/// when it splits lanes of two operations. Earlier versions do neither.
static void avoidVectoriserFault() {
  choose("slp-copyable-elements", "false");
  choose("slp-split-alternate-instructions", "false");
}

/// The fast instruction selector of LLVM 22.1 (-O0) takes the register of a float for that of an
/// address whose bits it holds. It does not look through a freeze.
static void avoidSelectorFault(Module &M) {
  auto IsAddress = [](const Use &U) {
    const User *By = U.getUser();
    return isa<IntToPtrInst>(By) ||
           (isa<BinaryOperator>(By) &&
            any_of(By->users(), [](const User *Next) { return isa<IntToPtrInst>(Next); }));
  };
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (isa<BitCastInst>(I) && I.getOperand(0)->getType()->isFPOrFPVectorTy() &&
          any_of(I.uses(), IsAddress)) {
        auto *Frozen = new FreezeInst(&I, "", std::next(I.getIterator()));
        I.replaceUsesWithIf(Frozen, [&](Use &U) { return U.getUser() != Frozen && IsAddress(U); });
      }
}

/// The register allocator looks for the best way through all blocks that a value lives across, for
/// each value and each register. With thousands of blocks (a switch of a thousand cases, and its
/// reverse) that takes longer than everything else together.
static void spareAllocator(const Module &M) {
  constexpr unsigned ManyBlocks = 2000;
  if (any_of(M, [](const Function &F) { return F.size() > ManyBlocks; }))
    choose("grow-region-complexity-budget", "1000");
}

/// The scheduler compares each access to memory of a block with those before it, up to a thousand:
/// a quarter of the time that the pieces of a long loop body take. Among fewer it finds as good an
/// order.
static void spareScheduler(const Module &M) {
  constexpr unsigned LongBlock = 400;
  const bool Long = any_of(M, [](const Function &F) {
    return any_of(F, [](const BasicBlock &B) { return B.size() > LongBlock; });
  });
  if (!Long)
    return;
  choose("dag-maps-huge-region", "100");
  choose("dag-maps-reduction-size", "50");
}

/// Two regions in two branches become a fork of either body if the optimiser may merge the calls:
/// each call of OpenMP's library stays what it is.
static void keepApart(Module &M) {
  HandlerRegistry OpenMP;
  omp::registerHandlers(OpenMP);
  for (Function &F : M)
    if (F.isDeclaration() && OpenMP.find(F.getName()))
      for (User *U : F.users())
        if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledOperand() == &F)
          Call->addFnAttr(Attribute::NoMerge);
}

/// What the library's classes keep inside (a std::string points into itself) would blur the objects
/// that they are members of.
static void keepLibraryCalls(Module &M) {
  if (findRequests(M).empty())
    return;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasFnAttribute(Attribute::AlwaysInline) && keepsBody(F))
      F.addFnAttr(Attribute::NoInline);
}

/// Notes what only the code as the front end has made it says.
static void noteSource(Module &M) {
  keepLibraryCalls(M);
  const SmallVector<CallBase *, 4> Requests = findRequests(M);
  noteLeading(M, Requests);
  if (!Requests.empty())
    clearWhole(M);
  if (Requests.empty() && !isLinkedLater(M))
    return;
  threads::useThreadsOfPosix(M);
  noteSlots(M);
  noteVirtualCalls(M);
  noteMemberDistances(M);
  noteWrappedCalls(M);
  noteLayouts(M);
  splitWordCopies(M);
}

PreservedAnalyses DifferentiatePass::run(Module &M, ModuleAnalysisManager &MAM) {
  keepApart(M);
  if (recordUnoptimised(M)) // not every pipeline has a start
    noteSource(M);
  protectRequests(M);
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  inlineWrappers(M, FAM);
  Error Faults = Error::success();
  showRegistered(M);
  nameRustFunctions(M);
  if (globalsAreInactive())
    for (GlobalVariable &G : M.globals())
      if (!G.isConstant())
        G.addAttribute(attr::Inactive);
  for (GlobalVariable &G : M.globals())
    if (G.isDeclaration() && isVirtualTable(G)) // those of the library are not declared constant
      G.setConstant(true);
  const SmallVector<UserRule, 0> Rules = readRegistrations(M, Faults);
  HandlerRegistry Tangent, Adjoint;
  registerHandlers(Tangent, Rules, DerivativeMode::Tangent);
  registerHandlers(Adjoint, Rules, DerivativeMode::Adjoint);
  Compilation Tangents{M, *PB, FAM, Tangent}, Adjoints{M, *PB, FAM, Adjoint};
  Tangents.AsksErrno = Adjoints.AsksErrno = asksForLibraryVariables(M);
  SmallVector<WeakVH, 0> Program;
  for (Function &F : M)
    if (!F.isDeclaration())
      Program.emplace_back(&F);
  const bool Changed = ModuleDriver(M, Tangents, Adjoints, !Rules.empty(), std::move(Faults)).run();
  if (Tangents.KeepsMemory || Adjoints.KeepsMemory)
    noteBlocks(Program);
  releaseRegistrations(M);
  if (Changed) {
    avoidVectoriserFault();
    avoidSelectorFault(M);
    spareAllocator(M);
    spareScheduler(M);
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses KeepRegisteredPass::run(Module &M, ModuleAnalysisManager &) {
  keepApart(M);
  Error Faults = Error::success();
  readRegistrations(M, Faults);
  recordStructures(M);
  noteSource(M);
  protectRequests(M);
  consumeError(std::move(Faults)); // reported by the pass that differentiates
  hideRegistered(M);
  return PreservedAnalyses::none();
}

PreservedAnalyses ShowRegisteredPass::run(Module &M, ModuleAnalysisManager &) {
  showRegistered(M);
  fenceRegistered(M);
  return PreservedAnalyses::none();
}

} // namespace contraflow
