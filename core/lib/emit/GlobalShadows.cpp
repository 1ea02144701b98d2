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
#include "construct/Fields.h"
#include "contraflow/core/Callee.h"

#include "llvm/IR/GlobalVariable.h"

using namespace llvm;

namespace contraflow {

/// The objects that pointers in this one lead to, whatever their number.
static void reach(const MemoryGraph &Graph, unsigned From, DenseSet<unsigned> &Reached) {
  SmallVector<unsigned, 16> Work{Graph.canonical(From)};
  while (!Work.empty())
    for (auto [Offset, Cell] : Graph.fields(Work.pop_back_val()))
      if (auto Target = Graph.pointee(Cell)) {
        const unsigned Node = Graph.canonical(Target->Node);
        if (!Graph.isExternal(Node) && Reached.insert(Node).second)
          Work.push_back(Node);
      }
}

static void findKept(RequestState &S) {
  S.Kept.Known = true;
  for (GlobalVariable &G : S.C.M.globals())
    if (Location At = S.Graph.find(&G); At && !G.isConstant())
      reach(S.Graph, At.Node, G.isThreadLocal() ? S.Kept.NodesOfThreads : S.Kept.Nodes);
}

GlobalVariable *RequestState::ownerOf(const Value *Pointer) {
  if (!Kept.Known)
    findKept(*this);
  const Location At = Graph.find(Pointer);
  if (!At)
    return nullptr;
  const unsigned Node = Graph.canonical(At.Node);
  const bool Shared = Kept.Nodes.contains(Node);
  if (!Shared && !Kept.NodesOfThreads.contains(Node))
    return nullptr;
  GlobalVariable *&Owner = Shared ? Kept.Owner : Kept.OwnerOfThread;
  if (!Owner) {
    Type *Byte = Type::getInt8Ty(C.M.getContext());
    Owner = new GlobalVariable(
        C.M, Byte, false, GlobalValue::InternalLinkage, Constant::getNullValue(Byte), "cf.kept",
        nullptr, Shared ? GlobalValue::NotThreadLocal : GlobalValue::GeneralDynamicTLSModel);
  }
  return Owner;
}

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
  for (GlobalVariable *Owner : {S.Kept.Owner, S.Kept.OwnerOfThread})
    if (Owner)
      Sweep.runtime("clear_kept", Sweep.ir().getVoidTy(), {Owner});
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
