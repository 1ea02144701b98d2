// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At -O2 the function and the markers of a request are constants and loads of globals. At -O0 they
// come through local variables, inlined references and the conversion function of a lambda:
//
//   store ptr @energy, ptr %f.addr          store ptr @enzyme_dup, ptr %ref
//   %f = load ptr, ptr %f.addr              %p = load ptr, ptr %ref
//   %g = call ptr @lambda_to_pointer()      %m = load i32, ptr %p
//
// A Trail goes back along such a chain, as long as the value is certain.

#include "RequestTrace.h"

#include "RequestSpellings.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Chains longer than this do not occur in front-end output; they may be endless (recursion).
constexpr unsigned MaxSteps = 64;

/// Collects what is stored to a local variable, directly or through references to it that are local
/// variables themselves:
///
///   %f = alloca ptr     store ptr @energy, ptr %f     %ref = alloca ptr     store ptr %f, ptr %ref
class Stores {
public:
  /// The one value that is ever stored to Variable; null if there are several, or if the address
  /// goes elsewhere.
  Value *onlyOne(AllocaInst &Variable) {
    return visitAddress(Variable) && Found.size() == 1 ? Found.front() : nullptr;
  }
  /// All that is ever stored to Variable; nothing if that is not known.
  ArrayRef<Value *> all(AllocaInst &Variable) {
    return visitAddress(Variable) ? ArrayRef<Value *>(Found) : ArrayRef<Value *>();
  }

private:
  bool visitAddress(Value &Address);
  bool visitReference(Value &Reference);

  SmallVector<Value *, 2> Found;
  SmallPtrSet<Value *, 8> Seen;
};

/// Address is that of the variable. False if it goes where it cannot be followed.
bool Stores::visitAddress(Value &Address) {
  if (!Seen.insert(&Address).second)
    return true;
  for (User *U : Address.users()) {
    if (isa<LoadInst>(U))
      continue;
    if (const auto *II = dyn_cast<IntrinsicInst>(U); II && II->isLifetimeStartOrEnd())
      continue;
    if (const auto *Call = dyn_cast<CallBase>(U); Call && isRequest(*Call))
      continue; // passed by reference to the request that asks
    auto *Store = dyn_cast<StoreInst>(U);
    if (!Store)
      return false;
    if (Store->getValueOperand() != &Address)
      Found.push_back(Store->getValueOperand());
    else if (!visitReference(*Store->getPointerOperand()))
      return false;
  }
  return true;
}

/// Reference holds the address.
bool Stores::visitReference(Value &Reference) {
  if (!isa<AllocaInst>(Reference))
    return false;
  if (!Seen.insert(&Reference).second)
    return true;
  return all_of(Reference.users(), [&](User *U) {
    if (auto *Load = dyn_cast<LoadInst>(U))
      return visitAddress(*Load);
    const auto *Store = dyn_cast<StoreInst>(U);
    const auto *II = dyn_cast<IntrinsicInst>(U);
    return (Store && Store->getValueOperand() != &Reference) || (II && II->isLifetimeStartOrEnd());
  });
}

Value *onlyStoredValue(AllocaInst &Variable) { return Stores().onlyOne(Variable); }

/// One chain of steps. Each step goes from a value to one that is certainly equal.
class Trail {
public:
  explicit Trail(bool Tracing = false) : Tracing(Tracing) {}

  /// The end of the chain that starts at V.
  Value *follow(Value *V) {
    while (Value *Next = Steps != MaxSteps ? step(V) : nullptr)
      V = Next;
    return V;
  }

private:
  Value *step(Value *V);
  Value *loadedValue(LoadInst &Load);
  Value *returnedValue(const CallBase &Call);
  Value *passedValue(const Argument &Parameter);

  unsigned Steps = 0;
  bool Tracing; ///< what callers pass; not through their callers
};

