// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dynamic_cast leads to another base of an object, at a distance that the object knows. An address
// anywhere in the object would take all its members for one; the classes of the module say which
// distances there are.
//
//   q = dynamic_cast(p, Left, Right)  ->  d = base_distance(p, Left, Right, {16, 40}, 2)
//                                         q = d == 16 ? p + 16 : d == 40 ? p + 40 : null
//
// The distance is asked for when the program runs, and is one of these: an object of a class that
// the compiler has not seen, at another one, ends the program (CF397). Shadows follow the steps.
// Where no class is seen that has both bases, or one that has them at no fixed distance (virtual
// bases), the cast stays as it is.

#include "Memory.h"
#include "callee/Classes.h"
#include "contraflow/core/Diag.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace contraflow {

/// Of several distances, few are worth it: the object folds by what they differ.
static constexpr unsigned MostDistances = 4;

static Value *tableOf(IRBuilder<> &B, Module &M, ArrayRef<int64_t> Distances) {
  auto *Table = ConstantDataArray::get(
      B.getContext(),
      ArrayRef<uint64_t>(reinterpret_cast<const uint64_t *>(Distances.data()), Distances.size()));
  return new GlobalVariable(M, Table->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage,
                            Table, "cf.distances");
}

static void replaceCast(CallBase &Cast, ArrayRef<int64_t> Distances) {
  IRBuilder<> B(&Cast);
  Module &M = *Cast.getModule();
  Value *Object = Cast.getArgOperand(0);
  Value *Place = B.CreateGlobalString(SourcePlace::of(Cast).str(), "cf.place");
  CallInst *Distance = SweepBuilder::callRuntime(
      B, M, "base_distance", B.getInt64Ty(),
      {Object, Cast.getArgOperand(1), Cast.getArgOperand(2), Cast.getArgOperand(3),
       tableOf(B, M, Distances), B.getInt64(Distances.size()), Place});
  Distance->setMemoryEffects(MemoryEffects::readOnly());
  Distance->addFnAttr(Attribute::NoUnwind);
  Value *Result = ConstantPointerNull::get(B.getPtrTy());
  for (int64_t D : Distances)
    Result = B.CreateSelect(B.CreateICmpEQ(Distance, B.getInt64(D)),
                            D ? B.CreatePtrAdd(Object, B.getInt64(D)) : Object, Result);
  Cast.replaceAllUsesWith(Result);
  Cast.eraseFromParent();
}

void stepToBases(Function &F, StringRef CastName) {
  SmallVector<CallInst *, 4> Casts;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (const Function *Callee = Call->getCalledFunction();
          Callee && Callee->getName() == CastName && Callee->isDeclaration() &&
          Call->arg_size() == 4)
        Casts.push_back(Call);
  for (CallInst *Cast : Casts) {
    const auto *From = dyn_cast<GlobalVariable>(Cast->getArgOperand(1));
    const auto *To = dyn_cast<GlobalVariable>(Cast->getArgOperand(2));
    const auto Distances = From && To ? distancesOfBases(*From, *To) : std::nullopt;
    if (Distances && !Distances->empty() && Distances->size() <= MostDistances)
      replaceCast(*Cast, *Distances);
  }
}

} // namespace contraflow
