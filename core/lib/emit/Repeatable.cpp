// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be done again. An adjoint in several directions runs once for each of them, forwards and
// backwards, from the same state every time; a reverse sweep that keeps its tape may run several
// times behind one forward sweep.
//
//   std::string k = std::to_string(i)     writes an object of the function itself: again
//   log += "step"                         writes one of the caller's: once
//   file >> n                             once

#include "Repeatable.h"
#include "ForwardSweep.h"
#include "MadeOnce.h"
#include "Unit.h"
#include "callee/Instrumentation.h"
#include "callee/Silent.h"
#include "construct/Fields.h"
#include "construct/Memory.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Rule.h"
#include "prepare/ByteMoves.h"
#include "support/OwnBlock.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {

static bool isRepeatable(const RequestState &S, const CallBase &I) {
  const ConstructHandler *H = S.C.Handlers.find(I);
  return H && H->isRepeatable(I);
}

/// True if an object is made where it is named: nothing else is known of one that nobody reads.
static bool isMadeHere(const Value &Object) {
  const auto *Call = dyn_cast<CallBase>(&Object);
  return isa<AllocaInst>(Object) || (Call && lookupCallee(*Call).Kind == CalleeKind::Allocate);
}

bool outlives(const MemoryGraph &Graph, const WriteSet::Write &W) {
  if (!Graph.outlives(W.Node))
    return false;
  const Value *Object = W.Pointer ? getUnderlyingObject(W.Pointer) : nullptr;
  return !Object || !isMadeHere(*Object);
}

/// A log serves where that is not so, unless there are teams or it cannot be made.
static bool takesAddresses(const RequestState &S) {
  return S.C.TakesAddresses || !S.Closure.TeamBodies.empty();
}

bool comesBack(const RequestState &S, const Instruction &Write) {
  const auto *Store = dyn_cast<StoreInst>(&Write);
  const bool Pointer = Store && Store->getValueOperand()->getType()->isPtrOrPtrVectorTy();
  return canTakeBack(Write) && !(Pointer && !takesAddresses(S));
}

/// True if what a pointer leads to belongs to the derived function, or is constant. Members of
/// objects of its own hand out such.
static bool isOwn(const RequestState &S, const Value *V, unsigned Steps = 4) {
  const Value *Object = getUnderlyingObject(V);
  if (const auto *Choice = dyn_cast<SelectInst>(Object); Choice && Steps)
    return isOwn(S, Choice->getTrueValue(), Steps - 1) &&
           isOwn(S, Choice->getFalseValue(), Steps - 1);
  if (const auto *G = dyn_cast<GlobalVariable>(Object))
    return G->isConstant();
  const Location At = S.Graph.find(V);
  if (At ? !S.Graph.outlives(At.Node) : isMadeHere(*Object))
    return true;
  const auto *Member = dyn_cast<CallBase>(Object);
  const CalleeInfo Info = Member ? lookupCallee(*Member) : CalleeInfo();
  return Steps && Info.OwnObjects && !Info.Opaque && Member->arg_size() &&
         Member->getArgOperand(0)->getType()->isPointerTy() &&
         isOwn(S, Member->getArgOperand(0), Steps - 1);
}

bool spareOthers(RequestState &S) {
  if (!takesAddresses(S))
    return false;
  bool Any = false;
  SmallVector<CallBase *, 16> Allocations;
  const auto Mark = [](CallBase &Call, StringRef What) {
    Call.addFnAttr(Attribute::get(Call.getContext(), What));
  };
  for (Function *F : S.Closure.Functions)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      if (isOfKind(*Call, CalleeKind::Allocate))
        Allocations.push_back(Call);
      const bool Ends =
          isOfKind(*Call, CalleeKind::Free) || isOfKind(*Call, CalleeKind::Reallocate);
      const Value *Object = Ends ? Call->getArgOperand(0) : nullptr;
      if (!Ends || isa<ConstantPointerNull>(Object) || isOwn(S, Object))
        continue;
      Mark(*Call, SparesOthersAttribute);
      Any = true;
    }
  for (CallBase *Call : Allocations)
    if (Any)
      Mark(*Call, EndsInReverseAttribute);
  return Any;
}

