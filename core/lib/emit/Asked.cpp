// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Asked.h"

#include "Unit.h"
#include "analysis/Following.h"
#include "analysis/Reach.h"
#include "construct/Memory.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

/// The calls in whose reverse memory may be read.
SmallVector<const CallBase *, 8> handledCalls(const RequestState &S) {
  SmallVector<const CallBase *, 8> Out;
  for (const Function *F : S.Closure.Functions)
    for (const Instruction &I : instructions(*F))
      if (auto *Call = dyn_cast<CallBase>(&I);
          Call && !isa<IntrinsicInst>(Call) && S.C.Handlers.find(*Call))
        Out.push_back(Call);
  return Out;
}

/// Finds what has to be taken back of the memory that a derivative call has made.
class WritesFinder {
public:
  explicit WritesFinder(RequestState &S) : S(S), Calls(handledCalls(S)) {}
  void run();

private:
  bool isLater(const Instruction &Write, ArrayRef<const Function *> Before);
  const Following &orderOf(const Function &F);
  void findFreed();
  void look(const WriteSet::Write &W);
  void lookAtRule(CallBase &Rule, const CallFacts &Facts);
  void lookAtStore(const Instruction &I);
  void lookAtCall(CallBase &Call, const Value *Pointer);
  /// True if nobody else sees what is written there when the derivative call is over.
  bool isMade(const WriteSet::Write &W) const {
    return !Freed.test(S.Graph.canonical(W.Node)) &&
           (W.Pointer ? isTakenBack(S, W.Pointer) : !S.Graph.isOutside(W.Node));
  }
  unsigned nodeOf(const Value *Pointer) const {
    return S.Graph.canonical(S.Graph.find(Pointer).Node);
  }

  RequestState &S;
  SmallVector<const CallBase *, 8> Calls;
  DenseMap<const Function *, std::unique_ptr<Following>> Orders;
  BitVector Freed; ///< nodes of memory that may be gone when a write to it would be taken back
  SmallSetVector<Instruction *, 16> Found;
  SmallSetVector<std::pair<CallBase *, const AllocaInst *>, 4> Objects; ///< that calls write to
};

const Following &WritesFinder::orderOf(const Function &F) {
  std::unique_ptr<Following> &Known = Orders[&F];
  if (!Known)
    Known = std::make_unique<Following>(F);
  return *Known;
}

/// True if the write may be done after a call whose reverse reads memory.
bool WritesFinder::isLater(const Instruction &Write, ArrayRef<const Function *> Before) {
  return any_of(Calls, [&](const CallBase *Call) {
    const Function &F = *Call->getFunction();
    return !is_contained(Before, &F) &&
           (&F != Write.getFunction() || orderOf(F).mayFollow(*Call, Write));
  });
}

/// An object on the stack is kept as a whole; of others nobody says how much is written.
void WritesFinder::lookAtCall(CallBase &Call, const Value *Pointer) {
  if (!S.Graph.find(Pointer) || !isLater(Call, {}))
    return;
  auto *Object = dyn_cast<AllocaInst>(getUnderlyingObject(Pointer, /*MaxLookup=*/0));
  if (Object && Object->isStaticAlloca() && Object->getAllocationSize(S.Graph.layout()))
    Objects.insert({&Call, Object});
  else
    S.Overwritten.set(nodeOf(Pointer));
}

/// What a rule writes beyond its arguments' memory is not taken back: its body shows where that is.
void WritesFinder::lookAtRule(CallBase &Rule, const CallFacts &Facts) {
  for (unsigned Operand : Facts.Writes)
    lookAtCall(Rule, Rule.getArgOperand(Operand));
  if (!isLater(Rule, {}) || Rule.getCalledFunction()->hasOptNone()) // hardly anything is told apart
    return;
  if (Rule.getCalledFunction()->isDeclaration()) // nobody says what it writes
    for (const Flow &F : Facts.Flows)
      if (F.To.What == Place::Pointee && F.From.Operand == F.To.Operand)
        reach(S.Graph, Rule.getArgOperand(F.To.Operand), S.Overwritten);
  SmallSetVector<Function *, 8> Bodies;
  for (const Closure &Model : Facts.Models)
    if (Model.Body == Rule.getCalledFunction())
      Bodies.insert(Model.Body);
  for (unsigned Next = 0; Next < Bodies.size(); ++Next)
    for (const Instruction &I : instructions(*Bodies[Next])) {
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Function *F = Call->getCalledFunction(); F && !F->isDeclaration())
          Bodies.insert(F);
      lookAtStore(I);
    }
}

/// Inactive memory is freed at once unless that is put off. What a realloc leaves is gone as well.
void WritesFinder::findFreed() {
  Freed.resize(S.Asked.size());
  for (const WriteSet::Write &W : S.Writes.writes())
    if (auto *Call = dyn_cast<CallBase>(W.At); Call && lookupCallee(*Call).Kind == CalleeKind::Free)
      Freed.set(S.Graph.canonical(W.Node));
  for (const CallBase *Call : Calls)
    if (const CalleeInfo Info = lookupCallee(*Call);
        Info.Kind == CalleeKind::Reallocate || Info.Kind == CalleeKind::ReallocateSized)
      for (const Value *V : Call->args())
        if (V->getType()->isPointerTy() && S.Graph.find(V) && !S.Activity.hasShadow(V))
          Freed.set(nodeOf(V));
}

