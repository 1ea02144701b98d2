// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names behind Exceptions.h.

#include "Exceptions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

constexpr unsigned MostBases = 16; ///< from a class to a standard one

bool rethrowsKept(const Function &F) {
  return F.getName().starts_with("_ZSt17rethrow_exception") ||
         F.getName() == "_ZNKSt16nested_exception14rethrow_nestedEv";
}

ExceptionStep exceptionStep(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (F && F->getName() == "_ZNKSt16nested_exception14rethrow_nestedEv")
    return ExceptionStep::Kept;
  if (!F || !F->isDeclaration())
    return ExceptionStep::None;
  return StringSwitch<ExceptionStep>(F->getName())
      .Case("__cxa_allocate_exception", ExceptionStep::Allocate)
      .Case("__cxa_throw", ExceptionStep::Throw)
      .Case("__cxa_rethrow", ExceptionStep::Rethrow)
      .Case("_Unwind_Resume_or_Rethrow", ExceptionStep::Again)
      .StartsWith("_ZSt17rethrow_exception", ExceptionStep::Kept)
      .Case("__cxa_begin_catch", ExceptionStep::BeginCatch)
      .Case("__cxa_end_catch", ExceptionStep::EndCatch)
      .Case("__cxa_get_exception_ptr", ExceptionStep::Find)
      .Default(ExceptionStep::None);
}

StringRef nameOf(ExceptionStep Step) {
  switch (Step) {
  case ExceptionStep::None:
  case ExceptionStep::Kept:
    return "";
  case ExceptionStep::Allocate:
    return "__cxa_allocate_exception";
  case ExceptionStep::Throw:
    return "__cxa_throw";
  case ExceptionStep::Rethrow:
    return "__cxa_rethrow";
  case ExceptionStep::Again:
    return "_Unwind_Resume_or_Rethrow";
  case ExceptionStep::BeginCatch:
    return "__cxa_begin_catch";
  case ExceptionStep::EndCatch:
    return "__cxa_end_catch";
  case ExceptionStep::Find:
    return "__cxa_get_exception_ptr";
  }
  llvm_unreachable("all steps are named");
}

/// Behind the address of the virtual table.
constexpr unsigned NestedPlace = 8;

std::optional<unsigned> keptAt(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return StringSwitch<std::optional<unsigned>>(F ? F->getName() : "")
      .Cases({"_ZSt17current_exceptionv"}, 0)
      .Cases({"_ZNSt16nested_exceptionC1Ev", "_ZNSt16nested_exceptionC2Ev"}, NestedPlace)
      .Case("_ZNKSt16nested_exception14rethrow_nestedEv", NestedPlace)
      .StartsWith("_ZSt17rethrow_exceptionNSt15__exception_ptr", 0)
      .Default(std::nullopt);
}

bool makesException(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->isDeclaration() && F->getName() == "__cxa_init_primary_exception";
}

bool keepsObject(const CallBase &Call) {
  const Function *F = isa<CallInst>(Call) ? Call.getCalledFunction() : nullptr;
  return F && F->isDeclaration() &&
         F->getName().starts_with("_ZNSt15__exception_ptr13exception_ptrC") &&
         F->getName().ends_with("EPv");
}

bool describesPointer(const Constant *Type) {
  const auto *G = dyn_cast<GlobalVariable>(Type);
  return G && (G->getName().starts_with("_ZTIP") || G->getName().starts_with("_ZTIM"));
}

/// The virtual table of a class, if the program has it.
static const GlobalVariable *virtualTable(const Constant *Class) {
  const std::string Name = "_ZTV" + Class->getName().substr(strlen("_ZTI")).str();
  return cast<GlobalVariable>(Class)->getParent()->getNamedGlobal(Name);
}

/// The words of a virtual table, and where the functions begin: the description of the class comes
/// last before them. None if that is not known.
static std::pair<const ConstantArray *, int64_t> wordsOf(const Constant *Class) {
  const GlobalVariable *G = virtualTable(Class);
  const auto *Parts =
      G && G->hasInitializer() ? dyn_cast<ConstantStruct>(G->getInitializer()) : nullptr;
  const auto *Words = Parts ? dyn_cast<ConstantArray>(Parts->getOperand(0)) : nullptr;
  for (unsigned I = 0; Words && I != Words->getNumOperands(); ++I)
    if (Words->getOperand(I)->stripPointerCasts() == Class)
      return {Words, I + 1};
  return {nullptr, 0};
}

