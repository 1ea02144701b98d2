// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward half of the tape plan: reserves frames, stores what is to be stored, keeps in
// registers what is to be kept. What it adds to the forward function (frame pointers) is needed by
// the reverse sweep, too, and is planned like everything else, from inner loops outwards.

#pragma once

#include "Unit.h"
#include "plan/TapePlan.h"

namespace contraflow {

/// Metadata of a store to the tape: a value that a reverse sweep needs as it is. An integer is no
/// part of a float there, also in the derivative of the derivative.
inline constexpr llvm::StringLiteral KeptValueKind = "contraflow.kept";

class FrameEmitter {
public:
  FrameEmitter(RequestState &S, Unit &U, const ReverseShape &Shape, TapePlan &Plan,
               const PlanQuestions &Q)
      : S(S), U(U), Shape(Shape), Plan(Plan), Q(Q) {}
  void run();
  /// The register of a kept value.
  llvm::AllocaInst *keeper(const llvm::Value *V) const { return Keepers.lookup(V); }
  /// Frame of the last iteration of L, when the sweep enters L from block From.
  llvm::Value *lastFrame(llvm::BasicBlock *From, const llvm::Loop *L) const {
    return LastFrames.lookup({From, L});
  }

private:
  void emitRoot(Frame &F);
  void emitNest(Frame &F);
  void emitIteration(Frame &F);
  void recordLastFrames(Frame &F);
  void storeSlot(Slot &Place);
  void tagColumn(llvm::Instruction &Store, const Slot &Place);
  void keep(llvm::Value *V);
  llvm::Value *trips(llvm::IRBuilderBase &B, const llvm::Loop *L);
  Frame *nextFrame();

  RequestState &S;
  Unit &U;
  const ReverseShape &Shape;
  TapePlan &Plan;
  const PlanQuestions &Q;
  llvm::SmallPtrSet<Frame *, 8> Done;
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> Keepers;
  llvm::DenseMap<const Frame *, llvm::SmallVector<llvm::Metadata *, 8>> ColumnScopes;
  llvm::DenseMap<std::pair<llvm::BasicBlock *, const llvm::Loop *>, llvm::Value *> LastFrames;
};

/// The type in which a value is stored: booleans take a byte.
llvm::Type *storedType(llvm::Type *T);
/// Index of the current iteration in a slot's nest, from the counters and trip counts given.
llvm::Value *nestIndex(llvm::IRBuilderBase &B, const Slot &Place,
                       llvm::function_ref<llvm::Value *(const llvm::Loop *)> Counter,
                       llvm::function_ref<llvm::Value *(const llvm::Loop *)> Last);

} // namespace contraflow
