// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers have no types, and the assignment of a structure through them is a copy of bytes:
//
//   void move(struct entry *to, struct entry *from) { *to = *from; }
//   memcpy(to, from, 8)       a float and an integer; a double; two of either?
//
// Whoever looks at members steps into the structure, in this function or in one that calls it.

#include "PointedStructures.h"

#include "DebugStructures.h"
#include "Layouts.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <set>

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral StructPrefix = "struct.", ClassPrefix = "class."; ///< of clang's types
constexpr unsigned MostPointers = 128;                                    ///< that one goes to
constexpr unsigned MostCalls = 64; ///< of a function whose arguments are looked at

/// The structure that an address is a step to, or a variable of.
StructType *structureAt(const Value &Address) {
  if (auto *Step = dyn_cast<GEPOperator>(&Address))
    return dyn_cast<StructType>(Step->getResultElementType());
  auto *Variable = dyn_cast<AllocaInst>(&Address);
  return Variable ? dyn_cast<StructType>(Variable->getAllocatedType()) : nullptr;
}

/// The parameter that a variable of clang's holds, if nothing else is ever stored there.
const Argument *heldParameter(const AllocaInst &Variable) {
  const Argument *Held = nullptr;
  for (const User *U : Variable.users()) {
    const auto *Store = dyn_cast<StoreInst>(U);
    if (isa<LoadInst>(U))
      continue;
    if (!Store || Store->getPointerOperand() != &Variable || Held)
      return nullptr;
    Held = dyn_cast<Argument>(Store->getValueOperand());
    if (!Held)
      return nullptr;
  }
  return Held;
}

} // namespace

const AllocaInst *variableOf(const Value *Pointer) {
  auto *Load = dyn_cast<LoadInst>(Pointer);
  return Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
}

StructType *PointedStructures::called(StringRef Name) {
  if (Named.empty())
    for (StructType *S : M.getIdentifiedStructTypes()) {
      StringRef Own = S->getName();
      if (!Own.consume_front(StructPrefix) && !Own.consume_front(ClassPrefix))
        continue;
      const auto [Base, Number] = Own.rsplit('.');
      const bool IsAnother = !Number.empty() && all_of(Number, isDigit);
      if (const auto [It, New] = Named.try_emplace(IsAnother ? Base : Own, S); !New || IsAnother)
        It->second = nullptr;
    }
  return Named.lookup(Name);
}

/// As TBAA calls what was loaded: "p1 _ZTS4wave" leads to a %struct.wave.
StructType *PointedStructures::named(const LoadInst &Pointer) {
  StringRef Mangled = nameAccessed(Pointer);
  if (!Mangled.consume_front("p1 _ZTS"))
    return nullptr;
  const std::string Text = demangle("_ZTS" + Mangled.str());
  StringRef Name = Text;
  return Name.consume_front("typeinfo name for ") ? called(Name) : nullptr;
}

StructType *PointedStructures::steppedInto(const AllocaInst &Variable) {
  const auto [It, New] = Stepped.try_emplace(Variable.getFunction());
  auto &Pointees = It->second;
  if (New)
    for (const Instruction &I : instructions(*Variable.getFunction())) {
      auto *Step = dyn_cast<GetElementPtrInst>(&I);
      const AllocaInst *From = Step ? variableOf(Step->getPointerOperand()) : nullptr;
      auto *S = Step ? dyn_cast<StructType>(Step->getSourceElementType()) : nullptr;
      if (From && !Pointees.try_emplace(From, S).second && Pointees[From] != S)
        Pointees[From] = nullptr;
    }
  return Pointees.lookup(&Variable);
}

namespace {

/// What the steps from a pointer say, wherever it goes: through variables, into functions and out
/// of them. Null: something else than a structure, or nobody knows.
class StepReader {
public:
  void readFrom(const Value &Pointer);
  std::set<StructType *> Found;

private:
  void readUse(const Use &U);
  void readHeld(const AllocaInst &Variable);
  void readPassed(const CallBase &Call, const Use &U);
  void readReturned(const Function &F);

