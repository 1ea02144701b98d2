// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activity: a value is active when it is varied (depends on an active input) and useful (an active
// output depends on it). Values are followed along the data flow; memory by the cells of the memory
// graph, without regard to order. One solution for the whole closure of a request.
//
//   y[i] = a * x[i] + c;   x dup, a and c const:   x[i], a * x[i], the sum are active; a, c are not

#pragma once

#include "MemoryGraph.h"
#include "MixedWords.h"
#include "contraflow/core/Request.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

namespace contraflow {

/// What the activity analysis is told about the request.
struct ActivityQuestion {
  llvm::Function *Root = nullptr;
  const DerivativeSpec *Spec = nullptr;
  llvm::ArrayRef<llvm::Function *> Closure;
  bool AllActive = false; ///< analysis switched off: every float is active
};

class ActivityResult {
public:
  /// Active float, vector, aggregate holding floats, or integer that carries a float.
  bool active(const llvm::Value *V) const;
  bool activeCell(unsigned Cell) const;
  /// The node, or something it leads to, holds active floats or came with a shadow.
  bool hasShadow(unsigned Node) const;
  bool hasShadow(const llvm::Value *Pointer) const;
  /// True if [At, At+Size) of memory holds active floats (Size < 0: anywhere in the object).
  bool activeAt(Location At, int64_t Size) const;
  /// The object holds something that depends on an input; that a result depends on.
  bool varied(unsigned Node) const { return holds(Varied, Node); }
  bool useful(unsigned Node) const { return holds(Useful, Node); }
  /// True if a call of a function that nobody knows may meet active floats behind global variables
  /// that other translation units see, or change some through functions that they can call.
  bool meetsGlobals(const llvm::CallBase &Call) const;
  /// Where floats are made of integers that active floats were made to; see LostBits.h.
  llvm::ArrayRef<const llvm::Instruction *> lostBits() const { return Lost; }
  MixedWords mixedWords() const { return Mixed; }
  const MemoryGraph &memory() const { return *Graph; }

private:
  bool holds(const llvm::BitVector &Among, unsigned Node) const;
  friend class ActivitySolver;
  const MemoryGraph *Graph = nullptr;
  llvm::DenseSet<const llvm::Value *> Active;
  llvm::BitVector Cells, ShadowNodes, Varied, Useful;
  llvm::SmallVector<const llvm::Instruction *, 0> Lost;
  MixedWords Mixed;
  bool GlobalsAreActive = false; ///< what visible global variables lead to
};

/// Solves activity for a closure.
ActivityResult computeActivity(const ActivityQuestion &Question, const MemoryGraph &Graph,
                               const HandlerRegistry &Handlers);

/// The float type that a value of type T with these kinds holds: itself for floats, vectors and
/// aggregates with floats; double or float for an integer carrier; null otherwise.
llvm::Type *floatTypeOf(const llvm::Value *V, const MemoryGraph &Graph);

} // namespace contraflow