Value *Trail::step(Value *V) {
  ++Steps;
  if (V->getType()->isPointerTy())
    if (Value *Stripped = V->stripPointerCastsAndAliases(); Stripped != V)
      return Stripped;
  if (const auto *Op = dyn_cast<Operator>(V))
    switch (Op->getOpcode()) {
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::Freeze:
      return Op->getOperand(0);
    default:
      break;
    }
  if (auto *Load = dyn_cast<LoadInst>(V))
    return loadedValue(*Load);
  if (const auto *Parameter = dyn_cast<Argument>(V))
    return passedValue(*Parameter);
  if (const auto *Call = dyn_cast<CallBase>(V))
    return returnedValue(*Call);
  return nullptr;
}

/// What a load reads, if that is certain.
Value *Trail::loadedValue(LoadInst &Load) {
  Value *Address = follow(Load.getPointerOperand());
  if (auto *Variable = dyn_cast<AllocaInst>(Address)) {
    Value *Stored = onlyStoredValue(*Variable);
    return Stored && Stored->getType() == Load.getType() ? Stored : nullptr;
  }
  if (auto *Constant = dyn_cast<llvm::Constant>(Address))
    return ConstantFoldLoadFromConstPtr(Constant, Load.getType(), Load.getDataLayout());
  return nullptr;
}

/// What a call of a function with one return returns: a constant, or one of its arguments.
Value *Trail::returnedValue(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee->isInterposable() || Callee->size() != 1)
    return nullptr;
  const auto *Return = dyn_cast<ReturnInst>(Callee->getEntryBlock().getTerminator());
  if (!Return || !Return->getReturnValue())
    return nullptr;
  Value *Result = follow(Return->getReturnValue());
  if (const auto *Parameter = dyn_cast<Argument>(Result))
    return Parameter->getParent() == Callee ? Call.getArgOperand(Parameter->getArgNo()) : nullptr;
  return isa<Constant>(Result) ? Result : nullptr;
}

/// The function that all calls of a function of this file pass for a parameter.
Value *Trail::passedValue(const Argument &Parameter) {
  const Function &F = *Parameter.getParent();
  Value *Passed = nullptr;
  if (!F.hasLocalLinkage() || !Parameter.getType()->isPointerTy() || Tracing)
    return nullptr;
  for (const Use &U : F.uses()) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || Call->getFunctionType() != F.getFunctionType())
      return nullptr;
    Trail Other(/*Tracing=*/true);
    Value *End = Other.follow(Call->getArgOperand(Parameter.getArgNo()));
    if (!isa<Function>(End) || (Passed && Passed != End))
      return nullptr;
    Passed = End;
  }
  return Passed;
}

Value *trace(Value *V) { return Trail().follow(V); }

/// As trace, and if the end is the address of a local variable, what the variable holds: C++ calls
/// pass by reference.
Value *traceReference(Value *V) {
  Value *End = trace(V);
  auto *Variable = dyn_cast<AllocaInst>(End);
  Value *Stored = Variable ? onlyStoredValue(*Variable) : nullptr;
  return Stored ? trace(Stored) : End;
}

/// The functions that a value may be, by all ways back from it.
class FunctionSet {
public:
  explicit FunctionSet(SmallSetVector<Function *, 8> &Functions) : Functions(Functions) {}
  bool visit(Value *V);

private:
  bool visitLoad(LoadInst &Load);
  bool visitTable(const GlobalVariable &G);
  bool visitInitial(const Constant &C);
  bool visitCallers(const Argument &Parameter);

  SmallSetVector<Function *, 8> &Functions;
  SmallPtrSet<Value *, 16> Seen;
};

