// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a region shares it is given by address, the pointers to its arrays as well. The optimiser
// does not know that nobody writes there, so a load that is not made in every iteration of a loop
// stays in it: nothing around that loop is affine then, nor is a check in front of it possible.
//
//   for (k) if (n > 2) { u = *captured; for (j) for (i) ... u[k, j, i] }
//   ->
//   u = *captured; for (k) if (n > 2) for (j) for (i) ... u[k, j, i]
//
// The variable must be local to who forks, its address known to nobody but regions that load and
// store there, and the region must only load. Who forks waits until the region is over.
//
// Of objects that a region is given the optimiser does not know that they are there: a member that
// leads to an array (this->u) is not loaded in front of a loop which may not come to it. Who forks
// knows how large they are.

#include "Captures.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

SmallVector<const Argument *, 2> paramsGiven(const Use &U, const HandlerRegistry &Handlers) {
  SmallVector<const Argument *, 2> Out;
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  const ConstructHandler *H = Call ? Handlers.find(*Call) : nullptr;
  const auto Region = H ? H->closure(*Call) : std::nullopt;
  if (!Region || !Region->Team || Region->Detached || !Call->isArgOperand(&U))
    return Out;
  const int Operand = static_cast<int>(Call->getArgOperandNo(&U));
  for (unsigned I = 0; I < Region->Operands.size(); ++I)
    if (Region->Operands[I] == Operand)
      Out.push_back(Region->Body->getArg(I));
  return Out;
}

/// True if the address goes nowhere: it is loaded from, stored to, and passed to such regions.
static bool staysHere(const Value &Address, const HandlerRegistry &Handlers, unsigned Levels) {
  return Levels && all_of(Address.uses(), [&](const Use &U) {
           const auto *I = dyn_cast<Instruction>(U.getUser());
           if (!I)
             return false;
           if (isa<LoadInst>(I) || I->isLifetimeStartOrEnd())
             return true;
           if (isa<StoreInst>(I))
             return U.getOperandNo() == StoreInst::getPointerOperandIndex();
           const auto Params = paramsGiven(U, Handlers);
           return !Params.empty() && all_of(Params, [&](const Argument *Param) {
             return staysHere(*Param, Handlers, Levels - 1);
           });
         });
}

SmallVector<unsigned, 8> findOwnVariables(const CallBase &Call, const Closure &Region,
                                          const HandlerRegistry &Handlers) {
  constexpr unsigned MostLevels = 3;
  SmallVector<unsigned, 8> Out;
  if (!Region.Team || Region.Detached)
    return Out;
  for (unsigned I = 0; I < Region.Operands.size(); ++I) {
    if (Region.Operands[I] < 0)
      continue;
    const auto *Variable = dyn_cast<AllocaInst>(Call.getArgOperand(Region.Operands[I]));
    if (Variable && Variable->isStaticAlloca() && !Variable->isArrayAllocation() &&
        count(Call.args(), Variable) == 1 && staysHere(*Variable, Handlers, MostLevels))
      Out.push_back(I);
  }
  return Out;
}

void loadOnce(Function &Body, ArrayRef<unsigned> Params) {
  BasicBlock &Entry = Body.getEntryBlock();
  for (unsigned Param : Params) {
    Argument &Address = *Body.getArg(Param);
    LoadInst *First = nullptr;
    const bool OnlyLoads = all_of(Address.users(), [&](User *U) {
      auto *Load = dyn_cast<LoadInst>(U);
      First = First ? First : Load;
      return Load && Load->isSimple() && Load->getType() == First->getType();
    });
    if (!First || !OnlyLoads)
      continue;
    IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    LoadInst *Once = B.CreateAlignedLoad(First->getType(), &Address, First->getAlign());
    AAMDNodes Tags = First->getAAMetadata();
    for (User *U : make_early_inc_range(Address.users()))
      if (auto *Load = cast<LoadInst>(U); Load != Once) {
        Tags = Tags.merge(Load->getAAMetadata());
        Load->replaceAllUsesWith(Once);
        Load->eraseFromParent();
      }
    Once->setAAMetadata(Tags);
  }
}

SmallVector<GivenObject, 8> findObjects(const CallBase &Call, const Closure &Region) {
  SmallVector<GivenObject, 8> Out;
  if (!Region.Team || Region.Detached)
    return Out;
  const DataLayout &DL = Call.getModule()->getDataLayout();
  for (unsigned I = 0; I < Region.Operands.size(); ++I) {
    const Value *V = Region.Operands[I] < 0 ? nullptr : Call.getArgOperand(Region.Operands[I]);
    if (!V || !V->getType()->isPointerTy() || !Region.Body->getArg(I)->getType()->isPointerTy())
      continue;
    bool CanBeNull = false, CanBeFreed = false;
    const uint64_t Bytes = V->getPointerDereferenceableBytes(DL, CanBeNull, CanBeFreed);
    if (Bytes && !CanBeNull && !CanBeFreed)
      Out.push_back({I, Bytes, V->getPointerAlignment(DL)});
  }
  return Out;
}

void noteObjects(Function &Body, ArrayRef<GivenObject> Objects) {
  for (const GivenObject &Object : Objects) {
    const unsigned Param = Object.Param;
    AttrBuilder Known(Body.getContext());
    if (Object.Bytes > Body.getParamDereferenceableBytes(Param))
      Known.addDereferenceableAttr(Object.Bytes);
    if (Object.Alignment > Body.getParamAlign(Param).valueOrOne())
      Known.addAlignmentAttr(Object.Alignment);
    Body.addParamAttrs(Param, Known);
  }
}

} // namespace contraflow
