// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer whose activity only the run knows: it leads to active memory or to constant memory.
// Constant memory is its own shadow, so that one comparison tells. Where that may be, derivatives
// are looked for elsewhere:
//
//   p = n > 0 ? x : c             p' = n > 0 ? x' : c
//   y = *p                   ->   y = *p ; y' = *(p' == p ? &zeros : p')
//
// The reverse adds to what nobody reads, and finds zero where constant memory was overwritten. That
// a value with a derivative is put into constant memory ends the program: the derivative would be
// lost.
//
// What the compiler writes of classes (tables of virtual functions, descriptions of types) is its
// own shadow as well. Words are read there that may be numbers where they are one object with
// numbers.
//
// The memory is found on the graph: what a constant argument leads to, if the graph cannot tell it
// from objects with a shadow; with enzyme_runtime_activity, all memory from outside.

#include "ForwardSweep.h"
#include "Remarks.h"
#include "Steps.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Rule.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

constexpr uint64_t WidestAccess = 64; ///< bytes
constexpr unsigned MostCalculated = 32;

static Value *addressOf(Instruction &I) {
  if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    return Atomic->getPointerOperand();
  return getLoadStorePointerOperand(&I);
}

/// Nodes of objects other than what constant arguments lead to.
static BitVector otherObjects(const RequestState &S) {
  BitVector Others(S.Graph.nodeCount());
  for (const Argument &A : S.Closure.Root->args())
    if (A.getType()->isPointerTy() && S.Spec.Args[A.getArgNo()] != Activity::Const)
      reach(S.Graph, &A, Others);
  auto Add = [&](const Value &Object) {
    if (const Location At = S.Graph.find(&Object))
      Others.set(S.Graph.canonical(At.Node));
  };
  for (const GlobalVariable &Global : S.C.M.globals())
    Add(Global);
  for (Function *F : S.Closure.Functions)
    for (const Instruction &I : instructions(*F))
      if (isa<AllocaInst>(I) || isNoAliasCall(&I))
        Add(I);
  return Others;
}

static bool hasActiveFloats(const RequestState &S, unsigned Node) {
  return any_of(S.Graph.fields(Node),
                [&](auto &Field) { return S.Activity.activeCell(Field.second); });
}

static void findClassTables(RequestState &S) {
  S.ClassTables.resize(S.Graph.nodeCount());
  for (const GlobalVariable &G : S.C.M.globals()) {
    if (!isVirtualTable(G) && !isTypeDescription(G))
      continue;
    if (const Location At = S.Graph.find(&G); At && hasActiveFloats(S, At.Node))
      S.ClassTables.set(S.Graph.canonical(At.Node));
  }
}

Error findOwnShadows(RequestState &S) {
  const MemoryGraph &Graph = S.Graph;
  findClassTables(S);
  S.OwnShadows.resize(Graph.nodeCount());
  for (unsigned Node = 0; Node < Graph.nodeCount(); ++Node)
    if ((S.Spec.ChecksShadows || Graph.isGuessed(Node)) && Graph.canonical(Node) == Node &&
        Graph.isExternal(Node) && S.Activity.hasShadow(Node))
      S.OwnShadows.set(Node);
  Error Errors = Error::success();
  BitVector Others;
  for (const Argument &A : S.Closure.Root->args()) {
    if (!A.getType()->isPointerTy() || S.Spec.Args[A.getArgNo()] != Activity::Const ||
        !S.Activity.hasShadow(&A))
      continue;
    if (Others.empty())
      Others = otherObjects(S);
    BitVector Reached(Graph.nodeCount());
    reach(Graph, &A, Reached);
    bool OnlyConstant = false;
    for (unsigned Node : Reached.set_bits())
      if (S.Activity.hasShadow(Node)) {
        OnlyConstant |= !Others.test(Node) && hasActiveFloats(S, Node);
        S.OwnShadows.set(Node);
      }
    if (OnlyConstant)
      Errors = joinErrors(std::move(Errors),
                          diffError(DiagId::MixedActivity, *S.Spec.Primal,
                                    "argument " + Twine(A.getArgNo() + 1) +
                                        (A.hasName() ? " ('" + A.getName() + "')" : Twine()) +
                                        " is constant but meets active memory"));
  }
  return Errors;
}

bool ForwardSweep::mayBeOwnShadow(const Value *Pointer) const {
  if (S.OwnShadows.none() || isa<Constant>(Pointer) || !Pointer->getType()->isPointerTy())
    return false;
  const Location At = S.Graph.find(Pointer);
  return At && S.OwnShadows.test(S.Graph.canonical(At.Node));
}

/// True if I reads a word that may come from a table or description of a class.
bool ForwardSweep::mayReadClass(const Instruction &I) const {
  auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || Load->getType()->isFPOrFPVectorTy())
    return false;
  const Location At = S.Graph.find(Load->getPointerOperand());
  return At && S.ClassTables.test(S.Graph.canonical(At.Node));
}

/// Where floats are a guess, it may be integers that have no shadow at all.
Value *ForwardSweep::isOwnShadow(Value *Pointer) {
  return mayBeOwnShadow(Pointer) ? comparesToShadow(Pointer) : nullptr;
}

Value *ForwardSweep::comparesToShadow(Value *Pointer) {
  Value *Own = B.CreateICmpEQ(shadowOf(Pointer), Pointer);
  if (!S.Graph.isGuessed(S.Graph.find(Pointer).Node))
    return Own;
  return B.CreateOr(Own, B.CreateIsNull(shadowOf(getUnderlyingObject(Pointer))));
}

