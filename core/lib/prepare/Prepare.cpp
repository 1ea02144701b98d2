// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cloning, inlining and canonicalisation. Inlining keeps a history per call so that recursion is
// seen: a call to a function that is already in its own history stays a call, to a prepared copy.

#include "Prepare.h"
#include "Addresses.h"
#include "Aggregates.h"
#include "Bits.h"
#include "Canonical.h"
#include "Captures.h"
#include "Catches.h"
#include "Choices.h"
#include "ChosenAtLoad.h"
#include "Closures.h"
#include "ComputedGoto.h"
#include "DigitSums.h"
#include "Digits.h"
#include "Disguises.h"
#include "Endings.h"
#include "EntryHooks.h"
#include "Funclets.h"
#include "Indices.h"
#include "Indirect.h"
#include "InlineStorage.h"
#include "KnownVariables.h"
#include "Lanes.h"
#include "Library.h"
#include "Mismatches.h"
#include "PointerVectors.h"
#include "Promises.h"
#include "Reached.h"
#include "Results.h"
#include "Roots.h"
#include "SharedChoices.h"
#include "SignBits.h"
#include "Signatures.h"
#include "Silent.h"
#include "Slim.h"
#include "Thrown.h"
#include "ValueCopies.h"
#include "Variadic.h"
#include "Versioning.h"
#include "WideLoads.h"
#include "callee/Bodies.h"
#include "callee/Resources.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"
#include "rules/Constrained.h"
#include "rules/Expand.h"
#include "rules/Rounding.h"
#include "support/Assignments.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Statepoint.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned InlineBudget = 24000; ///< instructions in one prepared function
constexpr unsigned TinyBudget = 36000;   ///< the same for callees that are hardly more than a call
constexpr unsigned TinyCallee = 8;       ///< instructions of such
/// What all functions of a closure take over of their callees. Beyond it only what is small is
/// inlined: otherwise each of many functions would take over all that it leads to.
constexpr unsigned ClosureBudget = 24000;
/// Of that, what is there once more and runs seldom. A library of few functions that call each
/// other at many places would grow to tens of times its size.
constexpr uint64_t SeldomBudget = 2000;
/// And no more than the request's own code, where that is more than the least: a tower of functions
/// each of which calls the next one twice has an exponential number of copies.
constexpr uint64_t LeastSeldom = 800, LeastOften = 2000, LeastSmall = 1500;
constexpr uint64_t OftenGrowth = 4, SmallGrowth = 6; ///< times the own code, of the other two
/// From so many requests on, the copies of one function in all of them are counted. What these may
/// amount to if they run often:
constexpr unsigned ManyRequests = 4;
constexpr uint64_t OftenInAll = 8000;
constexpr unsigned LargeRecursion = 80; ///< instructions; of fewer, the first call is inlined
constexpr unsigned MostRounds = 8;      ///< of indirect calls that lead to indirect calls
constexpr unsigned RoundsInlined = 3;   ///< after these the callees of a choice stay calls,
constexpr unsigned ChoiceBudget = 3000; ///< as they do in a function of so many instructions
constexpr uint64_t RoundBudget =
    150000; ///< instructions that the rounds of one request may look at

class Preparer {
public:
  Preparer(Compilation &C, PreparedClosure &Out)
      : C(C), Out(Out), Slims(C.FAM, [this](const CallBase &Call) { return isOwn(Call); }),
        Silent(C.Handlers), HistoryKind(C.M.getContext().getMDKindID("contraflow.history")),
        Tables(C.M) {}
  Expected<Function *> prepare(Function &F);
  /// Functions that are the same for all requests, and call nothing else but such functions.
  PreparedPairs templates();

private:
  Error prepareCallee(Function &Callee);
  Function *cloneOf(Function &F);
  Error resolveCalls(Function &P, Function &Origin);
  bool inlineCalls(Function &P);
  bool shrinks(Function &P);
  bool unfoldConstructs(Function &P); ///< True if there was something to unfold.
  Expected<bool> chooseCallees(Function &P, unsigned Round);
  int historyOf(const CallBase &Call) const;
  void noteHistory(CallBase &Call, int Id) const;
  bool inlinable(const CallBase &Call) const;
  bool isOwn(const CallBase &Call) const;
  bool inHistory(int Id, const Function *F) const;
  bool mayTakeOver(const CallBase &Call, unsigned Size);
  bool mayRepeatCode(const CallBase &Call, unsigned Size) const;
  Error prepareClosures(Function &P);
  SmallVector<CallBase *, 4> remainingCalls(Function &P) const;
  bool leadsOn(Function &P) const;
  Error prepareRemainingCalls(Function &P);
  enum class Callees { Some, All };
  void dropUnwinding(Function &P, Callees Known);
  Error checkControlFlow(Function &P);
  static Error checkTypes(Function &P);

