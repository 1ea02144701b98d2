// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::list, std::map and their kin link their nodes by functions that the compiler cannot see.
// Where nodes have shadows, the runtime links both; the reverse has nothing to do, since no float
// moves.
//
//   insert_and_rebalance(left, x, p, h)    ->    tree_insert(left, x, p, h, x', p', h')
//   q = increment(p)                       ->    q = increment(p) ; q' = tree_next_shadow(p, p')

#include "Memory.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

enum class NodeShape { List, Tree };
enum class NodeAction { Relink, Step };

struct NodeFunction {
  StringRef Runtime;
  NodeShape Shape;
  NodeAction Action;
};

const StringMap<NodeFunction> &nodeFunctions() {
  static const StringMap<NodeFunction> Table = {
#define CF_LINKED(Name, Runtime, Shape, Action)                                                    \
  {Name, {Runtime, NodeShape::Shape, NodeAction::Action}},
#include "callee/Linked.def"
  };
  return Table;
}

class LinkedHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (auto &Entry : nodeFunctions())
      Names.push_back(Entry.first());
    return Names;
  }
  bool claims(const CallBase &Call) const override {
    return Call.getCalledFunction()->isDeclaration() && !pointers(Call).empty();
  }
  CallFacts facts(const CallBase &Call) const override;
  bool hasReverse(const CallBase &) const override { return false; }
  bool knowsOwnShadows(const CallBase &Call) const override {
    return of(Call).Action == NodeAction::Step;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (CallBase *New = emit(B, Call))
      B.replaceCall(Call, Call.getType()->isVoidTy() ? nullptr : New);
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    if (CallBase *New = emit(B, *Site.Anchor))
      Site.Anchor = New;
    return Error::success();
  }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  static SmallVector<unsigned, 4> pointers(const CallBase &Call) {
    SmallVector<unsigned, 4> Out;
    for (unsigned I = 0; I < Call.arg_size(); ++I)
      if (Call.getArgOperand(I)->getType()->isPointerTy())
        Out.push_back(I);
    return Out;
  }
  static const NodeFunction &of(const CallBase &Call) {
    return nodeFunctions().find(Call.getCalledFunction()->getName())->second;
  }
  static CallBase *emit(SweepBuilder &B, CallBase &Call);
};

CallFacts LinkedHandler::facts(const CallBase &Call) const {
  CallFacts Facts;
  const NodeFunction &F = of(Call);
  Facts.Linked.Operands = pointers(Call);
  Facts.Linked.Result = Call.getType()->isPointerTy();
  if (F.Shape == NodeShape::List)
    Facts.Linked.Offsets = {0, 8};
  else
    Facts.Linked.Offsets = {8, 16, 24};
  Facts.Reads = Facts.Linked.Operands;
  if (F.Action == NodeAction::Relink)
    Facts.Writes = Facts.Linked.Operands;
  return Facts;
}

/// The call that replaces this one; null if it stays.
CallBase *LinkedHandler::emit(SweepBuilder &B, CallBase &Call) {
  const NodeFunction &F = of(Call);
  SmallVector<Value *, 8> Args, Shadows;
  for (Value *V : Call.args()) {
    if (!V->getType()->isPointerTy()) {
      Args.push_back(B.ir().CreateZExt(V, B.ir().getInt32Ty()));
      continue;
    }
    Args.push_back(V);
    Value *Shadow = B.shadow(V);
    if (!Shadow)
      return nullptr;
    Shadows.push_back(Shadow);
  }
  Args.append(Shadows);
  CallBase *New = B.runtime(F.Runtime, Call.getType(), Args);
  if (F.Action == NodeAction::Step) {
    B.setShadow(&Call, New);
    return nullptr;
  }
  if (!Call.getType()->isVoidTy())
    B.setShadow(&Call, Shadows.front());
  return New;
}

} // namespace

void registerLinkedHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<LinkedHandler>());
}

} // namespace contraflow
