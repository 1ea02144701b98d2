// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadows of global variables belong to one derivative function. What a global holds before a call
// is constant, so its tangents and adjoints are zero there; a call before may have left others:
//
//   y = g * x ; g = x * x      reverse: g' is taken and cleared, then g' += y' * x stays behind
//
// Addresses stay: memory that the program keeps in a global has its shadow from call to call. What
// is in that shadow is cleared as well. The runtime knows where it is: each heap object that the
// graph finds behind a global, and not behind an argument, is remembered when it outlives its call.

#include "ForwardSweep.h"
#include "KeptMemory.h"
#include "construct/Fields.h"
#include "contraflow/core/Callee.h"

#include "llvm/IR/GlobalVariable.h"

using namespace llvm;

namespace contraflow {

void clearGlobalShadows(RequestState &S, Unit &Root, IRBuilderBase::InsertPoint At) {
  SmallVector<std::pair<GlobalVariable *, GlobalVariable *>, 8> Shadows;
  for (GlobalVariable &G : S.C.M.globals()) // in their order
    for (unsigned Lane = 0; Lane < S.Spec.Width; ++Lane)
      if (GlobalVariable *Shadow = S.ShadowGlobals.lookup({&G, Lane}))
        if (!G.isConstant())
          Shadows.push_back({&G, Shadow});
  ForwardSweep Sweep(S, Root);
  Sweep.ir().restoreIP(At);
  for (auto [G, Shadow] : Shadows) {
    MemoryLayout Layout = layoutOf(S.Activity, G);
    uint64_t Bytes = S.C.M.getDataLayout().getTypeAllocSize(G->getValueType());
    if (any_of(Layout.Fields, [](auto &F) { return F.Active; }))
      clearFloats(Sweep, Layout, Shadow, Sweep.ir().getInt64(Bytes));
  }
  enterKeptMemory(S, Sweep);
}

Error checkGlobalShadows(RequestState &S) {
  for (GlobalVariable &G : S.C.M.globals())
    if (S.ShadowGlobals.contains({&G, 0}) && G.isDeclaration() &&
        S.C.M.getDataLayout().getTypeAllocSize(G.getValueType()).isZero() && !isVirtualTable(G))
      return diffError(DiagId::UnsupportedMemory, *S.Spec.Primal,
                       "the size of '" + G.getName() +
                           "' is not known here; declare it with its size");
  return Error::success();
}

} // namespace contraflow