  Compilation &C;
  PreparedClosure &Out;
  SlimCallees Slims;
  SilentCallees Silent;
  unsigned HistoryKind;                      ///< metadata of calls between two rounds of inlining
  DenseMap<Function *, Function *> Prepared; ///< original -> copy, for recursion
  SmallVector<std::pair<Function *, Function *>, 4> ClosureChain;
  SmallVector<std::pair<const Function *, int>, 16> History;
  ReturnedStructures Results;
  PackedSignatures Signatures;
  FixedArguments Fixed;
  SharedChoices Shared;
  ThrownResults Thrown;
  Endings NeverReturning;
  bool InTask = false;                   ///< what is prepared runs in a task
  SmallVector<unsigned, 8> OwnVariables; ///< of the region that is prepared next
  SmallVector<GivenObject, 8> Objects;   ///< of the same
  bool IsTeam = false;                   ///< whether it is one of a team
  Catches Caught;
  uint64_t Looked = 0;    ///< instructions, by the rounds so far
  uint64_t TakenOver = 0; ///< instructions of callees, inlined
  uint64_t Repeated = 0;  ///< of these, instructions that are needed elsewhere as well
  bool CutShort = false;  ///< the last round of inlining stopped where its function was too long
  uint64_t OfSmall = 0;   ///< of these, instructions of small functions
  SmallPtrSet<const Function *, 16> Taken; ///< whose code is inlined at least once
  std::optional<ReachedFunctions> Reached; ///< of the root
  TableIndex Tables;
  std::unique_ptr<MemberIndex> Members; ///< see FunctionIndex
  /// Called functions, and their copies; those that hold regions, which differ from site to site,
  /// or whose indirect calls only concern this request.
  PreparedPairs Called;
  SmallPtrSet<Function *, 4> OfRequest;
};

Function *Preparer::cloneOf(Function &F) {
  ValueToValueMapTy Map;
  Function *P = CloneFunction(&F, Map);
  ownAssignments(*P);
  markFloatLoads(*P);
  lowerComputedGotos(F, *P);
  P->setName("cf.prepared." + F.getName());
  P->setLinkage(GlobalValue::InternalLinkage);
  P->setVisibility(GlobalValue::DefaultVisibility);
  P->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  P->setComdat(nullptr);
  for (auto Kind : {Attribute::OptimizeNone, Attribute::NoInline, Attribute::MinSize,
                    Attribute::OptimizeForSize, Attribute::AlwaysInline, Attribute::Memory})
    P->removeFnAttr(Kind);
  if (C.TasksAtOnce)
    P->addFnAttr(attr::TasksAtOnce);
  Out.Functions.push_back(P);
  return P;
}

bool Preparer::inHistory(int Id, const Function *F) const {
  for (; Id >= 0; Id = History[Id].second)
    if (History[Id].first == F)
      return true;
  return false;
}

bool Preparer::inlinable(const CallBase &Call) const {
  Function *F = Call.getCalledFunction();
  if (!F || F->isDeclaration() || F->isInterposable())
    return false;
  return lookupCallee(Call).Kind == CalleeKind::Unknown && !C.Handlers.find(Call) &&
         F->getFunctionType() == Call.getFunctionType();
}

/// The history of a call that an earlier round has left: rounds change the code in between.
int Preparer::historyOf(const CallBase &Call) const {
  MDNode *Node = Call.getMetadata(HistoryKind);
  return Node ? mdconst::extract<ConstantInt>(Node->getOperand(0))->getSExtValue() : 0;
}

