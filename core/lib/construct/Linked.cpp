// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::list, std::map and their kin link their nodes by functions that the compiler cannot see.
// Where nodes have shadows, the runtime links both; the reverse has nothing to do, since no float
// moves.
//
//   insert_and_rebalance(left, x, p, h)    ->    tree_insert(left, x, p, h, x', p', h')
//   q = increment(p)                       ->    q = increment(p) ; q' = tree_next_shadow(p, p')
//
// A derivative of that has shadows of the nodes and of the nodes' shadows. Each is linked by the
// nodes, and what that does to the nodes is taken back:
//
//   tree_erase(x, h, x', h')   ->   linked_note(); tree_erase(x, h, x*, h*); linked_back();
//                                   linked_note(); tree_erase(x, h, x'*, h'*); linked_back();
//                                   tree_erase(x, h, x', h')
//   tree_erase(...) between linked_note and linked_back   ->   only that of x'*
//   q' = tree_next_shadow(p, p')   ->   q' = ... ; q'* = tree_next_shadow(p, p'*)

#include "Memory.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
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
  bool OfRuntime; ///< takes shadows behind the nodes
};

const StringMap<NodeFunction> &nodeFunctions() {
  static const StringMap<NodeFunction> Table = {
#define CF_LINKED(Name, Runtime, Shape, Action)                                                    \
  {Name, {Runtime, NodeShape::Shape, NodeAction::Action, false}},
#include "callee/Linked.def"
#define CF_LINKED(Name, Runtime, Shape, Action)                                                    \
  {"cf_v1_" Runtime, {Runtime, NodeShape::Shape, NodeAction::Action, true}},
#include "callee/Linked.def"
  };
  return Table;
}

SmallVector<unsigned, 4> pointers(const CallBase &Call) {
  SmallVector<unsigned, 4> Out;
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    if (Call.getArgOperand(I)->getType()->isPointerTy())
      Out.push_back(I);
  return Out;
}

const NodeFunction &of(const CallBase &Call) {
  return nodeFunctions().find(Call.getCalledFunction()->getName())->second;
}

class LinkedHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (auto &Entry : nodeFunctions())
      if (handles(Entry.second))
        Names.push_back(Entry.first());
    return Names;
  }
  bool claims(const CallBase &Call) const override {
    return Call.getCalledFunction()->isDeclaration() && !pointers(Call).empty();
  }
  CallFacts facts(const CallBase &Call) const override;
  bool hasReverse(const CallBase &) const override { return false; }
  bool isRepeatable(const CallBase &) const override { return true; }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  virtual bool handles(const NodeFunction &F) const = 0;
};

CallFacts LinkedHandler::facts(const CallBase &Call) const {
  CallFacts Facts;
  Facts.Linked.Operands = pointers(Call);
  Facts.Linked.Result = Call.getType()->isPointerTy();
  if (of(Call).Shape == NodeShape::List)
    Facts.Linked.Offsets = {0, 8};
  else
    Facts.Linked.Offsets = {8, 16, 24};
  if (of(Call).Shape == NodeShape::Tree)
    for (unsigned Node : Facts.Linked.Operands) // its colour
      Facts.Cells.push_back({Node, SK_Int});
  Facts.Reads = Facts.Linked.Operands;
  if (of(Call).Action == NodeAction::Relink)
    Facts.Writes = Facts.Linked.Operands;
  return Facts;
}

/// The runtime's call beside Call in one direction; null if the nodes have no shadows.
CallBase *beside(SweepBuilder &B, CallBase &Call, unsigned Direction) {
  SmallVector<Value *, 8> Args, Shadows;
  for (Value *V : Call.args()) {
    if (!V->getType()->isPointerTy()) {
      Args.push_back(B.ir().CreateZExt(V, B.ir().getInt32Ty()));
      continue;
    }
    Args.push_back(V);
    Shadows.push_back(B.shadowIn(Direction, V));
    if (!Shadows.back())
      return nullptr;
  }
  Args.append(Shadows);
  return B.runtime(of(Call).Runtime, Call.getType(), Args);
}