/// Members of classes of the library that write objects of the derived function alone.
static bool staysInside(RequestState &S, const CallBase &I, const CalleeInfo &Info) {
  if (!Info.OwnObjects || Info.Opaque)
    return false;
  for (unsigned N = 0; N < I.arg_size(); ++N) {
    const Value *V = I.getArgOperand(N);
    if (V->getType()->isPointerTy() && !isa<ConstantPointerNull>(V) && !I.onlyReadsMemory(N) &&
        !isOwn(S, V))
      return false;
  }
  return true;
}

/// True if a call whose body is not looked at writes members of objects that its arguments lead to,
/// and all of these belong to the derived function.
static bool writesOwnMembers(RequestState &S, const CallBase &I) {
  if (!I.hasFnAttr(SilentMark) || I.getFnAttr(SilentMark).getValueAsString() != SilentMembers)
    return false;
  BitVector Reached(S.Graph.nodeCount());
  for (const Value *V : I.args()) {
    if (!V->getType()->isPointerTy() || isa<ConstantPointerNull>(V))
      continue;
    if (!S.Graph.find(V) && !isOwn(S, V))
      return false;
    reach(S.Graph, V, Reached);
  }
  return none_of(Reached.set_bits(), [&](unsigned Node) { return S.Graph.outlives(Node); });
}

/// True if a call does something that must not be done again. What is to run at the end of the
/// program or of a thread would run again: a destructor of a thread's variable, which is made once.
static bool mustHappenOnce(RequestState &S, const CallBase &I) {
  const Function *F = I.getCalledFunction();
  if (runsAtExit(I))
    return true;
  if (findRule(I) || I.onlyReadsMemory() || onlyLooks(I) || is_contained(S.Closure.Functions, F))
    return false;
  if (F && lookupCallee(*F).ReadOnly) // also where nothing but the call itself matters
    return false;
  const CalleeInfo Info = lookupCallee(I);
  if (Info.Kind == CalleeKind::Allocate || Info.Kind == CalleeKind::NoReturn)
    return false;
  if (sparesOthers(I) ||
      ((Info.Kind == CalleeKind::Free || repeatsBytes(I)) && isOwn(S, I.getArgOperand(0))))
    return false;
  if (isa<IntrinsicInst>(I)) // those that write are among the writes
    return false;
  return !Info.ReadOnly && !isRepeatable(S, I) && !staysInside(S, I, Info) &&
         !writesOwnMembers(S, I);
}

/// True if a call is given the memory to be read only (a message that is sent), or ends the
/// program.
static bool leavesAlone(RequestState &S, const WriteSet::Write &W) {
  const auto *Call = dyn_cast<CallBase>(W.At);
  if (Call && (Call->doesNotReturn() || sparesOthers(*Call) || onlyLooks(*Call) ||
               lookupCallee(*Call).ReadOnly || writesOwnMembers(S, *Call)))
    return true;
  bool Given = false;
  for (unsigned N = 0; Call && N < Call->arg_size(); ++N) {
    const Value *V = Call->getArgOperand(N);
    if (!V->getType()->isPointerTy() || S.Graph.find(V).Node != W.Node)
      continue;
    if (!Call->onlyReadsMemory(N))
      return false;
    Given = true;
  }
  return Given;
}

static bool isActive(const RequestState &S, unsigned Node) {
  return any_of(S.Graph.fields(Node),
                [&](const auto &Field) { return S.Activity.activeCell(Field.second); });
}