void Preparer::noteHistory(CallBase &Call, int Id) const {
  LLVMContext &Context = C.M.getContext();
  auto *Number = ConstantInt::get(Type::getInt32Ty(Context), Id);
  Call.setMetadata(HistoryKind, MDNode::get(Context, ConstantAsMetadata::get(Number)));
}

/// A call of the program's code as it is.
bool Preparer::isOwn(const CallBase &Call) const {
  const Function *F = Call.getCalledFunction();
  return inlinable(Call) && !staysCall(Call) && !F->hasFnAttribute(attr::Again) && !bodyOf(*F);
}

/// A derivative that is differentiated again has a second version for that. Some functions of the
/// library are written out.
static void callAgain(CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (Function *Body = F && !Call.hasFnAttr(OriginalCall) ? bodyOf(*F) : nullptr)
    Call.setCalledFunction(Body);
  if (F && F->hasFnAttribute(attr::Again))
    Call.setCalledFunction(
        Call.getModule()->getFunction(F->getFnAttribute(attr::Again).getValueAsString()));
}

/// True if the code of the call may run several times in its function.
static bool mayRepeat(const CallBase &Call) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Todo(successors(Call.getParent()));
  while (!Todo.empty()) {
    const BasicBlock *B = Todo.pop_back_val();
    if (B == Call.getParent())
      return true;
    if (Seen.insert(B).second)
      append_range(Todo, successors(B));
  }
  return false;
}

/// What is caught here has to be thrown in the same function.
static bool isRecursion(const CallBase &Site) {
  const Function &F = *Site.getCalledFunction();
  return isa<CallInst>(Site) && any_of(F.users(), [&](const User *U) {
           auto *Call = dyn_cast<CallBase>(U);
           return Call && Call->getCalledFunction() == &F && Call->getFunction() == &F;
         });
}

/// True if code that is elsewhere as well is worth one more copy: where it runs often and all
/// requests together lead to little code, or as long as it is little itself.
bool Preparer::mayRepeatCode(const CallBase &Call, unsigned Size) const {
  const CodeReach &Reach = *C.Reach;
  const bool RunsOften = mayRepeat(Call);
  const uint64_t Copies = Reach.callsOf(*Call.getCalledFunction());
  if (Reach.requests() >= ManyRequests && Copies > 1 &&
      (Copies - 1) * Size > (RunsOften ? OftenInAll : SeldomBudget))
    return false;
  const uint64_t Left = ClosureBudget - std::min<uint64_t>(ClosureBudget, Reach.size());
  const uint64_t Seldom = std::min({Left, SeldomBudget, std::max(LeastSeldom, Reach.each())});
  const uint64_t Often =
      std::min(std::max(Left, uint64_t(ClosureBudget / std::max(1U, Reach.requests()))),
               std::max(LeastOften, OftenGrowth * Reach.each()));
  return Repeated + Size <= (RunsOften ? std::max(Seldom, Often) : Seldom);
}

/// Code that is inlined at its only call has moved. Other code is there once more, which is paid
/// for by what is there.
bool Preparer::mayTakeOver(const CallBase &Call, unsigned Size) {
  const Function &Callee = *Call.getCalledFunction();
  const bool Spares = C.Reach && C.Sparing;
  if (Size <= SmallCallee) {
    OfSmall += Size;
    if (!Spares || OfSmall <= std::max(LeastSmall, SmallGrowth * C.Reach->eachWithSmall()))
      return true;
  }
  if (TakenOver + Size > ClosureBudget)
    return false;
  if (C.Sparing && Size > LargeRecursion && isRecursion(Call)) {
    C.Spared = true; // a copy is called anyway
    return false;
  }
  const bool Moves = Taken.insert(&Callee).second && (!Spares || C.Reach->callsOf(Callee) <= 1);
  if (!Spares || Moves)
    return true;
  if (!mayRepeatCode(Call, Size)) {
    C.Spared = true;
    return false;
  }
  Repeated += Size;
  return true;
}