/// Links nodes. In each direction but the last one what happens to the nodes is taken back, so that
/// it happens again.
class RelinkHandler : public LinkedHandler {
public:
  bool handles(const NodeFunction &F) const override {
    return F.Action == NodeAction::Relink && !F.OfRuntime;
  }
  bool allDirections() const override { return true; }
  /// tree_erase returns the node that it was given.
  void canonicalise(Function &F) const override {
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || !I.getType()->isPointerTy() || !claims(*Call))
        continue;
      auto Found = nodeFunctions().find(Callee->getName());
      if (Found != nodeFunctions().end() && Found->second.Action == NodeAction::Relink)
        Call->replaceAllUsesWith(Call->getArgOperand(0));
    }
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (CallBase *New = link(B, Call))
      B.replaceCall(Call, Call.getType()->isVoidTy() ? nullptr : New);
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    if (CallBase *New = link(B, *Site.Anchor))
      Site.Anchor = New;
    return Error::success();
  }

private:
  static CallBase *link(SweepBuilder &B, CallBase &Call) {
    for (Value *V : Call.args())
      if (V->getType()->isPointerTy() && !B.shadow(V))
        return nullptr;
    for (unsigned D = 0; D + 1 < B.directions(); ++D) {
      B.runtime("linked_note", B.ir().getVoidTy(), {});
      beside(B, Call, D);
      B.runtime("linked_back", B.ir().getVoidTy(), {});
    }
    return beside(B, Call, B.directions() - 1);
  }
};

/// Links nodes and shadows in a derivative.
class NestedRelinkHandler : public LinkedHandler {
public:
  bool handles(const NodeFunction &F) const override {
    return F.Action == NodeAction::Relink && F.OfRuntime;
  }
  bool allDirections() const override { return true; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    const bool Again = isTakenBack(Call);
    for (unsigned D = 0; D < B.directions(); ++D) {
      if (!Again)
        linkAlso(B, Call, D, 0);
      linkAlso(B, Call, D, pointers(Call).size() / 2);
    }
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override { return tangent(B, *Site.Anchor); }

private:
  static constexpr StringLiteral Note = "cf_v1_linked_note", Back = "cf_v1_linked_back";
  /// True if the nodes are linked again by another call, and their own shadows with them.
  static bool isTakenBack(const CallBase &Call) {
    for (const Instruction *I = Call.getPrevNode(); I; I = I->getPrevNode())
      if (auto *Before = dyn_cast<CallBase>(I); Before && Before->getCalledFunction())
        if (const StringRef Name = Before->getCalledFunction()->getName();
            Name == Note || Name == Back)
          return Name == Note;
    return false;
  }
  /// The shadows of the nodes, or of their shadows, which are the pointers of Call from From on.
  static void linkAlso(SweepBuilder &B, CallBase &Call, unsigned Direction, unsigned From) {
    const SmallVector<unsigned, 4> Pointers = pointers(Call);
    const unsigned Nodes = Pointers.size() / 2;
    SmallVector<Value *, 8> Args(Call.args());
    for (unsigned I = 0; I < Nodes; ++I) {
      Value *&Shadow = Args[Pointers[Nodes + I]];
      Shadow = B.shadowIn(Direction, Call.getArgOperand(Pointers[From + I]));
      if (!Shadow)
        return;
    }
    B.runtime("linked_note", B.ir().getVoidTy(), {});
    B.runtime(of(Call).Runtime, Call.getType(), Args);
    B.runtime("linked_back", B.ir().getVoidTy(), {});
  }
};

/// Goes on to another node.
class StepHandler : public LinkedHandler {
public:
  bool handles(const NodeFunction &F) const override { return F.Action == NodeAction::Step; }
  bool severalDirections() const override { return true; }
  bool knowsOwnShadows(const CallBase &) const override { return true; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    Value *Followed = Call.getArgOperand(Call.arg_size() - 1); // the node, or its shadow
    SmallVector<Value *, 2> Args{Call.getArgOperand(0), B.shadow(Followed)};
    if (Args.back())
      B.setShadow(&Call, B.runtime(of(Call).Runtime, Call.getType(), Args));
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override { return tangent(B, *Site.Anchor); }
};

} // namespace

void registerLinkedHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<RelinkHandler>());
  Registry.add(std::make_unique<NestedRelinkHandler>());
  Registry.add(std::make_unique<StepHandler>());
}

} // namespace contraflow