  SmallPtrSet<const Value *, 16> Seen;
};

void StepReader::readFrom(const Value &Pointer) {
  if (!Seen.insert(&Pointer).second)
    return;
  if (Seen.size() > MostPointers)
    Found.insert(nullptr);
  else
    for_each(Pointer.uses(), [&](const Use &U) { readUse(U); });
}

void StepReader::readHeld(const AllocaInst &Variable) {
  for (const User *U : Variable.users())
    if (auto *Load = dyn_cast<LoadInst>(U))
      readFrom(*Load);
}

void StepReader::readPassed(const CallBase &Call, const Use &U) {
  const Function *F = Call.getCalledFunction();
  const unsigned No = Call.isArgOperand(&U) ? Call.getArgOperandNo(&U) : ~0u;
  if (F && !F->isDeclaration() && No < F->arg_size())
    return readFrom(*F->getArg(No));
  const CalleeKind Kind = F ? lookupCallee(Call).Kind : CalleeKind::Unknown;
  const bool LooksAtNone = isa<MemIntrinsic>(Call) || Call.isLifetimeStartOrEnd() ||
                           Kind == CalleeKind::Free || Kind == CalleeKind::Inactive;
  if (!LooksAtNone)
    Found.insert(nullptr);
}

void StepReader::readReturned(const Function &F) {
  if (!F.hasLocalLinkage() && !F.hasLinkOnceLinkage())
    Found.insert(nullptr);
  for (const Use &U : F.uses()) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (Call && Call->isCallee(&U))
      readFrom(*Call);
    else
      Found.insert(nullptr);
  }
}

void StepReader::readUse(const Use &U) {
  const User *By = U.getUser();
  const auto *Store = dyn_cast<StoreInst>(By);
  if (const auto *Step = dyn_cast<GetElementPtrInst>(By)) {
    Found.insert(dyn_cast<StructType>(Step->getSourceElementType()));
  } else if (Store && U.get() == Store->getValueOperand()) {
    if (const auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand()))
      readHeld(*Variable);
  } else if (const auto *Call = dyn_cast<CallBase>(By)) {
    readPassed(*Call, U);
  } else if (isa<ReturnInst>(By)) {
    readReturned(*cast<ReturnInst>(By)->getFunction());
  } else if (isa<PHINode, SelectInst, FreezeInst>(By)) {
    readFrom(*By);
  } else if (!isa<ICmpInst, PtrToIntInst>(By)) {
    Found.insert(nullptr);
  }
}

} // namespace

std::optional<StructType *> PointedStructures::loaded(const LoadInst &Pointer) {
  StepReader Steps;
  Steps.readFrom(Pointer);
  const std::set<StructType *> &Found = Steps.Found;
  if (StructType *S = Found.empty() ? named(Pointer) : nullptr)
    return S;
  return Found.empty() ? std::nullopt : std::optional(Found.size() == 1 ? *Found.begin() : nullptr);
}

StructType *PointedStructures::behindVariable(const AllocaInst &Variable) {
  StructType *S = structureBehindVariable(Variable, M.getDataLayout());
  return S ? S : steppedInto(Variable);
}

/// All callers hand over one kind of structure, and are known.
StructType *PointedStructures::handedOver(const Argument &A) {
  const Function &F = *A.getParent();
  std::set<StructType *> Found;
  if (!F.hasLocalLinkage() || F.hasNUsesOrMore(MostCalls + 1))
    return nullptr;
  for (const Use &U : F.uses()) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || A.getArgNo() >= Call->arg_size())
      return nullptr;
    const Value *Given = Call->getArgOperand(A.getArgNo());
    const AllocaInst *From = variableOf(Given);
    Found.insert(From ? behindVariable(*From) : structureAt(*Given));
  }
  return Found.size() == 1 ? *Found.begin() : nullptr;
}

StructType *PointedStructures::behind(const Value &Pointer) {
  StructType *S = structureAt(Pointer);
  if (const auto *Load = dyn_cast<LoadInst>(&Pointer); Load && !S)
    S = named(*Load);
  const AllocaInst *Variable = variableOf(&Pointer);
  if (!Variable || S)
    return S;
  S = behindVariable(*Variable);
  const Argument *Parameter = S ? nullptr : heldParameter(*Variable);
  return Parameter ? handedOver(*Parameter) : S;
}

} // namespace contraflow