/// A second name of a function (the initialisation of thread-local objects has one) is not a
/// function that is chosen at run time; what a resolver chooses is one of a few.
static void callByFirstName(CallBase &Call) {
  auto *Named = dyn_cast<GlobalValue>(Call.getCalledOperand());
  if (Function *Chosen = Named ? chosenAtLoad(*Named) : nullptr)
    if (Chosen->getFunctionType() == Call.getFunctionType())
      return Call.setCalledFunction(Chosen);
  auto *Second = dyn_cast<GlobalAlias>(Call.getCalledOperand());
  if (!Second || Second->isInterposable())
    return;
  auto *First = dyn_cast<Function>(Second->getAliasee()->stripPointerCastsAndAliases());
  if (First && First->getFunctionType() == Call.getFunctionType())
    Call.setCalledFunction(First);
}

/// True if a call was inlined.
bool Preparer::inlineCalls(Function &P) {
  SmallVector<std::pair<CallBase *, int>, 16> Work;
  for (Instruction &I : instructions(P))
    if (auto *Call = dyn_cast<CallBase>(&I))
      Work.push_back({Call, historyOf(*Call)});
  unsigned Size = P.getInstructionCount();
  bool Any = false;
  CutShort = false;
  for (unsigned Next = 0; Next < Work.size(); ++Next) {
    auto [Call, Parent] = Work[Next];
    callByFirstName(*Call);
    callAgain(*Call);
    if (isIndirect(*Call) || C.Handlers.find(*Call))
      noteHistory(*Call, Parent);
    if (!inlinable(*Call) || staysCall(*Call) || Silent.keep(*Call))
      continue;
    noteHistory(*Call, Parent);
    Function *Callee = Call->getCalledFunction();
    if (inHistory(Parent, Callee) || hasComputedGoto(*Callee) || hasFunclets(*Callee))
      continue;
    Function &Slim = Slims.of(*Callee);
    const unsigned Added = Slim.getInstructionCount();
    if (Size + Added > (Added <= TinyCallee ? TinyBudget : InlineBudget)) {
      CutShort = true;
      continue;
    }
    if (!mayTakeOver(*Call, Added))
      continue;
    Function *Fixed = nullptr; // the copy of a variadic function for this call
    if (readsVariableArguments(*Callee)) {
      CallBase *New = fixArguments(*Call);
      if (!New)
        continue;
      Call = New;
      Fixed = Call->getCalledFunction();
    }
    if (!Fixed)
      Call->setCalledFunction(&Slim);
    InlineFunctionInfo Info;
    bool Done = InlineFunction(*Call, Info).isSuccess();
    if (Done && Fixed)
      Fixed->eraseFromParent();
    if (!Done) {
      if (!Fixed)
        Call->setCalledFunction(Callee);
      continue;
    }
    Any = true;
    Size += Added;
    TakenOver += Added;
    History.push_back({Callee, Parent});
    for (CallBase *Inner : Info.InlinedCallSites)
      Work.push_back({Inner, static_cast<int>(History.size()) - 1});
  }
  return Any;
}

/// True if an indirect call became a choice.
Expected<bool> Preparer::chooseCallees(Function &P, unsigned Round) {
  ownResources(P);
  SmallVector<CallBase *, 4> Calls;
  for (Instruction &I : instructions(P))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && isIndirect(*Call))
      Calls.push_back(Call);
  // What a handler calls of its exception is known when it is known who throws.
  if (!all_of(Calls, [](CallBase *Call) { return isOfCaught(*Call); }))
    erase_if(Calls, [](CallBase *Call) { return isOfCaught(*Call); });
  bool Any = false;
  FunctionIndex Functions(C, *Reached, Tables, Members);
  for (CallBase *Call : Calls) {
    int Id = historyOf(*Call);
    const bool Small = Round < RoundsInlined && P.getInstructionCount() < ChoiceBudget;
    // Where a choice leads back to itself, the others would be inlined in each other's order.
    auto MayInline = [&](ArrayRef<Function *> Callees) {
      const bool IsKnown = C.Called && Callees.size() == 1; // as if it were called directly
      return (Small || IsKnown) && none_of(Callees, [&](Function *F) { return inHistory(Id, F); });
    };
    auto Made = chooseCallee(*Call, C.Handlers, Functions, Shared, C.LooksForCallees, MayInline);
    if (!Made)
      return Made.takeError();
    Any |= Made->has_value();
    if (!*Made) {
      noteOptional(*Call, /*IsCallee=*/&P != Out.Functions.front(), C);
      continue;
    }
    for (CallBase *Direct : **Made)
      noteHistory(*Direct, Id);
  }
  if (Functions.leftOut())
    OfRequest.insert(&P);
  return Any;
}

