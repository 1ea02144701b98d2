// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse sweep of one function: blocks in reverse, each instruction replaced by the update of
// the adjoints of its operands.
//
//   forward:  %r = fmul double %a, %b          reverse:  a-bar += b * r-bar
//                                                        b-bar += a * r-bar ; r-bar = 0
//
// Adjoints of values live in stack slots, which later passes turn into registers; adjoints of
// memory live in the shadows.

#pragma once

#include "Deferred.h"
#include "Frames.h"
#include "MemoryTags.h"
#include "SharedSweep.h"
#include "Steps.h"
#include "Windows.h"
#include "plan/Snapshot.h"

#include <array>

namespace contraflow {

class ReverseSweep : public SweepBuilder {
public:
  struct Inputs {
    RequestState &S;
    Unit &U;
    ForwardSweep &Fwd;
    const ReverseSteps &Steps;
    const ReverseShape &Shape;
    const TapePlan &Plan;
    const FrameEmitter &Frames;
    const SharedPlans &Sharing;
    const SnapshotSet &Snapshots;
    llvm::ArrayRef<DeferredLoop> Deferred;
    const llvm::DenseSet<const llvm::Instruction *> &Owned; ///< loads of what the thread owns
    llvm::ArrayRef<WindowLoop> Windows;
  };
  explicit ReverseSweep(const Inputs &In);
  /// Emits the whole sweep; returns the block where it starts.
  llvm::Expected<llvm::BasicBlock *> run();
  /// The block where it ends; the caller adds the return.
  llvm::BasicBlock *end() const { return EndBlock; }

  llvm::IRBuilder<> &ir() override { return B; }
  llvm::Value *shadow(llvm::Value *Pointer) override;
  void setShadow(llvm::Value *, llvm::Value *) override;
  bool activeMemory(const llvm::Value *P) const override { return In.Fwd.activeMemory(P); }
  bool activeValue(const llvm::Value *V) const override { return In.S.Activity.active(V); }
  unsigned kinds(const llvm::Value *P) const override { return In.Fwd.kinds(P); }
  MemoryLayout layout(const llvm::Value *P) const override { return In.Fwd.layout(P); }
  llvm::Value *owner(const llvm::Value *P) const override { return In.Fwd.owner(P); }
  llvm::Value *tape() override {
    In.U.UsesTape = true;
    return In.U.ReverseTape;
  }
  llvm::CallInst *runtime(llvm::StringRef Name, llvm::Type *Result,
                          llvm::ArrayRef<llvm::Value *> Args) override;
  llvm::Value *takeAdjoint(llvm::Value *V) override;
  void addAdjoint(llvm::Value *V, llvm::Value *Bar) override;
  llvm::Value *tangent(llvm::Value *V) override;
  void setTangent(llvm::Value *V, llvm::Value *Dot) override;
  llvm::Type *floatType(const llvm::Value *V) const override { return In.Fwd.floatType(V); }
  llvm::Expected<SplitDerivative> split(llvm::Function &Body) override;
  llvm::Expected<llvm::Function *> tangentOf(llvm::Function &Body,
                                             llvm::SmallVectorImpl<bool> &HasShadow) override;
  bool shared(const llvm::Value *Pointer) const override;
  bool inTeam() const override { return In.U.InTeam; }
  void replaceCall(llvm::CallBase &, llvm::Value *) override;

private:
  llvm::Value *sumOf(llvm::Value *Old, llvm::Value *Bar, bool MayBeFloat);
  llvm::Value *holdsAddress(const llvm::Value *V, llvm::Value *Bits);

  // Values of the forward sweep.
  llvm::Value *recall(llvm::Value *V);
  llvm::Value *recallNew(llvm::Value *V);
  llvm::Value *recompute(llvm::Instruction &I);
  llvm::Value *loadSlot(const Slot &Place);
  llvm::Value *loadSnapshot(llvm::LoadInst &Load, const Snapshot &From);
  llvm::Value *counter(const llvm::Loop *L);
  llvm::AllocaInst *local(llvm::Type *T, const llvm::Twine &Name, bool Zero);
  llvm::AllocaInst *barSlot(llvm::Value *V);

  // One instruction.
  llvm::Error reverse(llvm::Instruction &I);
  llvm::Error reverseValue(llvm::Instruction &I);
  llvm::Error reverseSite(const CallSite &Site);
  void reverseClosureCall(const CallSite &Site);
  void dropAddresses(const llvm::Value *Pointer, llvm::Value *Where, llvm::Type *T);
  bool mayMoveAsBytes(Location At);
  void settleBytes(llvm::Value *Pointer, llvm::Value *Where, llvm::Type *T);
  llvm::Error reverseStore(llvm::StoreInst &I);
  llvm::Error reverseAtomic(llvm::AtomicRMWInst &I);
  bool reverseMove(llvm::Instruction &I);
  bool reverseVector(llvm::Instruction &I);
  bool reverseAggregate(llvm::Instruction &I);
  /// The result of I, wanted for a derivative only.
  llvm::Value *recallFactor(llvm::Instruction &I);
  void reverseRule(llvm::Instruction &I);
  void accumulate(llvm::Instruction &I, llvm::Value *Address, llvm::Value *Bar);
  void accumulateAt(llvm::Instruction &I, llvm::Value *Address, llvm::Value *Where,
                    llvm::Value *Bar);