bool FunctionSet::visit(Value *V) {
  V = traceReference(V);
  if (!Seen.insert(V).second || isa<ConstantPointerNull, UndefValue>(V))
    return true;
  if (auto *F = dyn_cast<Function>(V)) {
    Functions.insert(F);
    return true;
  }
  auto Visit = [this](Value *From) { return visit(From); };
  if (auto *Phi = dyn_cast<PHINode>(V))
    return all_of(Phi->incoming_values(), Visit);
  if (auto *Select = dyn_cast<SelectInst>(V))
    return visit(Select->getTrueValue()) && visit(Select->getFalseValue());
  if (auto *Load = dyn_cast<LoadInst>(V))
    return visitLoad(*Load);
  if (auto *Variable = dyn_cast<AllocaInst>(V)) { // passed by reference
    Stores S;
    ArrayRef<Value *> Stored = S.all(*Variable);
    return !Stored.empty() && all_of(Stored, Visit);
  }
  if (auto *Parameter = dyn_cast<Argument>(V))
    return visitCallers(*Parameter);
  return false;
}

bool FunctionSet::visitLoad(LoadInst &Load) {
  Value *Address = Trail().follow(Load.getPointerOperand());
  if (auto *Variable = dyn_cast<AllocaInst>(Address)) {
    Stores S;
    ArrayRef<Value *> Stored = S.all(*Variable);
    return !Stored.empty() && all_of(Stored, [this](Value *From) { return visit(From); });
  }
  while (auto *Step = dyn_cast<GEPOperator>(Address))
    Address = Trail().follow(Step->getPointerOperand());
  auto *G = dyn_cast<GlobalVariable>(Address);
  return G && visitTable(*G);
}

/// True if nobody writes through the address of a global variable, as far as its uses show.
bool isOnlyRead(const Value &Address) {
  return all_of(Address.users(), [](const User *U) {
    if (isa<GEPOperator>(U))
      return isOnlyRead(*U);
    return isa<LoadInst>(U);
  });
}

bool FunctionSet::visitTable(const GlobalVariable &G) {
  if (!G.hasDefinitiveInitializer())
    return false;
  return visitInitial(*G.getInitializer()) &&
         (G.isConstant() || (G.hasLocalLinkage() && isOnlyRead(G)));
}

bool FunctionSet::visitInitial(const Constant &C) {
  if (const auto *F = dyn_cast<Function>(C.stripPointerCastsAndAliases())) {
    Functions.insert(const_cast<Function *>(F));
    return true;
  }
  return all_of(C.operands(), [this](const Use &U) {
    const auto *Part = dyn_cast<Constant>(U.get());
    return Part && visitInitial(*Part);
  });
}

bool FunctionSet::visitCallers(const Argument &Parameter) {
  const Function &F = *Parameter.getParent();
  bool All = F.hasLocalLinkage();
  for (const Use &U : F.uses()) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (Call && Call->isCallee(&U) && Call->getFunctionType() == F.getFunctionType())
      All &= visit(Call->getArgOperand(Parameter.getArgNo()));
    else
      All = false;
  }
  return All;
}

} // namespace

bool traceFunctions(Value *V, SmallSetVector<Function *, 8> &Functions) {
  return FunctionSet(Functions).visit(V);
}

Function *traceFunction(Value *V) { return dyn_cast<Function>(traceReference(V)); }

Argument *traceParameter(Value *V) { return dyn_cast<Argument>(traceReference(V)); }

std::optional<uint64_t> traceInteger(Value *V) {
  const auto *Known = dyn_cast<ConstantInt>(traceReference(V));
  return Known && Known->getValue().isIntN(63) ? std::optional(Known->getZExtValue())
                                               : std::nullopt;
}

const MarkerSpelling *traceMarker(Value *V) {
  if (const auto *AsValue = dyn_cast<MetadataAsValue>(V)) {
    const auto *Text = dyn_cast<MDString>(AsValue->getMetadata());
    return Text ? findMarkerSpelling(Text->getString()) : nullptr;
  }
  Value *End = traceReference(V);
  if (auto *Load = dyn_cast<LoadInst>(End))
    End = trace(Load->getPointerOperand());
  const auto *Global = dyn_cast<GlobalVariable>(End);
  return Global ? findMarkerSpelling(Global->getName()) : nullptr;
}

} // namespace contraflow