/// What constructs would run may make constructs itself.
bool Preparer::unfoldConstructs(Function &P) {
  unsigned Round = 0;
  for (; Round < MostRounds && C.Handlers.unfold(P); ++Round)
    inlineCalls(P);
  return Round > 0;
}

/// True if little remains of what has been inlined so far: code without optimisation, where there
/// is room for more then.
bool Preparer::shrinks(Function &P) {
  const uint64_t Before = P.getInstructionCount();
  simplifyPrepared(P, C);
  const uint64_t After = P.getInstructionCount();
  if (4 * After > 3 * Before)
    return false;
  TakenOver = TakenOver * After / Before;
  return true;
}

/// Inlining and simplification make callees known; where they do not, the callee is chosen.
Error Preparer::resolveCalls(Function &P, Function &Origin) {
  History.clear();
  History.push_back({&Origin, -1});
  unsigned Cuts = 0;
  do {
    inlineCalls(P);
    unfoldConstructs(P);
    NeverReturning.mark(P);
    dropUnwinding(P, Callees::Some);
  } while (CutShort && Origin.hasOptNone() && ++Cuts < MostRounds && shrinks(P));
  auto HasIndirect = [&] {
    return any_of(instructions(P), [](Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      return Call && isIndirect(*Call);
    });
  };
  for (unsigned Round = 0; HasIndirect() || Shared.calledBy(P); ++Round) {
    Looked += P.getInstructionCount();
    if (Looked > RoundBudget)
      return diffError(DiagId::IndirectCall, P,
                       "the functions it may call lead to too many other ones");
    simplifyPrepared(P, C);
    bool Changed = Caught.keepMessages(P);
    Changed |= Shared.reopen(P);
    Changed |= Round < MostRounds && inlineCalls(P);
    if (!Changed) {
      auto Chosen = chooseCallees(P, Round);
      if (!Chosen)
        return Chosen.takeError();
      Changed = *Chosen && Round < MostRounds && inlineCalls(P);
      if (!Changed && !unfoldConstructs(P)) // of a construct, nobody may have known before
        break;
    }
    unfoldConstructs(P);
    NeverReturning.mark(P);
    dropUnwinding(P, Callees::Some);
  }
  ownResources(P); // also where nothing is called through a table
  copyLists(P);
  endMismatches(P);
  NeverReturning.mark(P); // what the last round has chosen
  dropUnwinding(P, Callees::All);
  for (Instruction &I : instructions(P))
    I.setMetadata(HistoryKind, nullptr);
  return Error::success();
}

/// The primal would catch here what the callee throws: the derivative says so when it happens.
static void noteCaught(InvokeInst &Invoke) {
  const LandingPadInst &Pad = *Invoke.getLandingPadInst();
  SmallVector<Metadata *, 4> Clauses;
  for (unsigned I = 0; I < Pad.getNumClauses(); ++I)
    if (Pad.isCatch(I))
      Clauses.push_back(ConstantAsMetadata::get(Pad.getClause(I)));
  Invoke.setMetadata(attr::Caught, MDNode::get(Invoke.getContext(), Clauses));
}

