// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dinic's maximum flow (Soviet Math. Doklady 11, 1970) on the split graph: each value is an edge
// in -> out whose capacity is the bytes it would take, times 16 per level of loops around it. Of
// all minimum cuts the one nearest to the needs is taken, so that least is recomputed.

#include "TapePlan.h"
#include "contraflow/core/Rule.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <queue>

using namespace llvm;

namespace contraflow {
namespace {

constexpr int64_t Infinite = int64_t(1) << 50;

class FlowGraph {
public:
  explicit FlowGraph(unsigned Nodes) : Out(Nodes), Level(Nodes), Next(Nodes) {}
  void edge(unsigned From, unsigned To, int64_t Capacity) {
    Out[From].push_back(Edges.size());
    Edges.push_back({To, Capacity});
    Out[To].push_back(Edges.size());
    Edges.push_back({From, 0});
  }
  void saturate(unsigned Source, unsigned Sink) {
    while (layer(Source, Sink)) {
      std::fill(Next.begin(), Next.end(), 0);
      while (augment(Source, Sink))
        ;
    }
  }
  /// Nodes from which the sink can still be reached.
  BitVector reachesSink(unsigned Sink) const;

private:
  struct Edge {
    unsigned To;
    int64_t Left;
  };
  bool layer(unsigned Source, unsigned Sink);
  bool augment(unsigned Source, unsigned Sink);

  std::vector<Edge> Edges;
  std::vector<SmallVector<unsigned, 4>> Out;
  std::vector<int> Level;
  std::vector<unsigned> Next;
};

bool FlowGraph::layer(unsigned Source, unsigned Sink) {
  std::fill(Level.begin(), Level.end(), -1);
  Level[Source] = 0;
  std::queue<unsigned> Todo({Source});
  while (!Todo.empty()) {
    unsigned N = Todo.front();
    Todo.pop();
    for (unsigned E : Out[N])
      if (Edges[E].Left > 0 && Level[Edges[E].To] < 0) {
        Level[Edges[E].To] = Level[N] + 1;
        Todo.push(Edges[E].To);
      }
  }
  return Level[Sink] >= 0;
}

/// One augmenting path along the layers, without recursion.
bool FlowGraph::augment(unsigned Source, unsigned Sink) {
  SmallVector<unsigned, 32> Path;
  unsigned N = Source;
  while (N != Sink) {
    bool Advanced = false;
    for (; Next[N] < Out[N].size(); ++Next[N]) {
      Edge &E = Edges[Out[N][Next[N]]];
      if (E.Left <= 0 || Level[E.To] != Level[N] + 1)
        continue;
      Path.push_back(Out[N][Next[N]]);
      N = E.To;
      Advanced = true;
      break;
    }
    if (Advanced)
      continue;
    if (Path.empty())
      return false;
    N = Edges[Path.pop_back_val() ^ 1].To;
    ++Next[N];
  }
  int64_t Amount = Infinite;
  for (unsigned E : Path)
    Amount = std::min(Amount, Edges[E].Left);
  for (unsigned E : Path) {
    Edges[E].Left -= Amount;
    Edges[E ^ 1].Left += Amount;
  }
  return true;
}

BitVector FlowGraph::reachesSink(unsigned Sink) const {
  BitVector Seen(Out.size());
  Seen.set(Sink);
  SmallVector<unsigned, 32> Todo{Sink};
  while (!Todo.empty()) {
    unsigned N = Todo.pop_back_val();
    for (unsigned E : Out[N])
      if (Edges[E ^ 1].Left > 0 && !Seen.test(Edges[E].To)) {
        Seen.set(Edges[E].To);
        Todo.push_back(Edges[E].To);
      }
  }
  return Seen;
}

int64_t weight(const Value *V, const PlanQuestions &Q, const LoopInfo &LI) {
  auto *I = dyn_cast<Instruction>(V);
  if (!V->getType()->isSized() || V->getType()->isAggregateType())
    return Infinite;
  unsigned Depth = I ? LI.getLoopDepth(I->getParent()) : 0;
  if (Depth == 0 && Q.Combined)
    return 1;
  const DataLayout &DL = I ? I->getDataLayout() : cast<Argument>(V)->getParent()->getDataLayout();
  int64_t Bytes = DL.getTypeStoreSize(V->getType()).getFixedValue();
  return Bytes << (4 * std::min(Depth, 8u));
}

} // namespace

SmallVector<Value *, 16> minimumCut(ArrayRef<Value *> Needs, const PlanQuestions &Q,
                                    const LoopInfo &LI, function_ref<bool(const Value *)> AtHand) {
  MapVector<Value *, unsigned> Number; // value -> its in node; out = in + 1
  SmallVector<Value *, 32> Todo(Needs);
  while (!Todo.empty()) {
    Value *V = Todo.pop_back_val();
    if (AtHand(V) || !Number.try_emplace(V, 2 + 2 * Number.size()).second)
      continue;
    if (isRecomputable(V, Q))
      append_range(Todo, sourcesOf(V, Q));
  }
  FlowGraph Graph(2 + 2 * Number.size());
  for (auto [V, In] : Number) {
    Graph.edge(In, In + 1, weight(V, Q, LI));
    if (!isRecomputable(V, Q)) {
      Graph.edge(0, In, Infinite);
      continue;
    }
    for (Value *Op : sourcesOf(V, Q))
      if (auto It = Number.find(Op); It != Number.end())
        Graph.edge(It->second + 1, In, Infinite);
  }
  for (Value *V : Needs)
    if (auto It = Number.find(V); It != Number.end())
      Graph.edge(It->second + 1, 1, Infinite);
  Graph.saturate(0, 1);
  BitVector NearSink = Graph.reachesSink(1);
  SmallVector<Value *, 16> Cut;
  for (auto [V, In] : Number)
    if (NearSink.test(In + 1) && !NearSink.test(In))
      Cut.push_back(V);
  return Cut;
}

bool isAvailable(const Value *V, const LoopFacts &Facts, bool Combined) {
  if (isa<Constant>(V) || isa<BasicBlock>(V) || isa<MetadataAsValue>(V))
    return true;
  if (isa<Argument>(V))
    return Combined;
  auto *I = cast<Instruction>(V);
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    auto It = Facts.find(const_cast<BasicBlock *>(Phi->getParent()));
    return It != Facts.end() && It->second.Counter == Phi;
  }
  auto *A = dyn_cast<AllocaInst>(I);
  return A && Combined && A->isStaticAlloca();
}

SmallVector<Value *, 4> sourcesOf(Value *V, const PlanQuestions &Q) {
  if (auto *Phi = dyn_cast<PHINode>(V))
    return {Q.Carried(*Phi)};
  return SmallVector<Value *, 4>(cast<Instruction>(V)->operand_values());
}

bool isRecomputable(const Value *V, const PlanQuestions &Q) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return false;
  if (auto *Phi = dyn_cast<PHINode>(I))
    return Q.Carried && Q.Carried(*Phi);
  if (isa<LoadInst>(I))
    return Q.StableLoad(*I);
  if (isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst,
          ExtractValueInst, InsertValueInst, ExtractElementInst, InsertElementInst,
          ShuffleVectorInst>(I)) {
    return true;
  }
  if (!isa<CallBase>(I))
    return false;
  Rule R = findRule(*I);
  return R && !R.isDear();
}

} // namespace contraflow
