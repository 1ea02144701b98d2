// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that a library lets its users replace:
//
//   static void (*release)(void *) = release_default;
//   void set_release(void (*f)(void *)) { release = f ? f : release_default; }
//
// What is called through the variable is release_default and what this file hands to set_release,
// and no other function of that type; likewise of an array that the file keeps to itself. What
// other files hand over or store is in an array or a structure that this file shows them, or taken
// for theirs: the program ends with CF307 where it is called.

#include "Hooks.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostValues = 64; ///< that are looked at for one variable

/// Where the values of a variable come from.
class Sources {
public:
  void add(const Value &V) { Todo.insert(&V); }
  bool addStored(const Value &Variable);
  bool follow();
  HeldFunctions Functions;

private:
  bool addArguments(const Argument &Parameter);
  bool addParts(const Value &V);
  void addShown(const Module &M);

  SmallSetVector<const Value *, 8> Todo;
};

/// False if the variable, or an element of it, is used by anything but loads and stores.
bool Sources::addStored(const Value &Variable) {
  return all_of(Variable.uses(), [&](const Use &U) {
    if (isa<GEPOperator>(U.getUser()))
      return addStored(*U.getUser());
    auto *Store = dyn_cast<StoreInst>(U.getUser());
    if (Store && U.getOperandNo() == StoreInst::getPointerOperandIndex()) {
      Todo.insert(Store->getValueOperand());
      return Store->getValueOperand()->getType()->isPointerTy();
    }
    return isa<LoadInst>(U.getUser());
  });
}

/// What calls of its function give a parameter.
bool Sources::addArguments(const Argument &Parameter) {
  if (!Parameter.getParent()->hasLocalLinkage())
    addShown(*Parameter.getParent()->getParent());
  return all_of(Parameter.getParent()->uses(), [&](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || Parameter.getArgNo() >= Call->arg_size())
      return false;
    Todo.insert(Call->getArgOperand(Parameter.getArgNo()));
    return true;
  });
}

/// What other files find in variables: no tables of classes.
void Sources::addShown(const Module &M) {
  for (const GlobalVariable &G : M.globals()) {
    if (!G.hasExternalLinkage() || G.isDeclaration() || G.hasGlobalUnnamedAddr())
      continue;
    SmallSetVector<const Value *, 8> Parts;
    Parts.insert(G.getInitializer());
    for (unsigned I = 0; I < Parts.size() && I < MostValues; ++I)
      if (auto *F = dyn_cast<Function>(Parts[I]))
        Functions.insert(F);
      else if (isa<ConstantAggregate>(Parts[I]))
        Parts.insert_range(cast<ConstantAggregate>(Parts[I])->operand_values());
  }
}

bool Sources::addParts(const Value &V) {
  if (auto *F = dyn_cast<Function>(&V)) {
    Functions.insert(F);
    return true;
  }
  if (isa<ConstantPointerNull, UndefValue>(V))
    return true;
  if (auto *Parameter = dyn_cast<Argument>(&V))
    return addArguments(*Parameter);
  if (auto *Choice = dyn_cast<SelectInst>(&V))
    return Todo.insert(Choice->getTrueValue()), Todo.insert(Choice->getFalseValue()), true;
  if (auto *Phi = dyn_cast<PHINode>(&V))
    return Todo.insert_range(Phi->incoming_values()), true;
  auto *Load = dyn_cast<LoadInst>(&V);
  auto *Local = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  return Local && addStored(*Local);
}

bool Sources::follow() {
  for (unsigned I = 0; I < Todo.size(); ++I)
    if (I >= MostValues || !addParts(*Todo[I]->stripPointerCasts()))
      return false;
  return true;
}

} // namespace

std::optional<HeldFunctions> functionsOfVariable(const GlobalVariable &G) {
  auto *Array = dyn_cast<ArrayType>(G.getValueType());
  if (!G.hasInitializer() || !(Array ? Array->getElementType() : G.getValueType())->isPointerTy())
    return std::nullopt;
  if (Array && (!G.hasLocalLinkage() || Array->getNumElements() > MostValues))
    return std::nullopt;
  Sources From;
  if (auto *Elements = dyn_cast<ConstantArray>(G.getInitializer()))
    for (const Value *Element : Elements->operand_values())
      From.add(*Element);
  else if (!Array)
    From.add(*G.getInitializer());
  if (!From.addStored(G) || !From.follow())
    return std::nullopt;
  return From.Functions;
}

std::optional<HeldFunctions> functionsOfVariable(const CallBase &Call) {
  auto *Load = dyn_cast<LoadInst>(Call.getCalledOperand());
  const Value *From = Load ? Load->getPointerOperand() : nullptr;
  while (auto *Step = dyn_cast_or_null<GEPOperator>(From))
    From = Step->getPointerOperand();
  auto *G = dyn_cast_or_null<GlobalVariable>(From);
  return G ? functionsOfVariable(*G) : std::nullopt;
}

} // namespace contraflow