/// What the function throws and catches itself is control flow. An exception that leaves it ends
/// the derivative where it ends the primal. Where the primal would catch what we do not see, the
/// program ends at run time. Callees that are not known yet may turn out to throw.
void Preparer::dropUnwinding(Function &P, Callees Known) {
  if (Known == Callees::All)
    Thrown.bringBack(P, [this](const CallBase &Call) { return inlinable(Call); });
  Caught.lower(P);
  SmallVector<InvokeInst *, 8> Invokes;
  for (Instruction &I : instructions(P))
    if (auto *Invoke = dyn_cast<InvokeInst>(&I))
      Invokes.push_back(Invoke);
  for (InvokeInst *Invoke : Invokes) {
    const bool Catches = catches(*Invoke->getLandingPadInst());
    if (Catches && Known == Callees::Some && (isIndirect(*Invoke) || inlinable(*Invoke)))
      continue;
    if (Catches &&
        (lookupCallee(*Invoke).Kind == CalleeKind::NoReturn || Invoke->doesNotReturn())) {
      IRBuilder<> B(Invoke);
      emitFailure(B, *Invoke, "caught_exception");
    } else if (Catches) {
      noteCaught(*Invoke);
    }
    changeToCall(Invoke);
  }
  removeUnreachableBlocks(P);
}

/// Every site of a region gets a body of its own, so that facts about one do not blur another.
Error Preparer::prepareClosures(Function &P) {
  SmallVector<CallBase *, 4> Sites;
  for (Instruction &I : instructions(P))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (C.Handlers.find(*Call))
        Sites.push_back(Call);
  for (CallBase *Call : Sites) {
    auto Region = C.Handlers.find(*Call)->closure(*Call);
    if (!Region)
      continue;
    OfRequest.insert(&P);
    Function *Body = Region->Body, *Copy = nullptr;
    for (auto [Original, Done] : ClosureChain)
      if (Original == Body)
        Copy = Done;
    if (!Copy) {
      const SaveAndRestore Within(InTask, InTask || Region->Detached);
      OwnVariables = findOwnVariables(*Call, *Region, C.Handlers);
      Objects = findObjects(*Call, *Region);
      IsTeam = Region->Team && !Region->Detached;
      auto New = prepare(*Body);
      if (!New)
        return New.takeError();
      Copy = *New;
      Prepared.erase(Body);
    }
    Call->replaceUsesOfWith(Body, Copy);
    Out.Detached |= Region->Detached;
    if (Region->Team && !is_contained(Out.TeamBodies, Copy))
      Out.TeamBodies.push_back(Copy);
    for (unsigned I = 0; I < Region->Operands.size(); ++I)
      if (Region->Operands[I] < 0)
        Out.ThreadParams[Copy].push_back(I);
  }
  return Error::success();
}

/// True if P calls functions of the program, or has them called.
bool Preparer::leadsOn(Function &P) const {
  return !remainingCalls(P).empty() || any_of(instructions(P), [&](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const ConstructHandler *H = Call ? C.Handlers.find(*Call) : nullptr;
    return H && H->closure(*Call);
  });
}

/// Calls of functions of the program that were not inlined.
SmallVector<CallBase *, 4> Preparer::remainingCalls(Function &P) const {
  SmallVector<CallBase *, 4> Calls;
  for (Instruction &I : instructions(P))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (inlinable(*Call) && !Call->doesNotReturn() &&
          !is_contained(Out.Functions, Call->getCalledFunction()))
        Calls.push_back(Call);
  return Calls;
}

Error Preparer::prepareRemainingCalls(Function &P) {
  for (CallBase *Call : remainingCalls(P)) {
    if (Call->getCalledFunction()->isVarArg())
      continue; // refused where it matters
    if (ReturnedStructures::wantMemory(*Call->getCalledFunction()))
      Call = Results.throughMemory(*Call);
    Function *Callee = Call->getCalledFunction();
    auto It = Prepared.find(Callee);
    if (It == Prepared.end()) {
      if (Error E = prepareCallee(*Callee))
        return E;
      It = Prepared.find(Callee);
    }
    Call->setCalledFunction(It->second);
    passByPointer(*Call);
  }
  return Error::success();
}

/// Another request may have led to the same function.
Error Preparer::prepareCallee(Function &Callee) {
  if (C.Library && C.Sparing)
    for (auto [Of, P] : C.Library->instantiate(Callee, Prepared)) {
      Prepared[Of] = P;
      Out.Functions.push_back(P);
      Out.GivenByLibrary = true;
      Called.push_back({Of, P});
    }
  if (Prepared.count(&Callee))
    return Error::success();
  auto New = prepare(Callee);
  if (!New)
    return New.takeError();
  if (!Results.made(Callee) && !Signatures.made(Callee) && !Thrown.made(Callee) &&
      !Fixed.made(Callee) && !Shared.made(Callee))
    Called.push_back({&Callee, *New});
  return Error::success();
}