  // Control flow.
  llvm::Error reverseBlock(llvm::BasicBlock &Block, const Backward &Step);
  llvm::BasicBlock *edge(llvm::BasicBlock &From, const Backward &Step, unsigned Index);
  void enterLoops(llvm::BasicBlock &From, llvm::BasicBlock *To);
  llvm::Value *firstIteration(const llvm::Loop *L);
  /// Memory of the thread's own: as the runtime knows it, and in registers.
  struct PrivateState {
    llvm::AllocaInst *Own = nullptr, *Base = nullptr, *Memory = nullptr;
  };
  /// The phases of a shared loop: where a phase begins and ends, and its state.
  struct PhaseState {
    const SharedPlan *Plan = nullptr;
    llvm::AllocaInst *Share = nullptr, *Phase = nullptr, *First = nullptr;
    llvm::AllocaInst *Apart = nullptr;   ///< whether all groups are apart from loose updates
    llvm::AllocaInst *Settled = nullptr; ///< and all windows of the loop cover what will come
    llvm::SmallVector<PrivateState, 2> Private; ///< one for each private array
    llvm::BasicBlock *Head = nullptr, *Tail = nullptr;
  };
  /// A loop whose pieces are dealt out.
  struct DealtState {
    const SharedPlan *Plan = nullptr;
    llvm::AllocaInst *Apart = nullptr; ///< whether its iterations are apart from each other
  };
  void openDealt(const llvm::Loop *L);
  void preparePhases(const SharedPlan &Plan);
  void emitPhaseHead(const PhaseState &P);
  llvm::Value *shareField(const PhaseState &P, unsigned Field, llvm::Value *Index);
  void openShared(const PhaseState &P, llvm::Value *Last);
  llvm::Value *plainGroups(const PhaseState &P);
  llvm::Value *apartFromLoose(const SharedPlan &Plan);
  void coverWindows(const PhaseState &P);
  void addSettledVersions();
  void addSettledVersion(const PhaseState &P);
  void closeShared(const PhaseState &P);
  void openPrivate(const PhaseState &P);
  void closePrivate(const PhaseState &P);
  llvm::Value *privateAddress(const llvm::Instruction &Load, llvm::Value *Where);
  void addPlainly(llvm::Instruction &Load, llvm::Value *Where, llvm::Value *Bar);
  llvm::Value *alone();
  llvm::Value *apart(const llvm::Instruction &Load);
  void addBesideOthers(llvm::Instruction &Load, llvm::Value *Where, llvm::Value *Bar, bool Locks);
  void addAtomically(llvm::Instruction &Load, llvm::Value *Where, llvm::Value *Bar);
  bool inOrder() const;
  void addInOrder(llvm::Value *Where, llvm::Value *Bar, bool Locks);
  void takeInOrder(llvm::Instruction &Access, llvm::Value *Where);
  struct WindowState {
    const llvm::Loop *L;
    const WindowArray *Array;
    llvm::AllocaInst *State;                 ///< of the runtime
    std::array<llvm::AllocaInst *, 3> Known; ///< its first fields: of ours, so in registers
  };
  void prepareWindows();
  llvm::Value *windowField(const WindowState &W, unsigned Field);
  void readWindow(const WindowState &W);
  llvm::BasicBlock *branchIf(llvm::Value *Condition, llvm::BasicBlock *Otherwise);
  bool addToWindow(const llvm::LoadInst &Load, llvm::Value *Where, llvm::Value *Bar);
  void takeFromWindows(const llvm::Instruction &Access, llvm::Value *Where, llvm::Type *T);
  void closeWindows(const llvm::Loop &L);
  bool meetsSharedLoop(const llvm::Instruction &Load) const;
  /// The state of a shared loop, or null.
  const PhaseState *phases(const llvm::Loop *L) const;
  const DeferredLoop *deferred(const llvm::Loop *L) const;
  llvm::Value *iterations(const llvm::Loop *L);
  llvm::Value *bufferEntry(const DeferredLoop &D, unsigned Number, llvm::Value *Index);
  void openBuffers(const DeferredLoop &D);
  bool defer(llvm::Instruction &Load, llvm::Value *Bar);
  void addAlone(const DeferredLoop &D, const DeferredUpdate &Update);
  void addWindow(const DeferredLoop &D, llvm::ArrayRef<DeferredUpdate> Window);
  void addUpdates(const DeferredLoop &D, llvm::ArrayRef<DeferredUpdate> Window);
  void closeBuffers(const DeferredLoop &D);
  bool addsPlainly(const llvm::Instruction &Load) const;
  void leaveLoop(llvm::Loop &L);
  void previousIteration(llvm::Loop &L);
  void finishBlock(llvm::BasicBlock &Block, const Backward &Step);
  void startBlock(llvm::BasicBlock *At);

  Inputs In;
  llvm::IRBuilder<> B;
  MemoryTags Tags;
  llvm::BasicBlock *Locals = nullptr; ///< where stack slots go
  llvm::BasicBlock *EndBlock = nullptr;
  llvm::Value *Alone = nullptr; ///< whether one thread runs; null until asked
  llvm::DenseMap<llvm::BasicBlock *, llvm::BasicBlock *> Blocks;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Known; ///< recalled in this block
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> Bars;
  llvm::DenseMap<unsigned, bool> MovesAsBytes; ///< whether a node's numbers may lie anywhere
  llvm::DenseMap<const llvm::Loop *, llvm::AllocaInst *> Counters, IterationFrames, Buffers;
  llvm::SmallVector<std::pair<llvm::PHINode *, llvm::Value *>, 4> PhiBars;
  llvm::SmallVector<PhaseState, 2> Phases;
  llvm::SmallVector<DealtState, 1> Dealt;
  llvm::SmallVector<WindowState, 2> Windows;
  llvm::SmallVector<llvm::BasicBlock *, 4> OutsideWindows; ///< where something is added atomically
};

} // namespace contraflow