/// Where the base lies whose place the virtual table of Class, at the start of the object, has at
/// Distance before the functions.
static std::optional<int64_t> virtualPlace(const Constant *Class, int64_t Distance) {
  const auto [Words, Functions] = wordsOf(Class);
  const int64_t At = Functions + Distance / int64_t(sizeof(void *));
  const bool Fits = Words && At >= 0 && At < Functions;
  const auto *Word = Fits ? dyn_cast<ConstantExpr>(Words->getOperand(At)) : nullptr;
  const auto *Place = Word && Word->isCast() ? dyn_cast<ConstantInt>(Word->getOperand(0)) : nullptr;
  return Place ? std::optional(Place->getSExtValue()) : std::nullopt;
}

bool mayHaveMessage(const Constant *Type) {
  if (!isa<GlobalVariable>(Type) || !virtualTable(Type))
    return false;
  const auto [Words, Functions] = wordsOf(Type);
  return !Words ||
         int64_t(Words->getNumOperands()) > Functions + MessageSlot / int64_t(sizeof(void *));
}

/// The table of a class with several bases: its own table, its name, flags, how many; then for each
/// base its description, and its place above eight bits of flags, the first of which is 'virtual'.
static void findBasesAt(const Constant *Class, const Constant *Type, int64_t At, unsigned Left,
                        SmallSetVector<int64_t, 4> &Offsets) {
  const auto *G = dyn_cast<GlobalVariable>(Type);
  const auto *Init =
      G && G->hasInitializer() ? dyn_cast<ConstantStruct>(G->getInitializer()) : nullptr;
  if (!Init || Left == 0)
    return;
  if (Init->getNumOperands() == 3)
    return findBasesAt(Class, Init->getOperand(2), At, Left - 1, Offsets);
  for (unsigned I = 4; I + 1 < Init->getNumOperands(); I += 2) {
    const auto *Place = dyn_cast<ConstantInt>(Init->getOperand(I + 1));
    if (!Place)
      continue;
    std::optional<int64_t> Base = Place->getSExtValue() >> 8;
    if ((Place->getZExtValue() & 1) == 0)
      *Base += At;
    else
      Base = At == 0 ? virtualPlace(Class, *Base) : std::nullopt;
    if (!Base)
      continue;
    if (*Base != 0)
      Offsets.insert(*Base);
    findBasesAt(Class, Init->getOperand(I), *Base, Left - 1, Offsets);
  }
}

void findBases(const Constant *Type, SmallSetVector<int64_t, 4> &Offsets) {
  findBasesAt(Type, Type, 0, MostBases, Offsets);
}

/// The description of the base at the start of a class: of one base, behind the table and the name;
/// of several, the one whose place is 0, and which is not virtual. Null if there is none.
static const Constant *firstBase(const GlobalVariable &Class) {
  const auto *Init = dyn_cast<ConstantStruct>(Class.getInitializer());
  if (Init && Init->getNumOperands() == 3)
    return Init->getOperand(2);
  for (unsigned I = 4; Init && I + 1 < Init->getNumOperands(); I += 2) {
    const auto *Place = dyn_cast<ConstantInt>(Init->getOperand(I + 1));
    if (Place && (Place->getSExtValue() >> 8) == 0 && (Place->getZExtValue() & 1) == 0)
      return Init->getOperand(I);
  }
  return nullptr;
}

bool describesStandardException(const Constant *Type) {
  for (unsigned I = 0; I < MostBases; ++I) {
    const auto *G = dyn_cast<GlobalVariable>(Type);
    if (!G)
      return false;
    if (!G->hasInitializer())
      return G->getName().starts_with("_ZTISt") || G->getName().starts_with("_ZTINSt");
    Type = firstBase(*G);
    if (!Type)
      return false;
  }
  return false;
}

} // namespace contraflow
