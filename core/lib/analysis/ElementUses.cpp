// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementUses.h"

#include "PlaceList.h"
#include "Strides.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <set>

using namespace llvm;

namespace contraflow {

constexpr size_t MostReached = 128; ///< addresses that one leads to

ElementUses::ElementUses(const SmallPtrSetImpl<const Function *> &Closure, LayoutReader &Layouts,
                         const LayoutPlaces &Places)
    : Closure(Closure), Layouts(Layouts), Places(Places), Size(sizeOf(Places)) {}

/// True if an index leads from structure to structure, as far as differences of addresses do.
bool ElementUses::isOfElements(const Value &Index, int64_t Scale) const {
  const Stride By = strideOf(&Index);
  const int64_t Start = startOf(&Index);
  return (Scale * int64_t(By.Multiple)) % Size == 0 && (Scale * Start) % Size == 0 &&
         all_of(By.Differences, [&](const PointerDifference &D) {
           return (Scale * D.multipleOf(Size)) % Size == 0;
         });
}

/// Whether a step is short; nothing if it leads to a certain member.
std::optional<bool> ElementUses::followStep(const Use &U, bool IsShort) const {
  const auto &Step = cast<GEPOperator>(*U.getUser());
  const DataLayout &DL = Layouts.layout();
  const unsigned Bits = DL.getIndexTypeSizeInBits(Step.getType());
  SmallMapVector<Value *, APInt, 4> Indices;
  APInt Constant(Bits, 0);
  if (!Step.collectOffset(DL, Bits, Indices, Constant))
    return true;
  for (const auto &[Index, Scale] : Indices)
    IsShort |= !isOfElements(*Index, Scale.getSExtValue());
  return IsShort || Constant.getSExtValue() % Size == 0 ? std::optional(IsShort) : std::nullopt;
}

/// True if an access is said to be one of a member.
bool ElementUses::isMember(const Instruction &Access) const {
  return Layouts.of(Access).Places == &Places || Layouts.aroundElement(Access) == &Places;
}

/// Adds the calls that F returns to. False if it is not known who calls it.
bool ElementUses::followReturn(const Function &F, bool IsShort,
                               SmallVectorImpl<Reached> &Todo) const {
  return all_of(F.uses(), [&](const Use &U) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U))
      return false;
    Todo.push_back({Call, IsShort});
    return true;
  });
}

/// Adds what U leads to. False if it is something else's.
bool ElementUses::follow(const Use &U, bool IsShort, SmallVectorImpl<Reached> &Todo) const {
  const User *By = U.getUser();
  if (isa<GEPOperator>(By)) {
    if (const auto Short = followStep(U, IsShort))
      Todo.push_back({By, *Short});
    return true;
  }
  if (auto *Return = dyn_cast<ReturnInst>(By))
    return followReturn(*Return->getFunction(), IsShort, Todo);
  if (isa<ICmpInst, PtrToIntInst, PtrToAddrInst, MemIntrinsic>(By))
    return !IsShort || isa<ICmpInst>(By);
  if (isa<PHINode, SelectInst, FreezeInst, AddrSpaceCastInst>(By)) {
    Todo.push_back({By, IsShort});
    return true;
  }
  if (auto *Call = dyn_cast<CallBase>(By)) {
    const Function *F = Call->getCalledFunction();
    if (!F || !Call->isArgOperand(&U))
      return false;
    if (Closure.count(F) && Call->getArgOperandNo(&U) < F->arg_size())
      Todo.push_back({F->getArg(Call->getArgOperandNo(&U)), IsShort});
    return Closure.count(F) || lookupCallee(*Call).Kind == CalleeKind::Free ||
           Call->isLifetimeStartOrEnd();
  }
  if (!isa<LoadInst, StoreInst>(By))
    return false;
  return !IsShort ||
         (U.get() == getLoadStorePointerOperand(By) && isMember(*cast<Instruction>(By)));
}

bool ElementUses::areOf(const Value &Pointer) const {
  SmallVector<Reached, 16> Todo{{&Pointer, false}};
  std::set<Reached> Seen;
  while (!Todo.empty() && Seen.size() < MostReached) {
    const Reached R = Todo.pop_back_val();
    if (Seen.insert(R).second &&
        !all_of(R.At->uses(), [&](const Use &U) { return follow(U, R.IsShort, Todo); }))
      return false;
  }
  return Todo.empty();
}

} // namespace contraflow
