// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keep, recompute or store: for every primal value that the reverse sweep reads, where it will come
// from. Decided by a minimum cut over the graph "value <- operands": the cut is what is stored.
//
//   %s = fmul %a, %b ; %e = exp %s ; reverse needs {%a, %b, %e}
//   -> store %a, %b (loads whose memory is overwritten) and %e (dear); recompute %s
//
// Stored values live in frames: one per loop nest whose trip counts are known on entry (slot by
// slot, so that each slot is read and written with unit stride), one per iteration otherwise.

#pragma once

#include "ReverseShape.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace contraflow {

enum class Decision {
  Available, ///< constant, counter, or dominates the reverse sweep
  Recompute,
  Keep,  ///< outside loops of a combined function: a register
  Store, ///< a slot on the tape
};

struct Frame;

/// One value's place on the tape.
struct Slot {
  llvm::Value *V = nullptr;
  Frame *Home = nullptr;
  llvm::SmallVector<llvm::Loop *, 3> Nest; ///< loops that index the slot, outermost first
  int64_t Bytes = 8;
  int64_t Offset = 0;          ///< constant offset: root frames and frames per iteration
  llvm::Value *Base = nullptr; ///< address of element 0: frames per nest; a value of the function
};

struct Frame {
  enum Kind { Root, Nest, Iteration } What = Root;
  llvm::Loop *L = nullptr; ///< outermost loop of the nest, or the loop of the iterations
  llvm::SmallVector<Slot *, 8> Slots;
  llvm::Value *Pointer = nullptr; ///< Root, Iteration: the frame of this activation
};

/// What the planner asks about values.
struct PlanQuestions {
  llvm::function_ref<bool(const llvm::Instruction &)> StableLoad;
  bool Combined = true; ///< the reverse sweep is in the same function
  bool MinCut = true;
  /// In a large function what is needed outside loops is kept: it would be recomputed far away from
  /// what it is computed from.
  bool Large = false;
  /// The load that reads again what a phi was handed from the iteration before; null: there is
  /// none.
  llvm::function_ref<llvm::LoadInst *(const llvm::PHINode &)> Carried = nullptr;
};

class TapePlan {
public:
  TapePlan(llvm::Function &F, llvm::LoopInfo &LI, const LoopFacts &Facts)
      : F(F), LI(LI), Facts(Facts) {}

  /// Decides for the needs and everything they are recomputed from.
  void decide(llvm::ArrayRef<llvm::Value *> Needs, const PlanQuestions &Q);
  /// Adds a value that must be stored or kept (frame pointers and the like).
  void require(llvm::Value *V, const PlanQuestions &Q);
  Decision decisionFor(const llvm::Value *V) const;
  const Slot *slotFor(const llvm::Value *V) const;
  llvm::ArrayRef<std::unique_ptr<Frame>> frames() const { return Frames; }
  Frame *rootFrame() const { return RootFrame; }
  llvm::ArrayRef<llvm::Value *> kept() const { return Kept.getArrayRef(); }
  /// Every value that the reverse sweep reads can be had there.
  llvm::Error verify(llvm::ArrayRef<llvm::Value *> Needs) const;
  void print(llvm::raw_ostream &OS) const;

private:
  void place(llvm::Value *V, const PlanQuestions &Q);
  Frame *frameAt(llvm::Loop *L);

  llvm::Function &F;
  llvm::LoopInfo &LI;
  const LoopFacts &Facts;
  llvm::MapVector<const llvm::Value *, Decision> Decisions;
  llvm::MapVector<const llvm::Value *, std::unique_ptr<Slot>> Slots;
  llvm::SmallVector<std::unique_ptr<Frame>, 4> Frames;
  llvm::SetVector<llvm::Value *> Kept;
  Frame *RootFrame = nullptr;
};

/// True if V can be computed again from its operands.
bool isRecomputable(const llvm::Value *V, const PlanQuestions &Q);
/// What it is computed again from, or read again by.
llvm::SmallVector<llvm::Value *, 4> sourcesOf(llvm::Value *V, const PlanQuestions &Q);
/// True if V needs no decision in this function.
bool isAvailable(const llvm::Value *V, const LoopFacts &Facts, bool Combined);

/// Minimum vertex cut between values that cannot be recomputed, or are at hand, and needs. Returns
/// the values to store, in program order.
llvm::SmallVector<llvm::Value *, 16>
minimumCut(llvm::ArrayRef<llvm::Value *> Needs, const PlanQuestions &Q, const llvm::LoopInfo &LI,
           llvm::function_ref<bool(const llvm::Value *)> AtHand);

} // namespace contraflow