/// True if a pointer may lead to a local variable of a function that is called, which is not there
/// any more when the state before a write would be put back.
static bool mayBeGone(const RequestState &S, const WriteSet::Write &W) {
  if (!S.Writes.isTransient(S.Graph.canonical(W.Node)))
    return false;
  SmallVector<const Value *, 8> Todo{W.Pointer};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Todo.empty()) {
    const Value *V = Todo.pop_back_val();
    SmallVector<const Value *, 4> Objects;
    if (V)
      getUnderlyingObjects(V, Objects, nullptr, 0);
    for (const Value *Object : Objects) {
      const auto *Parameter = dyn_cast<Argument>(Object);
      const auto *Local = dyn_cast<AllocaInst>(Object);
      if (Parameter && Parameter->getParent() != S.Closure.Root && Seen.insert(Object).second)
        for (const User *U : Parameter->getParent()->users()) {
          const auto *Call = dyn_cast<CallBase>(U);
          if (!Call || Call->getCalledFunction() != Parameter->getParent())
            return true;
          Todo.push_back(Call->getArgOperand(Parameter->getArgNo()));
        }
      if (!Parameter && !isa<GlobalVariable>(Object) && !isNoAliasCall(Object) &&
          (!Local || Local->getFunction() != S.Closure.Root))
        return true;
    }
    if (Objects.empty())
      return true;
  }
  return false;
}

/// True if the state before a write comes back, or may stay what it is. A variable that is made
/// once depends on its arguments in one direction only.
static bool canStartAgain(RequestState &S, const WriteSet::Write &W, const MadeOnce &Made) {
  if (Made.contains(*W.At))
    return !isActive(S, W.Node);
  if (mayBeGone(S, W))
    return leavesAlone(S, W);
  return !Made.isMixed(*W.At) && (comesBack(S, *W.At) || leavesAlone(S, W));
}

Error checkRepeatable(RequestState &S) {
  const auto Fault = [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return diffError(DiagId::UnsupportedMode, I,
                     "'enzyme_width' in an adjoint of a function that changes memory or does "
                     "input or output" +
                         (Callee ? " ('" + calleeName(*Callee) + "')" : Twine()).str() +
                         "; ask for one direction at a time");
  };
  const MadeOnce Made(S.Closure.Functions, S.C.FAM);
  for (const WriteSet::Write &W : S.Writes.writes())
    if (outlives(S.Graph, W) && !canStartAgain(S, W, Made)) {
      S.C.NoLog |= mayBeGone(S, W);
      return Fault(*W.At);
    }
  for (Function *F : S.Closure.Functions)
    for (const Instruction &I : instructions(*F))
      if (const auto *Call = dyn_cast<CallBase>(&I);
          Call && !Made.contains(I) && mustHappenOnce(S, *Call))
        return Fault(I);
  return Error::success();
}

/// True if Call gives zeros among numbers whose adjoints a reverse sweep cannot clear.
static bool keepsAdjoints(const RequestState &S, CallBase &Call) {
  if (!lookupCallee(Call).Zeroed)
    return false;
  const MemoryLayout Layout = layoutOf(S.Activity, &Call);
  return any_of(Layout.Fields, [](const auto &Field) { return Field.Active; }) &&
         !canBeCleared(Layout, Call);
}

/// A reverse sweep meets other threads and ranks as often as the forward sweep did, and an
/// exception has one end.
bool runsOnce(RequestState &S) {
  if (!S.Closure.TeamBodies.empty())
    return true;
  for (Function *F : S.Closure.Functions)
    for (Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (Call && keepsAdjoints(S, *Call))
        return true;
      const ConstructHandler *H =
          Call && !isa<IntrinsicInst>(Call) ? S.C.Handlers.find(*Call) : nullptr;
      if (!H)
        continue;
      const CalleeKind Kind = lookupCallee(*Call).Kind;
      if (Kind != CalleeKind::Allocate && Kind != CalleeKind::Free &&
          (!H->isRepeatable(*Call) || H->meetsProcesses(*Call) || H->facts(*Call).FreshResult))
        return true;
    }
  return false;
}

} // namespace contraflow