void WritesFinder::lookAtStore(const Instruction &I) {
  const auto *Store = dyn_cast<StoreInst>(&I);
  const auto *Memory = dyn_cast<AnyMemIntrinsic>(&I);
  const Value *Pointer = Store ? Store->getPointerOperand() : Memory ? Memory->getDest() : nullptr;
  if (!Pointer || isa<AllocaInst>(getUnderlyingObject(Pointer)) || !S.Graph.find(Pointer))
    return;
  const unsigned Node = nodeOf(Pointer);
  const bool IsKept =
      any_of(Objects, [&](const auto &Kept) { return nodeOf(Kept.second) == Node; });
  if ((S.Graph.kindsOf(Node) & SK_AnyFloat) && S.Asked.test(Node) && !IsKept)
    S.Overwritten.set(Node);
}

void WritesFinder::look(const WriteSet::Write &W) {
  const unsigned Node = S.Graph.canonical(W.Node);
  auto *Call = dyn_cast<CallBase>(W.At);
  const ConstructHandler *H = Call ? S.C.Handlers.find(*Call) : nullptr;
  if (!S.AskedLater.test(Node) || (H && H->facts(*Call).Opaque) || !isLater(*W.At, W.Before))
    return;
  if (isMade(W) && canTakeBack(*W.At))
    Found.insert(W.At);
  else if (H && W.Pointer)
    lookAtCall(*Call, W.Pointer);
  else
    S.Overwritten.set(Node); // it is others', or it is freed, or written by who knows whom
}

void WritesFinder::run() {
  findFreed();
  for (const CallBase *Call : Calls)
    if (const CallFacts Facts = S.C.Handlers.find(*Call)->facts(*Call); Facts.Opaque)
      lookAtRule(*const_cast<CallBase *>(Call), Facts);
  for (const WriteSet::Write &W : S.Writes.writes())
    look(W);
  for (Instruction *Write : Found)
    takeBack(*Write);
  for (auto [Call, Object] : Objects)
    takeBackObject(*Call, *Object);
}

} // namespace

void prepareAsked(RequestState &S) {
  S.Asked = reachedByRules(S.Closure.Functions, S.Graph, S.C.Handlers);
  S.AskedLater = reachedInReverse(S.Closure.Functions, S.Graph, S.C.Handlers);
  S.Overwritten.resize(S.Asked.size());
  if (S.Asked.none() || S.Spec.Mode == DerivativeMode::Tangent || S.Spec.Repeated)
    return;
  WritesFinder(S).run();
}

static bool contains(const RequestState &S, const BitVector &Nodes, const Value *Pointer) {
  const Location At = Nodes.none() ? Location() : S.Graph.find(Pointer);
  if (!At)
    return false;
  const unsigned Node = S.Graph.canonical(At.Node);
  return Node < Nodes.size() && Nodes.test(Node);
}

bool isAsked(const RequestState &S, const Value *Pointer) {
  return contains(S, S.Asked, Pointer) && S.Activity.hasShadow(Pointer);
}

/// A call that allocates what is freed at once, or when its function ends.
static bool isFreedHere(const Value &Object) {
  auto *Call = dyn_cast<CallBase>(&Object);
  return Call && lookupCallee(*Call).Kind == CalleeKind::Allocate &&
         any_of(Call->users(), [](const User *U) {
           auto *Free = dyn_cast<CallBase>(U);
           return Free && lookupCallee(*Free).Kind == CalleeKind::Free;
         });
}

/// The graph may not tell what is made here from memory of others that goes the same way.
bool isTakenBack(const RequestState &S, const Value *Pointer) {
  if (S.Spec.Mode == DerivativeMode::Tangent || S.Spec.Repeated ||
      !contains(S, S.AskedLater, Pointer))
    return false;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, nullptr, 0);
  return !S.Graph.isOutside(S.Graph.find(Pointer).Node) ||
         all_of(Objects, [](const Value *V) { return isa<AllocaInst>(V) || isFreedHere(*V); });
}

bool isOverwritten(const RequestState &S, const Value *Pointer) {
  return contains(S, S.Overwritten, Pointer);
}

bool goesToTape(const RequestState &S, const Unit &U, const AllocaInst &A) {
  return !A.isStaticAlloca() || (U.Kind == SweepKind::Split && isTakenBack(S, &A));
}

bool movesAskedInteger(const RequestState &S, const StoreInst &I) {
  Type *T = I.getValueOperand()->getType();
  if (!T->isIntOrIntVectorTy() || !isAsked(S, I.getPointerOperand()) ||
      S.Activity.active(I.getValueOperand()))
    return false;
  const int64_t Size = S.Graph.layout().getTypeStoreSize(T).getFixedValue();
  return !(S.Graph.kindsAt(S.Graph.find(I.getPointerOperand()), Size) & SK_AnyFloat);
}

} // namespace contraflow