PreparedPairs Preparer::templates() {
  if (!C.Library || !C.Sparing || !C.Reach || C.Reach->requests() < 2)
    return {};
  SmallPtrSet<Function *, 8> Kept;
  for (auto [Of, P] : Called)
    if (!OfRequest.contains(P))
      Kept.insert(P);
  auto CallsOther = [&](Function *P) {
    return any_of(instructions(*P), [&](Instruction &I) {
      return any_of(I.operands(), [&](const Use &Op) {
        auto *F = dyn_cast<Function>(Op);
        return F && !Kept.contains(F) && is_contained(Out.Functions, F);
      });
    });
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto [Of, P] : Called)
      if (Kept.contains(P) && CallsOther(P))
        Changed = Kept.erase(P);
  }
  erase_if(Called, [&](const auto &Pair) { return !Kept.contains(Pair.second); });
  return std::move(Called);
}

/// A derivative has another signature than what it calls in the end. The thunks of variadic
/// functions are known by such calls.
static void dropTailCalls(Function &P) {
  for (Instruction &I : instructions(P))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isMustTailCall() && !P.isVarArg())
      Call->setTailCallKind(CallInst::TCK_None);
}

/// What is in memory is described byte by byte.
Error Preparer::checkTypes(Function &P) {
  for (Instruction &I : instructions(P)) {
    const auto *II = dyn_cast<IntrinsicInst>(&I);
    if (II && II->getIntrinsicID() == Intrinsic::coro_begin)
      return diffError(DiagId::UnsupportedControlFlow, I,
                       "a coroutine; from -O1 on it is taken apart before");
    if (II && II->getIntrinsicID() == Intrinsic::experimental_deoptimize)
      return diffError(DiagId::UnsupportedControlFlow, I, "a return to an interpreter");
    if (II && II->getIntrinsicID() == Intrinsic::localescape)
      return diffError(DiagId::UnsupportedControlFlow, I, "a variable that a funclet uses");
    if (isa<GCStatepointInst>(I))
      return diffError(DiagId::UnsupportedControlFlow, I, "a place where garbage is collected");
    if (I.getType()->isScalableTy() ||
        any_of(I.operands(), [](const Use &V) { return V->getType()->isScalableTy(); }))
      return diffError(DiagId::UnsupportedInstruction, I, "a vector of scalable size");
  }
  return Error::success();
}

Error Preparer::checkControlFlow(Function &P) {
  bool Returns = false;
  for (Instruction &I : instructions(P))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->hasFnAttr(Attribute::ReturnsTwice))
      return diffError(DiagId::UnsupportedControlFlow, I, "a call that returns twice");
  for (BasicBlock &B : P) {
    Instruction *T = B.getTerminator();
    Returns |= isa<ReturnInst>(T);
    if (!isa<ReturnInst, BranchInst, SwitchInst, UnreachableInst>(T))
      return diffError(DiagId::UnsupportedControlFlow, *T, T->getOpcodeName());
  }
  if (Returns || (&P != Out.Functions.front() && returnAfterEnd(P)))
    return Error::success();
  return diffError(DiagId::UnsupportedControlFlow, P, "the function never returns");
}

