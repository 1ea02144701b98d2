// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are checked while they run (-fsanitize=undefined, assertions about ranges)
// calculate addresses a second time as integers, to compare them.
//
//   %a = ptrtoint ptr %p to i64
//   %b = add i64 %a, %n                      no shadow: 'br' and the report see the primal's
//   %c = icmp uge i64 %b, %a
//   br i1 %c, label %go, label %report       call @__ubsan_handle_pointer_overflow(..., i64 %b)

#include "IntegerAddresses.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

static bool endsHere(const User &U) {
  if (isa<ICmpInst>(U))
    return true;
  auto *Call = dyn_cast<CallBase>(&U);
  return Call && U.getType()->isVoidTy() &&
         is_contained({CalleeKind::Inactive, CalleeKind::NoReturn}, lookupCallee(*Call).Kind);
}

bool isOnlyCompared(const Instruction &I) {
  constexpr unsigned Most = 32;
  if (!I.getType()->isIntegerTy())
    return false;
  SmallPtrSet<const Instruction *, 8> Seen{&I};
  SmallVector<const Instruction *, 8> Todo{&I};
  while (!Todo.empty())
    for (const User *U : Todo.pop_back_val()->users()) {
      if (endsHere(*U))
        continue;
      if (!isa<BinaryOperator, PHINode, SelectInst, FreezeInst, TruncInst, ZExtInst>(U))
        return false;
      if (Seen.insert(cast<Instruction>(U)).second)
        Todo.push_back(cast<Instruction>(U));
      if (Seen.size() > Most)
        return false;
    }
  return true;
}

} // namespace contraflow