void ForwardSweep::checkOwnShadow(Value *Pointer, Value *Shadow, const Instruction &At) {
  check("check_shadow", Pointer, Shadow, At);
}

/// True at run time if V may have a derivative: false if it was calculated from constants alone.
/// Left is how many instructions are looked at.
Value *ForwardSweep::mayVary(Value *V, unsigned &Left) {
  if (isa<Constant>(V) || !S.Activity.active(V))
    return B.getFalse();
  auto *I = dyn_cast<Instruction>(V);
  if (auto *Load = dyn_cast<LoadInst>(V)) {
    Value *Own = isOwnShadow(Load->getPointerOperand());
    return Own ? B.CreateNot(Own) : B.getTrue();
  }
  // Numbers may travel as bits, or in structures.
  const bool Opaque = I && isa<CallBase, CastInst, ExtractValueInst>(I) && !findRule(*I);
  if (!I || isa<PHINode>(I) || Opaque || Left == 0)
    return B.getTrue();
  --Left;
  Value *Any = B.getFalse();
  for (Value *Op : I->operands())
    if (Op->getType()->isFPOrFPVectorTy())
      Any = B.CreateOr(Any, mayVary(Op, Left));
  return Any;
}

/// In a tangent, V is what is to be stored in the shadow: nothing is lost if it is zero.
void ForwardSweep::checkStored(Instruction &I, Value *V) {
  Value *Pointer = addressOf(I);
  if (!Pointer || !mayBeOwnShadow(Pointer))
    return;
  Value *Shadow = shadowOf(Pointer);
  if (V->getType()->isIntegerTy() && S.Graph.isGuessed(S.Graph.find(Pointer).Node)) {
    auto *Load = dyn_cast<LoadInst>(V);
    Value *Own = Load ? isOwnShadow(Load->getPointerOperand()) : nullptr;
    if (!Load && !S.Activity.active(V))
      return; // integers
    if (Own)
      Pointer = B.CreateSelect(Own, ConstantPointerNull::get(B.getPtrTy()), Pointer);
    return checkOwnShadow(Pointer, Shadow, I);
  }
  if (U.Kind == SweepKind::Tangent && V->getType()->isFPOrFPVectorTy()) {
    Value *Lost = B.CreateFCmpUNE(V, Constant::getNullValue(V->getType()));
    if (Lost->getType()->isVectorTy())
      Lost = B.CreateOrReduce(Lost);
    Pointer = B.CreateSelect(Lost, Pointer, ConstantPointerNull::get(B.getPtrTy()));
  } else if (V->getType()->isFPOrFPVectorTy()) {
    unsigned Left = MostCalculated;
    Value *Lost = mayVary(V, Left);
    Pointer = B.CreateSelect(Lost, Pointer, ConstantPointerNull::get(B.getPtrTy()));
  }
  checkOwnShadow(Pointer, Shadow, I);
}

/// An operation of a library would take constants for derivatives, or overwrite them.
void ForwardSweep::checkOperands(CallBase &I, const ConstructHandler &Handler) {
  if (S.OwnShadows.none() || Handler.knowsOwnShadows(I) || Handler.closure(I))
    return;
  for (Value *V : I.args())
    if (mayBeOwnShadow(V))
      checkOwnShadow(V, shadowOf(V), I);
}

static GlobalVariable *nowhere(Module &M, StringRef Name) {
  if (GlobalVariable *Known = M.getGlobalVariable(Name, /*AllowInternal=*/true))
    return Known;
  auto *T = ArrayType::get(Type::getInt8Ty(M.getContext()), WidestAccess);
  auto *New = new GlobalVariable(M, T, false, GlobalValue::InternalLinkage,
                                 Constant::getNullValue(T), Name);
  New->setAlignment(Align(WidestAccess));
  return New;
}

/// Decides where an access of floats finds its derivatives.
void ForwardSweep::redirect(Instruction &I) {
  if (!isa<LoadInst, StoreInst, AtomicRMWInst>(I) ||
      (!mayBeOwnShadow(addressOf(I)) && !mayReadClass(I)))
    return;
  Value *Pointer = addressOf(I);
  auto *Store = dyn_cast<StoreInst>(&I);
  auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
  Value *Stored = Store ? Store->getValueOperand() : Atomic ? Atomic->getValOperand() : nullptr;
  const uint64_t Bytes =
      S.Graph.layout().getTypeStoreSize(Stored ? Stored->getType() : I.getType());
  if (!S.Activity.activeAt(S.Graph.find(Pointer), Bytes))
    return;
  if (mayBeOwnShadow(Pointer))
    remarkRunTime(S, I);
  const bool Tangent = U.Kind == SweepKind::Tangent;
  if (Bytes > WidestAccess || Atomic)
    return checkOwnShadow(Pointer, shadowOf(Pointer), I);
  if (Store && !Tangent && S.Activity.active(Stored))
    checkStored(I, Stored);
  // What is read as zero, and what is written and never read.
  const bool Reads = Store ? !Tangent : Tangent;
  GlobalVariable *Elsewhere = nowhere(S.C.M, Reads ? "cf.zeros" : "cf.nowhere");
  AccessLanes[Lane][&I] = B.CreateSelect(comparesToShadow(Pointer), Elsewhere, shadowOf(Pointer));
}

Value *ForwardSweep::accessOf(Instruction &I) {
  if (Value *Elsewhere = AccessLanes[Lane].lookup(&I))
    return Elsewhere;
  return shadowOf(addressOf(I));
}

} // namespace contraflow