Expected<Function *> Preparer::prepare(Function &F) {
  const bool IsRoot = Out.Functions.empty();
  const SmallVector<unsigned, 8> Own = std::exchange(OwnVariables, {});
  const SmallVector<GivenObject, 8> Given = std::exchange(Objects, {});
  const bool Team = std::exchange(IsTeam, false);
  if (IsRoot)
    Reached.emplace(F, C.Handlers);
  Function *P = cloneOf(F);
  if (!IsRoot)
    copyValueParams(*P);
  Prepared[&F] = P;
  if (hasComputedGoto(*P)) // simplification would take its labels for unreachable
    return diffError(DiagId::UnsupportedControlFlow, F,
                     "jumps to labels whose addresses are not constant or leave the function");
  if (const Instruction *I = dropFunclets(*P))
    return diffError(DiagId::UnsupportedControlFlow, *I,
                     "an exception that is caught in a funclet");
  if (Error E = resolveCalls(*P, F))
    return std::move(E);
  dropEntryHooks(*P);
  relaxAnnotations(*P);
  if (hasBarriers(*P)) // what they keep apart has to be seen before they go
    simplifyPrepared(*P, C);
  if (Error E = checkTypes(*P))
    return std::move(E);
  dropTailCalls(*P);
  relaxConstrained(*P);
  expandCompounds(*P);
  C.Handlers.canonicalise(*P);
  for (CallBase *Call : remainingCalls(*P))
    if (Call->getCalledFunction()->isVarArg())
      Fixed.fix(*Call);
  for (CallBase *Call : remainingCalls(*P))
    if (PackedSignatures::wantApart(*Call->getCalledFunction()))
      Signatures.takeApart(*Call);
  if ((!Own.empty() || !Given.empty()) && !leadsOn(*P)) { // otherwise others may run the same body
    loadOnce(*P, Own);
    noteObjects(*P, Given);
  }
  canonicalise(*P, C, Team ? Simplify::Most : Simplify::Usual);
  Out.New.push_back({P, InTask});
  if (const Instruction *I = findAddressInVector(*P))
    return diffError(DiagId::UnsupportedInstruction, *I, "an address that was in a vector");
  if (const Instruction *I = findPointerVector(*P))
    return diffError(DiagId::UnsupportedInstruction, *I, "a vector of pointers");
  if (Error E = checkControlFlow(*P))
    return std::move(E);
  ClosureChain.push_back({&F, P});
  if (Error E = prepareClosures(*P))
    return std::move(E);
  ClosureChain.pop_back();
  if (Error E = prepareRemainingCalls(*P))
    return std::move(E);
  splitAggregates(*P); // of results that come back through memory
  return P;
}

} // namespace

/// Without versions of nests.
static Expected<ClosureTemplates::Copy> prepareAfresh(Function &F, Compilation &C) {
  PreparedClosure Out;
  const bool Declared =
      (F.isDeclaration() || F.hasFnAttribute(attr::Registered)) &&
      (C.Handlers.find(F.getName()) || lookupCallee(F).Kind != CalleeKind::Unknown);
  if (F.isDeclaration() && !Declared)
    return diffError(DiagId::RequestNoBody, F, userName(F));
  Function *Caller = Declared ? callerOf(F) : nullptr;
  Preparer P(C, Out);
  auto Root = P.prepare(Caller ? *Caller : F);
  if (Caller)
    Caller->eraseFromParent();
  if (!Root)
    return Root.takeError();
  PreparedPairs Called = P.templates();
  findUsedInTeams(Out);
  Out.Root = wrapRecursion(**Root, Out);
  return ClosureTemplates::Copy{std::move(Out), std::move(Called), C.Spared};
}

/// What is prepared of F for all its derivatives. Functions that the library has given are not
/// without versions.
static Expected<ClosureTemplates::Copy> prepareOnce(Function &F, Compilation &C) {
  ClosureTemplates *Kept =
      C.Closures && C.Library && C.Sparing && !C.TasksAtOnce && C.Closures->isExpectedAgain(F)
          ? C.Closures
          : nullptr;
  if (auto Known = Kept ? Kept->instantiate(F) : std::nullopt)
    return std::move(*Known);
  auto Made = prepareAfresh(F, C);
  const bool OfLibrary = Made && Made->Closure.GivenByLibrary;
  return Kept && Made && !OfLibrary ? Kept->keep(F, std::move(*Made)) : std::move(Made);
}

Expected<PreparedClosure> prepareClosure(Function &F, Compilation &C, NestVersions V) {
  auto Made = prepareOnce(F, C);
  if (!Made)
    return Made.takeError();
  C.Spared |= Made->Spared;
  if (V == NestVersions::Two)
    for (auto [P, InTask] : Made->Closure.New)
      versionCanonical(*P, C, InTask);
  if (!Made->Called.empty())
    C.Library->keep(Made->Called);
  readKnownVariables(Made->Closure.Functions);
  return std::move(Made->Closure);
}

} // namespace contraflow
