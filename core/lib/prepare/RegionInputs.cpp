// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable that the region is given by its address holds the same if all stores to it, wherever
// they are, store one value which the loop does not change, and its address goes to regions only
// that load from it.

#include "RegionInputs.h"

#include "Captures.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

/// The outermost one.
const Loop *loopAround(const CallBase &Call, const LoopInfo &LI) {
  const Loop *L = LI.getLoopFor(Call.getParent());
  return L ? L->getOutermostLoop() : nullptr;
}

bool staysIn(const Value &V, const Loop &L) {
  const auto *I = dyn_cast<Instruction>(&V);
  return !I || !L.contains(I);
}

bool onlyLoads(const Value &Address) {
  return all_of(Address.users(), [](const User *U) {
    const auto *Load = dyn_cast<LoadInst>(U);
    return Load && Load->isSimple();
  });
}

/// True if all that the call's region does with what it is given there is to load it.
bool isOnlyLoaded(const Use &U, const HandlerRegistry &Handlers) {
  const auto Params = paramsGiven(U, Handlers);
  return !Params.empty() && all_of(Params, [](const Argument *A) { return onlyLoads(*A); });
}

} // namespace

std::optional<RegionInputs> RegionInputs::of(Function &Body, const HandlerRegistry &Handlers,
                                             FunctionAnalysisManager &FAM) {
  auto *Call = Body.hasOneUse() ? dyn_cast<CallBase>(*Body.user_begin()) : nullptr;
  const ConstructHandler *H = Call ? Handlers.find(*Call) : nullptr;
  const auto Region = H ? H->closure(*Call) : std::nullopt;
  if (!Region || Region->Body != &Body || !Region->Team || Region->Detached)
    return std::nullopt;
  const Loop *Around = loopAround(*Call, FAM.getResult<LoopAnalysis>(*Call->getFunction()));
  if (!Around)
    return std::nullopt;
  return RegionInputs(*Call, *Region, *Around, Handlers);
}

/// What the call is given for a parameter of the body; null if the construct makes it.
const Value *RegionInputs::givenFor(const Value &Param) const {
  const auto *A = dyn_cast<Argument>(&Param);
  const unsigned Number = A ? A->getArgNo() : 0;
  if (!A || A->getParent() != Region.Body || Number >= Region.Operands.size() ||
      Region.Operands[Number] < 0)
    return nullptr;
  return Call.getArgOperand(Region.Operands[Number]);
}

bool RegionInputs::holdsSame(const Value &Variable) const {
  const auto *Local = dyn_cast<AllocaInst>(&Variable);
  if (!Local || !Local->isStaticAlloca() || Local->isArrayAllocation())
    return false;
  const Value *Stored = nullptr;
  return all_of(Local->uses(), [&](const Use &U) {
    const auto *I = cast<Instruction>(U.getUser());
    if (isa<LoadInst>(I) || I->isLifetimeStartOrEnd())
      return true;
    const auto *S = dyn_cast<StoreInst>(I);
    if (!S)
      return isOnlyLoaded(U, Handlers);
    const Value *New = S->getValueOperand();
    const bool Same = U.getOperandNo() == StoreInst::getPointerOperandIndex() &&
                      (!Stored || Stored == New) && staysIn(*New, Around);
    Stored = New;
    return Same;
  });
}

bool RegionInputs::alwaysSame(const Value &V) const {
  unsigned Looks = 256;
  return alwaysSame(V, Looks);
}

bool RegionInputs::alwaysSame(const Value &V, unsigned &Looks) const {
  if (const auto *C = dyn_cast<Constant>(&V))
    return !C->isThreadDependent();
  if (!Looks--)
    return Looks = 0;
  if (const Value *Given = givenFor(V))
    return staysIn(*Given, Around);
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I)
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(I)) {
    const Value *Given = givenFor(*Load->getPointerOperand());
    return Given && Load->isSimple() && holdsSame(*Given);
  }
  // Another call may say something of the thread: the address of a variable of its own.
  if (isa<PHINode, AllocaInst>(I) || I->mayReadOrWriteMemory() || I->isTerminator() ||
      (isa<CallBase>(I) && !isa<MinMaxIntrinsic>(I)))
    return false;
  return all_of(I->operands(), [&](const Use &U) { return alwaysSame(*U.get(), Looks); });
}

} // namespace contraflow
